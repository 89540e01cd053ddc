// Looks at the raw bytes of a server's files, and at what they hold compressed or packed; what lives in the server explains itself, so that only what should be gone is a hit.
import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { StoreError } from "../../../model/errors.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createPatternMatcher } from "../../../probe/byte-matcher.ts";
import { type BytePattern, bytePatterns } from "../../../probe/byte-patterns.ts";
import { createByteSift } from "../../../probe/byte-sift.ts";
import type { ThreadOrder } from "../../../probe/bytes-thread.ts";
import { spellKey } from "../key-text.ts";
import type { RedisStore } from "../options.ts";
import { FileCursor } from "./file-cursor.ts";
import { isSnapshot, seeSnapshot, type Unpacked } from "./see-snapshot.ts";
import { seeFacts, type Sight, throughSight } from "./see-server.ts";
import { seeKeys, seeUnder } from "./see-values.ts";
import { seeServerFiles, type ServerFile } from "./server-files.ts";

/** What is looked for, and where; a thread can be given it. */
export interface BytesOrder extends ThreadOrder {
  readonly target: RedisStore;
}

/** `opened` is told when the server lets these eyes in. @throws StoreError where it cannot be looked at */
export function lookAtBytes(
  { target, needles }: BytesOrder,
  signal: AbortSignal,
  opened: () => void = () => undefined,
): AsyncGenerator<Finding> {
  return throughSight(target, signal, (sight) => {
    opened();
    return lookAtFiles(sight, needles, signal);
  });
}

async function* lookAtFiles(sight: Sight, needles: readonly Needle[], signal: AbortSignal): AsyncGenerator<Finding> {
  const files = await seeServerFiles(sight, signal);
  if (needles.length === 0) return tryFiles(files, sight);
  const kept = await siftFiles(files, sight, needles, signal);
  const isAsked = kept.some(({ control }) => !control);
  const matcher = createPatternMatcher(kept);
  if (isAsked) for await (const content of liveContent(sight, signal)) matcher.explain(content);
  for (const file of files) {
    const found = (needle: number, offset: number, bytes: number): Finding => ({
      probe: "bytes",
      depth: "bytes",
      needle,
      place: { container: `${sight.store.name}.${file.name}`, file: file.name, offset },
      match: { how: "bytes", bytes },
    });
    for await (const hit of matcher.scanFile(file.path, signal)) yield found(hit.needle, hit.offset, hit.bytes);
    for (const { bytes, offset } of unpackedIn(file, sight))
      // The place is that of the compressed text in the file.
      for (const hit of matcher.scanChunk(bytes, 0)) yield found(hit.needle, offset, hit.bytes);
  }
}

/** What can stand in the files at all; all other patterns, and what was met of them, go with this call. */
async function siftFiles(
  files: readonly ServerFile[],
  sight: Sight,
  needles: readonly Needle[],
  signal: AbortSignal,
): Promise<readonly BytePattern[]> {
  const sift = createByteSift(bytePatterns(needles));
  for (const file of files) {
    await sift.readFile(file.path, signal);
    for (const { bytes } of unpackedIn(file, sight)) sift.read(bytes);
  }
  return sift.kept();
}

/** @throws StoreError FILES_UNREADABLE where one could not be read */
function tryFiles(files: readonly ServerFile[], { store }: Sight): void {
  try {
    for (const { path } of files) accessSync(path, constants.R_OK);
  } catch (cause) {
    throw new StoreError(
      "FILES_UNREADABLE",
      `store ${store.name}: a file of the server may not be read, run as a user who may`,
      { place: { store: store.name }, cure: "run as a user who may read the server's files", cause },
    );
  }
}

/** What stands in a file compressed or packed. @throws StoreError SNAPSHOT_UNREADABLE: nobody knows then what is in it (blind) */
function* unpackedIn({ path, name, isTemporary }: ServerFile, { store }: Sight): Generator<Unpacked> {
  const fd = openSync(path, "r");
  try {
    const start = Buffer.alloc(9);
    if (readSync(fd, start, 0, 9, 0) < 9 || !isSnapshot(start)) return;
    yield* seeSnapshot(new FileCursor(fd));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    // A save that was cut off shows what it wrote until then.
    if (isTemporary) return;
    throw new StoreError(
      "SNAPSHOT_UNREADABLE",
      `store ${store.name}: a file of the server cannot be read to its end, have it saved anew`,
      { place: { store: store.name, file: name }, cure: "have it saved anew" },
    );
  } finally {
    closeSync(fd);
  }
}

/**
 * All that lives in any database of the server, but for names of keys: they are nobody's content, and no census looks at those of counters. What should be gone explains itself as well while it stands: it is the key
 * probe's to find.
 */
async function* liveContent(sight: Sight, signal: AbortSignal): AsyncGenerator<Uint8Array | string> {
  const used = [...(await seeFacts(sight, "keyspace")).keys()].flatMap((name) => /^db(\d+)$/.exec(name)?.[1] ?? []);
  for (const database of used) {
    await sight.ask("SELECT", database);
    const keys = await seeKeys(sight, () => true, signal);
    for await (const trip of seeUnder(sight, keys, signal))
      for (const { parts } of trip)
        for (const { bytes, part } of parts) {
          yield asContent(bytes);
          if (part !== undefined) yield asContent(part);
        }
  }
}

/** Text is explained in its folded form as well. */
function asContent(bytes: Buffer): Uint8Array | string {
  return spellKey(bytes).startsWith("bytes:") ? bytes : bytes.toString("utf8");
}
