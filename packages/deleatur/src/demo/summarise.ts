// Writes a shared text anew from its surviving sources alone, by picking sentences out of them. It invents nothing and remembers nothing.
import type { Artifact } from "../model/artifact.ts";

/** Words that say little about what a text is about. */
const PLAIN = new Set(
  "a about all also an and are as at be been but by can could do does for from get go going got had has have he her here him his how i i'd i'll i'm i've if in into is it it's its just kind know like me mm-hmm more my no not now of oh okay on one or our out really right she so some that that's the their them then there these they thing think this to uh um up us was we we're well were what when which who will with would yeah yes you you're your".split(
    " ",
  ),
);

interface Sentence {
  readonly order: number;
  /** Whose words they are, where the record says it. */
  readonly speaker: string;
  readonly text: string;
  readonly words: readonly string[];
}

/**
 * An extractive summary (frequency of content words, after Luhn 1958): the sentences whose words recur most across the sources, in their
 * own order, each with who said it, up to about `maxWords`. With one short source it is that source.
 */
export function summarise(sources: readonly Artifact[], maxWords: number = 60): string {
  const sentences = sources.flatMap(sentencesOf).map((sentence, order) => ({ ...sentence, order }));
  const counts = new Map<string, number>();
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = ({ words }: Sentence): number =>
    words.length === 0
      ? 0
      : words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.sqrt(words.length + 4);
  const ranked = sentences.toSorted((a, b) => weight(b) - weight(a) || a.order - b.order);
  const chosen: Sentence[] = [];
  let length = 0;
  for (const sentence of ranked) {
    const added = sentence.text.split(/\s+/).length;
    if (chosen.length > 0 && length + added > maxWords) continue;
    chosen.push(sentence);
    length += added;
  }
  return chosen
    .toSorted((a, b) => a.order - b.order)
    .map(({ speaker, text }) => (speaker === "" ? text : `${speaker}: “${text}”`))
    .join(" ");
}

function sentencesOf(source: Artifact): readonly Omit<Sentence, "order">[] {
  const speaker = speakerOf(source);
  return source.content.flatMap((field) => {
    if (field.type !== "text") return [];
    const parts = field.text.split(/(?<=[.!?])\s+/).map((part) => part.trim());
    return parts.filter((part) => part !== "").map((text) => ({ speaker, text, words: contentWords(text) }));
  });
}

/** The role in `team:role`; other identifiers are random and say nothing to a reader. */
function speakerOf(source: Artifact): string {
  const speaker = source.subjects.find(({ type }) => type === "speaker");
  const role = speaker?.value.split(":")[1] ?? "";
  return role.replaceAll("-", " ");
}

function contentWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}'-]+/gu) ?? [];
  return words.filter((word) => word.length > 2 && !PLAIN.has(word));
}
