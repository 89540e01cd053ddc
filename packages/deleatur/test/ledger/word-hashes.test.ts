// Words as numbers: the short way for plain text, the long way for any other, and a text cut into pieces all give the same.
import { array, assert, constantFrom, property, string } from "fast-check";
import { expect, it } from "vitest";
import { normaliseWords } from "../../src/probe/normalise-words.ts";
import { temporaryLedger } from "./temporary-ledger.ts";

function hasher(): (text: string) => readonly string[] {
  const { ledger } = temporaryLedger();
  return (text) => {
    const { count, halves } = ledger.hashWords(text);
    return Array.from({ length: count }, (_, at) => `${halves[2 * at]}/${halves[2 * at + 1]}`);
  };
}

it("GUARD-2: two texts have the same numbers exactly where they have the same normalised words", () => {
  const hash = hasher();
  const known = new Map<string, string>();
  assert(
    property(string({ unit: "grapheme", maxLength: 60 }), string({ unit: "binary", maxLength: 20 }), (one, other) => {
      for (const text of [one, other, `${one} ${other}`, one.toUpperCase(), one.normalize("NFD")]) {
        const words = normaliseWords(text);
        const numbers = hash(text);
        expect(numbers).toHaveLength(words.length);
        for (const [at, word] of words.entries()) {
          expect(known.get(word) ?? numbers[at]).toBe(numbers[at]);
          known.set(word, numbers[at] ?? "");
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(new Set(known.values()).size).toBe(known.size);
});

it("GUARD-2: a plain word has one number, in plain text and beside other scripts, short or of any length", () => {
  const hash = hasher();
  const words = ["a", "Abc", "x".repeat(24), "x".repeat(25), "Y".repeat(1000), "0", "42nd"];
  for (const word of words) {
    expect(hash(`${word} é`)[0]).toBe(hash(word)[0]);
    expect(hash(word.toLowerCase())).toEqual(hash(word));
  }
  expect(new Set(words.flatMap(hash)).size).toBe(words.length);
});

it("GUARD-2: a long text gives the numbers of its parts, wherever it is cut", () => {
  const hash = hasher();
  const pieces = [
    "plain words, ",
    "ärger über straße. ",
    "東京都で会う。",
    "e\u0301te\u0301 ",
    "x",
    "ΣΊΣΥΦΟΣ\n",
    "it’s ",
  ];
  assert(
    property(array(constantFrom(...pieces), { minLength: 40, maxLength: 60 }), (some) => {
      const part = `${some.join("")} `;
      const times = Math.ceil(150_000 / part.length);
      const once = hash(part);
      const all = hash(part.repeat(times));
      expect(all).toHaveLength(once.length * times);
      expect(all.every((number, at) => number === once[at % once.length])).toBe(true);
    }),
    { numRuns: 10 },
  );
});
