// Finds the files of a server that is on this machine: snapshots, append-only files, and what an interrupted save left. Where they are elsewhere the eyes are blind, and say so.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import { seeParameter, type Sight } from "./see-server.ts";

export interface ServerFile {
  readonly path: string;
  /** Relative to the server's folder. */
  readonly name: string;
  /** It is still being written, or was when its writer died: it may end anywhere. */
  readonly isTemporary: boolean;
}

/** @throws StoreError FILES_NOT_SEEN where this user may not ask for the folder, or the folder is not here */
export async function seeServerFiles(sight: Sight): Promise<readonly ServerFile[]> {
  const directory = sight.store.data ?? (await seeParameter(sight, "dir"));
  if (directory === undefined)
    throw notSeen(sight, "does not tell where its files are", "grant CONFIG GET to this user");
  const appended = (await seeParameter(sight, "appenddirname")) ?? "";
  const snapshot = (await seeParameter(sight, "dbfilename")) ?? "";
  const names = listed(sight, directory).filter((name) => /\.(?:rdb|aof)$/.test(name) || name === snapshot);
  const inside = appended === "" ? [] : listedIfThere(sight, directory, appended).map((name) => join(appended, name));
  return [...names, ...inside].flatMap((name) => {
    const path = join(directory, name);
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? [{ path, name, isTemporary: /(?:^|\/)temp-/.test(name) }] : [];
  });
}

function listedIfThere(sight: Sight, directory: string, folder: string): readonly string[] {
  return statSync(join(directory, folder), { throwIfNoEntry: false }) === undefined
    ? []
    : listed(sight, join(directory, folder));
}

function listed(sight: Sight, folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw notSeen(
      sight,
      "has its files where they cannot be read from here",
      "run on its machine, as a user who may read them",
    );
  }
}

function notSeen({ store }: Sight, what: string, cure: string): StoreError {
  return new StoreError("FILES_NOT_SEEN", `store ${store.name} ${what}, ${cure}`, {
    place: { store: store.name },
    cure,
  });
}
