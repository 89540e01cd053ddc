// The process of `live-in-child.ts` that is killed: reads its life from stdin, lives it over the sources as they are, and prints how it ended.
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const { module } = await runnerImport(fileURLToPath(new URL("live-in-child.ts", import.meta.url)), {
  root,
  configFile: false,
  logLevel: "error",
  resolve: { alias: { "@deleatur/verify": `${root}packages/verify/src/index.ts` } },
});
process.stdout.write(JSON.stringify(await module.liveOn(JSON.parse(await text(process.stdin)))), () => process.exit());
