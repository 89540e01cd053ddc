// Holds the hashes of every piece of every pattern, under a random key, in flat arrays: the first filter of the byte scan and the way from a piece to its patterns.
import { GRAM, isDistinctive } from "./byte-patterns.ts";
import { createPieceFilter, createPieceHash, kindOf, KINDS } from "./piece-filter.ts";

/** The pieces of all patterns, laid one after the other in one pool. */
export interface ByteIndex {
  readonly pool: Uint8Array;
  /** The pattern that a place in the pool belongs to. */
  patternAt(poolAt: number): number;
  /** Start and end of a pattern in the pool. */
  range(pattern: number): readonly [start: number, end: number];
  /** Calls `hit` with each place from `from` up to `to`, `step` apart, whose piece some pattern may have: few of a file's places. */
  scan(view: DataView, from: number, to: number, step: number, hit: (at: number, hash: number) => void): void;
  /** Calls `hit` with every place in the pool whose piece is, byte for byte, the one at `at`. */
  find(hash: number, bytes: Uint8Array, at: number, hit: (poolAt: number) => void): void;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function createByteIndex(patterns: readonly Uint8Array[]): ByteIndex {
  const starts = new Int32Array(patterns.length + 1);
  patterns.forEach((bytes, i) => (starts[i + 1] = (starts[i] ?? 0) + bytes.length));
  const total = starts.at(-1) ?? 0;
  const pool = new Uint8Array(total);
  patterns.forEach((bytes, i) => pool.set(bytes, starts[i] ?? 0));
  const poolView = viewOf(pool);

  // Few places are asked for, those that passed the filter: that several share a bucket costs less than the memory of more.
  const bits = Math.max(10, Math.ceil(Math.log2(total + 1)) - 1);
  const shift = 32 - bits;
  const counts = new Float64Array(KINDS);
  for (let at = 0; at + GRAM <= total; at += GRAM) {
    const kind = kindAt(poolView, at);
    counts[kind] = (counts[kind] ?? 0) + GRAM;
  }
  const filter = createPieceFilter(counts);
  const heads = new Int32Array(1 << bits).fill(-1);
  /** By place in the pool: the next place with a piece of the same bucket. */
  const next = new Int32Array(total).fill(-1);

  const { first } = createPieceHash();
  const hash = (view: DataView, at: number): number =>
    first(
      view.getInt32(at, true),
      view.getInt32(at + 4, true),
      view.getInt32(at + 8, true),
      view.getInt32(at + 12, true),
    );

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
      filter.add(kindAt(poolView, at), h);
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
    scan(view, from, to, step, hit) {
      const last = Math.min(to - 1, view.byteLength - GRAM);
      for (let at = from; at <= last; at += step) {
        const w0 = view.getInt32(at, true);
        const w1 = view.getInt32(at + 4, true);
        const w2 = view.getInt32(at + 8, true);
        const w3 = view.getInt32(at + 12, true);
        const h = first(w0, w1, w2, w3);
        if (filter.has(kindOf(w0, w1, w2, w3), h)) hit(at, h);
      }
    },
    find(h, bytes, at, hit) {
      for (let poolAt = heads[h >>> shift] ?? -1; poolAt !== -1; poolAt = next[poolAt] ?? -1) {
        if (isSame(poolAt, bytes, at)) hit(poolAt);
      }
    },
  };
}

function kindAt(view: DataView, at: number): number {
  return kindOf(
    view.getInt32(at, true),
    view.getInt32(at + 4, true),
    view.getInt32(at + 8, true),
    view.getInt32(at + 12, true),
  );
}
