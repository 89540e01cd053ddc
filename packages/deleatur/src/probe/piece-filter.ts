// Hashes pieces of sixteen bytes as four words under a random key, and tells which cannot be known. A filter for each kind of bytes: most of a file is of
// kinds that few pieces are of, so that what is asked often is small enough to stay near the processor.
import { randomBytes } from "node:crypto";

export type WordHash = (w0: number, w1: number, w2: number, w3: number) => number;

/** Two hashes under one random key, so that nobody can write a file that passes everywhere. */
export function createPieceHash(): { readonly first: WordHash; readonly second: WordHash } {
  const key = randomBytes(32);
  const of = (place: number): WordHash => {
    const seed = key.readInt32LE(place);
    const a = key.readInt32LE(place + 4) | 1;
    const b = key.readInt32LE(place + 8) | 1;
    const c = key.readInt32LE(place + 12) | 1;
    return (w0, w1, w2, w3) => {
      let hash = Math.imul(w0 ^ seed, a);
      hash = Math.imul((hash ^ (hash >>> 15)) + w1, b);
      hash = Math.imul((hash ^ (hash >>> 14)) + w2, c);
      hash = Math.imul((hash ^ (hash >>> 15)) + w3, a);
      return hash ^ (hash >>> 16);
    };
  };
  return { first: of(0), second: of(16) };
}

/** Kinds of pieces; any rule would do, as long as it looks at nothing but the bytes. */
export const KINDS = 4;
const HIGH_BITS = 0x80808080 | 0;
const BELOW_PLUS = 0x2b2b2b2b;

/** 0 numbers and letters beyond ASCII, 1 UTF-16 of ASCII, 2 ASCII without blanks, as in base64, 3 other ASCII. */
export function kindOf(w0: number, w1: number, w2: number, w3: number): number {
  const any = w0 | w1 | w2 | w3;
  if ((any & HIGH_BITS) !== 0) return 0;
  if ((any & 0xff00ff00) === 0 || (any & 0x00ff00ff) === 0) return 1;
  const low = (w0 - BELOW_PLUS) | (w1 - BELOW_PLUS) | (w2 - BELOW_PLUS) | (w3 - BELOW_PLUS);
  return (low & HIGH_BITS) === 0 ? 2 : 3;
}

export interface PieceFilter {
  add(kind: number, hash: number): void;
  /** False where no piece of this kind and hash was added. */
  has(kind: number, hash: number): boolean;
}

/** Bits of a filter for each piece, at least: about one place in fifty passes by chance. */
const BITS_A_PIECE = 8;

/** @param counts how many pieces of each kind there will be */
export function createPieceFilter(counts: ArrayLike<number>): PieceFilter {
  // All filters stand in one array; two bits of one word stand for each hash.
  const bases = new Int32Array(KINDS);
  const shifts = new Int32Array(KINDS);
  let total = 0;
  for (let kind = 0; kind < KINDS; kind += 1) {
    const bits = Math.min(28, Math.max(10, Math.ceil(Math.log2((counts[kind] ?? 0) * BITS_A_PIECE + 1))));
    bases[kind] = total;
    shifts[kind] = 32 - (bits - 5);
    total += 1 << (bits - 5);
  }
  const words = new Int32Array(total);
  return {
    add(kind, hash) {
      const at = (bases[kind] ?? 0) + (hash >>> (shifts[kind] ?? 0));
      words[at] = (words[at] ?? 0) | (1 << (hash & 31)) | (1 << (Math.imul(hash, 0x9e3779b1) >>> 27));
    },
    has(kind, hash) {
      const word = words[(bases[kind] ?? 0) + (hash >>> (shifts[kind] ?? 0))] ?? 0;
      return ((word >>> (hash & 31)) & (word >>> (Math.imul(hash, 0x9e3779b1) >>> 27)) & 1) !== 0;
    },
  };
}
