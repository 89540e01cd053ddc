// Loads a module of the histories over the sources as they are. Bundled first, it is loaded in a tenth of the time.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, runnerImport } from "vite";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const LOADING = {
  root,
  configFile: false,
  logLevel: "error",
  resolve: { alias: { "@deleatur/verify": `${root}packages/verify/src/index.ts` } },
};
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The module `name` of this folder, as vite's `plugins` change the sources. */
export async function importSources(name, plugins = []) {
  return (await runnerImport(pathOf(name), { ...LOADING, plugins })).module;
}

/** The module `name` in one file of its own, for other processes; `remove` takes it away. */
export async function bundleSources(name) {
  // Among the packages, which the bundle leaves outside of itself.
  const outDir = await mkdtemp(join(root, "node_modules", ".deleatur-histories-"));
  const output = { entryFileNames: "bundle.mjs" };
  await build({ ...LOADING, build: { ssr: pathOf(name), outDir, minify: false, rolldownOptions: { output } } });
  return { file: join(outDir, "bundle.mjs"), remove: () => rm(outDir, { recursive: true }) };
}
