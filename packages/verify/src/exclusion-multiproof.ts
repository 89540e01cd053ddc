// Verifies that many queries are absent from one sparse tree, by one proof that carries shared nodes once (PROOFS §3, format DXM1). It never throws.
import { compareBytes, equalBytes } from "./bytes.ts";
import { isZero, queryWidth, sharesBits } from "./exclusion-proof.ts";
import { bitAt, EMPTY, leafHash, nodeHash, type TreeNumber } from "./sparse-tree.ts";

/** Why a multiproof was rejected; free of any content. */
export type MultiproofReason =
  | "tree number is neither 0 nor 1"
  | "root is not 32 bytes"
  | "number of queries"
  | "query width is not this tree's"
  | "queries not strictly ascending"
  | "too short"
  | "magic"
  | "tree"
  | "alg"
  | "too many ops"
  | "padding bits of ops"
  | "ops run out"
  | "ops left over"
  | "trailing bytes"
  | "HASH over a query"
  | "HASH of zeroes"
  | "LEAF under no query"
  | "LEAF equals a query"
  | "LEAF does not share the path"
  | "NODE under no query"
  | "NODE where no bit of the query is left"
  | "NODE of two EMPTY"
  | "NODE of EMPTY and LEAF"
  | "root differs";

export type MultiproofResult = { readonly ok: true } | { readonly ok: false; readonly reason: MultiproofReason };

/** The most queries of one DXM1; more are carried by several, each for a run of consecutive ones. */
export const MAX_MULTIPROOF_QUERIES: number = 2 ** 20;

const MAGIC = Uint8Array.of(0x44, 0x58, 0x4d, 0x31);
const HEADER = 10;
const ALG = 1;
const MAX_OPS = 2 ** 24;

/** Two bits each, in pre-order, left child first. */
export const MULTIPROOF_OPS = { HASH: 0, EMPTY: 1, LEAF: 2, NODE: 3 } as const;
const { HASH, EMPTY: NOTHING, LEAF } = MULTIPROOF_OPS;

/** Thrown and caught in this file alone: a proof is walked by recursion, at most as deep as a query has bits. */
class Rejected extends Error {
  readonly reason: MultiproofReason;
  constructor(reason: MultiproofReason) {
    super(reason);
    this.reason = reason;
  }
}

class Walk {
  readonly #proof: Uint8Array;
  readonly #queries: readonly Uint8Array[];
  readonly #width: number;
  readonly #ops: number;
  #next = 0;
  #at: number;
  /** Of the subtree that was folded last. */
  #last = -1;

  constructor(proof: Uint8Array, queries: readonly Uint8Array[], width: number, ops: number) {
    this.#proof = proof;
    this.#queries = queries;
    this.#width = width;
    this.#ops = ops;
    this.#at = HEADER + Math.ceil(ops / 4);
  }

