// The normalised words of a text as keyed 64-bit numbers, in order. It keeps no word; the numbers live in memory only, they are too simple to be stored.
import { eachWord } from "../probe/normalise-words.ts";
import { type SipHash, sipHash, sipHash64, type SipKey } from "./sip-hash.ts";
import { takeWords } from "./word-slab.ts";

/** `halves`: low and high half of each word's hash, one after the other. */
export interface WordHashes {
  readonly count: number;
  readonly halves: Uint32Array;
}

/** Characters that are normalised at once: what a text of any length costs in memory beside its hashes. */
const SEGMENT = 65_536;
/** Where a text may be cut in two: between white space or punctuation and a letter, and between two Han characters, nothing composes and no word goes on. */
const CUT = /[\s\u0021-\u002f\u003a-\u0040\u3000-\u3011\uff0c\uff0e][\p{L}\p{N}]|[\u4e00-\u9fff](?=[\u4e00-\u9fff])/u;
/** Letters of a plain word that are hashed by the table; a longer word, and one that is not plain, is hashed by SipHash. */
const TABLE_LETTERS = 24;
const ASCII = 128;

/** What each ASCII character is to a word: the byte it counts as (letters in lower case), 0 between words, -1 where the text takes the long way. */
const PLAIN = Int8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z0-9]/u.test(character)) return unit;
  if (/[A-Z]/u.test(character)) return unit + 32;
  return unit >= 32 && unit < 127 ? 0 : /[\t\n\r]/u.test(character) ? 0 : -1;
});

/**
 * Plain words by simple tabulation (Zobrist 1970): the numbers of their letters at their places, added without carry. For random tables two different
 * words collide with a chance of 2⁻⁶⁴, as they do by SipHash, at a twentieth of its price.
 */
export function createWordHasher(key: SipKey, tableKey: SipKey): (text: string) => WordHashes {
  const hash: SipHash = { low: 0, high: 0 };
  const table = new Int32Array(2 * ASCII * TABLE_LETTERS);
  for (let at = 0; at < table.length; at += 2) {
    sipHash64(tableKey, at, 0, hash);
    table[at] = hash.low;
    table[at + 1] = hash.high;
  }
  let halves: Uint32Array = new Uint32Array(0);
  let count = 0;

  function put(low: number, high: number): void {
    if (2 * count === halves.length) {
      const more = new Uint32Array(2 * halves.length + 64);
      more.set(halves);
      halves = more;
    }
    halves[2 * count] = low;
    halves[2 * count + 1] = high;
    count += 1;
  }

  /** Plain text without a string for each word. Answers whether it was plain; otherwise nothing was put. */
  function putPlain(text: string): boolean {
    const begun = count;
    let [low, high, length] = [0, 0, 0];
    for (let at = 0; at <= text.length; at += 1) {
      const unit = at === text.length ? 32 : text.charCodeAt(at);
      const letter = unit < ASCII ? (PLAIN[unit] ?? -1) : -1;
      if (letter > 0) {
        if (length < TABLE_LETTERS) {
          const place = 2 * (length * ASCII + letter);
          low ^= table[place] ?? 0;
          high ^= table[place + 1] ?? 0;
        }
        length += 1;
      } else if (letter < 0) {
        count = begun;
        return false;
      } else if (length > 0) {
        if (length > TABLE_LETTERS) putLong(text.slice(at - length, at).toLowerCase());
        else put(low, high);
        [low, high, length] = [0, 0, 0];
      }
    }
    return true;
  }

  function putLong(word: string): void {
    sipHash(key, Buffer.from(word, "utf8"), hash);
    put(hash.low, hash.high);
  }

  function putWord(word: string): void {
    let [low, high] = [0, 0];
    for (let at = 0; at < word.length; at += 1) {
      const unit = word.charCodeAt(at);
      if (unit >= ASCII || at === TABLE_LETTERS) return putLong(word);
      const place = 2 * (at * ASCII + unit);
      low ^= table[place] ?? 0;
      high ^= table[place + 1] ?? 0;
    }
    put(low, high);
  }

  return (text) => {
    count = 0;
    // About one word for six characters; where there are more, it grows.
    halves = takeWords(2 * Math.ceil(text.length / 5) + 8);
    for (const segment of segmentsOf(text)) if (!putPlain(segment)) for (const word of eachWord(segment)) putWord(word);
    const words = { count, halves: halves.subarray(0, 2 * count) };
    halves = new Uint32Array(0);
    return words;
  };
}

/** Cuts a long text where no word stands across and nothing composes; a stretch without such a place stays whole. */
function* segmentsOf(text: string): Generator<string> {
  if (text.length <= SEGMENT) {
    yield text;
    return;
  }
  let from = 0;
  while (text.length - from > SEGMENT) {
    let at = from + SEGMENT;
    let window = text.slice(at, at + SEGMENT);
    let cut = window.search(CUT);
    while (cut < 0 && at + SEGMENT < text.length) {
      at += SEGMENT - 1;
      window = text.slice(at, at + SEGMENT);
      cut = window.search(CUT);
    }
    if (cut < 0) break;
    yield text.slice(from, at + cut + 1);
    from = at + cut + 1;
  }
  yield text.slice(from);
}
