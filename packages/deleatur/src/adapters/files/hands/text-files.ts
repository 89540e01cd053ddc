// Text files as artifacts, one file each, keyed by its path below the store's folder: reads, erases and rewrites them.
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact, Erased, Rewritten } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import { type ArtifactKey, artifactKey, foldIdentifier, type SubjectIdentifier } from "../../../model/ids.ts";
import { fileCode, fileError } from "../file-errors.ts";
import type { FilesOptions, FilesStore } from "../options.ts";
import { lockFile } from "./file-lock.ts";
import { matchedFiles } from "./list-files.ts";
import { segmentOf } from "./read-record.ts";
import { MAX_LINE_BYTES } from "./read-lines.ts";
import { pathsOfOthers, removeFile } from "./remove-file.ts";
import { fileState, replaceFile } from "./replace-file.ts";
import { SETTLE_MS } from "./rewrite-lines.ts";

/** The name of the one content field. */
const TEXT_FIELD = "text";

/** @throws StoreError where a file is no text, so that the surface cannot be enumerated */
export async function* textArtifacts(
  options: FilesOptions,
  wanted: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  const seen = new Set<string>();
  const missed: string[] = [];
  for (const store of options.stores) {
    for (const { path, absolute } of await matchedFiles(store, signal)) {
      signal.throwIfAborted();
      if (seen.has(path) || wanted?.has(path) === false) continue;
      seen.add(path);
      const text = await readText(absolute, path, store);
      if (text === undefined) {
        missed.push(path);
        continue;
      }
      const content = [{ type: "text", name: TEXT_FIELD, text } as const];
      yield {
        surface: options.surface,
        key: artifactKey(path),
        subjects: subjectsOf(path, options),
        sources: [],
        content,
      };
    }
  }
  // Removed since it was listed, or the folder was away for a moment.
  if ((await stillThere(options, missed)).size > 0) throw new StoreError(...CHANGED);
}

const CHANGED = [
  "STORE_CHANGED",
  "a folder of the surface was away for a moment, run again",
  { cure: "see that it stays where it is and run again" },
] as const;

