// The demo over real meetings of one team (QMSum): each of its people is forgotten in turn, and nobody else may lose a word.
import type { DemoContext } from "./household-demo.ts";
import { type BuiltMemory, buildMemory } from "./build-memory.ts";
import { DemoChecks, type DemoForgotten, type DemoResult } from "./demo-result.ts";
import { forgetPerson } from "./forget-person.ts";
import { readMeetings } from "./read-meetings.ts";

export interface MeetingsContext extends DemoContext {
  /** Files such as ES2002a.json, all of one team. */
  readonly files: readonly string[];
}

export async function runMeetingsDemo(context: MeetingsContext, signal: AbortSignal): Promise<DemoResult> {
  const { page, clock, random } = context;
  const checks = new DemoChecks();
  const { team, data } = readMeetings(context.files);
  const begun = clock().getTime();
  page.title(
    "Deleatur",
    `The meetings of team ${team}: each of its ${data.people.length} people is forgotten in turn.`,
  );
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
  page.step("Record", `${context.files.length} meetings in ${seconds.toFixed(1)} s`);
  page.text(
    `${figures.episodes} turns of speech, each in the conversation memory, a transcript, the search index and as an embedding; ` +
      `${figures.summaries} summaries of whole meetings and ${figures.answers} answers to questions, written by people, each with the turns that it is about.`,
  );
  const forgotten: DemoForgotten[] = [];
  try {
    page.step("Forget, verify", "one person after the other");
    for (const { id, name } of data.people) {
      const one = await forgetPerson(
        built,
        {
          identifier: `speaker:${id}`,
          account: id,
          name,
          before: data.people.slice(0, forgotten.length).map((person) => person.id),
          out: context.out,
          fileSuffix: `-${id.slice(team.length + 1)}`,
          clock,
        },
        checks,
        signal,
      );
      forgotten.push(one.forgotten);
    }
    tellPeople(context, forgotten);
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
    offered: [],
    checks: checks.all,
    exitCode: checks.exitCode,
  };
}

function tellPeople({ page }: MeetingsContext, forgotten: readonly DemoForgotten[]): void {
  page.table(
    ["person", "erased", "rewritten", "result", "receipt", "others", "seconds"],
    forgotten.map((one) => [
      one.person,
      String(one.erased),
      String(one.rewritten),
      one.verdict === "COMPLIANT" ? "nothing found" : one.verdict,
      one.verified,
      one.others.isUnchanged ? `${one.others.rows} kept` : "CHANGED",
      one.seconds.toFixed(1),
    ]),
  );
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
        "With the last person the last of them went. Paraphrases in answers were not looked for.",
    );
  }
  if (isKept) page.text(`Receipts, inventory, public key and letters (en, de, fr) are in ${out}`);
}
