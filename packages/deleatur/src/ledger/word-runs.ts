// Runs of eight normalised words as keyed numbers, each filed under its rarest-looking five words: how contained text is found. It keeps no word.
import type { Digests, GramOfRuns, WordRuns } from "./ledger.ts";
import { type SipHash, sipHash, type SipKey, sipKey } from "./sip-hash.ts";

/** A write that shares so many consecutive normalised words with an erased text contains it (GUARD-2). */
const RUN_WORDS = 8;
/** Words of a gram. A run has `RUN_WORDS - GRAM_WORDS + 1` of them, which is the window of the winnowing (Schleimer, Wilkerson and Aiken 2003). */
const GRAM_WORDS = 5;
const WINDOW = RUN_WORDS - GRAM_WORDS + 1;

const LOW_21 = 0x1fffff;
const LOW_16 = 0xffff;
const TWO_32 = 0x1_0000_0000;

/** Keyed by the guard key; a key for each purpose, so that no stored number is one that only memory holds. */
export function createWordRuns(digests: Pick<Digests, "keyedDigest">): WordRuns {
  const wordKey = sipKey(digests.keyedDigest("guard/runs/word"));
  const gramKey = sipKey(digests.keyedDigest("guard/runs/gram"));
  const runKey = sipKey(digests.keyedDigest("guard/runs/run"));
  const hash: SipHash = { low: 0, high: 0 };
  const eight = new Uint8Array(8);
  const view = new DataView(eight.buffer);

  /** The mix of 64 bits may show relations between texts; only what SipHash makes of it is stored. */
  function closed(key: SipKey, low: number, high: number): void {
    view.setUint32(0, low >>> 0, true);
    view.setUint32(4, high >>> 0, true);
    sipHash(key, eight, 8, hash);
  }

  return {
    runValues(words) {
      const mixes = mixWords(words, wordKey, RUN_WORDS);
      return Float64Array.from({ length: mixes.count }, (_, at) => mixes.value(at));
    },
    *runGrams(words, isLeftOut = () => false) {
      const runs = mixWords(words, wordKey, RUN_WORDS);
      const grams = mixWords(words, wordKey, GRAM_WORDS);
      let least = -1;
      let own: number[] = [];
      const filed = (): GramOfRuns => {
        closed(gramKey, grams.low(least), grams.high(least));
        return { gram: (hash.high & LOW_21) * TWO_32 + hash.low, runs: own };
      };
      for (let at = 0; at < runs.count; at += 1) {
        const chosen = leastOf(grams, at);
        if (chosen !== least && own.length > 0) {
          yield filed();
          own = [];
        }
        least = chosen;
        if (isLeftOut(runs.value(at))) continue;
        closed(runKey, runs.low(at), runs.high(at));
        own.push((hash.high & LOW_16) * TWO_32 + hash.low);
      }
      if (own.length > 0) yield filed();
    },
  };
}

interface Mixes {
  readonly count: number;
  low(at: number): number;
  high(at: number): number;
  /** 53 bits of it, as a number. */
  value(at: number): number;
}

/**
 * Each `size` consecutive words as 64 bits: their keyed hashes, rotated by their place and added without carry (a cyclic polynomial). Two different
 * lists of words of this size collide with a chance of at most 2^(size-1-64) over the key.
 */
function mixWords(words: readonly string[], key: SipKey, size: number): Mixes {
  const { lows, highs } = hashWords(words, key);
  const low = (at: number): number => mixed(at, lows, highs);
  const high = (at: number): number => mixed(at, highs, lows);
  /** One half of the sum: the rotation lets the other half's highest bits in. */
  function mixed(at: number, half: Uint32Array, other: Uint32Array): number {
    let sum = (half[at] ?? 0) | 0;
    for (let place = 1; place < size; place += 1)
      sum ^= ((half[at + place] ?? 0) << place) | ((other[at + place] ?? 0) >>> (32 - place));
    return sum >>> 0;
  }
  return {
    count: Math.max(0, words.length - size + 1),
    low,
    high,
    value: (at) => (high(at) & LOW_21) * TWO_32 + low(at),
  };
}

function leastOf(grams: Mixes, from: number): number {
  let least = from;
  for (let at = from + 1; at < from + WINDOW; at += 1) if (grams.low(at) <= grams.low(least)) least = at;
  return least;
}

function hashWords(words: readonly string[], key: SipKey): { readonly lows: Uint32Array; readonly highs: Uint32Array } {
  const lows = new Uint32Array(words.length);
  const highs = new Uint32Array(words.length);
  const hash: SipHash = { low: 0, high: 0 };
  let units = new Uint8Array(128);
  for (const [at, word] of words.entries()) {
    if (units.length < 2 * word.length) units = new Uint8Array(2 * word.length);
    for (let place = 0; place < word.length; place += 1) {
      const unit = word.charCodeAt(place);
      units[2 * place] = unit & 0xff;
      units[2 * place + 1] = unit >>> 8;
    }
    sipHash(key, units, 2 * word.length, hash);
    lows[at] = hash.low;
    highs[at] = hash.high;
  }
  return { lows, highs };
}
