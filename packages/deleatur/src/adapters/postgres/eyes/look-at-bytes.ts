// Reads the raw files of a server: tables, indexes, statistics, write-ahead log, whatever else lies in its folder. What it compresses is decoded; only what should be gone is a hit.
import { basename } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createPatternMatcher } from "../../../probe/byte-matcher.ts";
import { type BytePattern, bytePatterns } from "../../../probe/byte-patterns.ts";
import { createByteSift } from "../../../probe/byte-sift.ts";
import type { ThreadOrder } from "../../../probe/bytes-thread.ts";
import type { PostgresTarget } from "../options.ts";
import { compressedValues } from "./decompress.ts";
import { liveContent } from "./live-content.ts";
import { withoutPageHeaders } from "./log-pages.ts";
import { ask, throughReader, type Reader } from "./open-reader.ts";
import { FILE_RIGHTS, openServerFiles, type ServerFile, type ServerFiles } from "./server-files.ts";

/** What is read at once, and how much of it is read again with the next part, so that what crosses a border is seen whole. Whole pages of every size. */
const PART = 1 << 20;
const AGAIN = 1 << 16;
const ZEROS = Buffer.alloc(PART + AGAIN);

/** What is looked for, and where; a thread can be given it. */
export interface BytesOrder extends ThreadOrder {
  readonly target: PostgresTarget;
}

/** `opened` is told when the server lets these eyes in. @throws StoreError where it cannot be looked at */
export function lookAtBytes(
  { target, needles }: BytesOrder,
  signal: AbortSignal,
  opened: () => void = () => undefined,
): AsyncGenerator<Finding> {
  const look = (reader: Reader): AsyncGenerator<Finding> => {
    opened();
    return lookThrough(reader, needles, signal);
  };
  return throughReader(target, look, signal);
}

async function* lookThrough(reader: Reader, needles: readonly Needle[], signal: AbortSignal): AsyncGenerator<Finding> {
  const files = await openServerFiles(reader);
  if (needles.length === 0) return tellUnseen(reader, files);
  const kept = await siftFiles(files, needles, signal);
  const matcher = createPatternMatcher(kept);
  // Controls are explained by nothing, and text by no vector.
  const own = kept.filter(({ control }) => !control);
  if (own.length > 0)
    for await (const content of liveContent(reader, { vectors: own.some(({ binary }) => binary) }, signal))
      matcher.explain(content);
  for await (const { file, bytes, base, step } of partsOf(files, signal)) {
    const found = (offset: number, needle: number, count: number): Finding => ({
      probe: "bytes",
      depth: "bytes",
      needle,
      place: { container: file.path, file: basename(file.path), offset },
      match: { how: "bytes", bytes: count },
    });
    for (const hit of matcher.scanChunk(bytes, base)) yield found(hit.offset, hit.needle, hit.bytes);
    for (const value of compressedValues(bytes, step))
      for (const hit of matcher.scanChunk(value, 0)) yield found(base, hit.needle, hit.bytes);
  }
  tellUnseen(reader, files);
  await tellUnspelled(reader, needles);
}

/** What can stand in the files at all; all other patterns, and what was met of them, go with this call. */
async function siftFiles(
  files: ServerFiles,
  needles: readonly Needle[],
  signal: AbortSignal,
): Promise<readonly BytePattern[]> {
  const sift = createByteSift(bytePatterns(needles, { indexed: true }));
  for await (const { bytes, step } of partsOf(files, signal)) {
    sift.read(bytes);
    for (const value of compressedValues(bytes, step)) sift.read(value);
  }
  return sift.kept();
}

/** What these eyes have found counts, and nothing found does not. @throws StoreError LOG_UNSEEN */
function tellUnseen(reader: Reader, files: ServerFiles): void {
  if (files.unseen !== undefined)
    throw new StoreError(
      "LOG_UNSEEN",
      `store ${reader.target.store} shows its pages but not ${files.unseen}, grant ${FILE_RIGHTS}`,
      { place: { store: reader.target.store }, cure: `grant ${FILE_RIGHTS}, or add data under connect` },
    );
}

interface Part {
  readonly file: ServerFile;
  readonly bytes: Buffer;
  readonly base: number;
  /** Where a compressed value may begin. */
  readonly step: 1 | 4;
}

async function* partsOf(files: ServerFiles, signal: AbortSignal): AsyncGenerator<Part> {
  for (const file of files.files) {
    for (let start = 0; ; start += PART) {
      signal.throwIfAborted();
      const base = Math.max(0, start - AGAIN);
      const bytes = await files.read(file, base, start + PART - base);
      if (bytes.length <= start - base) break;
      // A log that was written over is zeros for the most part, in which nothing stands.
      if (!bytes.equals(ZEROS.subarray(0, bytes.length)))
        yield {
          file,
          base,
          bytes: file.isLog ? withoutPageHeaders(bytes, base) : bytes,
          step: file.isLog ? 1 : 4,
        };
      if (bytes.length < start + PART - base) break;
    }
  }
}

/** Texts are looked for as UTF-8 has them; a database of another encoding keeps all but plain ASCII otherwise. @throws StoreError ENCODING_UNSEEN */
async function tellUnspelled(reader: Reader, needles: readonly Needle[]): Promise<void> {
  const [row] = await ask(reader, "SELECT pg_catalog.current_setting('server_encoding')");
  if (["UTF8", "SQL_ASCII"].includes(row?.[0] ?? "")) return;
  const isUnspelled = needles.some(
    ({ fate, content }) =>
      fate !== "control" &&
      content.some((field) => field.type === "text" && Buffer.byteLength(field.text, "utf8") > field.text.length),
  );
  if (isUnspelled)
    throw new StoreError(
      "ENCODING_UNSEEN",
      `store ${reader.target.store} keeps letters beyond ASCII in an encoding that is not looked through, move it to a database of UTF-8`,
      { place: { store: reader.target.store }, cure: "move it to a database of UTF-8" },
    );
}
