// Plants a canary about nobody: in a file of its own where the glob allows one, else before the first line, so that its removal leaves every byte as it was.
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Artifact, Planted } from "../../../model/artifact.ts";
import { artifactKey } from "../../../model/ids.ts";
import { fileError } from "../file-errors.ts";
import type { FilesOptions, FilesStore } from "../options.ts";
import { lockFile } from "./file-lock.ts";
import { readRecord } from "./read-record.ts";
import { fileState, replaceFile, syncFolder } from "./replace-file.ts";

/** In every store that holds the surface, so that the eyes of each replica can be tested. @throws StoreError */
export async function plantCanary(options: FilesOptions, canary: Artifact, signal: AbortSignal): Promise<Planted> {
  const mark = /^[A-Za-z0-9_-]{1,100}$/.test(canary.key) ? canary.key : "deleatur-canary";
  if (options.kind === "text") return plantFile(options, canary, mark);
  const line = canaryLine(canary, options);
  const read = readRecord(line, options);
  if (read.outcome === "unreadable")
    return { key: canary.key, outcome: "unsupported", why: "the declared fields contradict each other" };
  for (const store of options.stores) {
    try {
      const path = store.canaryPath(mark);
      if (path === undefined)
        await plantBefore(join(store.directory, store.single ?? ""), `${line}\n`, store.name, signal);
      else await createFile(store, path, `${line}\n`);
    } catch (cause) {
      throw fileError(cause, store);
    }
  }
  return { key: read.record.key, outcome: "planted" };
}

async function plantFile({ stores }: FilesOptions, canary: Artifact, mark: string): Promise<Planted> {
  const path = stores[0].canaryPath(mark);
  const [field] = canary.content;
  if (path === undefined || field?.type !== "text" || !stores.every(({ matches }) => matches(path)))
    return { key: canary.key, outcome: "unsupported", why: "the declared path leaves no room for another file" };
  for (const store of stores) {
    await createFile(store, path, field.text).catch((cause: unknown) => {
      throw fileError(cause, store);
    });
  }
  return { key: artifactKey(path), outcome: "planted" };
}

async function createFile(store: FilesStore, path: string, text: string): Promise<void> {
  const file = join(store.directory, path);
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, "wx");
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
}

async function plantBefore(file: string, line: string, store: string, signal: AbortSignal): Promise<void> {
  const lock = await lockFile(file, store, signal);
  try {
    for (;;) {
      signal.throwIfAborted();
      const before = await fileState(file);
      if (before === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      const rest = await readFile(file);
      const done = await replaceFile(
        file,
        before,
        async (handle) => {
          await handle.writeFile(line);
          await handle.writeFile(rest);
        },
        () => lock.isHeld(),
      );
      if (done === "replaced") return;
    }
  } finally {
    await lock.release();
  }
}

interface JsonObject {
  [name: string]: unknown;
}

function canaryLine(canary: Artifact, options: FilesOptions): string {
  const line: JsonObject = {};
  for (const { column, as } of options.content) {
    const field = canary.content.find(({ name }) => name === column);
    if (field?.type === "text") setAt(line, column, as === "json" ? JSON.parse(field.text) : field.text);
  }
  for (const field of canary.content) if (field.type === "vector") setAt(line, field.name, [...field.vector]);
  for (const { surface, path, as } of options.sources) {
    const keys = canary.sources.filter((source) => source.surface === surface).map(({ key }) => key);
    if (keys[0] !== undefined) setAt(line, path, as === "json" ? keys : keys[0]);
  }
  for (const locator of options.subjects) {
    const value = canary.subjects.find(({ type }) => type === locator.type)?.value;
    if ("path" in locator && value !== undefined) setAt(line, locator.path, value);
  }
  for (const path of options.key) setAt(line, path, canary.key);
  return JSON.stringify(line);
}

function setAt(target: JsonObject, path: string, value: unknown): void {
  const parts = path.split(".");
  const last = parts.pop() ?? path;
  let at = target;
  for (const part of parts) {
    const inner: JsonObject = isObject(at[part]) ? at[part] : {};
    define(at, part, inner);
    at = inner;
  }
  define(at, last, value);
}

/** A field may be called `__proto__`: it is defined, not assigned. */
function define(target: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
