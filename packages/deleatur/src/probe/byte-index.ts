// Holds the hashes of every piece of every pattern, under a random key, in flat arrays: the first filter of the byte scan and the way from a piece to its patterns.
import { randomBytes } from "node:crypto";
import { GRAM } from "./byte-patterns.ts";

/** The pieces of all patterns, laid one after the other in one pool. */
export interface ByteIndex {
  readonly pool: Uint8Array;
  /** The pattern that a place in the pool belongs to. */
  patternAt(poolAt: number): number;
  /** Start and end of a pattern in the pool. */
  range(pattern: number): readonly [start: number, end: number];
  /** The hash of the piece that starts at `at` of a view over bytes. */
  hash(view: DataView, at: number): number;
  /** False where no pattern has a piece of this hash: the answer for nearly every place of a file. */
  mayHave(hash: number): boolean;
  /** Calls `hit` with every place in the pool whose piece is, byte for byte, the one at `at`. */
  find(hash: number, bytes: Uint8Array, at: number, hit: (poolAt: number) => void): void;
}

/** A piece of one or two distinct bytes (zeros, blanks, rules) is nobody's. */
function isDistinctive(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  let second = -1;
  for (let i = 1; i < GRAM; i++) {
    const byte = bytes[at + i] ?? -1;
    if (byte === first || byte === second) continue;
    if (second !== -1) return true;
    second = byte;
  }
  return false;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function createByteIndex(patterns: readonly Uint8Array[]): ByteIndex {
  const key = randomBytes(8);
  const seed = key.readInt32LE(0);
  const factor = key.readInt32LE(4) | 1;
  const starts = new Int32Array(patterns.length + 1);
  patterns.forEach((bytes, i) => (starts[i + 1] = (starts[i] ?? 0) + bytes.length));
  const total = starts.at(-1) ?? 0;
  const pool = new Uint8Array(total);
  patterns.forEach((bytes, i) => pool.set(bytes, starts[i] ?? 0));
  const poolView = viewOf(pool);

  const bits = Math.max(10, Math.ceil(Math.log2(total + 1)) + 1);
  const shift = 32 - bits;
  const filterShift = 32 - Math.min(30, bits + 3);
  const filter = new Uint8Array(1 << (29 - filterShift));
  const heads = new Int32Array(1 << bits).fill(-1);
  /** By place in the pool: the next place with a piece of the same bucket. */
  const next = new Int32Array(total).fill(-1);

  function hash(view: DataView, at: number): number {
    let h = seed;
    for (let i = at; i < at + GRAM; i += 4) {
      h = Math.imul(h ^ view.getInt32(i, true), factor);
      h ^= h >>> 15;
    }
    return Math.imul(h, 0x2c1b3c6d);
  }

  function isSame(poolAt: number, bytes: Uint8Array, at: number): boolean {
    for (let i = 0; i < GRAM; i++) if (pool[poolAt + i] !== bytes[at + i]) return false;
    return true;
  }

  patterns.forEach((bytes, i) => {
    const start = starts[i] ?? 0;
    for (let at = start; at + GRAM <= start + bytes.length; at++) {
      if (!isDistinctive(pool, at)) continue;
      const h = hash(poolView, at);
      const bucket = h >>> shift;
      next[at] = heads[bucket] ?? -1;
      heads[bucket] = at;
      const bit = h >>> filterShift;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  });

  function patternAt(poolAt: number): number {
    let low = 0;
    let high = patterns.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= poolAt) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    pool,
    patternAt,
    range: (pattern) => [starts[pattern] ?? 0, starts[pattern + 1] ?? 0],
    hash,
    mayHave: (h) => {
      const bit = h >>> filterShift;
      return ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
    },
    find(h, bytes, at, hit) {
      for (let poolAt = heads[h >>> shift] ?? -1; poolAt !== -1; poolAt = next[poolAt] ?? -1) {
        if (isSame(poolAt, bytes, at)) hit(poolAt);
      }
    },
  };
}
