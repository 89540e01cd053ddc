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
}

export function createWordGrams(k: number = MIN_WORDS): WordGrams {
  const key = randomBytes(8);
  const first = key.readUInt32LE(0) | 1;
  const second = key.readUInt32LE(4) | 1;
  const ids = new Map<string, number>();
  const spelling: string[] = [];
  const grams: number[] = []; // k word numbers each, one gram after the other
  const buckets = new Map<number, number | number[]>();

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

  function insert(numbers: readonly number[], at: number, hash: number): number {
    const gram = grams.length / k;
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
        const gram = known === -1 ? insert(numbers, at, hash) : known;
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
