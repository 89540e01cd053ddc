// Seeded randomness, so that a history can be run again: numbers, and the bytes that the engine asks for. Never for keys that must be secret.
export interface Randomness {
  /** In [0, 1). */
  next(): number;
  below(limit: number): number;
  bytes(count: number): Uint8Array;
}

/** Mulberry32. */
export function seededRandomness(seed: number): Randomness {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, bytes: (count) => Uint8Array.from({ length: count }, () => below(256)) };
}
