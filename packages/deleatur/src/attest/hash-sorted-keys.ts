// Hashes a sorted set of keys as a compact sparse Merkle tree (PROOFS §2) into two flat arrays: no object for a node. It must not keep versions.
import { EMPTY } from "@deleatur/verify";
import { HASH_BYTES, sha256Into } from "./fast-hash.ts";
import { copyKey, KEY_BYTES } from "./sort-keys.ts";

const KEY_BITS = 8 * KEY_BYTES;

/** What hashing a set comes to. Between each two neighbours lies exactly one branching node: that between the keys i - 1 and i has its hash at i. */
export interface KeyHashes {
  readonly branches: Uint8Array<ArrayBuffer>;
  readonly root: Uint8Array<ArrayBuffer>;
}

/** A hashed set. A subtree is a run of neighbouring keys, `from` up to, not including, `to`. */
export interface HashedKeys {
  readonly size: number;
  readonly root: Uint8Array;
  /** What was hashed: the same keys with it need not be hashed again. */
  readonly hashes: KeyHashes;
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

/** `keys`: distinct and ascending, one after the other. One pass, unless somebody has made it; afterwards any subtree's hash is one look-up and a few hashes. */
export function hashSortedKeys(keys: Uint8Array, made?: KeyHashes): HashedKeys {
  const size = keys.length / KEY_BYTES;
  const branches = made?.branches ?? new Uint8Array(keys.length);
  const pair = Buffer.alloc(2 * HASH_BYTES);
  const leaf = Buffer.alloc(1 + KEY_BYTES);

  const bitAt = (index: number, depth: number): 0 | 1 =>
    (((keys[index * KEY_BYTES + (depth >> 3)] ?? 0) >> (7 - (depth & 7))) & 1) === 1 ? 1 : 0;

  const sharedBits = (from: number, to: number): number => {
    const first = from * KEY_BYTES;
    const last = (to - 1) * KEY_BYTES;
    for (let i = 0; i < KEY_BYTES; i += 1) {
      const difference = (keys[first + i] ?? 0) ^ (keys[last + i] ?? 0);
      if (difference !== 0) return 8 * i + Math.clz32(difference) - 24;
    }
    return KEY_BITS;
  };

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

  const hashLeaf = (index: number, target: Buffer): void => {
    copyKey(keys, index * KEY_BYTES, leaf, 1);
    sha256Into(leaf, target, 0);
  };

  /** Carries a node's hash from depth `from` up to `to` along the path of a key, past siblings that are all EMPTY. */
  const lift = (hash: Buffer, index: number, from: number, to: number): void => {
    for (let depth = from - 1; depth >= to; depth -= 1) {
      const own = bitAt(index, depth) === 1 ? HASH_BYTES : 0;
      copyKey(EMPTY, 0, pair, HASH_BYTES - own);
      copyKey(hash, 0, pair, own);
      sha256Into(pair, hash, 0);
    }
  };

  const hashAll = (): Uint8Array<ArrayBuffer> => {
    // Left halves that wait for their right one: at most one for each depth of a path.
    const waiting = Buffer.allocUnsafe((Math.min(size, KEY_BITS) + 1) * HASH_BYTES);
    const depths: number[] = [];
    const splits: number[] = [];
    const current = Buffer.alloc(HASH_BYTES);
    let open = 0;
    let before = -1;
    for (let i = 0; i < size; i += 1) {
      const after = i === size - 1 ? -1 : sharedBits(i, i + 2);
      // A leaf stands right below the deeper of the two branchings beside it: its shortest unique prefix.
      hashLeaf(i, current);
      let depth = Math.max(before, after) + 1;
      for (let top = open - 1; top >= 0 && (depths[top] ?? 0) > after; top -= 1) {
        const branchDepth = depths[top] ?? 0;
        lift(current, i, depth, branchDepth + 1);
        copyKey(waiting, top * HASH_BYTES, pair, 0);
        copyKey(current, 0, pair, HASH_BYTES);
        sha256Into(pair, current, 0);
        copyKey(current, 0, branches, (splits[top] ?? 0) * HASH_BYTES);
        depth = branchDepth;
        open = top;
      }
      lift(current, i, depth, after + 1);
      copyKey(current, 0, waiting, open * HASH_BYTES);
      depths[open] = after;
      splits[open] = i + 1;
      open += 1;
      before = after;
    }
    return new Uint8Array(current);
  };

  const root = made?.root ?? hashAll();
  return {
    size,
    root,
    hashes: { branches, root },
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
      if (to - from === 1) hashLeaf(from, hash);
      if (to - from <= 1) return hash;
      const shared = sharedBits(from, to);
      const split = splitAt(from, to, shared);
      copyKey(branches, split * HASH_BYTES, hash, 0);
      lift(hash, from, shared, depth);
      return hash;
    },
  };
}
