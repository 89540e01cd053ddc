// The tree keys of one surface in one epoch: laid while it is scanned, hashed in batches, on a thread where there is one. It must not need the thread.
import type { Artifact } from "../model/artifact.ts";
import type { SurfaceDeclaration } from "../model/declaration.ts";
import { openKernel } from "./hash-kernel.ts";
import { hashMessages, type TokenKeys } from "./hash-messages.ts";
import { type HashedKeys, hashSortedKeys } from "./hash-sorted-keys.ts";
import { LaidMessages, type LaidPart } from "./laid-messages.ts";
import { sortKeys } from "./sort-keys.ts";
import type { HashedTree, HashedTrees, TreeThread } from "./tree-thread.ts";

export interface SurfaceKeys {
  /** @throws StoreError NOT_NAMEABLE */
  add(artifact: Pick<Artifact, "key" | "content" | "sources" | "subjects">, digests: readonly string[]): void;
  /** For now nothing more is added. Ends when the thread has answered, or will not. */
  end(): Promise<void>;
  clear(): void;
  trees(): { readonly membership: HashedKeys; readonly lineage: HashedKeys };
}

/** Messages from which on a kernel is worth its beginning. */
const MANY = 4_096;

/** `startThread`: where it is worth it; it is started when there is a first part for it. */
export function openSurfaceKeys(
  { id, keys: keysAre }: Pick<SurfaceDeclaration, "id" | "keys">,
  keys: TokenKeys,
  startThread: (() => TreeThread) | undefined,
): SurfaceKeys {
  const messages = new LaidMessages();
  /** What was laid and not answered for: the thread may die. */
  let parts: LaidPart[] = [];
  let answered: HashedTrees | undefined;
  let thread: TreeThread | undefined;

  const take = (): void => {
    const part = messages.take();
    if (part === undefined) return;
    parts.push(part);
    thread?.add(id, keys, part);
  };

  /** By the caller itself: what was answered, and what was laid since. */
  function hashHere(): ReturnType<SurfaceKeys["trees"]> {
    const count = parts.reduce((sum, { members, edges }) => sum + members + edges, 0);
    const lists = hashMessages(parts, keys, count < MANY ? undefined : openKernel());
    const treeOf = (tree: "membership" | "lineage"): HashedKeys => {
      const all = answered === undefined ? lists[tree] : Buffer.concat([answered[tree].keys, lists[tree]]);
      return hashSortedKeys(sortKeys(all));
    };
    return { membership: treeOf("membership"), lineage: treeOf("lineage") };
  }

  return {
    add(artifact, digests) {
      if (!messages.put({ surface: id, ...artifact }, digests, keysAre === "reusable")) return;
      thread ??= startThread?.();
      take();
    },
    async end() {
      take();
      // What comes after the first end is hashed here.
      if (answered !== undefined) return;
      const told = parts.length;
      const trees = await thread?.finish(id, keys);
      if (trees === undefined || told > parts.length) return;
      answered = trees;
      parts = parts.slice(told);
    },
    clear() {
      messages.take();
      parts = [];
      answered = undefined;
    },
    trees() {
      take();
      if (answered === undefined || parts.length > 0) return hashHere();
      return { membership: asHashed(answered.membership), lineage: asHashed(answered.lineage) };
    },
  };
}

function asHashed({ keys, ...hashes }: HashedTree): HashedKeys {
  return hashSortedKeys(keys, hashes);
}
