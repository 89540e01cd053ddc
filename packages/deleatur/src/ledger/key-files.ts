// Key files: mode 0600 in a directory of mode 0700, written whole or not at all. It must not overwrite a key or read one that others can read.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { LedgerError } from "../model/errors.ts";

/** Where the keys of a ledger stand when no environment variable gives them. */
export function keyDirectory(ledgerFile: string): string {
  return `${ledgerFile}.keys`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function unreadable(path: string, cause: unknown): LedgerError {
  return new LedgerError("KEY_UNREADABLE", `the key store ${path} cannot be used (${codeOf(cause) ?? "unknown"})`, {
    place: { file: path },
    cure: "let the user that runs Deleatur own it",
    cause,
  });
}

function refuseLooseMode(path: string, wanted: "file" | "directory"): void {
  const stat = lstatSync(path);
  const isWanted = wanted === "file" ? stat.isFile() : stat.isDirectory();
  const allowed = wanted === "file" ? "600" : "700";
  if (!isWanted) {
    throw new LedgerError("KEY_MODE", `${path} is not a plain ${wanted}, links are not followed to a key`, {
      place: { file: path },
      cure: `put the key itself there`,
    });
  }
  // Windows has no such modes; access lists are the operator's there.
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
    throw new LedgerError("KEY_MODE", `other users may read ${path}, its mode must be 0${allowed}`, {
      place: { file: path },
      cure: `chmod ${allowed} ${path}`,
    });
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Names of the key files; none where the directory does not exist. */
export function listKeyFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw unreadable(directory, error);
  }
}

/** The bytes of a key file, undefined where there is none. @throws LedgerError KEY_MODE | KEY_UNREADABLE */
export function readKeyFile(directory: string, name: string): Uint8Array | undefined {
  const path = join(directory, name);
  try {
    refuseLooseMode(directory, "directory");
    refuseLooseMode(path, "file");
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error instanceof LedgerError ? error : unreadable(path, error);
  }
}

/** Writes a new key file and makes it durable before it gets its name. @throws LedgerError KEY_EXISTS where a file of this name is there */
export function writeKeyFile(directory: string, name: string, bytes: Uint8Array): void {
  const path = join(directory, name);
  const draft = join(directory, `.${name}.${process.pid}.draft`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    refuseLooseMode(directory, "directory");
    const handle = openSync(draft, "w", 0o600);
    try {
      chmodSync(draft, 0o600);
      writeSync(handle, bytes);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    try {
      // A link, not a rename: where another process was first, its key stands and ours is dropped.
      linkSync(draft, path);
    } finally {
      unlinkSync(draft);
    }
    syncDirectory(directory);
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    if (codeOf(error) !== "EEXIST") throw unreadable(path, error);
    throw new LedgerError("KEY_EXISTS", `the key file ${path} exists already and is not overwritten`, {
      place: { file: path },
      cure: "move it away first if it is really to be replaced",
      cause: error,
    });
  }
}

/** Overwrites and removes a key file; its absence is what is wanted. */
export function removeKeyFile(directory: string, name: string): void {
  const path = join(directory, name);
  try {
    const handle = openSync(path, "r+");
    try {
      // File level only: what a file system or a flash cell keeps is beyond reach (SURFACES.md).
      writeSync(handle, new Uint8Array(lstatSync(path).size), 0, undefined, 0);
      fsyncSync(handle);
      ftruncateSync(handle, 0);
    } finally {
      closeSync(handle);
    }
    unlinkSync(path);
    syncDirectory(directory);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw unreadable(path, error);
  }
}
