// The kit's own eyes: how often a text stands in a store's files, byte by byte. It knows no adapter.
import { readFileSync, statSync } from "node:fs";
import { possible } from "./case-end.ts";
import type { Bench } from "./subject.ts";

/** @throws CaseEnd where the bench shows no files */
export async function countInFiles(
  { bench }: { readonly bench: Bench },
  wanted: string,
  signal: AbortSignal,
): Promise<number> {
  const { paths } = possible(await bench.files(signal));
  let count = 0;
  for (const path of paths) {
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) count += 1;
  }
  return count;
}
