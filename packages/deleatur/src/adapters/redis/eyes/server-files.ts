// Finds the files of a server that is on this machine: snapshots, append-only files, and what an interrupted save left. Where they are elsewhere the eyes are blind, and say so.
import { closeSync, lstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import { isOwnFolder } from "./own-folder.ts";
import { isSnapshot } from "./see-snapshot.ts";
import { seeParameter, type Sight } from "./see-server.ts";

export interface ServerFile {
  readonly path: string;
  /** Relative to the server's folder. */
  readonly name: string;
  /** It is still being written, or was when its writer died: it may end anywhere. */
  readonly isTemporary: boolean;
}

/** How deep a folder beside the server's own is gone into: its append-only files stand in one, copies that somebody put aside in another. */
const DEEPEST = 3;

/**
 * Everything in the server's folder, whatever it is called: a copy that somebody put aside holds what a snapshot holds. In the folders within it what is a snapshot or an append-only file.
 * @throws StoreError FILES_NOT_SEEN where this user may not ask for the folder, or the folder is not here
 */
export async function seeServerFiles(sight: Sight, signal: AbortSignal): Promise<readonly ServerFile[]> {
  const directory = sight.store.data ?? (await seeParameter(sight, "dir"));
  if (directory === undefined)
    throw notSeen(sight, "does not tell where its files are", "grant CONFIG GET to this user");
  if (!(await isOwnFolder(sight, directory, signal)))
    throw notSeen(sight, "does not write the folder that is looked at", "mend its data under connect");
  const appended = (await seeParameter(sight, "appenddirname")) ?? "";
  const snapshot = (await seeParameter(sight, "dbfilename")) ?? "";
  const files: ServerFile[] = [];
  const walk = (folder: string, depth: number): void => {
    for (const entry of listed(sight, join(directory, folder))) {
      const name = join(folder, entry);
      const path = join(directory, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile() === true) {
        const isMeant = depth === 0 || folder === appended || /\.(?:rdb|aof)(?:\.|$)/.test(entry);
        if (isMeant || entry.startsWith(snapshot) || startsAsSnapshot(sight, path))
          files.push({ path, name, isTemporary: /(?:^|\/)temp-/.test(name) });
      } else if (found?.isDirectory() === true && depth < DEEPEST && goesInto(directory, name, appended))
        walk(name, depth + 1);
    }
  };
  walk("", 0);
  return files;
}

/** A server that was started without a folder of its own stands in the root of the whole system, or leads there by a link. */
function goesInto(directory: string, name: string, appended: string): boolean {
  return name === appended || (directory !== "/" && !lstatSync(join(directory, name)).isSymbolicLink());
}

function startsAsSnapshot(sight: Sight, path: string): boolean {
  const start = Buffer.alloc(9);
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    return readSync(fd, start, 0, 9, 0) === 9 && isSnapshot(start);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return false; // it went while it was being looked for
    throw unreadable(sight);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function listed(sight: Sight, folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw unreadable(sight);
  }
}

function unreadable(sight: Sight): StoreError {
  return notSeen(
    sight,
    "has its files where they cannot be read from here",
    "run on its machine, as a user who may read them",
  );
}

function notSeen({ store }: Sight, what: string, cure: string): StoreError {
  return new StoreError("FILES_NOT_SEEN", `store ${store.name} ${what}, ${cure}`, {
    place: { store: store.name },
    cure,
  });
}
