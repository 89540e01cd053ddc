// Lists the files of a store: those that the glob means and those beside them, and clears what a crashed rewrite left. It reads no content.
import { opendir, realpath, stat, unlink } from "node:fs/promises";
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
  /** `linked`: a symbolic link to a folder elsewhere, which may hold anything. */
  readonly kind: "matched" | "beside" | "temp" | "linked";
  readonly isLink: boolean;
}

/** Every file under the store's folder in order of its path; of a store that is one file, only what bears its name. @throws StoreError */
export async function listFiles(store: FilesStore, signal: AbortSignal): Promise<readonly StoreFile[]> {
  const files: StoreFile[] = [];
  let root = store.directory;
  const walk = async (folder: string): Promise<void> => {
    signal.throwIfAborted();
    for await (const entry of await opendir(join(store.directory, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (store.single === undefined && !store.isForeignFolder(path)) await walk(path);
        continue;
      }
      const absolute = join(store.directory, path);
      const isLink = entry.isSymbolicLink();
      const to = isLink ? await leadsTo(absolute) : entry.isFile() ? "file" : "nothing";
      if (to === "nothing" || (to === "folder" && (await isBelow(absolute, root)))) continue;
      const kind = kindOf(store, path, entry.name);
      if (kind !== undefined) files.push({ path, absolute, kind: to === "folder" ? "linked" : kind, isLink });
    }
  };
  try {
    root = await realpath(store.directory);
    await walk("");
  } catch (cause) {
    throw fileError(cause, store);
  }
  return files.toSorted((a, b) => compareUtf8(a.path, b.path));
}

async function leadsTo(link: string): Promise<"file" | "folder" | "nothing"> {
  try {
    const found = await stat(link);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "nothing";
  } catch (cause) {
    // It leads nowhere, or in a circle.
    if (fileCode(cause) === "ENOENT" || fileCode(cause) === "ELOOP") return "nothing";
    throw cause;
  }
}

/** What lies in the store's own folder is met there. */
async function isBelow(link: string, root: string): Promise<boolean> {
  const target = await realpath(link);
  return target === root || target.startsWith(root === "/" ? root : `${root}/`);
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
