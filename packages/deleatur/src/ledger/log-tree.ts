// The RFC 6962 tree over stored hashes of full subtrees: appending, roots and proofs cost a logarithm. It must not know what an entry says.
import { logNodeHash, logRootOfHashes } from "@deleatur/verify";

/** Hashes of full subtrees: `position` counts subtrees of 2^level leaves from the left; level 0 are the leaf hashes. */
export interface NodeStore {
  read(level: number, position: number): Uint8Array;
  write(level: number, position: number, hash: Uint8Array): void;
}

/** Stores the parents that a new leaf at `index` completes; the leaf itself is stored already. */
export function completeSubtrees(store: NodeStore, index: number, leaf: Uint8Array): void {
  let hash = leaf;
  let position = index;
  for (let level = 0; position % 2 === 1; level += 1) {
    hash = logNodeHash(store.read(level, position - 1), hash);
    position = (position - 1) / 2;
    store.write(level + 1, position, hash);
  }
}

/** The largest power of two below `size`, for sizes from 2 on (k of RFC 6962 §2.1). */
function split(size: number): number {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
}

/** The tree hash of the leaves from `from` up to, not including, `to`. */
function rangeRoot(store: NodeStore, from: number, to: number): Uint8Array {
  const size = to - from;
  if (size === 0) return logRootOfHashes([]);
  const level = Math.log2(size);
  if (Number.isInteger(level) && from % size === 0) return store.read(level, from / size);
  const k = split(size);
  return logNodeHash(rangeRoot(store, from, from + k), rangeRoot(store, from + k, to));
}

export function treeRoot(store: NodeStore, size: number): Uint8Array {
  return rangeRoot(store, 0, size);
}

/** PATH(index, D[from:to]) of RFC 6962 §2.1.1, leaf to root. */
export function inclusionPath(store: NodeStore, index: number, from: number, to: number): Uint8Array[] {
  const size = to - from;
  if (size <= 1) return [];
  const middle = from + split(size);
  return index < middle
    ? [...inclusionPath(store, index, from, middle), rangeRoot(store, middle, to)]
    : [...inclusionPath(store, index, middle, to), rangeRoot(store, from, middle)];
}

/** SUBPROOF(first, D[from:to], isWhole) of RFC 6962 §2.1.2; `first` counts from the left end of the tree. */
export function consistencyPath(
  store: NodeStore,
  first: number,
  from: number,
  to: number,
  isWhole: boolean,
): Uint8Array[] {
  if (first === to) return isWhole ? [] : [rangeRoot(store, from, to)];
  const middle = from + split(to - from);
  return first <= middle
    ? [...consistencyPath(store, first, from, middle, isWhole), rangeRoot(store, middle, to)]
    : [...consistencyPath(store, first, middle, to, false), rangeRoot(store, from, middle)];
}
