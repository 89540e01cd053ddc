// Offers every meeting again after all of its people were forgotten: turn by turn as theirs, and whole as a newcomer's page. Nothing may get in.
import { WriteRefusedError } from "../model/errors.ts";
import { isHeld } from "../record/hold-write.ts";
import type { BuiltMemory } from "./build-memory.ts";
import type { DemoPage } from "./demo-page.ts";
import type { DemoChecks, DemoResult } from "./demo-result.ts";
import type { Episode, MemoryData } from "./memory-data.ts";

/** Somebody who was in no meeting. */
const NEWCOMER = "archive:importer";

type Answer = "stored" | "held" | "refused";

export async function offerMeetings(
  built: BuiltMemory,
  names: readonly string[],
  data: MemoryData,
  page: DemoPage,
  checks: DemoChecks,
  signal: AbortSignal,
): Promise<DemoResult["offered"]> {
  page.step("Offer again", "every meeting, turn by turn and as one page");
  const offered: { readonly what: string; readonly answer: string }[] = [];
  const totals = { turns: 0, refused: 0, pages: 0 };
  let id = data.episodes.length;
  for (const name of names) {
    const turns = data.episodes.filter(({ transcript }) => transcript === name);
    const answers = new Map<Answer, number>();
    for (const turn of turns) {
      const answer = await offer(built, { ...turn, id: (id += 1) }, signal);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    const whole = turns.map(({ text }) => text).join("\n");
    const asPage = await offer(
      built,
      { id: (id += 1), by: NEWCOMER, at: turns[0]?.at ?? "", transcript: name, text: whole },
      signal,
    );
    const said = Array.from(answers, ([answer, count]) => `${answer} ${count}`).join(", ");
    offered.push(
      { what: `${name}, turn by turn`, answer: said },
      { what: `${name}, as one page of a newcomer`, answer: asPage },
    );
    checks.expect(`no turn of ${name} gets in again`, "0", String(answers.get("stored") ?? 0));
    checks.expect(`${name} as one page is held`, "held", asPage);
    totals.turns += turns.length;
    totals.refused += turns.length - (answers.get("stored") ?? 0);
    totals.pages += asPage === "stored" ? 0 : 1;
  }
  page.text(
    `${totals.refused} of ${totals.turns} turns refused or held, and ${totals.pages} of ${names.length} pages that a newcomer brought.`,
  );
  return offered;
}

async function offer(built: BuiltMemory, episode: Episode, signal: AbortSignal): Promise<Answer> {
  const { id, by, text } = episode;
  try {
    const result = await built.memory.record(
      "episodes",
      { key: String(id), subjects: [`speaker:${by}`], content: { text } },
      () => built.store.insertEpisodes([episode]),
      signal,
    );
    return isHeld(result) ? "held" : "stored";
  } catch (error) {
    if (error instanceof WriteRefusedError) return "refused";
    throw error;
  }
}
