// Sorts and hashes lists of tree keys on a thread of its own, while the caller does something else. It must not be needed: what the thread does not answer, the caller hashes.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { KeyHashes } from "./hash-sorted-keys.ts";

/** A list of keys that is sorted, and hashed. */
export interface SortedAndHashed extends KeyHashes {
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** What the thread says: which of the lists it has hashed. */
export interface HashedList extends SortedAndHashed {
  readonly place: number;
}

const PROGRAM = new URL("./hash-on-thread.js", import.meta.url);
/** Bytes of keys. A thread takes longer to begin than fewer take to be hashed. */
const WORTH_IT = 1 << 20;

/** A hash leaves a short text behind, and nothing stays: more room would only be more memory. */
const YOUNG_MB = 4;

/** Whether a thread would be done before the caller: only a build has its program, and a machine of one core nothing to spare. */
export function isThreadWorthIt(bytes: number): boolean {
  return bytes >= WORTH_IT && import.meta.url.endsWith(".js") && availableParallelism() > 1;
}

/** By place, for each list that the thread has answered before it ended, however it ended. It is not waited for by a process that ends. */
export async function hashOnThread(
  lists: readonly SharedArrayBuffer[],
  program: URL = PROGRAM,
): Promise<ReadonlyMap<number, SortedAndHashed>> {
  const hashed = new Map<number, SortedAndHashed>();
  await new Promise<void>((resolve) => {
    let thread: Worker;
    try {
      thread = new Worker(program, { workerData: lists, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    } catch {
      resolve(); // no thread is to be had: the caller hashes all of it
      return;
    }
    thread.unref();
    thread.on("message", ({ place, ...list }: HashedList) => hashed.set(place, list));
    // Whatever it died of, it has told what it has told.
    thread.on("error", () => resolve());
    thread.on("exit", () => resolve());
  });
  return hashed;
}
