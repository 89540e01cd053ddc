// Offers erased words again as a careless importer would, and new words of somebody else as the control: only these may get in.
import { WriteRefusedError } from "../model/errors.ts";
import { isHeld } from "../record/hold-write.ts";
import type { BuiltMemory } from "./build-memory.ts";
import type { DemoPage } from "./demo-page.ts";
import type { DemoChecks, DemoResult } from "./demo-result.ts";
import type { MemoryData } from "./memory-data.ts";
import { FORGOTTEN_EPISODE, FORGOTTEN_PERSON, UNRELATED_WORDS } from "./scenario.ts";

/** Offers the erased words again, and new words of somebody else: only these may get in. */
export async function offerAgain(
  built: BuiltMemory,
  data: MemoryData,
  page: DemoPage,
  checks: DemoChecks,
  signal: AbortSignal,
): Promise<DemoResult["offered"]> {
  const words = data.episodes.find(({ id }) => id === FORGOTTEN_EPISODE)?.text ?? "";
  const other = data.people.find(({ id }) => id !== FORGOTTEN_PERSON);
  const next = data.episodes.length + 1;
  const offers = [
    { what: "the same words, under a new id", by: FORGOTTEN_PERSON, text: words, wanted: "DENYLISTED" },
    {
      what: "the same words in capitals, as somebody else's",
      by: other?.id ?? "",
      text: shout(words),
      wanted: "held",
    },
    {
      what: `new words of ${other?.name ?? "another person"}`,
      by: other?.id ?? "",
      text: UNRELATED_WORDS,
      wanted: "stored",
    },
  ];
  page.step("Offer again", "a careless importer brings the words back");
  const answers: { readonly what: string; readonly answer: string }[] = [];
  for (const [index, { what, by, text, wanted }] of offers.entries()) {
    const episode = { id: next + index, by, at: "2026-11-18T09:00:00Z", transcript: "2026-w47", text };
    let answer = "stored";
    try {
      const result = await built.memory.record(
        "episodes",
        { key: String(episode.id), subjects: [`account:${by}`], content: { text } },
        () => built.store.insertEpisodes([episode]),
        signal,
      );
      if (isHeld(result)) answer = "held";
    } catch (error) {
      if (!(error instanceof WriteRefusedError)) throw error;
      answer = error.code;
    }
    checks.expect(`offered: ${what}`, wanted, answer);
    answers.push({ what, answer });
  }
  page.table(
    ["offered", "answer"],
    answers.map(({ what, answer }) => [what, SAID[answer] ?? `refused (${answer})`]),
  );
  return answers;
}

const SAID: Readonly<Record<string, string>> = { stored: "stored", held: "held for review, not stored" };

function shout(text: string): string {
  return text.toUpperCase().replaceAll(" ", "  ");
}
