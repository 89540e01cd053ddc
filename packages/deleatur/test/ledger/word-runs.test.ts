// Runs of words: what two texts share is found whatever stands around it; what they do not share is not.
import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";
import { createDigests } from "../../src/ledger/digests.ts";
import type { GramOfRuns } from "../../src/ledger/ledger.ts";
import { createWordRuns } from "../../src/ledger/word-runs.ts";
import { temporaryLedger } from "./temporary-ledger.ts";

interface Reader {
  runValues(words: readonly string[]): Float64Array;
  runGrams(words: readonly string[], isLeftOut?: (value: number) => boolean): Generator<GramOfRuns>;
}

function runs(): Reader {
  const reader = createWordRuns(createDigests(temporaryLedger().keys));
  return {
    runValues: (words) => reader.runValues(reader.hashWords(words.join(" "))),
    runGrams: (words, isLeftOut) =>
      reader.runGrams(reader.hashWords(words.join(" ")), isLeftOut === undefined ? {} : { isLeftOut }),
  };
}

/** The pairs that would be matched. */
function pairsOf(grams: Iterable<GramOfRuns>): ReadonlySet<string> {
  return new Set([...grams].flatMap(({ gram, runs: numbers }) => numbers.map((run) => `${gram}/${run}`)));
}

function eightWordRuns(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.slice(7).map((_, at) => words.slice(at, at + 8).join(" ")));
}

function inBoth(one: ReadonlySet<string>, other: ReadonlySet<string>): readonly string[] {
  return [...one].filter((member) => other.has(member));
}

// Few different words: grams repeat, windows tie, runs overlap.
const text = array(constantFrom("a", "b", "ä", "long", "東"), { maxLength: 40 });

it("GUARD-2: two texts match exactly where they share a run of eight words", () => {
  const reader = runs();
  assert(
    property(text, text, text, text, (before, shared, after, other) => {
      const page = [...before, ...shared, ...after];
      const erased = [...other, ...shared];
      const common = inBoth(eightWordRuns(page), eightWordRuns(erased));
      const matched = inBoth(pairsOf(reader.runGrams(page)), pairsOf(reader.runGrams(erased)));
      expect(matched).toHaveLength(common.length);
      expect(pairsOf(reader.runGrams(page)).size).toBe(eightWordRuns(page).size);
    }),
    { numRuns: 500 },
  );
});

it("GUARD-2: what is left out by its value is left out of the grams, and nothing else is", () => {
  const reader = runs();
  const words = Array.from({ length: 30 }, (_, at) => `word${at}`);
  const values = reader.runValues(words);
  expect(new Set(values).size).toBe(23);
  const without = pairsOf(reader.runGrams(words, (value) => value === values[4]));
  expect(without.size).toBe(22);
  expect(inBoth(without, pairsOf(reader.runGrams(words)))).toHaveLength(22);
});

it("GUARD-2: fewer than eight words have no run", () => {
  const reader = runs();
  const words = ["one", "two", "three", "four", "five", "six", "seven"];
  expect([...reader.runGrams(words)]).toEqual([]);
  expect([...reader.runValues(words)]).toEqual([]);
  expect([...reader.runGrams([...words, "eight"])]).toHaveLength(1);
});

it("GUARD-1: another guard key gives other numbers", () => {
  const words = Array.from({ length: 20 }, (_, at) => `word${at}`);
  const [one, other] = [runs(), runs()];
  expect(inBoth(pairsOf(one.runGrams(words)), pairsOf(other.runGrams(words)))).toEqual([]);
});

it("winnowing: about two grams are looked up for five words", () => {
  // Words that count up are alike in most letters, and so are their hashes: under one key in fourteen they lie outside of this.
  const words = Array.from({ length: 10_000 }, (_, at) => (Math.imul(at + 1, 0x9e3779b1) >>> 0).toString(36));
  const grams = [...runs().runGrams(words)];
  expect(grams.length / words.length).toBeGreaterThan(0.36);
  expect(grams.length / words.length).toBeLessThan(0.44);
});
