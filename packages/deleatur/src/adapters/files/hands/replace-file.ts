// Replaces a file as a whole: temporary file, fsync, rename, fsync of the folder; a crash leaves the old file or the new one, and never a part.
import { randomBytes } from "node:crypto";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import { fileCode } from "../file-errors.ts";

/** Temporary files that this process is writing now: they are no leftovers. */
const active = new Set<string>();

export function isOwnTemp(path: string): boolean {
  return active.has(path);
}

/** What tells one state of a file from another. */
export interface FileState {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly mode: number;
}

/** Undefined where there is no such file. */
export async function fileState(path: string): Promise<FileState | undefined> {
  try {
    const { ino, size, mtimeNs, mode } = await stat(path, { bigint: true });
    return { ino, size, mtimeNs, mode: Number(mode) & 0o7777 };
  } catch (cause) {
    if (fileCode(cause) === "ENOENT" || fileCode(cause) === "ENOTDIR") return undefined;
    throw cause;
  }
}

function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  return a?.ino === b?.ino && a?.size === b?.size && a?.mtimeNs === b?.mtimeNs;
}

/** A second name of a file keeps all that is taken out under the first. @throws StoreError FILE_LINKED */
export async function refuseLinked(path: string): Promise<void> {
  if ((await stat(path)).nlink === 1) return;
  throw new StoreError(
    "FILE_LINKED",
    "a file has a second name (a hard link) that would keep what is erased, remove it",
    {
      cure: "remove the other name of the file and run again",
    },
  );
}

/** Makes the entries of a folder (renames, deletions) durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes the new content and puts it in the file's place, unless the file is no longer in the state `before` or `mayReplace` says no.
 * A symbolic link stays; what it leads to is replaced.
 */
export async function replaceFile(
  path: string,
  before: FileState,
  write: (handle: FileHandle) => Promise<void>,
  mayReplace: () => Promise<boolean>,
): Promise<"replaced" | "changed"> {
  const target = await realpath(path);
  await refuseLinked(target);
  const folder = dirname(target);
  const temp = join(folder, `.deleatur-${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  active.add(temp);
  let renamed = false;
  try {
    const handle = await open(temp, "wx", 0o600);
    try {
      await write(handle);
      await handle.chmod(before.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!isSameState(await fileState(target), before) || !(await mayReplace())) return "changed";
    await rename(temp, target);
    renamed = true;
    await syncFolder(folder);
    return "replaced";
  } finally {
    if (!renamed) {
      await unlink(temp).catch((cause: unknown) => {
        if (fileCode(cause) !== "ENOENT") throw cause;
      });
    }
    active.delete(temp);
  }
}
