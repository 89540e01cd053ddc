// Looks into JSONL and text files for `init`: which fields their lines have. It keeps no value but the words of a `type` field.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { ColumnLayout, FilesLayout } from "./store-layout.ts";
import { countFacts } from "./value-facts.ts";

const MAX_FILES = 20;
const MAX_LINES = 200;
const MAX_BYTES = 1_048_576;
const MAX_TYPES = 8;

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // A line that is no JSON tells nothing of the layout; the adapter reports it when it scans.
    return undefined;
  }
}

/** The layout of these JSONL files, from the first lines of the first of them. @throws the file system's error */
export async function inspectJsonl(files: readonly string[], signal: AbortSignal): Promise<FilesLayout> {
  const values = new Map<string, unknown[]>();
  const types = new Set<string>();
  for (const file of files.slice(0, MAX_FILES)) {
    const input = createReadStream(file, { encoding: "utf8", end: MAX_BYTES, signal });
    let lines = 0;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if ((lines += 1) > MAX_LINES) break;
      const record = parseLine(line);
      if (record === undefined) continue;
      for (const [name, value] of Object.entries(record)) {
        const list = values.get(name) ?? [];
        list.push(value);
        values.set(name, list);
      }
      if (typeof record["type"] === "string" && types.size <= MAX_TYPES) types.add(record["type"]);
    }
    input.destroy();
  }
  const fields = [...values].map(([name, list]): ColumnLayout => ({ name, declaredType: "", facts: countFacts(list) }));
  const lineTypes = types.size > MAX_TYPES ? [] : [...types].filter((type) => /^[a-z_-]{1,24}$/.test(type)).toSorted();
  return { type: "jsonl", files: files.length, fields, lineTypes };
}
