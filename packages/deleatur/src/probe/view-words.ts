// The words of one view of a content field, for runs of words; pure.
import { normaliseWords } from "./normalise-words.ts";
import { MIN_WORDS } from "./word-grams.ts";

/** Low and high bytes of printable ASCII. */
const ASCII_PAIR = Array.from({ length: 0x5f }, (_, place) => {
  const high = (0x20 + place).toString(16);
  return `\\u${high}20-\\u${high}7e`;
}).join("");
/** As many as make a run. Five letters of real text that all have two such bytes happen once in some thousand; a text of ASCII has nothing else. */
const READ_AMISS = new RegExp(`[${ASCII_PAIR}]{${MIN_WORDS},}`, "g");
/** UTF-16 of an alphabet that was read as UTF-8: a letter or less between two control characters, the high bytes. */
const APART = new RegExp(`(?:[^\\0-\\x1f][\\0-\\x08\\x0e-\\x1f]){${MIN_WORDS},}`, "g");

/**
 * Any bytes may be UTF-16, so they are read as that too. Bytes of plain text then turn into letters of scripts without spaces, a word each, and what two documents have in common by
 * their form alone (`{"type":"human"`) into a run of eight; and so do letters of UTF-16 that were read as UTF-8, one by one. Such letters are no words.
 */
export function viewWords({ encoding, text }: { readonly encoding: string; readonly text: string }): string[] {
  return normaliseWords(text.replace(/utf-16[lb]e/.test(encoding) ? READ_AMISS : APART, " "));
}
