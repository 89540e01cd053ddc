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
export const SETTLE_MS = 50;
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
    let quiet: FileState | undefined;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      signal.throwIfAborted();
      const done = await rewriteOnce(file, store, makeDecide, () => lock.isHeld(), signal);
      const now = await fileState(file.absolute);
      // A file that another process is writing at this moment may show less than it holds: it is looked at twice.
      if (done === "nothing to do" && hasOnlyGrown(quiet, now)) return;
      quiet = done === "nothing to do" ? now : undefined;
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

/** A log that is appended to while we look is as quiet as it gets. */
function hasOnlyGrown(before: FileState | undefined, now: FileState | undefined): boolean {
  if (now === undefined) return true;
  return before !== undefined && before.ino === now.ino && before.size <= now.size;
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
    const copy = (handle: FileHandle, limit: bigint | undefined): Promise<void> =>
      copyLines(old, handle, at, makeDecide(), limit, signal);
    const done = await replaceFile(file.absolute, before, (handle) => copy(handle, before.size), isHeld);
    if (done === "changed") return done;
    const ours = await fileState(file.absolute);
    await sleep(SETTLE_MS, undefined, { signal });
    // Whoever had the old file open may have written to it after its name was given to ours: what they wrote is carried over.
    const { size, mtimeNs } = await old.stat({ bigint: true });
    const isLate = size !== before.size || mtimeNs !== before.mtimeNs;
    if (isLate && ours !== undefined)
      await replaceFile(file.absolute, ours, (handle) => copy(handle, undefined), isHeld);
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

/** Copies what the file holds, up to `limit`: what is added to it meanwhile is not taken for what was decided on. */
async function copyLines(
  from: FileHandle,
  to: FileHandle,
  at: { store: string; file: string },
  decide: (line: FileLine) => LineFate,
  limit: bigint | undefined,
  signal: AbortSignal,
): Promise<void> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (bytes > 0) await to.writeFile(Buffer.concat(pending));
    [pending, bytes] = [[], 0];
  };
  for await (const line of readLines(from, at, signal)) {
    if (limit !== undefined && BigInt(line.start) >= limit) break;
    const fate = decide(line);
    if (fate === "drop") continue;
    const kept = fate === "keep" ? line.bytes : fate;
    pending.push(kept);
    bytes += kept.length;
    if (bytes > 1 << 20) await flush();
  }
  await flush();
}
