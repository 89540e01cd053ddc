// Plays the privacy officer of the meetings demo: decides a likeness by what the data says about who went into a text.
import type { Suspect } from "../examine/grade-findings.ts";
import type { MemoryData } from "./memory-data.ts";

/**
 * A summary or an answer that is like one of the closure: kept where nobody's turn in it is the person's, so that the likeness is a turn of
 * phrase of whoever wrote both; else erased. Anything else is left open.
 */
export function reviewLikeness(data: MemoryData): (person: string, suspect: Suspect) => "kept" | "erased" | undefined {
  const speakers = new Map(data.episodes.map(({ id, by }) => [id, by]));
  const people = (sources: readonly number[]): ReadonlySet<string> =>
    new Set(sources.map((source) => speakers.get(source) ?? ""));
  const texts = new Map<string, ReadonlySet<string>>([
    ...data.summaries.flatMap(({ id, sources }) =>
      ["summaries", "summary-search"].map((surface) => [`${surface}/${id}`, people(sources)] as const),
    ),
    ...data.answers.map(({ key, sources }) => [`answers/${key}`, people(sources)] as const),
  ]);
  return (person, { surface, key }) => {
    const of = texts.get(`${surface ?? ""}/${key ?? ""}`);
    if (of === undefined) return undefined;
    return of.has(person) ? "erased" : "kept";
  };
}
