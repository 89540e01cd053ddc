// Removes one file with the folders that it leaves empty, and what a symbolic link leads to, unless that is another record's.
import { lstat, opendir, realpath, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import { fileCode } from "../file-errors.ts";
import type { FilesOptions } from "../options.ts";
import { matchedFiles } from "./list-files.ts";
import { fileState, refuseLinked, syncFolder } from "./replace-file.ts";

/** Where the files of all other keys really lie. */
export async function pathsOfOthers(
  options: FilesOptions,
  erased: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const store of options.stores) {
    const root = await realpath(store.directory);
    for (const { path, absolute, isLink } of await matchedFiles(store, signal)) {
      if (erased.has(path)) continue;
      if (!isLink) paths.add(join(root, path));
      else if ((await fileState(absolute)) !== undefined) paths.add(await realpath(absolute));
    }
  }
  return paths;
}

export interface Removal {
  /** Where the files of other keys really lie: what a symbolic link leads to goes with the link, but for these. */
  readonly kept?: ReadonlySet<string>;
  /** The folder that the person's name gave its own: it goes when nothing but folders is left in it. */
  readonly personal?: string | undefined;
}

/** Removes a file, if it is there, and the folders that this leaves empty: their names may be the person's. The store's own folder stays. @throws StoreError FILE_LINKED */
export async function removeFile(file: string, directory: string, removal: Removal = {}): Promise<boolean> {
  const wasThere = await unlinkWhole(file, removal);
  // Also where it was gone: a run that was killed may have left its folders.
  await removeFolders(dirname(file), directory, removal);
  return wasThere;
}

async function unlinkWhole(file: string, { kept }: Removal): Promise<boolean> {
  try {
    const target = await realpath(file);
    if (kept?.has(target) !== true) {
      await refuseLinked(target);
      await unlink(target);
      if (dirname(target) !== dirname(file)) await syncFolder(dirname(target));
    } else if (!(await lstat(file)).isSymbolicLink()) {
      throw new StoreError(
        "FILE_LINKED",
        "a file is what a symbolic link of another record leads to, put a copy in the link's place",
        { cure: "put a copy in the place of the symbolic link and run again" },
      );
    }
    await rm(file, { force: true });
    return true;
  } catch (cause) {
    if (isNotThere(cause)) return false;
    throw cause;
  }
}

function isNotThere(cause: unknown): boolean {
  return fileCode(cause) === "ENOENT" || fileCode(cause) === "ENOTDIR";
}

/** From the innermost on, as far as they are empty; makes what went of them last. */
async function removeFolders(innermost: string, directory: string, { personal }: Removal): Promise<void> {
  let folder = innermost;
  while (folder.length > directory.length) {
    const isPersonal = personal !== undefined && `${folder}/`.startsWith(`${personal}/`);
    if (!(await isGone(folder, isPersonal))) break;
    folder = dirname(folder);
  }
  await syncFolder(folder);
}

/** Takes a folder away where it is empty, or where it is `personal` and there are folders alone in it, at any depth. Answers whether none is there. */
async function isGone(folder: string, isPersonal: boolean): Promise<boolean> {
  try {
    if (isPersonal)
      for await (const entry of await opendir(folder))
        if (!entry.isDirectory() || !(await isGone(join(folder, entry.name), true))) return false;
    await rmdir(folder);
    return true;
  } catch (cause) {
    if (fileCode(cause) === "ENOTEMPTY" || fileCode(cause) === "EEXIST") return false;
    if (isNotThere(cause)) return true;
    throw cause;
  }
}
