// Says on which file system a path lies and how much room it has, so that whoever must free some knows where. It names mount points, never a file.
import { statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

export interface DiskRoom {
  /** Where the file system is mounted. */
  readonly mount: string;
  readonly freeBytes: number;
}

/** Of the file system that a path lies on, or would; undefined where the system does not say. */
export function diskRoom(path: string): DiskRoom | undefined {
  try {
    let folder = resolve(path);
    while (statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder)
      folder = dirname(folder);
    const { bavail, bsize } = statfsSync(folder);
    const { dev } = statSync(folder);
    let mount = folder;
    while (dirname(mount) !== mount && statSync(dirname(mount)).dev === dev) mount = dirname(mount);
    return { mount, freeBytes: bavail * bsize };
  } catch {
    return undefined; // a path that may not be looked at: the error that asks is told without it
  }
}

/** Which file system is meant where something could not grow, in words; nothing where it cannot be said. */
export function whereItIsFull(path: string): string {
  const room = diskRoom(path);
  if (room === undefined) return "";
  // A file system that still has room is bounded by a quota, or took back what it could not finish.
  return ` (the file system at ${room.mount}, which has ${Math.floor(room.freeBytes / 1000)} kB free)`;
}
