// Words of a search vector, put back into the order of the text that they were taken from.
import { describe, expect, it } from "vitest";
import { textOfLexemes } from "../../../src/adapters/postgres/eyes/lexemes.ts";

describe("the words of a search vector", () => {
  it.each([
    ["'cellar':4 'my':3,6B 'the':1 'violet':2A 'where':5", "the violet my cellar where my"],
    ["'it''s':2 'back\\\\slash':1", "back\\slash it's"],
    ["'first':1 'nowhere'", "nowhere first"],
    ["", ""],
  ])("%s", (vector, text) => {
    expect(textOfLexemes(vector)).toBe(text);
  });
});
