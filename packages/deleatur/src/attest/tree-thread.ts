// Has a thread of its own hash what a scan lays, and the trees of it, while the caller does something else. It must not be needed: what the thread does not answer, the caller hashes.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { TokenKeys } from "./hash-messages.ts";
import type { KeyHashes } from "./hash-tree.ts";
import type { LaidPart } from "./laid-messages.ts";

/** A tree's keys, sorted, and what they come to. */
export interface HashedTree extends KeyHashes {
  readonly keys: Uint8Array<ArrayBuffer>;
}

export interface HashedTrees {
  readonly membership: HashedTree;
  readonly lineage: HashedTree;
}

/** What it is told: a part of a surface, or that a surface has no more; `undefined` is the end. */
export type ToldToThread =
  | { readonly surface: string; readonly keys: TokenKeys; readonly part: LaidPart }
  | { readonly surface: string; readonly keys: TokenKeys; readonly part: undefined }
  | undefined;

/** What it says. */
export interface ToldByThread extends HashedTrees {
  readonly surface: string;
}

export interface TreeThread {
  add(surface: string, keys: TokenKeys, part: LaidPart): void;
  /** What the parts of a surface come to. Undefined where the thread ends before it says so, however it ends. */
  finish(surface: string, keys: TokenKeys): Promise<HashedTrees | undefined>;
  /** Nothing more comes: it answers what it has, and ends. */
  end(): void;
}

const PROGRAM = new URL("./hash-on-thread.js", import.meta.url);

/** A few objects for each batch, and nothing stays: more room would only be more memory. */
const YOUNG_MB = 4;

/** Whether a thread can be had that is faster than the caller: only a build has its program, and a machine of one core nothing to spare. */
export function canHaveThread(): boolean {
  return import.meta.url.endsWith(".js") && availableParallelism() > 1;
}

/** It is not waited for by a process that ends. */
export function startTreeThread(program: URL = PROGRAM): TreeThread {
  const waiting = new Map<string, (trees: HashedTrees | undefined) => void>();
  let thread: Worker | undefined;
  const giveUp = (): void => {
    thread = undefined;
    for (const answer of waiting.values()) answer(undefined);
    waiting.clear();
  };
  try {
    thread = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    thread.unref();
    thread.on("message", ({ surface, membership, lineage }: ToldByThread) => {
      waiting.get(surface)?.({ membership, lineage });
      waiting.delete(surface);
      if (waiting.size === 0) thread?.unref();
    });
    // Whatever it died of, it has told what it has told.
    thread.on("error", giveUp);
    thread.on("exit", giveUp);
  } catch {
    giveUp(); // no thread is to be had: the caller hashes all of it
  }
  const tell = (told: ToldToThread): void => thread?.postMessage(told, []);
  return {
    add: (surface, keys, part) => tell({ surface, keys, part }),
    async finish(surface, keys) {
      if (thread === undefined) return undefined;
      tell({ surface, keys, part: undefined });
      return await new Promise((answer) => {
        waiting.set(surface, answer);
        thread?.ref();
      });
    },
    end: () => tell(undefined),
  };
}
