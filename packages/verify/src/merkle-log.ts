// The append-only log's hashing and proofs (RFC 6962 §2.1, RFC 9162 §2.1.3-2.1.4). It must answer hostile proofs with false and never throw.
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes } from "./bytes.ts";

/** `H(0x00 || entry)`. */
export function logLeafHash(entry: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(0), entry));
}

/** `H(0x01 || left || right)`. */
export function logNodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(1), left, right));
}

/** The tree hash over leaf hashes: perfect subtrees are merged as they close, so it holds log2(n) hashes. */
export function logRootOfHashes(leafHashes: readonly Uint8Array[]): Uint8Array {
  const stack: { readonly size: number; readonly hash: Uint8Array }[] = [];
  for (const hash of leafHashes) {
    let node = { size: 1, hash };
    for (let left = stack.at(-1); left !== undefined && left.size === node.size; left = stack.at(-1)) {
      stack.pop();
      node = { size: left.size + node.size, hash: logNodeHash(left.hash, node.hash) };
    }
    stack.push(node);
  }
  let root = stack.pop()?.hash;
  if (root === undefined) return sha256(new Uint8Array());
  for (let left = stack.pop(); left !== undefined; left = stack.pop()) root = logNodeHash(left.hash, root);
  return root;
}

/** The tree hash over entries (RFC 6962 §2.1). */
export function logRoot(entries: readonly Uint8Array[]): Uint8Array {
  return logRootOfHashes(entries.map((entry) => logLeafHash(entry)));
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

// Halves without bit operators, which would cut sizes beyond 2^31.
function half(value: number): number {
  return Math.floor(value / 2);
}

/** Whether the leaf hash stands at `index` of the tree of `size` leaves under `root` (RFC 9162 §2.1.3.2). */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  if (leaf.length !== 32 || root.length !== 32 || proof.length > 64) return false;
  let position = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (sibling.length !== 32 || last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = logNodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) {
        position = half(position);
        last = half(last);
      }
    } else {
      hash = logNodeHash(hash, sibling);
    }
    position = half(position);
    last = half(last);
  }
  return last === 0 && equalBytes(hash, root);
}

/** Whether the tree of `second` leaves continues the tree of `first` leaves (RFC 9162 §2.1.4.2). A first size of 0 proves nothing and is refused. */
export function verifyConsistency(
  first: number,
  second: number,
  proof: readonly Uint8Array[],
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
): boolean {
  if (!isSize(first) || !isSize(second) || first === 0 || first > second || proof.length > 128) return false;
  if (first === second) return proof.length === 0 && equalBytes(firstRoot, secondRoot);
  if (firstRoot.length !== 32 || secondRoot.length !== 32 || proof.some((hash) => hash.length !== 32)) return false;
  let position = first - 1;
  let last = second - 1;
  while (position % 2 === 1) {
    position = half(position);
    last = half(last);
  }
  // Where `first` is a power of two its own root is the start of the path and is not carried.
  const path = position === 0 ? [firstRoot, ...proof] : proof;
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let firstHash = start;
  let secondHash = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      firstHash = logNodeHash(sibling, firstHash);
      secondHash = logNodeHash(sibling, secondHash);
      while (position % 2 === 0 && position !== 0) {
        position = half(position);
        last = half(last);
      }
    } else {
      secondHash = logNodeHash(secondHash, sibling);
    }
    position = half(position);
    last = half(last);
  }
  return last === 0 && equalBytes(firstHash, firstRoot) && equalBytes(secondHash, secondRoot);
}
