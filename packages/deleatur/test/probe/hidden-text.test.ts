// Holds the quick ways out of the matchers against the long ways: a text that is said to hide nothing has no encoding to take off, one that is said to
// share no run shares none.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { decodeTextParts, mayHide } from "../../src/probe/decode-text-parts.ts";
import { normaliseWords } from "../../src/probe/normalise-words.ts";
import { createWordGrams } from "../../src/probe/word-grams.ts";

const piece = fc.constantFrom(
  "the stone ",
  "%41",
  "a+b",
  "\\n",
  "\0",
  "deadbeef",
  "QUJD",
  "==",
  "\r\n",
  "_-",
  "é",
  " ",
  ".",
  "0123",
  "key",
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
);

it("VERDICT-1: what is said to hide nothing has no part to decode", () => {
  let quick = 0;
  fc.assert(
    fc.property(text, (value) => {
      if (mayHide(value)) return;
      quick += 1;
      expect([...decodeTextParts(value)]).toEqual([]);
    }),
    { numRuns: 3000 },
  );
  expect(quick).toBeGreaterThan(300);
});

const word = fc.constantFrom("the", "Stone", "BEHIND", "mill", "Zoë", "2nd", "x", "ﬁve");
const gap = fc.constantFrom(" ", ", ", "\n", "-", "  ");
const sentence = fc
  .array(fc.tuple(word, gap), { maxLength: 20 })
  .map((pairs) => pairs.map(([one, behind]) => one + behind).join(""));

it("VERDICT-1: what is said to share no run of words shares none", () => {
  let quick = 0;
  let shared = 0;
  fc.assert(
    fc.property(
      fc.array(sentence, { minLength: 1, maxLength: 3 }),
      sentence,
      fc.integer({ min: 2, max: 6 }),
      (known, asked, k) => {
        const grams = createWordGrams(k);
        for (const one of known) {
          grams.add(normaliseWords(one));
          grams.mayFind(one); // the filter grows with what is added after it was first asked
        }
        let hits = 0;
        grams.find(normaliseWords(asked), () => (hits += 1));
        if (hits > 0) shared += 1;
        if (grams.mayFind(asked)) return;
        quick += 1;
        expect(hits).toBe(0);
      },
    ),
    { numRuns: 3000 },
  );
  expect(Math.min(quick, shared)).toBeGreaterThan(100);
});
