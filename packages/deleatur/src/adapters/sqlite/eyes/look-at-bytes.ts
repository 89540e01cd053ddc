// Reads the raw files of a store: the database, its write-ahead log and its rollback journal. Only what can stand in them is held against what lives and looked for byte by byte, so that only what should be gone is a hit.
import { existsSync } from "node:fs";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createPatternMatcher } from "../../../probe/byte-matcher.ts";
import { type BytePattern, bytePatterns } from "../../../probe/byte-patterns.ts";
import { createByteSift } from "../../../probe/byte-sift.ts";
import { filesOf } from "../real-file.ts";
import type { BytesOrder } from "./bytes-thread.ts";
import { lookAtLeafStarts } from "./leaf-start-look.ts";
import { liveContent } from "./live-content.ts";
import { throughReader, type Reader } from "./open-reader.ts";
import { collectLostTerms, controlPatterns, lookInFile, lookInIndex, rawPatterns } from "./term-look.ts";

/** `opened` is told when the store is open. @throws StoreError where it cannot be read */
export function lookAtBytes(
  order: BytesOrder,
  signal: AbortSignal,
  opened: () => void = () => undefined,
): AsyncGenerator<Finding> {
  return throughReader(order.target, (db) => {
    opened();
    return lookThrough(db, order, signal);
  });
}

async function* lookThrough(
  db: Reader,
  { target, tables, needles }: BytesOrder,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (needles.length === 0) return;
  const paths = filesOf(target.file);
  const kept = await siftFiles(paths, needles, signal);
  // Controls are explained by nothing, and text by no vector.
  const own = kept.filter(({ control }) => !control);
  const explained = own.length === 0 ? [] : liveContent(db, { vectors: own.some(({ binary }) => binary) });
  const matcher = createPatternMatcher(kept, { explained });
  const lost = collectLostTerms(db, needles);
  yield* lookInIndex(db, target, lost);
  yield* lookAtLeafStarts(db, target, lost);
  const patterns = [...rawPatterns(db, lost), ...controlPatterns(db, needles, tables)];
  for (const path of paths) {
    if (!existsSync(path)) continue;
    for await (const { needle, file, offset, bytes } of matcher.scanFile(path, signal)) {
      yield {
        probe: "bytes",
        depth: "bytes",
        needle,
        place: { container: file, file, offset },
        match: { how: "bytes", bytes },
      };
    }
    yield* lookInFile(path, patterns, signal);
  }
}

/** What can stand in the files at all; all other patterns, and what was met of them, go with this call. */
async function siftFiles(
  paths: readonly string[],
  needles: readonly Needle[],
  signal: AbortSignal,
): Promise<readonly BytePattern[]> {
  const sift = createByteSift(bytePatterns(needles));
  for (const path of paths) if (existsSync(path)) await sift.readFile(path, signal);
  return sift.kept();
}
