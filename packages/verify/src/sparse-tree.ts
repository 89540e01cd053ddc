// The compact sparse Merkle tree (PROOFS §2): a root that depends on the set alone. A plain reference; it must not keep versions.
import { compareBytes, concatBytes, equalBytes } from "./bytes.ts";
import { sha256Pair, sha256Short } from "./sha256-block.ts";

/** Tree 0 is membership (32-byte queries), tree 1 lineage (16-byte prefix queries). */
export type TreeNumber = 0 | 1;

const LEAF_TAG = Uint8Array.of(0);

/** The root of the empty set: 32 zero bytes. Shared: never write to it. */
export const EMPTY: Uint8Array = new Uint8Array(32);

/** `leaf(t) = H(0x00 || t)`, exactly 33 bytes hashed. */
export function leafHash(key: Uint8Array): Uint8Array {
  if (key.length !== 32) throw new RangeError("a tree key is not 32 bytes");
  return sha256Short(concatBytes(LEAF_TAG, key));
}

/** `node = H(L || R)`, exactly 64 bytes hashed. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== 32 || right.length !== 32) throw new RangeError("a tree node is not of two times 32 bytes");
  return sha256Pair(left, right);
}

/** Bit `d` of a key, from the most significant bit of its first byte. */
export function bitAt(key: Uint8Array, d: number): 0 | 1 {
  return (((key[d >> 3] ?? 0) >> (7 - (d & 7))) & 1) === 1 ? 1 : 0;
}

function rootOf(keys: readonly Uint8Array[], from: number, to: number, depth: number): Uint8Array {
  const first = keys[from];
  if (from === to || first === undefined) return EMPTY;
  if (to - from === 1) return leafHash(first);
  // The keys are sorted, so those with bit `depth` = 1 are a run at the end.
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    const key = keys[middle];
    if (key !== undefined && bitAt(key, depth) === 0) low = middle + 1;
    else high = middle;
  }
  return nodeHash(rootOf(keys, from, low, depth + 1), rootOf(keys, low, to, depth + 1));
}

/** The root of a set of 32-byte keys, given in any order and with any repetition. */
export function sparseRoot(keys: readonly Uint8Array[]): Uint8Array {
  const set: Uint8Array[] = [];
  for (const key of keys.toSorted(compareBytes)) {
    if (key.length !== 32) throw new RangeError("a tree key is not 32 bytes");
    const last = set.at(-1);
    if (last === undefined || !equalBytes(last, key)) set.push(key);
  }
  return rootOf(set, 0, set.length, 0);
}
