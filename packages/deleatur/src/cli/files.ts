// Reads and writes the files that a command line names: relative to the terminal's directory, `-` for its streams. Never a part of a text in an error.
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../model/errors.ts";
import type { Terminal } from "./terminal.ts";

export function resolveFrom({ directory }: Pick<Terminal, "directory">, file: string): string {
  return resolve(directory, file);
}

/** The text of a file, or of stdin for `-`. @throws UsageError FILE_UNREADABLE */
export async function readGiven(terminal: Terminal, file: string): Promise<string> {
  if (file === "-") return terminal.readInput();
  try {
    return readFileSync(resolveFrom(terminal, file), "utf8");
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** At most `most` bytes and one: enough to see that a file is too long, whatever its size. @throws UsageError FILE_UNREADABLE */
export async function readBounded(terminal: Terminal, file: string, most: number): Promise<string> {
  if (file === "-") return terminal.readInput();
  let handle: number;
  try {
    handle = openSync(resolveFrom(terminal, file), "r");
  } catch (cause) {
    throw unreadable(file, cause);
  }
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    while (size <= most) {
      const chunk = Buffer.alloc(65_536);
      const read = readSync(handle, chunk, 0, chunk.length, null);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      size += read;
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (cause) {
    throw unreadable(file, cause);
  } finally {
    closeSync(handle);
  }
}

/** @throws UsageError, never with a part of the text */
export function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("BAD_JSON", "a file does not hold JSON, give one that does", { place: { file: shown } });
  }
}

export interface WriteOptions {
  /** Refuse a file that is there already. */
  readonly isNew?: boolean;
  /** For the owner's eyes only. */
  readonly isPrivate?: boolean;
}

/** @throws UsageError FILE_EXISTS | FILE_UNWRITABLE */
export function writeGiven(
  terminal: Pick<Terminal, "directory">,
  file: string,
  text: string,
  { isNew = false, isPrivate = false }: WriteOptions = {},
): void {
  try {
    writeFileSync(resolveFrom(terminal, file), text, {
      flag: isNew ? "wx" : "w",
      mode: isPrivate ? 0o600 : 0o644,
    });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const [code, what, cure] = isThere
      ? ["FILE_EXISTS", "a file exists already and is not overwritten", "name another file, or move that one away"]
      : ["FILE_UNWRITABLE", "a file cannot be written", "check its folder and rights"];
    throw new UsageError(code, `${what}, ${cure}`, { place: { file }, cure, cause });
  }
}

function unreadable(file: string, cause: unknown): UsageError {
  return new UsageError("FILE_UNREADABLE", "a file cannot be read, check its name and rights", {
    place: { file },
    cure: "check its name and rights",
    cause,
  });
}
