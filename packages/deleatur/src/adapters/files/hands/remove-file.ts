// Removes one file with the folders that it leaves empty, and what a symbolic link leads to, unless that is another record's.
import { lstat, realpath, rm, rmdir, unlink } from "node:fs/promises";
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

/**
 * A folder that the erased file leaves empty goes with it: its name may be the person's. The store's own folder stays. What a symbolic link leads to goes
 * with the link, but for the file of another key (`kept`). @throws StoreError FILE_LINKED
 */
export async function removeFile(file: string, directory: string, kept?: ReadonlySet<string>): Promise<boolean> {
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
  } catch (cause) {
    if (fileCode(cause) === "ENOENT" || fileCode(cause) === "ENOTDIR") return false;
    throw cause;
  }
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const isBelow = folder.length > directory.length;
    try {
      if (isBelow) await rmdir(folder);
    } catch (cause) {
      const code = fileCode(cause);
      if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw cause;
      if (code !== "ENOENT") {
        await syncFolder(folder);
        return true;
      }
    }
    if (!isBelow) {
      await syncFolder(folder);
      return true;
    }
  }
}
