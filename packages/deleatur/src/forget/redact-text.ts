// Redacts from a shared text every run of words that it has from erased records. What paraphrases them is not found here; the attestation says so.
import type { Needle } from "../model/needle.ts";
import { normaliseWords } from "../probe/normalise-words.ts";

const MARK = "[erased]";
/** The shortest run that is taken for an excerpt, and the shortest whole text that is. */
const RUN_WORDS = 5;
const WHOLE_WORDS = 3;

/** Makes a redactor from the needles' texts, whose words stay where something explains them, and from names that are taken out wherever they stand. */
export function createRedactor(needles: readonly Needle[], names: readonly string[] = []): (text: string) => string {
  const grams = new Set<string>();
  const wholes = new Map<number, Set<string>>();
  for (const words of names.map(normaliseWords)) {
    if (words.length > 0) wholes.set(words.length, (wholes.get(words.length) ?? new Set()).add(words.join(" ")));
  }
  for (const needle of needles) {
    for (const field of needle.content) {
      if (field.type !== "text") continue;
      const words = normaliseWords(field.text);
      if (words.length >= WHOLE_WORDS && words.length < RUN_WORDS) {
        if (needle.explained?.explainsText(field.text) === true) continue;
        wholes.set(words.length, (wholes.get(words.length) ?? new Set()).add(words.join(" ")));
      }
      for (let at = 0; at + RUN_WORDS <= words.length; at += 1) {
        const run = words.slice(at, at + RUN_WORDS);
        if (needle.explained?.explainsWords(run) !== true) grams.add(run.join(" "));
      }
    }
  }
  if (grams.size > 0) wholes.set(RUN_WORDS, new Set([...grams, ...(wholes.get(RUN_WORDS) ?? [])]));

  return (text) => {
    // Pieces between white space: a piece may hold several words ("don't-know"), or none ("-").
    const pieces = text.split(/(\s+)/u);
    const words: { readonly word: string; readonly piece: number }[] = [];
    for (const [piece, part] of pieces.entries()) for (const word of normaliseWords(part)) words.push({ word, piece });
    const redacted = new Set<number>();
    for (const [length, runs] of wholes) {
      for (let at = 0; at + length <= words.length; at += 1) {
        const run = words.slice(at, at + length);
        if (!runs.has(run.map(({ word }) => word).join(" "))) continue;
        const [first, last] = [run[0]!.piece, run.at(-1)!.piece];
        for (let piece = first; piece <= last; piece += 1) redacted.add(piece);
      }
    }
    if (redacted.size === 0) return text;
    return pieces
      .map((piece, index) => {
        if (!redacted.has(index)) return piece;
        return redacted.has(index - 1) ? "" : MARK;
      })
      .join("");
  };
}
