// Shows that trivial edits of a text fold to one form and that other texts do not.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText, normaliseWords } from "../../src/probe/normalise-words.ts";

const TEXT = "Zoë's “first” note — Straße 7, ΟΔΟΣ; don't lose it…";

describe("normaliseWords", () => {
  const edits: Readonly<Record<string, (text: string) => string>> = {
    "upper case": (text) => text.toUpperCase(),
    "lower case": (text) => text.toLowerCase(),
    NFD: (text) => text.normalize("NFD"),
    "straight quotes": (text) => text.replaceAll("“", '"').replaceAll("”", '"'),
    "typographic apostrophes": (text) => text.replaceAll("'", "’"),
    "accents for apostrophes": (text) => text.replaceAll("'", "´"),
    "other white space": (text) => `\n ${text.replaceAll(" ", "\u00a0\n\t")} `,
    "soft hyphens and zero-width characters": (text) => text.replaceAll("o", "\u00ado\u200b"),
    "full-width letters": (text) => text.replaceAll("n", "ｎ"),
    "other punctuation": (text) => text.replace(/[—…;,]/g, " - "),
  };
  it.each(Object.keys(edits))("GUARD-2: %s change no word", (name) => {
    const edited = edits[name]?.(TEXT) ?? "";
    expect(edited).not.toBe(TEXT);
    expect(foldText(edited)).toBe(foldText(TEXT));
  });

  it("GUARD-2: other words, another order and another number are another text", () => {
    const folded = foldText(TEXT);
    for (const other of [TEXT.replace("7", "8"), TEXT.replace("first", "second"), "note first Zoë's"])
      expect(foldText(other)).not.toBe(folded);
  });

  it("reads words by letters, digits and their marks, and each character of scripts without spaces", () => {
    expect(normaliseWords("It's 10:30 — naïve!")).toEqual(["it", "s", "10", "30", "naïve"]);
    expect(normaliseWords("東京で会う")).toEqual(["東", "京", "で", "会", "う"]);
    expect(normaliseWords("हिन्दी में")).toHaveLength(2);
    expect(normaliseWords("?! …")).toEqual([]);
    expect(foldText("🙂 🙃")).not.toBe(foldText("🙂"));
  });

  it("is stable: folding what is folded changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("folds ASCII by its own way to the same words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        expect(normaliseWords(`${text} é`)).toEqual([...normaliseWords(text), "é"]);
      }),
      { numRuns: 1000 },
    );
  });
});
