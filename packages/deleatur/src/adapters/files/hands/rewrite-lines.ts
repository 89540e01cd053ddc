// Rewrites the lines of one file under a lock, looks again after a settle time, and goes on until the file holds what was decided, whoever else writes to it.
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../model/errors.ts";
import { lockFile } from "./file-lock.ts";
import type { StoreFile } from "./list-files.ts";
import { type FileLine, readLines } from "./read-lines.ts";
import { type FileState, fileState, replaceFile } from "./replace-file.ts";

/** What becomes of a line: it stays byte for byte, goes, or is replaced by other bytes (its line end included). */
export type LineFate = "keep" | "drop" | Uint8Array;

/** Decides line by line in order; made anew for each pass over the file. */
export type MakeDecide = () => (line: FileLine) => LineFate;

/** How long another writer may take to write back what it had read before the rewrite. */
const SETTLE_MS = 50;
const MAX_ROUNDS = 40;

/** @throws StoreError STORE_BUSY where others change the file faster than it can be rewritten */
export async function rewriteLines(
  file: StoreFile,
  store: string,
  makeDecide: MakeDecide,
  signal: AbortSignal,
): Promise<void> {
  const lock = await lockFile(file.absolute, store, signal);
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      signal.throwIfAborted();
      const done = await rewriteOnce(file, store, makeDecide, () => lock.isHeld(), signal);
      if (done === "nothing to do") return;
      await sleep(done === "changed" ? SETTLE_MS / 5 : SETTLE_MS, undefined, { signal });
    }
  } finally {
    await lock.release();
  }
  throw new StoreError("STORE_BUSY", `store ${store}: other processes keep changing a file, stop them and run again`, {
    place: { store, file: file.path },
    cure: "stop its writers and run again",
  });
}

async function rewriteOnce(
  file: StoreFile,
  store: string,
  makeDecide: MakeDecide,
  isHeld: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<"nothing to do" | "changed" | "replaced"> {
  const before = await fileState(file.absolute);
  if (before === undefined) return "nothing to do";
  const at = { store, file: file.path };
  const old = await open(file.absolute, "r");
  try {
    if (!(await hasWork(old, at, makeDecide, signal))) return "nothing to do";
    const done = await replaceFile(
      file.absolute,
      before,
      (handle) => copyLines(old, handle, at, makeDecide, before, signal),
      isHeld,
    );
    if (done === "replaced") {
      await sleep(SETTLE_MS, undefined, { signal });
      await rescueTail(old, file, at, makeDecide, before, signal);
    }
    return done;
  } finally {
    await old.close();
  }
}

async function hasWork(
  handle: FileHandle,
  at: { store: string; file: string },
  makeDecide: MakeDecide,
  signal: AbortSignal,
): Promise<boolean> {
  const decide = makeDecide();
  for await (const line of readLines(handle, at, signal)) if (decide(line) !== "keep") return true;
  return false;
}

/** Copies exactly what the file held in its state `before`; should it grow meanwhile, it is not replaced. */
async function copyLines(
  from: FileHandle,
  to: FileHandle,
  at: { store: string; file: string },
  makeDecide: MakeDecide,
  before: FileState,
  signal: AbortSignal,
): Promise<void> {
  const decide = makeDecide();
  let pending: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (bytes > 0) await to.writeFile(Buffer.concat(pending));
    [pending, bytes] = [[], 0];
  };
  for await (const line of readLines(from, at, signal)) {
    if (BigInt(line.start) >= before.size) break;
    const fate = decide(line);
    if (fate === "drop") continue;
    const kept = fate === "keep" ? line.bytes : fate;
    pending.push(kept);
    bytes += kept.length;
    if (bytes > 1 << 20) await flush();
  }
  await flush();
}

/** A writer that held the old file open may have appended to it after its name was given to the new one: those lines are carried over. */
async function rescueTail(
  old: FileHandle,
  file: StoreFile,
  at: { store: string; file: string },
  makeDecide: MakeDecide,
  before: FileState,
  signal: AbortSignal,
): Promise<void> {
  const { size } = await old.stat({ bigint: true });
  if (size <= before.size) return;
  const decide = makeDecide();
  const tail: Uint8Array[] = [];
  for await (const line of readLines(old, at, signal, Number(before.size))) {
    const fate = decide(line);
    if (fate !== "drop") tail.push(fate === "keep" ? line.bytes : fate);
  }
  if (tail.length === 0) return;
  const current = await open(file.absolute, "a");
  try {
    await current.writeFile(Buffer.concat(tail));
    await current.sync();
  } finally {
    await current.close();
  }
}
