// The demo over real meetings (QMSum): each of their people is forgotten in turn, nobody else may lose a word, and no meeting gets in again.
import type { DemoContext } from "./household-demo.ts";
import { type BuiltMemory, buildMemory } from "./build-memory.ts";
import { DemoChecks, type DemoForgotten, type DemoResult } from "./demo-result.ts";
import { forgetPerson } from "./forget-person.ts";
import { offerMeetings } from "./offer-meetings.ts";
import { reviewLikeness } from "./review-likeness.ts";
import type { Person } from "./memory-data.ts";
import { readMeetings } from "./read-meetings.ts";

export interface MeetingsContext extends DemoContext {
  /** Files such as ES2002a.json, or folders of them. */
  readonly files: readonly string[];
}

export async function runMeetingsDemo(context: MeetingsContext, signal: AbortSignal): Promise<DemoResult> {
  const { page, clock, random } = context;
  const checks = new DemoChecks();
  const { teams, names, data } = readMeetings(context.files);
  const size = `${names.length} ${names.length === 1 ? "meeting" : "meetings"} of ${teams.length === 1 ? `team ${teams[0] ?? ""}` : `${teams.length} teams`}`;
  const begun = clock().getTime();
  page.title("Deleatur", `The ${size} in one memory: each of the ${data.people.length} people is forgotten in turn.`);
  const built = await buildMemory(
    context.work,
    "meetings",
    data,
    { clock, random, report: context.report, environment: {} },
    signal,
  );
  const seconds = (clock().getTime() - begun) / 1000;
  const figures = {
    people: data.people.length,
    episodes: data.episodes.length,
    summaries: data.summaries.length,
    answers: data.answers.length,
    seconds,
  };
  page.step("Record", `${size} in ${seconds.toFixed(1)} s`);
  page.text(
    `${figures.episodes} turns of speech, each in the conversation memory, a transcript, the search index and as an embedding; ` +
      `summaries of whole meetings: ${figures.summaries}, answers to questions: ${figures.answers}, written by people, each with the turns that it is about.`,
  );
  const forgotten: DemoForgotten[] = [];
  let offered: DemoResult["offered"] = [];
  try {
    page.step("Forget, verify", "one person after the other");
    const review = reviewLikeness(data);
    const widest = Math.max(...data.people.map((person) => shownName(person, teams).length));
    const tell = page.growingTable(
      ["person", "erased", "rewritten", "reviewed", "result", "receipt", "others kept", "seconds"],
      widest,
    );
    for (const person of data.people) {
      const one = await forgetPerson(
        built,
        {
          identifier: `speaker:${person.id}`,
          account: person.id,
          name: shownName(person, teams),
          before: data.people.slice(0, forgotten.length).map(({ id }) => id),
          out: context.out,
          fileSuffix: `-${person.id.replace(":", "-")}`,
          clock,
          review: (suspect) => review(person.id, suspect),
        },
        checks,
        signal,
      );
      forgotten.push(one.forgotten);
      tell(personRow(one.forgotten));
    }
    tellPeople(context, forgotten);
    offered = await offerMeetings(built, names, data, page, checks, signal);
    tellRest(context, built, checks);
  } finally {
    built.store.close();
    await built.memory.close();
  }
  return {
    schema: "deleatur/demo/v1",
    demo: "meetings",
    ...(context.isKept ? { out: context.out } : {}),
    built: figures,
    forgotten,
    offered,
    checks: checks.all,
    exitCode: checks.exitCode,
  };
}

/** Roles recur from team to team. */
function shownName({ id, name }: Person, teams: readonly string[]): string {
  return teams.length === 1 ? name : `${id.split(":")[0] ?? ""} ${name}`;
}

function personRow(one: DemoForgotten): readonly string[] {
  return [
    one.person,
    String(one.erased),
    String(one.rewritten),
    String(one.reviewed),
    one.verdict === "COMPLIANT" ? "nothing found" : one.verdict,
    one.verified,
    one.others.isUnchanged ? String(one.others.rows) : "CHANGED",
    one.seconds.toFixed(1),
  ];
}

function tellPeople({ page }: MeetingsContext, forgotten: readonly DemoForgotten[]): void {
  const isWhole = forgotten.every(({ verdict }) => verdict === "COMPLIANT");
  const locations = forgotten[0]?.surfaces.length ?? 0;
  if (isWhole) page.good(`COMPLIANT: nothing found in the ${locations} declared locations, each time.`);
  for (const { person, verdict, reasons } of forgotten)
    if (verdict !== "COMPLIANT") page.bad(`${person}: ${verdict}, for ${reasons.join(", ")}`);
}

function tellRest({ page, isKept, out }: MeetingsContext, built: BuiltMemory, checks: DemoChecks): void {
  const { rows } = built.store.digestOthers([]);
  const shared = built.store.sharedTexts().size;
  checks.expect(
    "when all are forgotten nothing is left",
    "0 rows, 0 shared texts",
    `${rows} rows, ${shared} shared texts`,
  );
  page.step("So", "who stayed, stayed whole");
  const missed = checks.all.filter(({ isMet }) => !isMet);
  for (const { name, instead } of missed) page.bad(`did not come out: ${name} (instead: ${instead ?? "nothing"})`);
  if (missed.length === 0) {
    page.text(
      "Summaries were written anew from the turns of those who stayed; what answers quoted was struck out. " +
        "With the last person the last of them went. Reviewed were likenesses between texts of different meetings: turns of phrase of those who wrote them. Paraphrases in answers were not looked for.",
    );
  }
  if (isKept) page.text(`Receipts, inventory, public key and letters (en, de, fr) are in ${out}`);
}
