// Finds every shared run of normalised words between a passage and the needles, at every position; it looks at passages only and reads no store.
import type { Needle, Passage } from "../model/needle.ts";
import type { Matcher, MatcherFinding } from "./matcher.ts";
import { viewWords } from "./view-words.ts";
import type { RunFilter } from "./run-filter.ts";
import { unfoldContent, type View } from "./unfold-content.ts";
import { createWordGrams, MIN_WORDS } from "./word-grams.ts";

export interface ExcerptOptions {
  /** The shortest run that counts, in words. */
  readonly minWords?: number;
  /** Runs that survivors with their own provenance also had; beside what each needle itself has as `explained`. Controls are never explained. */
  readonly explained?: RunFilter;
}

export interface ExcerptMatcher extends Matcher {
  /** False only where a text shares no run with any text of the needles, by its characters alone. */
  readonly mayShareRun: (text: string) => boolean;
}

const NONE: readonly MatcherFinding[] = [];

/** A run of consecutive known grams of one needle in one passage. */
interface Run {
  /** Position of its last gram. */
  last: number;
  grams: number;
  longest: number;
}

function extend(runs: Map<number, Run>, needle: number, position: number): void {
  const run = runs.get(needle);
  if (run === undefined) {
    runs.set(needle, { last: position, grams: 1, longest: 1 });
    return;
  }
  run.grams = run.last === position - 1 ? run.grams + 1 : 1;
  run.last = position;
  run.longest = Math.max(run.longest, run.grams);
}

/**
 * Any run of at least `minWords` words that a passage shares with a needle is found, for certain. A run's length is that of its longest
 * stretch of grams which nothing explains, plus what one gram adds.
 */
export function createExcerptMatcher(needles: readonly Needle[], options: ExcerptOptions = {}): ExcerptMatcher {
  const minWords = options.minWords ?? MIN_WORDS;
  const grams = createWordGrams(minWords);
  /** By gram: the index of the needle that has it, unexplained; a list where several have it. */
  const owners: (number | number[] | undefined)[] = [];
  for (const needle of needles) {
    for (const field of needle.content) {
      for (const view of unfoldContent(field)) {
        if (view.type !== "text") continue;
        grams.add(viewWords(view), (gram) => own(gram, needle));
      }
    }
  }

  function own(gram: number, needle: Needle): void {
    const known = owners[gram];
    const last = typeof known === "object" ? known.at(-1) : known;
    if (last === needle.index) return;
    if (needle.fate !== "control") {
      const words = grams.words(gram);
      if (options.explained?.explainsWords(words) === true || needle.explained?.explainsWords(words) === true) return;
    }
    if (known === undefined) owners[gram] = needle.index;
    else if (typeof known === "number") owners[gram] = [known, needle.index];
    else known.push(needle.index);
  }

  function match(passage: Passage, views: readonly View[] = unfoldContent(passage.field)): readonly MatcherFinding[] {
    let longest: Map<number, number> | undefined;
    for (const view of views) {
      if (view.type !== "text" || !grams.mayFind(view.text)) continue;
      longest ??= new Map<number, number>();
      const runs = new Map<number, Run>();
      grams.find(viewWords(view), (position, gram) => {
        const own = owners[gram];
        if (typeof own === "number") extend(runs, own, position);
        else for (const needle of own ?? []) extend(runs, needle, position);
      });
      for (const [needle, run] of runs) longest.set(needle, Math.max(longest.get(needle) ?? 0, run.longest));
    }
    if (longest === undefined) return NONE;
    return [...longest].map(([needle, count]) => ({
      needle,
      place: passage.place,
      match: { how: "run", words: count + minWords - 1 } as const,
    }));
  }
  return { match, mayShareRun: grams.mayFind };
}
