// Hashes a sorted set of keys as a compact sparse Merkle tree (PROOFS §2) in one pass, by whatever hashes a leaf and a node. It must not know who does.
import { HASH_BYTES, sha256Into } from "./fast-hash.ts";
import { copyKey, KEY_BYTES } from "./sort-keys.ts";

const KEY_BITS = 8 * KEY_BYTES;

/** What hashing a set comes to. Between each two neighbours lies exactly one branching node: that between the keys i - 1 and i has its hash at i. */
export interface KeyHashes {
  readonly branches: Uint8Array<ArrayBuffer>;
  readonly root: Uint8Array<ArrayBuffer>;
}

/** Hashes 32 bytes that stand somewhere, and lays the answer somewhere, which may be where they stand. */
export interface TreeHasher {
  leaf(key: Uint8Array, at: number, target: Uint8Array, targetAt: number): void;
  node(
    left: Uint8Array,
    leftAt: number,
    right: Uint8Array,
    rightAt: number,
    target: Uint8Array,
    targetAt: number,
  ): void;
}

const LEAF = Buffer.alloc(1 + KEY_BYTES);
const PAIR = Buffer.alloc(2 * HASH_BYTES);

/** By Node's own hash. */
export const NODE_HASHES: TreeHasher = {
  leaf(key, at, target, targetAt) {
    copyKey(key, at, LEAF, 1);
    sha256Into(LEAF, target, targetAt);
  },
  node(left, leftAt, right, rightAt, target, targetAt) {
    copyKey(left, leftAt, PAIR, 0);
    copyKey(right, rightAt, PAIR, HASH_BYTES);
    sha256Into(PAIR, target, targetAt);
  },
};

/** Where a tree is hashed: a part of `bytes` for the keys, one of their size for the branches, and `workBytes` that are nothing. */
export interface TreeRoom {
  readonly keys: Uint8Array;
  readonly keysAt: number;
  readonly branches: Uint8Array;
  readonly branchesAt: number;
  readonly work: Uint8Array;
  readonly workAt: number;
}

/** EMPTY, what is being carried up, and left halves that wait for their right one: at most one for each depth of a path. */
export function workBytes(size: number): number {
  return (Math.min(size, KEY_BITS) + 3) * HASH_BYTES;
}

/** By Node's own hash, in memory of its own. */
export function hashTree(keys: Uint8Array): KeyHashes {
  const size = keys.length / KEY_BYTES;
  const branches = new Uint8Array(keys.length);
  const work = new Uint8Array(workBytes(size));
  const rootAt = hashInto({ keys, keysAt: 0, branches, branchesAt: 0, work, workAt: 0 }, size, NODE_HASHES);
  return { branches, root: work.slice(rootAt, rootAt + HASH_BYTES) };
}

/** `size` distinct keys, ascending. Answers where in `work` the root stands. */
export function hashInto(room: TreeRoom, size: number, hasher: TreeHasher): number {
  const { keys, keysAt, branches, branchesAt, work, workAt } = room;
  const [empty, current, waiting] = [workAt, workAt + HASH_BYTES, workAt + 2 * HASH_BYTES];
  const depths: number[] = [];
  const splits: number[] = [];

  /** Carries a hash from depth `from` up to `to` along the path of a key, past siblings that are all EMPTY. */
  const lift = (key: number, from: number, to: number): void => {
    for (let depth = from - 1; depth >= to; depth -= 1) {
      if (bitOf(keys, key, depth) === 1) hasher.node(work, empty, work, current, work, current);
      else hasher.node(work, current, work, empty, work, current);
    }
  };

  let open = 0;
  let before = -1;
  for (let i = 0; i < size; i += 1) {
    const key = keysAt + i * KEY_BYTES;
    const after = i === size - 1 ? -1 : sharedBitsOf(keys, key, key + KEY_BYTES);
    // A leaf stands right below the deeper of the two branchings beside it: its shortest unique prefix.
    hasher.leaf(keys, key, work, current);
    let depth = Math.max(before, after) + 1;
    for (let top = open - 1; top >= 0 && (depths[top] ?? 0) > after; top -= 1) {
      const branchDepth = depths[top] ?? 0;
      lift(key, depth, branchDepth + 1);
      hasher.node(work, waiting + top * HASH_BYTES, work, current, work, current);
      copyKey(work, current, branches, branchesAt + (splits[top] ?? 0) * HASH_BYTES);
      depth = branchDepth;
      open = top;
    }
    lift(key, depth, after + 1);
    copyKey(work, current, work, waiting + open * HASH_BYTES);
    depths[open] = after;
    splits[open] = i + 1;
    open += 1;
    before = after;
  }
  return current;
}

export function bitOf(keys: Uint8Array, at: number, depth: number): 0 | 1 {
  return (((keys[at + (depth >> 3)] ?? 0) >> (7 - (depth & 7))) & 1) === 1 ? 1 : 0;
}

/** Leading bits that two keys share. */
export function sharedBitsOf(keys: Uint8Array, left: number, right: number): number {
  for (let i = 0; i < KEY_BYTES; i += 1) {
    const difference = (keys[left + i] ?? 0) ^ (keys[right + i] ?? 0);
    if (difference !== 0) return 8 * i + Math.clz32(difference) - 24;
  }
  return KEY_BITS;
}
