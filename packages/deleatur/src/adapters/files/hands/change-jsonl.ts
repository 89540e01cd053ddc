// Erases and rewrites the lines of JSONL files by key, in every store that holds the surface; lines that are not meant stay byte for byte.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact, ContentField, Erased, Rewritten } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { fileError } from "../file-errors.ts";
import { CANARY_FILE, type FilesOptions, type FilesStore } from "../options.ts";
import { editRecord } from "./edit-record.ts";
import { linesOf, readLine } from "./jsonl-artifacts.ts";
import { matchedFiles, type StoreFile } from "./list-files.ts";
import type { FileLine } from "./read-lines.ts";
import { fileState } from "./replace-file.ts";
import { removeFile } from "./remove-file.ts";
import { type LineFate, rewriteLines, SETTLE_MS } from "./rewrite-lines.ts";

const UNREADABLE = "a line of the files cannot be read, so the record may stand in it";

/** What one pass over all files of all stores found. */
interface Sighting {
  readonly files: Set<StoreFile>;
  readonly keys: Set<string>;
  unreadable: boolean;
}

async function sight(options: FilesOptions, wanted: ReadonlySet<string>, signal: AbortSignal): Promise<Sighting> {
  const seen: Sighting = { files: new Set(), keys: new Set(), unreadable: false };
  for (const store of options.stores) {
    for (const file of await matchedFiles(store, signal)) {
      for await (const line of linesOf(file, store, signal)) {
        const read = readLine(line, options);
        if (read.outcome === "unreadable") seen.unreadable = true;
        if (read.outcome !== "record" || !wanted.has(read.record.key)) continue;
        seen.files.add(file);
        seen.keys.add(read.record.key);
      }
    }
  }
  return seen;
}

function storeOf(options: FilesOptions, file: StoreFile): FilesStore {
  const holder = options.stores.find(({ directory }) => file.absolute === join(directory, file.path));
  return holder ?? options.stores[0];
}

/** How often the files are gone through again because others wrote the records back. */
const MAX_ROUNDS = 10;

/** Every line with one of the keys goes; then, after a settle time, all files are read again, and only what is not met any more is erased. */
export async function eraseLines(
  options: FilesOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  const wanted = new Set<string>(keys);
  const decide = (line: FileLine): LineFate => {
    const read = readLine(line, options);
    return read.outcome === "record" && wanted.has(read.record.key) ? "drop" : "keep";
  };
  const met = new Set<string>();
  let failed: string | undefined;
  let seen = await sight(options, wanted, signal);
  for (let round = 0; round < MAX_ROUNDS && failed === undefined; round++) {
    for (const key of seen.keys) met.add(key);
    failed = await rewriteAll(options, seen.files, () => () => decide, signal);
    await removeEmptyCanaries(options, seen.files);
    await sleep(SETTLE_MS, undefined, { signal });
    seen = await sight(options, wanted, signal);
    if (seen.keys.size === 0) break;
  }
  return keys.map((key): Erased => {
    const ref = { surface: options.surface, key };
    if (seen.keys.has(key))
      return { ...ref, outcome: "failed", why: failed ?? "the record is written again and again" };
    if (met.has(key)) return { ...ref, outcome: "erased" };
    return seen.unreadable ? { ...ref, outcome: "failed", why: UNREADABLE } : { ...ref, outcome: "absent" };
  });
}

/** A file that was created for a canary goes with it; an application's own file stays, empty or not. */
async function removeEmptyCanaries(options: FilesOptions, files: Iterable<StoreFile>): Promise<void> {
  for (const { path, absolute } of files) {
    const store = options.stores.find(({ directory }) => absolute === join(directory, path));
    if (store === undefined || !CANARY_FILE.test(path)) continue;
    if ((await fileState(absolute))?.size === 0n) await removeFile(absolute, store.directory);
  }
}

/** Rewrites each file; answers why one could not be, so that the others are done all the same. */
async function rewriteAll(
  options: FilesOptions,
  files: Iterable<StoreFile>,
  makeDecide: (file: StoreFile) => () => (line: FileLine) => LineFate,
  signal: AbortSignal,
): Promise<string | undefined> {
  let failed: string | undefined;
  for (const file of files) {
    const store = storeOf(options, file);
    try {
      await rewriteLines(file, store.name, makeDecide(file), signal);
    } catch (cause) {
      signal.throwIfAborted();
      failed ??= fileError(cause, store, file.path).message;
    }
  }
  return failed;
}

/** New content fields by key, as far as earlier lines have not taken them. */
type Given = Map<string, ContentField[]>;

/** All lines of a record are rewritten, or, where one cannot be, none of them. */
export async function rewriteRecords(
  options: FilesOptions,
  replacements: readonly Artifact[],
  signal: AbortSignal,
): Promise<readonly Rewritten[]> {
  const next = new Map<string, Artifact>(replacements.map((artifact) => [artifact.key, artifact]));
  const unfit = new Map<string, string>();
  const changed = new Set<StoreFile>();
  const seen = new Set<string>();
  /** What was still to be placed when a file began. */
  const givenAt = new Map<StoreFile, Given>();
  let unreadable = false;

  const edit = (line: FileLine, given: Given): LineFate => {
    const read = readLine(line, options);
    if (read.outcome === "unreadable") unreadable = true;
    if (read.outcome !== "record") return "keep";
    const { key, root } = read.record;
    const artifact = next.get(key);
    if (artifact === undefined) return "keep";
    seen.add(key);
    const fields = given.get(key) ?? [...artifact.content];
    given.set(key, fields);
    const text = line.bytes.subarray(0, line.bytes.length - line.eol.length).toString("utf8");
    const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
    const edited = editRecord(text.slice(mark.length), root, artifact, fields, options);
    if (edited.outcome === "unfit") {
      unfit.set(key, edited.why);
      return "keep";
    }
    const bytes = Buffer.from(mark + edited.text + line.eol, "utf8");
    return bytes.equals(line.bytes) ? "keep" : bytes;
  };

  for (const store of options.stores) {
    const given: Given = new Map();
    for (const file of await matchedFiles(store, signal)) {
      givenAt.set(file, copyGiven(given));
      for await (const line of linesOf(file, store, signal)) if (edit(line, given) !== "keep") changed.add(file);
    }
    for (const [key, left] of given)
      if (left.length > 0) unfit.set(key, "the new content has more fields than the record");
  }
  for (const key of unfit.keys()) next.delete(key);
  const failed = await rewriteAll(
    options,
    changed,
    (file) => () => {
      const given = copyGiven(givenAt.get(file) ?? new Map());
      return (line) => edit(line, given);
    },
    signal,
  );
  return replacements.map((artifact): Rewritten => {
    const ref = { surface: options.surface, key: artifact.key };
    const why = unfit.get(artifact.key) ?? (seen.has(artifact.key) ? failed : unreadable ? UNREADABLE : undefined);
    if (why !== undefined) return { ...ref, outcome: "failed", why };
    return { ...ref, outcome: seen.has(artifact.key) ? "rewritten" : "absent" };
  });
}

function copyGiven(given: Given): Given {
  return new Map([...given].map(([key, fields]) => [key, [...fields]]));
}
