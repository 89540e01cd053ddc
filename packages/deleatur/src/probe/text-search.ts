// Finds which of many patterns stand in a text, by a rolling hash under a random key and a comparison of every hit; patterns of at least twelve units.
import { randomBytes } from "node:crypto";

/** Length of the piece that is hashed: the first units of each pattern. */
export const ANCHOR = 12;
const FILTER_BITS = 20;

export interface TextSearch {
  readonly size: number;
  /** Calls `hit` with the index of a pattern for every place where it stands, until `hit` answers false. */
  search(text: string, hit: (pattern: number) => boolean): void;
}

/** @param patterns each at least `ANCHOR` UTF-16 units long */
export function createTextSearch(patterns: readonly string[]): TextSearch {
  // An odd multiplier that nobody can guess, so that no text can be made to collide.
  const base = randomBytes(4).readUInt32LE() | 1;
  let top = 1;
  for (let i = 0; i < ANCHOR; i++) top = Math.imul(top, base);
  const anchors = new Map<number, number[]>();
  const filter = new Uint8Array(1 << (FILTER_BITS - 3));
  patterns.forEach((pattern, index) => {
    let hash = 0;
    for (let i = 0; i < ANCHOR; i++) hash = (Math.imul(hash, base) + pattern.charCodeAt(i)) | 0;
    const known = anchors.get(hash);
    if (known === undefined) anchors.set(hash, [index]);
    else known.push(index);
    setBit(filter, hash);
  });

  return {
    size: patterns.length,
    search(text, hit) {
      if (patterns.length === 0) return;
      let hash = 0;
      for (let end = 0; end < text.length; end++) {
        hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
        if (end >= ANCHOR) hash = (hash - Math.imul(top, text.charCodeAt(end - ANCHOR))) | 0;
        if (end < ANCHOR - 1 || !hasBit(filter, hash)) continue;
        const start = end - ANCHOR + 1;
        for (const index of anchors.get(hash) ?? []) {
          if (text.startsWith(patterns[index] ?? "", start) && !hit(index)) return;
        }
      }
    },
  };
}

function bitOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - FILTER_BITS);
}

function setBit(filter: Uint8Array, hash: number): void {
  const bit = bitOf(hash);
  filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
}

function hasBit(filter: Uint8Array, hash: number): boolean {
  const bit = bitOf(hash);
  return ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}
