// Runs of eight normalised words as keyed numbers, each filed under its rarest-looking five words: how contained text is found. It keeps no word.
import type { Digests, GramOfRuns } from "./ledger.ts";
import { type SipHash, sipHash64, type SipKey, sipKey } from "./sip-hash.ts";
import { createWordHasher, type WordHashes } from "./word-hashes.ts";
import { takeWords } from "./word-slab.ts";

export interface WordRuns {
  /** The normalised words of a text as keyed numbers: what a text costs is paid here, once. */
  hashWords(text: string): WordHashes;
  /** Every run of the text, in order, as a number that lives in memory only. None where there are fewer than eight words. */
  runValues(words: WordHashes): Float64Array;
  /**
   * The runs as they are stored and looked up, without those that `isLeftOut` by their value, and without the grams that are surely not filed. Two texts with a common run have a common gram with a
   * common run number, always: the gram is the least of the run's own, so it is the same wherever the run stands.
   */
  runGrams(
    words: WordHashes,
    choice?: {
      readonly isLeftOut?: (value: number) => boolean;
      readonly mayBeFiled?: (gram: number) => boolean;
    },
  ): Generator<GramOfRuns>;
}

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
  const gramKey = sipKey(digests.keyedDigest("guard/runs/gram"));
  const runKey = sipKey(digests.keyedDigest("guard/runs/run"));
  const hash: SipHash = { low: 0, high: 0 };

  /** The mix of 64 bits may show relations between texts; only what SipHash makes of it is stored. */
  function closed(key: SipKey, mixes: Mixes, at: number): void {
    sipHash64(key, mixes.halves[2 * at] ?? 0, mixes.halves[2 * at + 1] ?? 0, hash);
  }

  return {
    hashWords: createWordHasher(
      sipKey(digests.keyedDigest("guard/runs/word")),
      sipKey(digests.keyedDigest("guard/runs/letter")),
    ),
    runValues(words) {
      const runs = mixWords(words, RUN_WORDS);
      const values = new Float64Array(runs.count);
      for (let at = 0; at < values.length; at += 1) values[at] = valueOf(runs, at);
      return values;
    },
    *runGrams(words, { isLeftOut = () => false, mayBeFiled = () => true } = {}) {
      const grams = mixWords(words, GRAM_WORDS);
      const windows = Math.max(0, words.count - RUN_WORDS + 1);
      let runs: Mixes | undefined;
      let at = 0;
      while (at < windows) {
        const least = leastOf(grams.halves, at);
        // Runs that follow each other mostly have the same least gram.
        let end = at + 1;
        while (end < windows && leastOf(grams.halves, end) === least) end += 1;
        closed(gramKey, grams, least);
        const gram = (hash.high & LOW_21) * TWO_32 + hash.low;
        if (mayBeFiled(gram)) {
          runs ??= mixWords(words, RUN_WORDS);
          const own: number[] = [];
          for (; at < end; at += 1) {
            if (isLeftOut(valueOf(runs, at))) continue;
            closed(runKey, runs, at);
            own.push((hash.high & LOW_16) * TWO_32 + hash.low);
          }
          if (own.length > 0) yield { gram, runs: own } satisfies GramOfRuns;
        }
        at = end;
      }
    },
  };
}

interface Mixes {
  readonly count: number;
  /** Low and high half of each. */
  readonly halves: Uint32Array;
}

/** 53 bits of a mix, as a number. */
const valueOf = ({ halves }: Mixes, at: number): number =>
  ((halves[2 * at + 1] ?? 0) & LOW_21) * TWO_32 + (halves[2 * at] ?? 0);

/**
 * Each `size` consecutive words as 64 bits: their keyed hashes, rotated by their place and added without carry (a cyclic polynomial, rolled from one
 * place to the next). Two different lists of words of this size collide with a chance of at most 2^(size-1-64) over the key.
 */
function mixWords({ count: words, halves: hashes }: WordHashes, size: number): Mixes {
  const count = Math.max(0, words - size + 1);
  const halves = takeWords(2 * count);
  const turn = size - 1;
  let low = 0;
  let high = 0;
  // From behind: what left the window goes out at its highest rotation, the rest is rotated by one, the new word comes in as it is.
  for (let at = words - 1; at >= 0; at -= 1) {
    if (at + size < words) {
      const outLow = hashes[2 * (at + size)] ?? 0;
      const outHigh = hashes[2 * (at + size) + 1] ?? 0;
      low ^= (outLow << turn) | (outHigh >>> (32 - turn));
      high ^= (outHigh << turn) | (outLow >>> (32 - turn));
    }
    const rotated = (low << 1) | (high >>> 31);
    high = ((high << 1) | (low >>> 31)) ^ (hashes[2 * at + 1] ?? 0);
    low = rotated ^ (hashes[2 * at] ?? 0);
    if (at < count) {
      halves[2 * at] = low;
      halves[2 * at + 1] = high;
    }
  }
  return { count, halves };
}

/** The place of the least gram of a run; of equal ones the last. */
function leastOf(halves: Uint32Array, from: number): number {
  let least = from;
  let value = halves[2 * from] ?? 0;
  for (let at = from + 1; at < from + WINDOW; at += 1) {
    const other = halves[2 * at] ?? 0;
    if (other > value) continue;
    least = at;
    value = other;
  }
  return least;
}
