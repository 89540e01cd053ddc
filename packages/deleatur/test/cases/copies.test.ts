// The same words in another record of the same person, when a request names one of them: nobody said that both go, so somebody must (VERDICT-1, VERDICT-2).
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  codes,
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

const SQL = `CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT, title TEXT, text TEXT);
CREATE TABLE notes (id TEXT PRIMARY KEY, mail TEXT, text);
CREATE TABLE people (account TEXT PRIMARY KEY, mail TEXT, city TEXT)`;
const TABLE = { kind: "sqlite", role: "primary", store: "memory", key: "id" } as const;
const SURFACES = {
  episodes: {
    ...TABLE,
    table: "episodes",
    subject: { column: "account", type: "account" },
    content: ["title", "text"],
  },
  notes: { ...TABLE, table: "notes", subject: { column: "mail", type: "mail" }, content: ["text"] },
  people: {
    ...TABLE,
    table: "people",
    key: "account",
    subject: [
      { column: "account", type: "account" },
      { column: "mail", type: "mail" },
    ],
    maps: { from: { column: "account", type: "account" }, to: { column: "mail", type: "mail" } },
    content: ["city"],
  },
  transcripts: {
    kind: "jsonl",
    role: "transcript",
    store: "transcripts",
    key: "id",
    subject: { field: "user", type: "account" },
    content: ["text"],
  },
} as const;

const OFFICER = { role: "privacy-officer", reason: "COPY" } as const;
const [SAID] = S_SAYS;

async function memoryOf(
  rows: readonly (readonly [table: string, ...values: readonly (string | null)[]])[],
): Promise<Scene> {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES, identifiers: ["account", "mail"] });
  await recordBoth(scene);
  scene.app.exec("INSERT INTO people VALUES ('s-4471', 's@example.org', 'Graz'), ('t-0815', 't@example.org', 'Linz')");
  for (const [id, mail] of [
    ["n8", "s@example.org"],
    ["n9", "t@example.org"],
  ])
    scene.app
      .prepare("INSERT INTO notes VALUES (?, ?, ?)")
      .run(id, mail, `A note that ${id ?? ""} stays as it was written down here`);
  line(scene, "l0", "t-0815", T_SAYS[0]);
  for (const [table, ...values] of rows)
    if (table === "transcripts") line(scene, ...(values as [string, string, string]));
    else scene.app.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?").join(", ")})`).run(...values);
  await scene.memory.scan();
  return scene;
}

function line(scene: Scene, id: string, user: string, text: string): void {
  appendFileSync(join(scene.transcripts, "day.jsonl"), `${JSON.stringify({ id, user, text })}\n`);
}

const forgetRecord = (scene: Scene) => scene.memory.forget({ records: ["episodes/s1"], now: true });

it.each([
  { what: "in the same table", place: "episodes/s9", row: ["episodes", "s9", "s-4471", null, SAID] },
  {
    what: "with trivial edits",
    place: "episodes/s9",
    row: ["episodes", "s9", "s-4471", null, `${SAID.toUpperCase()}!`],
  },
  { what: "beside a title", place: "episodes/s9", row: ["episodes", "s9", "s-4471", "Cellar", SAID] },
  { what: "in a transcript", place: "transcripts/l1", row: ["transcripts", "l1", "s-4471", SAID] },
  { what: "under another identifier of the person", place: "notes/n1", row: ["notes", "n1", "s@example.org", SAID] },
] as const)(
  "VERDICT-1: what a record said stands again $what: a suspect until somebody decides",
  async ({ place, row }) => {
    const scene = await memoryOf([row]);
    const outcome = await forgetRecord(scene);
    expect([outcome.verdict, codes(outcome), outcome.suspects.open]).toEqual(["UNCONFIRMED", ["SUSPECT_OPEN"], 1]);
    const [suspect] = scene.memory.suspects(outcome.request);
    expect(suspect).toMatchObject({ likeTo: { surface: "episodes", key: "s1" }, probe: "exact" });
    expect(`${suspect?.surface ?? ""}/${suspect?.key ?? ""}`).toBe(place);
  },
);

