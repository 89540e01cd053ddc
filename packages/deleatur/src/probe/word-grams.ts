// Knows every run of k normalised words of a set of texts, exactly: words get numbers, runs a hash under a random key, and each hit is compared.
import { randomBytes } from "node:crypto";

/** The shortest run that counts as an excerpt (DESIGN §6). */
export const MIN_WORDS = 5;

export interface WordGrams {
  readonly k: number;
  /** How many distinct runs there are; their ids are 0 to size - 1. */
  readonly size: () => number;
  /** Adds every run of a text; calls `seen` with the id of each. */
  add(words: readonly string[], seen?: (gram: number) => void): void;
  /** Calls `hit` with the position and the id of every known run in a text, in order of position. */
  find(words: readonly string[], hit: (position: number, gram: number) => void): void;
  /** The words of a run. */
  words(gram: number): readonly string[];
  /** False where a text has no known run, by its characters alone; for most texts the answer, and no word is cut out for it. */
  readonly mayFind: (text: string) => boolean;
}

/** By ASCII character: itself in lower case where words are made of it, 0 between words, 255 where the text needs the long way. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/i.test(character)) return character.toLowerCase().charCodeAt(0);
  return /[\t\n\r\x20-\x7e]/.test(character) ? 0 : 255;
});
const FILTER_BITS_A_GRAM = 16;

export function createWordGrams(k: number = MIN_WORDS): WordGrams {
  const key = randomBytes(20);
  const first = key.readUInt32LE(0) | 1;
  const second = key.readUInt32LE(4) | 1;
  const ids = new Map<string, number>();
  const spelling: string[] = [];
  const grams: number[] = []; // k word numbers each, one gram after the other
  const buckets = new Map<number, number | number[]>();
  const signs: number[] = []; // a keyed number for each gram, from the characters of its words
  const knownSigns = new Set<number>();
  let filter = new Uint8Array(1 << 10);
  let filterShift = 32 - 13;
  let filtered = 0; // how many signs the filter holds

  // Keyed and polynomial: of a word over its characters, of a gram over its words.
  const unitFactor = key.readInt32LE(8) | 1;
  const wordFactor = key.readInt32LE(12) | 1;
  const mixFactor = key.readInt32LE(16) | 1;
  let oldest = 1; // the factor of a gram's first word
  for (let i = 1; i < k; i++) oldest = Math.imul(oldest, wordFactor);
  const mix = (hash: number): number => Math.imul(hash ^ (hash >>> 15), mixFactor);

  function signAt(words: readonly string[], at: number): number {
    let sign = 0;
    for (let i = at; i < at + k; i++) {
      const word = words[i] ?? "";
      let hash = 0;
      for (let unit = 0; unit < word.length; unit++) hash = (Math.imul(hash, unitFactor) + word.charCodeAt(unit)) | 0;
      sign = (Math.imul(sign, wordFactor) + mix(hash)) | 0;
    }
    return mix(sign);
  }

  function fillFilter(): void {
    const bits = Math.min(28, Math.max(13, Math.ceil(Math.log2(signs.length * FILTER_BITS_A_GRAM))));
    filter = new Uint8Array(1 << (bits - 3));
    filterShift = 32 - bits;
    knownSigns.clear();
    for (const sign of signs) {
      const bit = sign >>> filterShift;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      knownSigns.add(sign);
    }
    filtered = signs.length;
  }

  const ring = new Int32Array(k); // the last words of the text that is looked at

  /** What was asked last: two matchers ask about a text, one after the other. */
  let last: { readonly text: string; readonly may: boolean; readonly of: number } | undefined;

  function mayFind(text: string): boolean {
    if (last?.text === text && last.of === signs.length) return last.may;
    const may = lookFor(text);
    last = { text, may, of: signs.length };
    return may;
  }

  function lookFor(text: string): boolean {
    if (filtered !== signs.length) fillFilter();
    if (filtered === 0) return false;
    let count = 0;
    let sign = 0;
    let hash = 0;
    let isInWord = false;
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : 32;
      const folded = code < 128 ? (FOLDED[code] ?? 255) : 255;
      if (folded === 255) return true;
      if (folded !== 0) {
        hash = (Math.imul(hash, unitFactor) + folded) | 0;
        isInWord = true;
        continue;
      }
      if (!isInWord) continue;
      const word = mix(hash);
      const place = count % k;
      if (count >= k) sign = (sign - Math.imul(ring[place] ?? 0, oldest)) | 0;
      ring[place] = word;
      sign = (Math.imul(sign, wordFactor) + word) | 0;
      count += 1;
      hash = 0;
      isInWord = false;
      if (count < k) continue;
      const mixed = mix(sign);
      const bit = mixed >>> filterShift;
      if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0 && knownSigns.has(mixed)) return true;
    }
    return false;
  }

  function hashAt(numbers: readonly number[], at: number): number {
    let hash = first;
    for (let i = 0; i < k; i++) {
      hash = Math.imul(hash ^ (numbers[at + i] ?? 0), second);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  function isSame(gram: number, numbers: readonly number[], at: number): boolean {
    for (let i = 0; i < k; i++) if (grams[gram * k + i] !== numbers[at + i]) return false;
    return true;
  }

  function lookUp(numbers: readonly number[], at: number, hash: number): number {
    const bucket = buckets.get(hash);
    if (bucket === undefined) return -1;
    if (typeof bucket === "number") return isSame(bucket, numbers, at) ? bucket : -1;
    return bucket.find((gram) => isSame(gram, numbers, at)) ?? -1;
  }

  function insert(words: readonly string[], numbers: readonly number[], at: number, hash: number): number {
    const gram = grams.length / k;
    signs.push(signAt(words, at));
    for (let i = 0; i < k; i++) grams.push(numbers[at + i] ?? -1);
    const bucket = buckets.get(hash);
    if (bucket === undefined) buckets.set(hash, gram);
    else if (typeof bucket === "number") buckets.set(hash, [bucket, gram]);
    else bucket.push(gram);
    return gram;
  }

  return {
    k,
    size: () => grams.length / k,
    mayFind,
    add(words, seen) {
      const numbers = words.map((word) => {
        const known = ids.get(word);
        if (known !== undefined) return known;
        const id = spelling.push(word) - 1;
        ids.set(word, id);
        return id;
      });
      for (let at = 0; at + k <= numbers.length; at++) {
        const hash = hashAt(numbers, at);
        const known = lookUp(numbers, at, hash);
        const gram = known === -1 ? insert(words, numbers, at, hash) : known;
        seen?.(gram);
      }
    },
    find(words, hit) {
      const numbers = words.map((word) => ids.get(word) ?? -1);
      let known = 0; // known words in a row, up to and including `end`
      for (let end = 0; end < numbers.length; end++) {
        known = numbers[end] === -1 ? 0 : known + 1;
        if (known < k) continue;
        const at = end - k + 1;
        const gram = lookUp(numbers, at, hashAt(numbers, at));
        if (gram !== -1) hit(at, gram);
      }
    },
    words(gram) {
      return grams.slice(gram * k, gram * k + k).map((id) => spelling[id] ?? "");
    },
  };
}
