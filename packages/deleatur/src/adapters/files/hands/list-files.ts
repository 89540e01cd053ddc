// Lists the files of a store: those that the glob means and those beside them, and clears what a crashed rewrite left. It reads no content.
import { opendir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compareUtf8 } from "@deleatur/verify";
import { StoreError } from "../../../model/errors.ts";
import { fileCode, fileError } from "../file-errors.ts";
import { type FilesStore, LOCK_FILE, MARKER_FILE, TEMP_FILE } from "../options.ts";
import { isOwnTemp } from "./replace-file.ts";
import { clearDeadLocks, isAlive } from "./file-lock.ts";

export interface StoreFile {
  /** Relative to the store's folder, with `/`. */
  readonly path: string;
  readonly absolute: string;
  readonly kind: "matched" | "beside" | "temp";
}

/** Every file under the store's folder in order of its path; of a store that is one file, only what bears its name. @throws StoreError */
export async function listFiles(store: FilesStore, signal: AbortSignal): Promise<readonly StoreFile[]> {
  const files: StoreFile[] = [];
  const walk = async (folder: string): Promise<void> => {
    signal.throwIfAborted();
    for await (const entry of await opendir(join(store.directory, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (store.single === undefined && !store.isForeignFolder(path)) await walk(path);
        continue;
      }
      const absolute = join(store.directory, path);
      if (entry.isSymbolicLink() ? !(await leadsToFile(absolute)) : !entry.isFile()) continue;
      const kind = kindOf(store, path, entry.name);
      if (kind !== undefined) files.push({ path, absolute, kind });
    }
  };
  try {
    await walk("");
  } catch (cause) {
    throw fileError(cause, store);
  }
  return files.toSorted((a, b) => compareUtf8(a.path, b.path));
}

/** A link that leads nowhere, or to a folder, holds nothing here. */
async function leadsToFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (cause) {
    if (fileCode(cause) === "ENOENT") return false;
    throw cause;
  }
}

function kindOf(store: FilesStore, path: string, name: string): StoreFile["kind"] | undefined {
  if (TEMP_FILE.test(name)) return "temp";
  if (LOCK_FILE.test(name)) return undefined; // holds a process id and nothing else
  if (MARKER_FILE.test(name)) return undefined; // empty: a random id in its name
  if (store.matches(path)) return "matched";
  if (store.isForeign(path)) return undefined;
  if (store.single !== undefined && !name.includes(stemOf(store.single))) return undefined;
  return "beside";
}

/** `memory` of `memory.jsonl`: what a backup, an editor's copy or a rotated file of it bears in its name too. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The files that the glob means. @throws StoreError where the one file that it names is missing */
export async function matchedFiles(store: FilesStore, signal: AbortSignal): Promise<readonly StoreFile[]> {
  const files = (await listFiles(store, signal)).filter(({ kind }) => kind === "matched");
  if (store.single !== undefined && files.length === 0) {
    throw new StoreError("STORE_MISSING", `store ${store.name} has no such file, mend its path under connect`, {
      place: { store: store.name },
      cure: "mend its path under connect",
    });
  }
  return files;
}

/** Removes the temporary files of rewrites, and the locks, whose process is gone; answers how many remain, because their process lives. */
export async function clearTemps(store: FilesStore, signal: AbortSignal): Promise<number> {
  let remaining = 0;
  const files = await listFiles(store, signal);
  const folders = files.flatMap(({ absolute, kind }) => (kind === "matched" ? [dirname(absolute)] : []));
  for (const folder of new Set([store.directory, ...folders])) await clearDeadLocks(folder);
  for (const { absolute, kind } of files) {
    if (kind !== "temp") continue;
    const name = absolute.slice(dirname(absolute).length + 1);
    const pid = Number(TEMP_FILE.exec(name)?.[1]);
    if (pid === process.pid ? isOwnTemp(absolute) : isAlive(pid)) {
      remaining++;
      continue;
    }
    await unlink(absolute).catch((cause: unknown) => {
      if (fileCode(cause) !== "ENOENT") throw fileError(cause, store);
    });
  }
  return remaining;
}