it("VERDICT-2: kept by a review it stays, and the request ends as an erasure", async () => {
  const scene = await memoryOf([["episodes", "s9", "s-4471", null, SAID]]);
  const { request } = await forgetRecord(scene);
  for (const { id } of scene.memory.suspects(request))
    scene.memory.review(request, { ...OFFICER, suspect: id, decision: "kept" });
  const resumed = await scene.memory.resume(request, { now: true });
  expectErasure(scene, resumed, { identifiers: [] });
  expect(resumed.suspects).toEqual({ open: 0, reviewed: 1 });
  expect(scene.rows("SELECT id FROM episodes WHERE id IN ('s1', 's9')")).toEqual([{ id: "s9" }]);
});

it("VERDICT-2: confirmed it goes as well, and the words come in under no name of theirs any more", async () => {
  const scene = await memoryOf([
    ["episodes", "s9", "s-4471", null, SAID],
    ["transcripts", "l1", "s-4471", SAID],
  ]);
  const { request } = await forgetRecord(scene);
  for (const { id } of scene.memory.suspects(request))
    scene.memory.review(request, { ...OFFICER, suspect: id, decision: "erased" });
  const resumed = await scene.memory.resume(request, { now: true });
  expectErasure(scene, resumed, { identifiers: [] });
  expect(scene.rows("SELECT id FROM episodes WHERE id IN ('s1', 's9')")).toEqual([]);
  await recordEpisode(scene, "s10", S, SAID);
  expect(scene.rows("SELECT id FROM episodes WHERE id = 's10'")).toEqual([]);
});

it.each([
  { what: "another person's equal text", rows: [["episodes", "t9", "t-0815", null, SAID]] },
  {
    what: "another text of the same person",
    rows: [["episodes", "s9", "s-4471", null, "It is about the cellar again"]],
  },
  {
    what: "a form that stands in others' records as well",
    rows: [
      ["episodes", "s9", "s-4471", "Sent from the telephone of the household at the usual hour", "Shall we"],
      ["episodes", "t9", "t-0815", "Sent from the telephone of the household at the usual hour", "Not now"],
    ],
    title: "Sent from the telephone of the household at the usual hour",
  },
] as const)("VERDICT-1: $what is no copy", async ({ rows, ...rest }) => {
  const scene = await memoryOf(rows);
  if ("title" in rest) scene.app.prepare("UPDATE episodes SET title = ? WHERE id = 's1'").run(rest.title);
  await scene.memory.scan();
  const outcome = await forgetRecord(scene);
  expectErasure(scene, outcome, { identifiers: [] });
  expect(outcome.suspects).toEqual({ open: 0, reviewed: 0 });
});

it("VERDICT-1: a request about the person asks nothing, for all of it goes", async () => {
  const scene = await memoryOf([["episodes", "s9", "s-4471", null, SAID]]);
  expectErasure(scene, await scene.memory.forget({ subject: [S, "mail:s@example.org"], now: true }));
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
});

it("VERDICT-1: copies that are named together need no decision, and none is asked about what an equal text of another person is like", async () => {
  const scene = await memoryOf([
    ["episodes", "s9", "s-4471", null, SAID],
    ["episodes", "t9", "t-0815", null, SAID],
  ]);
  const outcome = await scene.memory.forget({ records: ["episodes/s1", "episodes/s9"], now: true });
  expectErasure(scene, outcome, { identifiers: [] });
  expect(
    scene.rows(`SELECT id FROM episodes WHERE account = '${T.slice("account:".length)}' AND id = 't9'`),
  ).toHaveLength(1);
});

it("CLAIM-2: an audit with a ticket finds what a foreign tool left of the same person's words", async () => {
  const scene = await memoryOf([["episodes", "s9", "s-4471", null, SAID]]);
  const records = ["episodes/s1"];
  const ticket = await scene.memory.prepareAudit({ records });
  scene.app.exec("DELETE FROM episodes WHERE id = 's1'");
  const claim = { subject: S, records, surfacesReached: ["episodes"], tombstoneWritten: false } as const;
  const outcome = await scene.memory.audit({ ticket, claim });
  expect(outcome.suspects.open).toBe(1);
  expect(codes(outcome)).toContain("SUSPECT_OPEN");
});
