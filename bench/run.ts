// Runs one topic of the bench and prints its figures, as a table or as one JSON object. It must not let a figure over its limit pass: exit 1.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Figure, Topic } from "./figure.ts";
import { inWords } from "./in-words.ts";

const USAGE_EXIT = 2;

/** A topic is a file of topics/ that exports `bench`. */
const folder = fileURLToPath(new URL("./topics/", import.meta.url));
const topics = readdirSync(folder)
  .filter((name) => name.endsWith(".js"))
  .map((name) => name.slice(0, -3))
  .toSorted();

async function measure(topic: string): Promise<readonly Figure[]> {
  // The module's shape is held by its own `bench: Topic`.
  const { bench } = (await import(pathToFileURL(join(folder, `${topic}.js`)).href)) as { readonly bench: Topic };
  const directory = mkdtempSync(join(tmpdir(), `deleatur-bench-${topic}-`));
  try {
    return await bench({ directory, note: (text) => process.stderr.write(`${topic}: ${text}\n`) });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const [topic = ""] = positionals;
if (positionals.length !== 1 || !topics.includes(topic)) {
  process.stderr.write(`usage: npm run -s bench -- TOPIC [--json], where TOPIC is one of: ${topics.join(", ")}\n`);
  process.exitCode = USAGE_EXIT;
} else {
  const figures = await measure(topic);
  const holds = figures.every((figure) => figure.holds);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  process.stdout.write(
    values.json === true ? `${JSON.stringify({ topic, machine, holds, figures })}\n` : inWords(topic, machine, figures),
  );
  process.exitCode = holds ? 0 : 1;
}
