// The process of `live-in-child.ts` that is killed: reads its life from stdin, lives it over the sources as they are, and prints how it ended.
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

// A long run has bundled them: to load the sources takes longer than most lives.
const bundle = process.env["DELEATUR_HISTORY_CHILD"];
const { liveOn } =
  bundle === undefined
    ? await import("./import-sources.mjs").then(({ importSources }) => importSources("live-in-child.ts"))
    : await import(pathToFileURL(bundle).href);
process.stdout.write(JSON.stringify(await liveOn(JSON.parse(await text(process.stdin)))), () => process.exit());
