// Reads and writes the files that a command line names: relative to the terminal's directory, `-` for its streams. Never a part of a text in an error.
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type JsonValue, MalformedError, parseStrictJson, textOf } from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";
import type { Terminal } from "./terminal.ts";

export function resolveFrom({ directory }: Pick<Terminal, "directory">, file: string): string {
  return resolve(directory, file);
}

/** More than any key, list, claim or inventory takes. */
const MOST_BYTES = 67_108_864;

/** The text of a file, or of stdin for `-`: UTF-8, nothing replaced. @throws UsageError FILE_UNREADABLE | FILE_TOO_LARGE | FILE_NOT_TEXT */
export async function readGiven(terminal: Terminal, file: string): Promise<string> {
  const bytes = await readBounded(terminal, file, MOST_BYTES);
  if (bytes.length > MOST_BYTES)
    throw new UsageError("FILE_TOO_LARGE", "a file is larger than 64 MiB, which none that is wanted here is", {
      place: { file },
      cure: "give the file that was meant",
    });
  try {
    return textOf(bytes);
  } catch (cause) {
    throw new UsageError("FILE_NOT_TEXT", "a file holds bytes that are no text in UTF-8", {
      place: { file },
      cure: "save it as UTF-8",
      cause,
    });
  }
}

/** At most `most` bytes and one: enough to see that a file is too long, whatever its size. @throws UsageError FILE_UNREADABLE */
export async function readBounded(terminal: Terminal, file: string, most: number): Promise<Uint8Array> {
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
    return Buffer.concat(chunks);
  } catch (cause) {
    throw unreadable(file, cause);
  } finally {
    closeSync(handle);
  }
}

/** One JSON value that no two readers could take for different ones. @throws UsageError BAD_JSON, never with a part of the text */
export function parseJson(text: string, shown: string): JsonValue {
  try {
    return parseStrictJson(text);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw new UsageError("BAD_JSON", `a file does not hold JSON: ${cause.message}`, {
      place: { file: shown },
      cure: "give a file that holds one JSON value, no member twice",
      cause,
    });
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
    throw new UsageError(code, what, { place: { file }, cure, cause });
  }
}

function unreadable(file: string, cause: unknown): UsageError {
  return new UsageError("FILE_UNREADABLE", "a file cannot be read", {
    place: { file },
    cure: "check its name and rights",
    cause,
  });
}
