// One reading of the stores serves the harvest and the survey, and only where it found nothing that was not foreseen: then what was surveyed for less is surveyed anew.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseArtifactId } from "../../src/model/ids.ts";
import type { ProgressEvent } from "../../src/progress.ts";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
} from "./scene.ts";

const U = "account:u-1234";
const SAID = "Nine migrating storks rested upon our chimney while everybody slept through the eclipse";
const SAID_LATER = "Somebody has counted eleven herons between the two bridges before breakfast this morning";

/** Its store refuses no write by itself: whoever has not heard of a fence writes past it. */
const NOTES = {
  kind: "jsonl",
  role: "transcript",
  store: "transcripts",
  key: "id",
  subject: { field: "user", type: "account" },
  content: ["text"],
} as const;

const line = (id: string, user: string, text: string): string => `${JSON.stringify({ id, user, text })}\n`;

const isReading = ({ step, phase }: ProgressEvent): boolean =>
  (step === "scan" || step === "survey") && phase === "started";

/** `onReading` is told the surface that a reading begins with, before it is read. */
async function scene(
  onReading: (scene: Scene, surface: string) => void = () => undefined,
): Promise<Scene & { readings(): number }> {
  const events: ProgressEvent[] = [];
  const opened: Scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, notes: NOTES },
    report: (event) => {
      if (isReading(event)) onReading(opened, event.surface ?? "");
      events.push(event);
    },
  });
  await recordBoth(opened);
  const day = join(opened.transcripts, "day.jsonl");
  const note = { key: "n1", subjects: [S], content: { text: SAID } };
  await opened.memory.record("notes", note, () => writeFileSync(day, line("n1", "s-4471", SAID)));
  return Object.assign(opened, {
    readings: () => events.filter((event) => isReading(event) && event.surface === "episodes").length,
  });
}

const offer = (one: Scene, key: string, person: string, text: string): Promise<unknown> =>
  one.memory.record("episodes", { key, subjects: [person], content: { text } }, () => undefined);
const HELD = { outcome: "held" };

it("FORGET-1: where the ledger knows every record of the person, the stores are read once before the erase", async () => {
  const one = await scene();
  expectErasure(one, await one.memory.forget({ subject: [S], now: true }));
  expect(one.readings()).toBe(1);
  expect(await offer(one, "u1", U, SAID)).toMatchObject(HELD);
});

it("FORGET-1 GUARD-1: a record that only the reading finds is in the closure, and its text in a survey of its own", async () => {
  const one = await scene();
  appendFileSync(
    join(one.transcripts, "day.jsonl"),
    line("n2", "s-4471", SAID_LATER) + line("n3", "t-0815", T_SAYS[0]),
  );
  expectErasure(one, await one.memory.forget({ subject: [S], now: true }));
  expect(one.readings()).toBe(2);
  expect(await offer(one, "u1", U, SAID_LATER)).toMatchObject(HELD);
  expect(await offer(one, "t4", T, T_SAYS[0])).toBeUndefined();
});

it("FORGET-1 GUARD-1: a record that says something else when it is met than when it was read before is read again", async () => {
  const one = await scene(({ transcripts }) =>
    writeFileSync(join(transcripts, "day.jsonl"), line("n1", "s-4471", SAID_LATER)),
  );
  expectErasure(one, await one.memory.forget({ subject: [S], now: true }));
  expect(await offer(one, "u1", U, SAID_LATER)).toMatchObject(HELD);
});

it("FORGET-1 VERDICT-6: what could not be read in the reading for both is surveyed by itself, so that its bystanders are known", async () => {
  let notesRead = 0;
  const one = await scene(({ transcripts }, surface) => {
    if (surface === "notes") notesRead += 1;
    const isBroken = surface === "notes" && notesRead === 1;
    const whole = line("n1", "s-4471", SAID) + line("n2", "t-0815", T_SAYS[0]);
    writeFileSync(join(transcripts, "day.jsonl"), isBroken ? "{" : whole);
  });
  const outcome = await one.memory.forget({ subject: [S], now: true });
  expect(one.readings()).toBe(2);
  // Three episodes and a note.
  expect(outcome.bystanders).toMatchObject({ intact: 4, lost: 0 });
});

it("GUARD-2: of two who are forgotten together, what a ground keeps of the one says what of the other's is not theirs alone", async () => {
  const one = await scene();
  await recordEpisode(one, "s4", S, T_SAYS[1]);
  const until = new Date(one.clock.now().getTime() + 86_400_000).toISOString();
  one.memory.engine.ledger.placeHold([parseArtifactId("episodes/s4")], "CASE-7", until);
  const ends = await one.memory.forgetAll([
    { subject: [S], now: true, allowTombstone: true },
    { subject: [T], now: true },
  ]);
  const [kept, gone] = ends.map((end) => (end.status === "fulfilled" ? end.value : undefined));
  expect(kept === undefined ? [] : codes(kept)).toContain("KEPT");
  expect(gone?.surfaces.map(({ erased }) => erased)).toEqual([3, 0]);
  expect(one.readings()).toBe(1);
  expect(await offer(one, "u1", U, T_SAYS[1])).toBeUndefined();
  expect(await offer(one, "u2", U, S_SAYS[1])).toMatchObject(HELD);
});