/** Of keys whose file was not found, those whose file stands now. That a file is missing says nothing while its folder is. @throws StoreError where a folder is away */
async function stillThere(options: FilesOptions, missed: readonly string[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  if (missed.length === 0) return there;
  for (const store of options.stores) {
    await checkFolder(store);
    for (const key of missed) {
      const file = fileOf(store, key);
      if (file !== undefined && (await fileState(file)) !== undefined) there.add(key);
    }
  }
  return there;
}

/** Where files of any depth are meant, a file that lies higher than the person's folder would is nobody's: its own name names none. */
function subjectsOf(path: string, options: FilesOptions): readonly SubjectIdentifier[] {
  const isDeep = options.stores.some((store) => store.isDeep);
  return options.subjects.flatMap((locator) => {
    if (!("segment" in locator)) return [];
    const isFileName = locator.sep === "/" && locator.segment === path.split("/").length - 1;
    const value = isDeep && isFileName ? undefined : segmentOf(path, locator);
    return value === undefined ? [] : [foldIdentifier(locator.type, value)];
  });
}

/** The highest folder on the way to a file that a person's name gave its own; undefined where none does. */
function personalFolder(store: FilesStore, key: string, options: FilesOptions): string | undefined {
  const parts = key.split("/");
  const depths = options.subjects.flatMap((locator) =>
    "segment" in locator && locator.sep === "/" && locator.segment < parts.length - 1 ? [locator.segment + 1] : [],
  );
  return depths.length === 0 ? undefined : join(store.directory, ...parts.slice(0, Math.min(...depths)));
}

async function readText(absolute: string, path: string, store: FilesStore): Promise<string | undefined> {
  const place = { store: store.name, file: path };
  let bytes: Buffer;
  try {
    const state = await fileState(absolute);
    if (state === undefined) return undefined;
    if (state.size > BigInt(MAX_LINE_BYTES))
      throw new StoreError("FILE_TOO_LONG", `store ${store.name}: a file is longer than a record may be`, { place });
    bytes = await readFile(absolute);
  } catch (cause) {
    if (fileCode(cause) === "ENOENT") return undefined;
    throw fileError(cause, store, path);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new StoreError("NOT_UTF8", `store ${store.name}: a file is no UTF-8 text, move it away or exempt it`, {
      place,
      cause,
    });
  }
}

/** Where a key's file stands; undefined where no file of the surface can have this key. */
function fileOf(store: FilesStore, key: string): string | undefined {
  const isPlain = key.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isPlain && store.matches(key) ? join(store.directory, key) : undefined;
}

export async function eraseFiles(
  options: FilesOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  // A file is absent where its folder can be read and lacks it.
  for (const store of options.stores) await checkFolder(store);
  const kept = await pathsOfOthers(options, new Set(keys), signal);
  const results: Erased[] = [];
  const removed: { file: string; key: string }[] = [];
  for (const key of keys) {
    signal.throwIfAborted();
    const ref = { surface: options.surface, key };
    let outcome: Erased = { ...ref, outcome: "absent" };
    for (const store of options.stores) {
      const file = fileOf(store, key);
      if (file === undefined) continue;
      try {
        if (!(await removeFile(file, store.directory, { kept, personal: personalFolder(store, key, options) })))
          continue;
        removed.push({ file, key });
        if (outcome.outcome === "absent") outcome = { ...ref, outcome: "erased" };
      } catch (cause) {
        outcome = { ...ref, outcome: "failed", why: fileError(cause, store).message };
      }
    }
    results.push(outcome);
  }
  if (removed.length > 0) await sleep(SETTLE_MS, undefined, { signal });
  const absent = results.filter(({ outcome }) => outcome === "absent").map(({ key }) => key);
  const back = new Set<string>(await stillThere(options, absent));
  for (const { file, key } of removed) if ((await fileState(file)) !== undefined) back.add(key);
  return results.map((result) =>
    back.has(result.key)
      ? { surface: result.surface, key: result.key, outcome: "failed", why: "the file is there after the delete" }
      : result,
  );
}

export async function rewriteFiles(
  options: FilesOptions,
  replacements: readonly Artifact[],
  signal: AbortSignal,
): Promise<readonly Rewritten[]> {
  for (const store of options.stores) await checkFolder(store);
  const results: Rewritten[] = [];
  for (const artifact of replacements) {
    const ref = { surface: options.surface, key: artifact.key };
    const [field, ...others] = artifact.content;
    const left = subjectsOf(artifact.key, options).some(
      (named) => !artifact.subjects.some(({ type, value }) => type === named.type && value === named.value),
    );
    if (field?.type !== "text" || others.length > 0) {
      results.push({ ...ref, outcome: "failed", why: "a text file takes one text and nothing else" });
    } else if (left) {
      results.push({ ...ref, outcome: "failed", why: "a subject to be removed is part of the key" });
    } else {
      results.push({ ...ref, ...(await rewriteFile(options, artifact.key, field.text, signal)) });
    }
  }
  const absent = results.filter(({ outcome }) => outcome === "absent").map(({ key }) => key);
  if ((await stillThere(options, absent)).size > 0) throw new StoreError(...CHANGED);
  return results;
}

type Outcome = { outcome: "rewritten" } | { outcome: "absent" } | { outcome: "failed"; why: string };

async function rewriteFile(options: FilesOptions, key: string, text: string, signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = { outcome: "absent" };
  for (const store of options.stores) {
    const file = fileOf(store, key);
    if (file === undefined) continue;
    try {
      if ((await fileState(file)) === undefined) continue;
      await putText(file, text, store.name, signal);
      if (outcome.outcome === "absent") outcome = { outcome: "rewritten" };
    } catch (cause) {
      signal.throwIfAborted();
      outcome = { outcome: "failed", why: fileError(cause, store).message };
    }
  }
  return outcome;
}

const MAX_ROUNDS = 40;

/** Written until it stands after the settle time: another writer may put back what it had read before. */
async function putText(file: string, text: string, store: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(text, "utf8");
  const lock = await lockFile(file, store, signal);
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = await fileState(file);
      if (before === undefined) return; // it is gone, and with it the old text
      if ((await readFile(file)).equals(bytes)) return;
      await replaceFile(
        file,
        before,
        (handle) => handle.writeFile(bytes),
        () => lock.isHeld(),
      );
      await sleep(SETTLE_MS, undefined, { signal });
    }
  } finally {
    await lock.release();
  }
  throw new StoreError("STORE_BUSY", `store ${store}: other processes keep changing a file, stop them and run again`, {
    place: { store },
  });
}

/** Opened and closed: a folder that cannot be read is told at once. */
export async function checkFolder(store: FilesStore): Promise<void> {
  try {
    await (await open(store.directory, "r")).close();
  } catch (cause) {
    throw fileError(cause, store);
  }
}
