// Reads artifacts out of JSONL files: enumerates every line, joins the lines of one key, and refuses to enumerate what it cannot read.
import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { compareUtf8 } from "@deleatur/verify";
import type { Artifact } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { fileCode, fileError, lineError } from "../file-errors.ts";
import { CANARY_FILE, type FilesOptions, type FilesStore } from "../options.ts";
import { matchedFiles, type StoreFile } from "./list-files.ts";
import { type FileLine, lineText, readLines } from "./read-lines.ts";
import { type LineRead, readRecord } from "./read-record.ts";

/** A line as a record; `blank` lines are none and stay. */
export function readLine(line: FileLine, options: FilesOptions): LineRead | { readonly outcome: "blank" } {
  const text = lineText(line);
  if (text === undefined) return { outcome: "unreadable", code: "NOT_UTF8", what: "is no UTF-8" };
  return text.trim() === "" ? { outcome: "blank" } : readRecord(text, options);
}

interface Spot {
  readonly file: StoreFile;
  readonly start: number;
  readonly length: number;
}

interface Indexed {
  readonly store: FilesStore;
  readonly keyFields: string;
  readonly spots: Spot[];
}

/**
 * Yields the artifacts of all keys, or of those wanted, in key order; a key that a replica alone holds is read there. What cannot be read is an
 * error as soon as it could be one of those asked for: at once where all are, else behind those that were found.
 * @throws StoreError naming file and line
 */
export async function* jsonlArtifacts(
  options: FilesOptions,
  wanted: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  const index = new Map<ArtifactKey, Indexed>();
  let trouble: StoreError | undefined;
  for (const store of options.stores) {
    for (const file of await matchedFiles(store, signal)) {
      for await (const line of linesOf(file, store, signal)) {
        const read = readLine(line, options);
        if (read.outcome === "blank") continue;
        const at = { store: store.name, file: file.path, line: line.number };
        if (read.outcome === "unreadable") {
          trouble ??= lineError(read.code, read.what, at);
          if (wanted === undefined) throw trouble;
          continue;
        }
        const { key, keyFields } = read.record;
        if (wanted?.has(key) === false) continue;
        const known = index.get(key);
        const spot = { file, start: line.start, length: line.bytes.length - line.eol.length };
        if (known === undefined) index.set(key, { store, keyFields, spots: [spot] });
        else if (known.keyFields !== keyFields)
          throw lineError("KEY_AMBIGUOUS", "has the key of another record with other key fields", at);
        else if (known.store === store) known.spots.push(spot);
      }
    }
  }
  const handles = new Map<string, FileHandle>();
  try {
    for (const [key, { store, spots }] of [...index].toSorted(([a], [b]) => compareUtf8(a, b))) {
      signal.throwIfAborted();
      yield await readArtifact(key, spots, store, options, handles);
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
  if (trouble !== undefined && index.size < (wanted?.size ?? 0)) throw trouble;
}

export async function* linesOf(file: StoreFile, store: FilesStore, signal: AbortSignal): AsyncGenerator<FileLine> {
  try {
    const handle = await open(file.absolute, "r");
    try {
      yield* readLines(handle, { store: store.name, file: file.path }, signal);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    // Another request's canary, taken out since the files were listed: it was about nobody.
    if (fileCode(cause) === "ENOENT" && CANARY_FILE.test(file.path)) return;
    throw fileError(cause, store, file.path);
  }
}

const MAX_OPEN = 64;

async function readArtifact(
  key: ArtifactKey,
  spots: readonly Spot[],
  store: FilesStore,
  options: FilesOptions,
  handles: Map<string, FileHandle>,
): Promise<Artifact> {
  const records = [];
  for (const { file, start, length } of spots) {
    const handle = await openOnce(file, store, handles);
    const bytes = Buffer.alloc(length);
    readSync(handle.fd, bytes, 0, length, start);
    const read = readLine({ number: 0, start, bytes, eol: "" }, options);
    if (read.outcome !== "record" || read.record.key !== key) {
      throw new StoreError("STORE_CHANGED", `store ${store.name}: a file was replaced while it was read, run again`, {
        place: { store: store.name, file: file.path },
        cure: "run again",
      });
    }
    records.push(read.record);
  }
  return {
    surface: options.surface,
    key,
    subjects: unique(records.flatMap(({ subjects }) => subjects)),
    sources: unique(records.flatMap(({ sources }) => sources)),
    content: records.flatMap(({ content }) => content),
  };
}

async function openOnce(file: StoreFile, store: FilesStore, handles: Map<string, FileHandle>): Promise<FileHandle> {
  const known = handles.get(file.absolute);
  if (known !== undefined) return known;
  const [oldest] = handles;
  if (handles.size >= MAX_OPEN && oldest !== undefined) {
    handles.delete(oldest[0]);
    await oldest[1].close();
  }
  const handle = await open(file.absolute, "r").catch((cause: unknown) => {
    throw fileError(cause, store, file.path);
  });
  handles.set(file.absolute, handle);
  return handle;
}

function unique<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
