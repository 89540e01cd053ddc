// Reads the raw bytes of a store's files, decompressed too where they are gzip; what lives in a declared line or file is known first and explains itself.
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { StoreError } from "../../../model/errors.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createPatternMatcher } from "../../../probe/byte-matcher.ts";
import { bytePatterns } from "../../../probe/byte-patterns.ts";
import { createByteSift } from "../../../probe/byte-sift.ts";
import type { Probe } from "../../../surface.ts";
import { fileError } from "../file-errors.ts";
import type { FilesOptions, FilesStore } from "../options.ts";
import { TEMP_FILE } from "../options.ts";
import { type SeenFile, seeFiles, seeLines, seePieces } from "./see-files.ts";
import { seeRecord } from "./see-keys.ts";

/** @throws StoreError where it could not be read */
function tryFile({ absolute }: SeenFile, store: string): void {
  try {
    accessSync(absolute, constants.R_OK);
  } catch (cause) {
    throw fileError(cause, store);
  }
}

const MAX_INFLATED = 512 * 1024 * 1024;

export function bytesProbe(
  options: FilesOptions,
  store: FilesStore,
  scope: string,
  files: () => readonly SeenFile[],
): Probe {
  return {
    name: "bytes",
    depth: "bytes",
    scope,
    async *look(needles, signal): AsyncGenerator<Finding> {
      const seen = files();
      if (needles.length === 0) {
        for (const file of seen) tryFile(file, store.name);
        return;
      }
      const sift = createByteSift(bytePatterns(needles));
      for (const file of seen) {
        await sift.readFile(file.absolute, signal);
        const inflated = inflate(file, store.name);
        if (inflated !== undefined) sift.read(inflated);
      }
      const kept = sift.kept();
      const isAsked = kept.some(({ control }) => !control);
      const explained = isAsked ? liveContent(options, store, needles, signal) : [];
      const matcher = createPatternMatcher(kept, { explained });
      for (const file of seen) {
        const declared = store.matches(file.path);
        const container = declared ? `${store.name}.*` : `${store.name}.${file.path}`;
        const found = (needle: number, offset: number, bytes: number): Finding => ({
          probe: "bytes",
          depth: "bytes",
          needle,
          place: { container, file: file.name, offset },
          match: { how: "bytes", bytes },
        });
        for await (const hit of matcher.scanFile(file.absolute, signal)) yield found(hit.needle, hit.offset, hit.bytes);
        const inflated = inflate(file, store.name);
        // The offset is that in the decompressed bytes; the file's name says that it is compressed.
        if (inflated !== undefined)
          for (const hit of matcher.scanChunk(inflated, 0)) yield found(hit.needle, hit.offset, hit.bytes);
      }
    },
    close: () => Promise.resolve(), // each look closes the files that it opened
  };
}

/** All that lives in the declared files, but for what was to be erased: should a line of it still stand, it explains nothing. */
function* liveContent(
  options: FilesOptions,
  store: FilesStore,
  needles: readonly Needle[],
  signal: AbortSignal,
): Generator<Uint8Array> {
  const erased = new Set<string>();
  for (const { ref, fate } of needles) if (ref.surface === options.surface && fate === "erased") erased.add(ref.key);
  for (const file of seeFiles(store)) {
    if (TEMP_FILE.test(file.name)) continue;
    if (options.kind === "text") {
      if (!erased.has(file.path)) yield* seePieces(file, store.name, 1 << 24, 1 << 16, signal);
      continue;
    }
    for (const { bytes } of seeLines(file, store.name, signal)) {
      const { key } = seeRecord(bytes.toString("utf8"), options.key, []);
      if (key.as === "key" && !erased.has(key.key)) yield bytes;
    }
  }
}

/** @throws StoreError where a compressed file is damaged or too large to be looked into (blind) */
function inflate(file: SeenFile, store: string): Uint8Array | undefined {
  let bytes: Buffer | undefined;
  try {
    if (!isGzip(file.absolute)) return undefined;
    // What is larger as it lies is larger unpacked.
    if (statSync(file.absolute).size <= MAX_INFLATED) bytes = readFileSync(file.absolute);
  } catch (cause) {
    throw fileError(cause, store, file.path);
  }
  if (bytes === undefined) throw notInflated(file, store);
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED });
  } catch (cause) {
    throw notInflated(file, store, cause);
  }
}

function notInflated(file: SeenFile, store: string, cause?: unknown): StoreError {
  const cure = "unpack or remove it";
  return new StoreError("FILE_NOT_INFLATED", `store ${store}: a compressed file is damaged or too large, ${cure}`, {
    place: { store, file: file.path },
    cure,
    cause,
  });
}

function isGzip(path: string): boolean {
  const start = Buffer.alloc(2);
  const fd = openSync(path, "r");
  try {
    return readSync(fd, start, 0, 2, 0) === 2 && start.readUInt16BE() === 0x1f8b;
  } finally {
    closeSync(fd);
  }
}
