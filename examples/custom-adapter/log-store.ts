// The store itself, as its application has it: one append-only file of JSON lines, the last line of a key counts. It knows nothing of Deleatur.
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A note about somebody. */
export interface Note {
  readonly key: string;
  readonly people: readonly string[];
  /** Keys, in another surface, of what it was made from. */
  readonly sources: readonly string[];
  readonly text: string;
}

/** One line: a note, the end of one, or a mark that a tool leaves in the log. */
export type Line =
  Note | { readonly key: string; readonly gone: true } | { readonly mark: string; readonly gone?: true };

const TRIES = 200;
const WAIT_MS = 10;

/** One writer at a time; the lock of a process that is gone is taken over. `undefined`: somebody else keeps it. */
export async function withLock<Result>(file: string, work: () => Result): Promise<Result | undefined> {
  const lock = `${file}.lock`;
  for (let tries = 0; tries < TRIES; tries++) {
    if (!takeLock(lock)) {
      await sleep(WAIT_MS);
      continue;
    }
    try {
      return work();
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return undefined;
}

function takeLock(lock: string): boolean {
  try {
    const handle = openSync(lock, "wx");
    try {
      writeSync(handle, String(process.pid));
    } catch (cause) {
      // A lock without its owner could never be taken over.
      rmSync(lock);
      throw cause;
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause;
  }
  const owner = Number(readIfThere(lock) ?? process.pid);
  if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) !== "ESRCH";
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

export function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}

/** Appends and syncs. `r+` and not `a`: a log that is away is an error, not a new log. */
export function append(file: string, lines: readonly Line[]): void {
  const size = readFileSync(file).length;
  const handle = openSync(file, "r+");
  try {
    writeSync(handle, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), size);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function readLines(file: string): readonly Line[] {
  const texts = readFileSync(file, "utf8").split("\n").filter(Boolean);
  // What stands in the log was written by `append`, or the scan refuses it.
  return texts.map((text) => JSON.parse(text) as Line);
}

/** The last line of each key, without the ends. */
export function foldLines(lines: readonly Line[]): ReadonlyMap<string, Note> {
  const live = new Map<string, Note>();
  for (const line of lines) {
    if ("mark" in line) continue;
    if ("gone" in line) live.delete(line.key);
    else live.set(line.key, line);
  }
  return live;
}

export function foldMarks(lines: readonly Line[]): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const line of lines) {
    if (!("mark" in line)) continue;
    if (line.gone === true) marks.delete(line.mark);
    else marks.add(line.mark);
  }
  return marks;
}

/** Writes anew what lives, beside the log, and puts it in the log's place. Nothing else takes an erased line out of the file. */
export function compact(file: string): void {
  const lines = readLines(file);
  const left: readonly Line[] = [...foldLines(lines).values(), ...[...foldMarks(lines)].map((mark) => ({ mark }))];
  const next = `${file}.${randomBytes(4).toString("hex")}.next`;
  const handle = openSync(next, "wx", 0o600);
  try {
    writeSync(handle, left.map((line) => `${JSON.stringify(line)}\n`).join(""));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(next, file);
}
