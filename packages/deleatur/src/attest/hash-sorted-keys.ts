// A sorted set of keys as a compact sparse Merkle tree (PROOFS §2) in two flat arrays: any subtree's hash without an object for a node. It must not keep versions.
import { EMPTY } from "@deleatur/verify";
import { HASH_BYTES } from "./fast-hash.ts";
import { type HashKernel, openKernel } from "./hash-kernel.ts";
import { bitOf, hashTree, type KeyHashes, NODE_HASHES, sharedBitsOf } from "./hash-tree.ts";
import { copyKey, KEY_BYTES } from "./sort-keys.ts";

/** A hashed set. A subtree is a run of neighbouring keys, `from` up to, not including, `to`. */
export interface HashedKeys {
  readonly size: number;
  readonly root: Uint8Array;
  /** A view of one key: not to be written to. */
  keyAt(index: number): Uint8Array;
  /** As many bytes of a key as a query has, less the query: negative, zero or positive. */
  compareAt(index: number, query: Uint8Array): number;
  bitAt(index: number, depth: number): 0 | 1;
  /** Leading bits that all keys of a run of two or more share. */
  sharedBits(from: number, to: number): number;
  /** Where the keys with bit `depth` = 1 begin in a run that shares all bits before it. */
  splitAt(from: number, to: number, depth: number): number;
  /** The hash of a run that stands alone under its path at `depth`. */
  hashAt(from: number, to: number, depth: number): Uint8Array;
}

/** Bytes of keys from which on a kernel is worth its beginning, and up to which it has room. */
const MANY = 1 << 17;
const MOST = 1 << 30;

/** What a set comes to: by a kernel, where there are many and it can be had. `open`: whoever has one already gives it, since each has a memory of its own. */
export function hashKeys(keys: Uint8Array, open: () => HashKernel | undefined = openKernel): KeyHashes {
  const kernel = keys.length < MANY || keys.length > MOST ? undefined : open();
  return kernel?.hashTree(keys) ?? hashTree(keys);
}

/** `keys`: distinct and ascending, one after the other. One pass, unless somebody has made it; afterwards any subtree's hash is one look-up and a few hashes. */
export function hashSortedKeys(keys: Uint8Array, hashes: KeyHashes = hashKeys(keys)): HashedKeys {
  const size = keys.length / KEY_BYTES;
  const { branches, root } = hashes;

  const bitAt = (index: number, depth: number): 0 | 1 => bitOf(keys, index * KEY_BYTES, depth);
  const sharedBits = (from: number, to: number): number => sharedBitsOf(keys, from * KEY_BYTES, (to - 1) * KEY_BYTES);

  const splitAt = (from: number, to: number, depth: number): number => {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bitAt(middle, depth) === 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** Carries a node's hash from depth `from` up to `to` along the path of a key, past siblings that are all EMPTY. */
  const lift = (hash: Buffer, index: number, from: number, to: number): void => {
    for (let depth = from - 1; depth >= to; depth -= 1) {
      if (bitAt(index, depth) === 1) NODE_HASHES.node(EMPTY, 0, hash, 0, hash, 0);
      else NODE_HASHES.node(hash, 0, EMPTY, 0, hash, 0);
    }
  };

  return {
    size,
    root,
    keyAt: (index) => keys.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES),
    compareAt(index, query) {
      const at = index * KEY_BYTES;
      for (let i = 0; i < query.length; i += 1) {
        const difference = (keys[at + i] ?? 0) - (query[i] ?? 0);
        if (difference !== 0) return difference;
      }
      return 0;
    },
    bitAt,
    sharedBits,
    splitAt,
    hashAt(from, to, depth) {
      const hash = Buffer.alloc(HASH_BYTES);
      if (to - from === 1) NODE_HASHES.leaf(keys, from * KEY_BYTES, hash, 0);
      if (to - from <= 1) return hash;
      const shared = sharedBits(from, to);
      copyKey(branches, splitAt(from, to, shared) * HASH_BYTES, hash, 0);
      lift(hash, from, shared, depth);
      return hash;
    },
  };
}
