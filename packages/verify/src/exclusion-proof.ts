// Verifies that a key, or a 16-byte prefix, is not in a sparse tree (PROOFS §3, format DXP1). It must answer every input and never throw.
import { compareBytes, equalBytes } from "./bytes.ts";
import { bitAt, EMPTY, leafHash, nodeHash, type TreeNumber } from "./sparse-tree.ts";

/** Why a proof was rejected; free of any content. */
export type ExclusionReason =
  | "tree number is neither 0 nor 1"
  | "root is not 32 bytes"
  | "query width is not this tree's"
  | "too short"
  | "magic"
  | "tree"
  | "term"
  | "depth beyond the query"
  | "padding bits"
  | "trailing bytes"
  | "present sibling is zero"
  | "deepest sibling absent"
  | "other leaf equals the query"
  | "other leaf does not share the path"
  | "root differs";

export type ExclusionResult = { readonly ok: true } | { readonly ok: false; readonly reason: ExclusionReason };

const MAGIC = Uint8Array.of(0x44, 0x58, 0x50, 0x31);
const HEADER = 8;

/** Bytes of a query in a tree: 32 for membership, 16 for lineage. */
export function queryWidth(tree: TreeNumber): 16 | 32 {
  return tree === 0 ? 32 : 16;
}

function reject(reason: ExclusionReason): ExclusionResult {
  return { ok: false, reason };
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

export function sharesBits(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  for (let i = 0; i < bits; i += 1) if (bitAt(a, i) !== bitAt(b, i)) return false;
  return true;
}

/** The siblings from root to leaf, EMPTY where the bitmap says absent; or why the encoding is not the one allowed. */
function readSiblings(proof: Uint8Array, depth: number, end: number): readonly Uint8Array[] | ExclusionReason {
  const bitmap = proof.subarray(HEADER, HEADER + Math.ceil(depth / 8));
  for (let i = depth; i < 8 * bitmap.length; i += 1) if (bitAt(bitmap, i) === 1) return "padding bits";
  let offset = HEADER + bitmap.length;
  const siblings: Uint8Array[] = [];
  for (let i = 0; i < depth; i += 1) {
    if (bitAt(bitmap, i) === 0) {
      siblings.push(EMPTY);
      continue;
    }
    if (offset + 32 > end) return "too short";
    const sibling = proof.subarray(offset, offset + 32);
    if (isZero(sibling)) return "present sibling is zero";
    siblings.push(sibling);
    offset += 32;
  }
  if (offset < end) return "trailing bytes";
  if (depth > 0 && bitAt(bitmap, depth - 1) === 0) return "deepest sibling absent";
  return siblings;
}

/**
 * Verifies one DXP1 proof that `query` is absent from the tree under `root`. `query` is 32 bytes for tree 0 and a 16-byte
 * prefix for tree 1; `proof` is hostile input. Two hash preimages per level at most, no allocation beyond the proof's depth.
 */
export function verifyExclusion(
  tree: TreeNumber,
  root: Uint8Array,
  query: Uint8Array,
  proof: Uint8Array,
): ExclusionResult {
  if (tree !== 0 && tree !== 1) return reject("tree number is neither 0 nor 1");
  if (root.length !== 32) return reject("root is not 32 bytes");
  const width = queryWidth(tree);
  if (query.length !== width) return reject("query width is not this tree's");
  if (proof.length < HEADER) return reject("too short");
  if (compareBytes(proof.subarray(0, 4), MAGIC) !== 0) return reject("magic");
  if (proof[4] !== tree) return reject("tree");
  const term = proof[5];
  if (term !== 0 && term !== 1) return reject("term");
  const depth = ((proof[6] ?? 0) << 8) | (proof[7] ?? 0);
  // An absent 32-byte key parts from every leaf by bit 255; a prefix may go on to its end.
  if (depth > (tree === 0 ? 255 : 128)) return reject("depth beyond the query");
  const end = proof.length - (term === 1 ? 32 : 0);
  if (end < HEADER + Math.ceil(depth / 8)) return reject("too short");
  const siblings = readSiblings(proof, depth, end);
  if (typeof siblings === "string") return reject(siblings);

  let hash = EMPTY;
  if (term === 1) {
    const other = proof.subarray(end);
    if (equalBytes(other.subarray(0, width), query)) return reject("other leaf equals the query");
    if (!sharesBits(other, query, depth)) return reject("other leaf does not share the path");
    hash = leafHash(other);
  }
  for (let i = depth - 1; i >= 0; i -= 1) {
    const sibling = siblings[i] ?? EMPTY;
    hash = bitAt(query, i) === 0 ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
  }
  return equalBytes(hash, root) ? { ok: true } : reject("root differs");
}