  get isAtEnd(): MultiproofReason | undefined {
    if (this.#next !== this.#ops) return "ops left over";
    return this.#at === this.#proof.length ? undefined : "trailing bytes";
  }

  /** The hash of the subtree at `depth` under which the queries [from, to) fall. */
  fold(depth: number, from: number, to: number): Uint8Array {
    const op = this.#op();
    const isAsked = from < to;
    this.#last = op;
    if (op === HASH) {
      if (isAsked) throw new Rejected("HASH over a query");
      const hash = this.#take();
      if (isZero(hash)) throw new Rejected("HASH of zeroes");
      return hash;
    }
    if (op === NOTHING) return EMPTY;
    if (op === LEAF) return this.#leaf(depth, from, to);
    if (!isAsked) throw new Rejected("NODE under no query");
    if (depth >= 8 * this.#width) throw new Rejected("NODE where no bit of the query is left");
    const middle = this.#firstRight(depth, from, to);
    const left = this.fold(depth + 1, from, middle);
    const leftOp = this.#last;
    const right = this.fold(depth + 1, middle, to);
    const rightOp = this.#last;
    this.#last = op;
    if (leftOp === NOTHING && rightOp === NOTHING) throw new Rejected("NODE of two EMPTY");
    // A subtree of one key is that leaf, wherever it stands: a node above it would be a second encoding.
    if ((leftOp === NOTHING && rightOp === LEAF) || (leftOp === LEAF && rightOp === NOTHING))
      throw new Rejected("NODE of EMPTY and LEAF");
    return nodeHash(left, right);
  }

  #leaf(depth: number, from: number, to: number): Uint8Array {
    const first = this.#queries[from];
    if (from === to || first === undefined) throw new Rejected("LEAF under no query");
    const key = this.#take();
    const cut = key.subarray(0, this.#width);
    for (let i = from; i < to; i += 1)
      if (equalBytes(this.#queries[i] ?? EMPTY, cut)) throw new Rejected("LEAF equals a query");
    if (!sharesBits(key, first, depth)) throw new Rejected("LEAF does not share the path");
    return leafHash(key);
  }

  #op(): number {
    if (this.#next >= this.#ops) throw new Rejected("ops run out");
    const byte = this.#proof[HEADER + (this.#next >> 2)] ?? 0;
    const op = (byte >> (6 - 2 * (this.#next & 3))) & 3;
    this.#next += 1;
    return op;
  }

  #take(): Uint8Array {
    if (this.#at + 32 > this.#proof.length) throw new Rejected("too short");
    const taken = this.#proof.subarray(this.#at, this.#at + 32);
    this.#at += 32;
    return taken;
  }

  /** The queries ascend and share all bits above, so those whose bit is set come last. */
  #firstRight(depth: number, from: number, to: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bitAt(this.#queries[middle] ?? EMPTY, depth) === 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function firstFlaw(tree: TreeNumber, root: Uint8Array, queries: readonly Uint8Array[]): MultiproofReason | undefined {
  if (tree !== 0 && tree !== 1) return "tree number is neither 0 nor 1";
  if (root.length !== 32) return "root is not 32 bytes";
  if (queries.length === 0 || queries.length > MAX_MULTIPROOF_QUERIES) return "number of queries";
  const width = queryWidth(tree);
  for (const [i, query] of queries.entries()) {
    if (query.length !== width) return "query width is not this tree's";
    const before = queries[i - 1];
    if (before !== undefined && compareBytes(before, query) >= 0) return "queries not strictly ascending";
  }
  return undefined;
}

/**
 * Verifies one DXM1 proof that none of `queries` (32 bytes each for tree 0, prefixes of 16 for tree 1, strictly ascending) is in the tree
 * under `root`. `proof` is hostile input. No allocation beyond one hash a node.
 */
export function verifyExclusions(
  tree: TreeNumber,
  root: Uint8Array,
  queries: readonly Uint8Array[],
  proof: Uint8Array,
): MultiproofResult {
  const flaw = firstFlaw(tree, root, queries) ?? headerFlaw(tree, proof);
  if (flaw !== undefined) return { ok: false, reason: flaw };
  const walk = new Walk(proof, queries, queryWidth(tree), opsOf(proof));
  try {
    const hash = walk.fold(0, 0, queries.length);
    const reason = walk.isAtEnd ?? (equalBytes(hash, root) ? undefined : "root differs");
    return reason === undefined ? { ok: true } : { ok: false, reason };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { ok: false, reason: error.reason };
  }
}

function opsOf(proof: Uint8Array): number {
  return new DataView(proof.buffer, proof.byteOffset).getUint32(6);
}

function headerFlaw(tree: TreeNumber, proof: Uint8Array): MultiproofReason | undefined {
  if (proof.length < HEADER) return "too short";
  if (compareBytes(proof.subarray(0, 4), MAGIC) !== 0) return "magic";
  if (proof[4] !== tree) return "tree";
  if (proof[5] !== ALG) return "alg";
  const ops = opsOf(proof);
  if (ops === 0) return "ops run out";
  if (ops > MAX_OPS) return "too many ops";
  const end = HEADER + Math.ceil(ops / 4);
  if (proof.length < end) return "too short";
  const used = ops & 3;
  const padding = used === 0 ? 0 : (1 << (8 - 2 * used)) - 1;
  return ((proof[end - 1] ?? 0) & padding) === 0 ? undefined : "padding bits of ops";
}
