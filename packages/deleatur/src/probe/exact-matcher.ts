// Finds a needle's whole field again, equal or contained, plain or encoded, and identical vectors; it looks at passages only and reads no store.
import type { Finding, Needle, Passage } from "../model/needle.ts";
import type { Matcher, MatcherFinding } from "./matcher.ts";
import { normaliseWords } from "./normalise-words.ts";
import { ANCHOR, createTextSearch } from "./text-search.ts";
import { unfoldContent } from "./unfold-content.ts";
import type { View } from "./unfold-content.ts";
import { MIN_WORDS } from "./word-grams.ts";
import { bytesText, isDistinctiveVector, numberArrays, vectorBytes } from "./vector-bytes.ts";

/** A shorter text is no evidence where it is merely contained: it counts as an equal field only. */
const MIN_CONTAINED_WORDS = 3;
const MIN_CONTAINED_BYTES = 32;

/** A text of so many words has a run of `MIN_WORDS` whole words wherever it is contained: its first and its last may be parts of others there. */
const WORDS_OF_RUN = MIN_WORDS + 2;

export interface ExactOptions {
  /** False only where a text has no run of `MIN_WORDS` words of any needle's text field: then none of many words is contained in it. The excerpt matcher says so. */
  readonly mayShareRun?: (text: string) => boolean;
}

interface Known {
  /** Needles by their whole text (or bytes as text, or vector as text). */
  readonly equal: Map<string, Needle[]>;
  readonly contained: string[];
  /** Those that are contained only where a run of words is. */
  readonly containedByRun: string[];
}

type Contained = "never" | "anywhere" | "by run";

const nothing = (): Known => ({ equal: new Map(), contained: [], containedByRun: [] });

function learn(known: Known, text: string, needle: Needle, contained: Contained): void {
  const needles = known.equal.get(text);
  if (needles === undefined) {
    known.equal.set(text, [needle]);
    if (contained === "anywhere") known.contained.push(text);
    else if (contained === "by run") known.containedByRun.push(text);
  } else if (!needles.includes(needle)) needles.push(needle);
}

/** `isField`: it is the text of a text field, whose runs of words are known. */
function learnText(known: Known, text: string, needle: Needle, isField: boolean): void {
  const trimmed = text.trim();
  if (trimmed.length === 0 || needle.explained?.explainsText(trimmed) === true) return;
  const words = trimmed.length < ANCHOR ? 0 : normaliseWords(trimmed).length;
  if (words < MIN_CONTAINED_WORDS) learn(known, trimmed, needle, "never");
  else learn(known, trimmed, needle, isField && words >= WORDS_OF_RUN ? "by run" : "anywhere");
}

/** The text of a needle's bytes field, where it is one. */
function wholeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return undefined; // not text: compared as bytes alone
    throw cause;
  }
}

const NONE: readonly MatcherFinding[] = [];

/** A number from the bits of a vector's first four components; the same for the same bytes. */
function beginningOf(vector: Float32Array): number {
  if (vector.length < 4) return 0;
  START.set(vector.subarray(0, 4));
  let hash = 0;
  for (const bits of START_BITS) hash = Math.imul(hash ^ bits, 0x9e3779b1) ^ (hash >>> 15);
  return hash;
}

const START = new Float32Array(4);
const START_BITS = new Int32Array(START.buffer);

/** Compares passages with all needles at once; the time it takes grows with the passage, not with the number of needles. */
export function createExactMatcher(needles: readonly Needle[], options: ExactOptions = {}): Matcher {
  const [texts, binaries, vectors] = [nothing(), nothing(), nothing()];
  /** What known vectors begin with: few others begin alike, and need not be spelled out. */
  const beginnings = new Set<number>();
  for (const needle of needles) {
    for (const field of needle.content) {
      switch (field.type) {
        case "text":
          learnText(texts, field.text, needle, options.mayShareRun !== undefined);
          break;
        case "bytes": {
          const text = wholeText(field.bytes);
          if (text !== undefined) learnText(texts, text, needle, false);
          else if (needle.explained?.explainsText(bytesText(field.bytes)) !== true) {
            const isLong = field.bytes.length >= MIN_CONTAINED_BYTES;
            learn(binaries, bytesText(field.bytes), needle, isLong ? "anywhere" : "never");
          }
          break;
        }
        case "vector":
          if (isDistinctiveVector(field.vector) && needle.explained?.explainsVector(field.vector) !== true) {
            learn(vectors, bytesText(vectorBytes(field.vector)), needle, "anywhere");
            beginnings.add(beginningOf(field.vector));
          }
          break;
      }
    }
  }
  const textSearch = createTextSearch(texts.contained);
  const runSearch = createTextSearch(texts.containedByRun);
  const binarySearch = createTextSearch(binaries.contained);
  const vectorSearch = createTextSearch(vectors.contained);

  function match(passage: Passage, views?: readonly View[]): readonly MatcherFinding[] {
    let found: Map<string, MatcherFinding> | undefined;
    const report = (list: readonly Needle[] | undefined, match: Finding["match"]): true => {
      for (const { index } of list ?? []) {
        const id = `${match.how} ${index}`;
        found ??= new Map<string, MatcherFinding>();
        if (!found.has(id)) found.set(id, { needle: index, place: passage.place, match });
      }
      return true;
    };
    const vectorFound = { how: "vector", distance: 0, identical: true } as const;
    const matchView = (view: View): void => {
      const exact = { how: "exact", encoding: view.encoding } as const;
      if (view.type === "text") {
        if (view.whole) report(texts.equal.get(view.text.trim()), exact);
        textSearch.search(view.text, (at) => report(texts.equal.get(texts.contained[at] ?? ""), exact));
        if (options.mayShareRun?.(view.text) !== false)
          runSearch.search(view.text, (at) => report(texts.equal.get(texts.containedByRun[at] ?? ""), exact));
        if (vectors.equal.size === 0 || !view.text.includes("[")) return;
        for (const vector of numberArrays(view.text))
          report(vectors.equal.get(bytesText(vectorBytes(vector))), vectorFound);
        return;
      }
      if (binarySearch.size + vectorSearch.size + binaries.equal.size === 0) return;
      const bytes = bytesText(view.bytes);
      if (view.whole) report(binaries.equal.get(bytes), exact);
      binarySearch.search(bytes, (at) => report(binaries.equal.get(binaries.contained[at] ?? ""), exact));
      vectorSearch.search(bytes, (at) => report(vectors.equal.get(vectors.contained[at] ?? ""), vectorFound));
    };
    if (passage.field.type === "vector") {
      const { vector } = passage.field;
      if (beginnings.has(beginningOf(vector))) report(vectors.equal.get(bytesText(vectorBytes(vector))), vectorFound);
    } else for (const view of views ?? unfoldContent(passage.field)) matchView(view);
    return found === undefined ? NONE : [...found.values()];
  }
  return { match };
}
