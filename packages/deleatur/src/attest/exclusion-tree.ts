// Builds the tree of one surface and proves what is not in it (PROOFS §3, DXP1 and DXM1). A query that is in the set gets no proof: it must be reported.
import {
  concatBytes,
  EMPTY,
  equalBytes,
  MULTIPROOF_OPS,
  queryWidth,
  type TreeNumber,
  u16,
  u32,
} from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";
import { hashSortedKeys, type HashedKeys } from "./hash-sorted-keys.ts";
import { KEY_BYTES, sortKeys } from "./sort-keys.ts";

export interface ExclusionTree {
  readonly tree: TreeNumber;
  readonly root: Uint8Array;
  /** Distinct keys. */
  readonly size: number;
  /** Whether a query (32 bytes in tree 0, a prefix of 16 in tree 1) is in the set. @throws UsageError BAD_QUERY for another width */
  has(query: Uint8Array): boolean;
  /** The one DXP1 encoding of the query's absence. @throws UsageError NOT_EXCLUDED where it is in the set, BAD_QUERY */
  prove(query: Uint8Array): Uint8Array;
  /** The one DXM1 encoding of the absence of all queries, strictly ascending and at least one. @throws UsageError NOT_EXCLUDED, BAD_QUERY */
  proveAll(queries: readonly Uint8Array[]): Uint8Array;
}

const MAGIC = Uint8Array.of(0x44, 0x58, 0x50, 0x31);
/** With the algorithm's number behind the tree's. */
const MULTI_MAGIC = Uint8Array.of(0x44, 0x58, 0x4d, 0x31);
const ALG = 1;

/** Builds from whole keys in any order and with any repetition. @throws UsageError BAD_TREE_KEY */
export function buildExclusionTree(keys: readonly Uint8Array[], tree: TreeNumber): ExclusionTree {
  for (const key of keys)
    if (key.length !== KEY_BYTES) throw new UsageError("BAD_TREE_KEY", "a tree key is not 32 bytes, give whole keys");
  return buildFlatExclusionTree(Buffer.concat(keys), tree);
}

/** The same from keys that stand one after the other in one buffer, which is not kept. */
export function buildFlatExclusionTree(flat: Uint8Array, tree: TreeNumber): ExclusionTree {
  return exclusionTreeOf(hashSortedKeys(sortKeys(flat)), tree);
}

/** The same over keys that are sorted and hashed. */
export function exclusionTreeOf(keys: HashedKeys, tree: TreeNumber): ExclusionTree {
  const width = queryWidth(tree);
  const has = (query: Uint8Array): boolean => {
    if (query.length !== width) {
      throw new UsageError(
        "BAD_QUERY",
        "a query is not as wide as its tree wants, 32 bytes for tree 0 and 16 for tree 1",
      );
    }
    const at = lowerBound(keys, query);
    return at < keys.size && keys.compareAt(at, query) === 0;
  };
  const refusePresent = (query: Uint8Array): void => {
    if (has(query))
      throw new UsageError("NOT_EXCLUDED", "a query is in the tree, nothing can prove its absence: report it");
  };
  return {
    tree,
    root: keys.root,
    size: keys.size,
    has,
    prove(query) {
      refusePresent(query);
      return walk(keys, query, tree);
    },
    proveAll(queries) {
      for (const [i, query] of queries.entries()) {
        refusePresent(query);
        if (i > 0 && Buffer.compare(queries[i - 1] ?? query, query) >= 0)
          throw new UsageError("BAD_QUERY", "queries of one proof ascend, each once");
      }
      if (queries.length === 0) throw new UsageError("BAD_QUERY", "a proof is about one query at least");
      return walkAll(keys, queries, tree);
    },
  };
}

/** The first key that is not below the query. */
function lowerBound(keys: HashedKeys, query: Uint8Array): number {
  let low = 0;
  let high = keys.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys.compareAt(middle, query) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bitOf(query: Uint8Array, depth: number): 0 | 1 {
  return (((query[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1) === 1 ? 1 : 0;
}

/** Follows an absent query down to where it would stand, and encodes the siblings on the way. */
function walk(keys: HashedKeys, query: Uint8Array, tree: TreeNumber): Uint8Array {
  const siblings: Uint8Array[] = [];
  let from = 0;
  let to = keys.size;
  while (to - from > 1) {
    const depth = siblings.length;
    const isRight = bitOf(query, depth) === 1;
    const split = keys.splitAt(from, to, depth);
    const [sideFrom, sideTo] = isRight ? [from, split] : [split, to];
    siblings.push(keys.hashAt(sideFrom, sideTo, depth + 1));
    if (isRight) from = split;
    else to = split;
  }
  return encode(tree, siblings, to === from ? undefined : keys.keyAt(from));
}

/** Follows all absent queries down at once: what two of them share is carried once, and nothing that follows from below is carried at all. */
function walkAll(keys: HashedKeys, queries: readonly Uint8Array[], tree: TreeNumber): Uint8Array {
  const ops: number[] = [];
  const body: Uint8Array[] = [];
  const visit = (from: number, to: number, depth: number, first: number, end: number): void => {
    if (from === to) ops.push(MULTIPROOF_OPS.EMPTY);
    else if (first === end) {
      ops.push(MULTIPROOF_OPS.HASH);
      body.push(keys.hashAt(from, to, depth));
    } else if (to - from === 1) {
      ops.push(MULTIPROOF_OPS.LEAF);
      body.push(keys.keyAt(from));
    } else {
      ops.push(MULTIPROOF_OPS.NODE);
      const split = keys.splitAt(from, to, depth);
      let middle = first;
      while (middle < end && bitOf(queries[middle] ?? EMPTY, depth) === 0) middle += 1;
      visit(from, split, depth + 1, first, middle);
      visit(split, to, depth + 1, middle, end);
    }
  };
  visit(0, keys.size, 0, 0, queries.length);
  const packed = new Uint8Array(Math.ceil(ops.length / 4));
  for (const [i, op] of ops.entries()) packed[i >> 2] = (packed[i >> 2] ?? 0) | (op << (6 - 2 * (i & 3)));
  return concatBytes(MULTI_MAGIC, Uint8Array.of(tree, ALG), u32(ops.length), packed, ...body);
}

function encode(tree: TreeNumber, siblings: readonly Uint8Array[], other: Uint8Array | undefined): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(siblings.length / 8));
  const present = siblings.filter((sibling, i) => {
    const isPresent = !equalBytes(sibling, EMPTY);
    if (isPresent) bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (0x80 >> (i & 7));
    return isPresent;
  });
  const head = Uint8Array.of(tree, other === undefined ? 0 : 1);
  return concatBytes(MAGIC, head, u16(siblings.length), bitmap, ...present, other ?? new Uint8Array());
}
