// Turns what the file system throws into a StoreError of a stable code. A path may name a person, so it stands in `place` and never in the message.
import { whereItIsFull } from "../../disk-room.ts";
import { DeleaturError, StoreError } from "../../model/errors.ts";
import type { FilesStore } from "./options.ts";

const TROUBLES: Readonly<Record<string, readonly [code: string, what: string, cure: string]>> = {
  ENOENT: ["STORE_MISSING", "misses a file or folder", "mend its path under connect"],
  ENOTDIR: ["STORE_MISSING", "misses a folder", "mend its path under connect"],
  EACCES: ["STORE_UNREADABLE", "may not be read or written", "mend its permissions"],
  EPERM: ["STORE_UNREADABLE", "may not be read or written", "mend its permissions"],
  EROFS: ["STORE_READONLY", "is on a read-only file system", "make it writable"],
  ENOSPC: ["STORE_FULL", "has no room left on its disk", "free space and run again"],
  EDQUOT: ["STORE_FULL", "has no room left in its quota", "free space and run again"],
  EFBIG: ["STORE_FULL", "may not hold a file of that size", "raise the limit and run again"],
  EMFILE: ["STORE_IO", "cannot be opened, too many files are open", "raise the limit and run again"],
};

/** The code of a file system error (`ENOENT`), or undefined where it is none. */
export function fileCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}

/** The error to throw for what went wrong; our own errors and an abort pass. A store with its folder, so that a disk without room is named. */
export function fileError(cause: unknown, of: string | Pick<FilesStore, "name" | "directory">, file?: string): Error {
  if (cause instanceof DeleaturError) return cause;
  if (cause instanceof Error && cause.name === "AbortError") return cause;
  const store = typeof of === "string" ? of : of.name;
  const [code, what, cure] = TROUBLES[fileCode(cause) ?? ""] ?? [
    "STORE_IO",
    "cannot be read or written",
    "look at its disk and run again",
  ];
  const place = file === undefined ? { store } : { store, file };
  const where = code === "STORE_FULL" && typeof of !== "string" ? whereItIsFull(of.directory) : "";
  return new StoreError(code, `store ${store} ${what}${where}, ${cure}`, { place, cure, cause });
}

/** A line that cannot be taken for an artifact, so that the surface cannot be enumerated. */
export function lineError(code: string, what: string, at: { store: string; file: string; line: number }): StoreError {
  return new StoreError(code, `store ${at.store}: line ${at.line} of a file ${what}, mend or remove that line`, {
    place: { ...at },
    cure: "mend or remove that line",
  });
}
