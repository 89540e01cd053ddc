// Reads the raw files of a store: the database, its write-ahead log and its rollback journal. What lives is read first, so that only what should be gone is a hit.
import { existsSync } from "node:fs";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createByteMatcher } from "../../../probe/byte-matcher.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile, SqliteOptions } from "../options.ts";
import { liveContent } from "./live-content.ts";
import { throughReader, type Reader } from "./open-reader.ts";
import { collectLostTerms, controlPatterns, lookInFile, lookInIndex, rawPatterns } from "./term-look.ts";

export function bytesProbe(options: SqliteOptions, target: SqliteFile): Probe {
  return {
    name: "bytes",
    depth: "bytes",
    scope: `bytes:${target.store}`,
    look: (needles, signal) => throughReader(target, (db) => lookAtBytes(db, options, target, needles, signal)),
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

async function* lookAtBytes(
  db: Reader,
  options: SqliteOptions,
  target: SqliteFile,
  needles: readonly Needle[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const matcher = createByteMatcher(needles, { explained: liveContent(db) });
  const lost = collectLostTerms(db, needles);
  yield* lookInIndex(db, target, lost);
  const patterns = [...rawPatterns(db, lost), ...controlPatterns(db, needles, options.neighbours)];
  for (const suffix of ["", "-wal", "-journal"]) {
    const path = target.file + suffix;
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
