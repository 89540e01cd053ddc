// Remembers which parts of the needles surviving artifacts also hold, so that their likeness is no finding; filled before the erase, it keeps no text of theirs.
import type { ContentField } from "../model/artifact.ts";
import type { Explanation, Needle, Passage } from "../model/needle.ts";
import { createExactMatcher } from "./exact-matcher.ts";
import { viewWords } from "./view-words.ts";
import { unfoldContent } from "./unfold-content.ts";
import { bytesText, vectorBytes } from "./vector-bytes.ts";
import { createWordGrams, MIN_WORDS } from "./word-grams.ts";

export interface RunFilter extends Explanation {
  /** Adds the content of a surviving artifact with a provenance of its own. */
  add(content: string | ContentField): void;
  /** True where these words (at least `MIN_WORDS`), in this order, were in what was added: each run of `MIN_WORDS` of them was. */
  explains(words: readonly string[]): boolean;
}

/** A filter over the needles' own runs: what survivors hold beyond them is not remembered. */
export function createRunFilter(needles: readonly Needle[]): RunFilter {
  const asked = needles
    .filter((needle) => needle.fate !== "control")
    .map((needle) => ({ ...needle, explained: noExplanation }));
  const grams = createWordGrams(MIN_WORDS);
  for (const needle of asked) {
    for (const field of needle.content) {
      for (const view of unfoldContent(field)) if (view.type === "text") grams.add(viewWords(view));
    }
  }
  const explainedGrams = new Uint8Array(grams.size());
  // One pseudo-needle for each field: the exact matcher then says which whole fields survivors hold.
  const fields = asked.flatMap((needle) => needle.content.map((field) => ({ needle, field })));
  const whole = createExactMatcher(
    fields.map(({ needle, field }, index) => ({ ...needle, index, content: [field] })),
    { mayShareRun: grams.mayFind },
  );
  const explainedWholes = new Set<string>();

  function add(content: string | ContentField): void {
    const field: ContentField = typeof content === "string" ? { type: "text", name: "", text: content } : content;
    const passage: Passage = { place: { container: "survivors" }, field };
    const views = unfoldContent(field);
    for (const { needle } of whole.match(passage, views)) {
      const found = fields[needle]?.field;
      if (found === undefined) continue;
      explainedWholes.add(wholeKey(found));
      if (found.type === "bytes") explainedWholes.add(`text ${Buffer.from(found.bytes).toString("utf8").trim()}`);
    }
    for (const view of views) {
      if (view.type !== "text" || !grams.mayFind(view.text)) continue;
      grams.find(viewWords(view), (_position, gram) => (explainedGrams[gram] = 1));
    }
  }

  function explains(words: readonly string[]): boolean {
    if (words.length < MIN_WORDS) return false;
    let explained = 0;
    grams.find(words, (_position, gram) => (explained += explainedGrams[gram] ?? 0));
    return explained === words.length - MIN_WORDS + 1;
  }

  return {
    add,
    explains,
    explainsWords: explains,
    explainsText: (text) => explainedWholes.has(`text ${text.trim()}`) || explainedWholes.has(`bytes ${text}`),
    explainsVector: (vector) => explainedWholes.has(wholeKey({ type: "vector", name: "", vector })),
  };
}

const noExplanation: Explanation = {
  explainsWords: () => false,
  explainsText: () => false,
  explainsVector: () => false,
};

function wholeKey(field: ContentField): string {
  if (field.type === "text") return `text ${field.text.trim()}`;
  if (field.type === "bytes") return `bytes ${bytesText(field.bytes)}`;
  return `vector ${bytesText(vectorBytes(field.vector))}`;
}

/** What any of these explains; a run of words may be explained in parts, each by another. */
export function joinExplanations(parts: readonly Explanation[]): Explanation {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    explainsWords(words) {
      if (parts.some((part) => part.explainsWords(words))) return true;
      if (words.length <= MIN_WORDS) return false;
      const starts = Array.from({ length: words.length - MIN_WORDS + 1 }, (_, start) => start);
      return starts.every((start) => {
        const run = words.slice(start, start + MIN_WORDS);
        return parts.some((part) => part.explainsWords(run));
      });
    },
    explainsText: (text) => parts.some((part) => part.explainsText(text)),
    explainsVector: (vector) => parts.some((part) => part.explainsVector(vector)),
  };
}

/** The needles with what explains them; controls stay as they are. */
export function explainNeedles(needles: readonly Needle[], explained: Explanation): readonly Needle[] {
  return needles.map((needle) => (needle.fate === "control" ? needle : { ...needle, explained }));
}
