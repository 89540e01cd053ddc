// What an earlier, closed request erased and somebody put back past the guard: a second request about the person looks for it, and nothing is COMPLIANT beside it (VERDICT-3).
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
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
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
} from "./scene.ts";

const SQL = `${EPISODES_SQL}${SUMMARIES_SQL}CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text)`;
const SURFACES = {
  episodes: EPISODES,
  summaries: { ...SUMMARIES, shared: "destroy" },
  notes: { ...EPISODES, table: "notes" },
  transcripts: {
    kind: "jsonl",
    role: "transcript",
    store: "transcripts",
    key: "id",
    subject: { field: "user", type: "account" },
    content: ["text"],
  },
} as const;

const OFFICER = { role: "privacy-officer", reason: "RETURNED" } as const;
const [SAID] = S_SAYS;
/** What the person is forgotten a second time for; it came past the guard as well. */
const LATER = "A later row in which the aquarium and two jars of quince marmalade were mentioned";

/** The person was forgotten once, whole and proven. */
async function forgotten(): Promise<Scene> {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  appendFileSync(
    join(scene.transcripts, "day.jsonl"),
    `${JSON.stringify({ id: "l0", user: "t-0815", text: T_SAYS[0] })}\n`,
  );
  await scene.memory.scan();
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  return scene;
}

function note(scene: Scene, key: string, account: string | null, text: string | Buffer): void {
  scene.app.prepare("INSERT INTO notes VALUES (?, ?, ?)").run(key, account, text);
}

/** Forgets the person again, who is named in a later row. */
async function forgetAgain(scene: Scene): Promise<RequestOutcome> {
  scene.app.prepare("INSERT INTO episodes VALUES ('s9', 's-4471', ?)").run(LATER);
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
  return outcome;
}

it("a second request is COMPLIANT where nothing came back", async () => {
  const scene = await forgotten();
  const outcome = await forgetAgain(scene);
  expectErasure(scene, outcome);
  expect(outcome.suspects).toEqual({ open: 0, reviewed: 0 });
});

it.each([
  { what: "as it was", text: SAID },
  { what: "in capitals", text: SAID.toUpperCase() },
  { what: "in base64", text: Buffer.from(SAID).toString("base64") },
  { what: "in hex", text: Buffer.from(SAID).toString("hex") },
  { what: "in UTF-16", text: Buffer.from(SAID, "utf16le") },
  { what: "packed", text: gzipSync(SAID) },
])("VERDICT-3: erased text $what under nobody's name is back, until it is confirmed and erased", async ({ text }) => {
  const scene = await forgotten();
  note(scene, "n1", null, text);
  const outcome = await forgetAgain(scene);
  expect([outcome.verdict, codes(outcome), outcome.attestation.kind]).toEqual([
    "UNCONFIRMED",
    ["RESURRECTED"],
    "withheld",
  ]);
  expect(outcome.back).toMatchObject([{ surface: "notes", key: "n1" }]);
  const [suspect] = scene.memory.suspects(outcome.request);
  expect(suspect).toMatchObject({ surface: "notes", key: "n1", isSurvivor: true });
  const id = suspect?.id ?? "";
  expect(() => scene.memory.review(outcome.request, { ...OFFICER, suspect: id, decision: "kept" })).toThrow(
    /cannot be kept by review/,
  );
  scene.memory.review(outcome.request, { ...OFFICER, suspect: id, decision: "erased" });
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  expect(scene.rows("SELECT id FROM notes")).toEqual([]);
});

it("VERDICT-3 VERDICT-4: outside of a primary surface it is a survivor that no lineage leads to", async () => {
  const scene = await forgotten();
  appendFileSync(join(scene.transcripts, "day.jsonl"), `${JSON.stringify({ id: "l1", text: SAID })}\n`);
  const outcome = await forgetAgain(scene);
  expect([outcome.verdict, codes(outcome), outcome.exitCode]).toEqual([
    "PARTIAL",
    ["SURVIVOR_FOUND", "LINEAGE_MISSING"],
    20,
  ]);
  expect(outcome.survivors).toMatchObject([{ surface: "transcripts", key: "l1", provenance: "outside" }]);
});

it("VERDICT-3: the very record that was erased, nobody named in it, is erased again with the second request", async () => {
  const scene = await forgotten();
  scene.app.prepare("INSERT INTO episodes VALUES ('s1', NULL, ?)").run(SAID);
  scene.app.prepare("INSERT INTO summaries VALUES ('m1', '[\"s2\"]', 'A summary of what is gone since')").run();
  const outcome = await forgetAgain(scene);
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 's%'")).toEqual([]);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
});

it.each([
  { what: "inside a larger text of nobody", account: null, text: `Somebody wrote down: ${SAID}. And went home.` },
  { what: "under another person's name", account: "t-0815", text: SAID },
])("VERDICT-2: $what it is for a person to decide, who may keep it", async ({ account, text }) => {
  const scene = await forgotten();
  note(scene, "n1", account, text);
  const outcome = await forgetAgain(scene);
  expect([outcome.verdict, codes(outcome), outcome.suspects.open]).toEqual(["UNCONFIRMED", ["SUSPECT_OPEN"], 1]);
  const [suspect] = scene.memory.suspects(outcome.request);
  scene.memory.review(outcome.request, { ...OFFICER, suspect: suspect?.id ?? "", decision: "kept" });
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expectErasure(scene, resumed);
  expect(resumed.suspects).toEqual({ open: 0, reviewed: 1 });
  expect(scene.rows("SELECT id FROM notes")).toEqual([{ id: "n1" }]);
  // Decided once, it is not asked again.
  expectErasure(scene, await forgetAgain(scene));
});

it("VERDICT-2: a likeness is kept as it stands: with another text under its key a look and a request ask anew", async () => {
  const scene = await forgotten();
  note(scene, "n1", null, `Somebody wrote down: ${SAID}. And went home.`);
  const keepAll = async (outcome: RequestOutcome): Promise<void> => {
    expect([codes(outcome), outcome.suspects]).toEqual([["SUSPECT_OPEN"], { open: 1, reviewed: 0 }]);
    for (const { id } of scene.memory.suspects(outcome.request))
      scene.memory.review(outcome.request, { ...OFFICER, suspect: id, decision: "kept" });
    expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  };
  await keepAll(await forgetAgain(scene));
  expect(await look(scene)).toBe("clean");
  scene.app.prepare("UPDATE notes SET text = ? WHERE id = 'n1'").run(`All about it: ${SAID}, and where they live.`);
  expect(await look(scene)).toBe("held");
  await keepAll(await forgetAgain(scene));
  expect(await look(scene)).toBe("clean");
});

async function look(scene: Scene): Promise<string> {
  for await (const { outcome } of scene.memory.watch()) return outcome;
  return "none";
}

it("VERDICT-2: erased by a decision it is gone, and one that could not be erased stays open", async () => {
  const scene = await forgotten();
  note(scene, "n1", null, `Somebody wrote down: ${SAID}. And went home.`);
  note(scene, "n2", "t-0815", SAID);
  const outcome = await forgetAgain(scene);
  for (const { id } of scene.memory.suspects(outcome.request))
    scene.memory.review(outcome.request, { ...OFFICER, suspect: id, decision: "erased" });
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  // Another person's record is not erased for that: it is theirs, and somebody must say what becomes of it.
  expect([resumed.verdict, codes(resumed), resumed.suspects.open]).toEqual([
    "PARTIAL",
    ["SURVIVOR_FOUND", "LINEAGE_MISSING", "SUSPECT_OPEN"],
    1,
  ]);
  expect(scene.rows("SELECT id FROM notes")).toEqual([{ id: "n2" }]);
});

it("VERDICT-3: what a request about one record erased is looked for when its person is forgotten, and not for another", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  expect((await scene.memory.forget({ records: ["episodes/s1"], now: true })).verdict).toBe("COMPLIANT");
  note(scene, "n1", null, Buffer.from(SAID, "utf16le"));
  const other = await scene.memory.forget({ subject: [T], now: true });
  expect([other.back, other.survivors, other.suspects.open]).toEqual([[], [], 0]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["RESURRECTED"]]);
  expect(outcome.back).toMatchObject([{ surface: "notes", key: "n1" }]);
});

it("VERDICT-3: a copy that a stuck request about one record found is known to the next request about its person", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  note(scene, "n1", null, Buffer.from(SAID, "utf16le"));
  const first = await scene.memory.forget({ records: ["episodes/s1"], now: true });
  expect([first.state, codes(first)]).toEqual(["stuck", ["SURVIVOR_FOUND", "LINEAGE_MISSING"]]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.back).toMatchObject([{ surface: "notes", key: "n1" }]);
});

it("GUARD-3: what was lifted may be there", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const { request } = await scene.memory.forget({ subject: [S], now: true });
  note(scene, "n1", null, SAID);
  liftEntries(scene.memory.engine, { ...OFFICER, request });
  const second = await forgetAgain(scene);
  expect([second.verdict, second.back]).toEqual(["COMPLIANT", []]);
});

it("VERDICT-3: a lift of the person's name alone does not hide what the person said", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  await scene.memory.forget({ subject: [S], now: true });
  liftEntries(scene.memory.engine, { ...OFFICER, subject: [S] });
  note(scene, "n1", null, SAID);
  await recordEpisode(scene, "s7", S, LATER);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["RESURRECTED"]]);
});

it("FORGET-1: another person's request does not ask for it", async () => {
  const scene = await forgotten();
  note(scene, "n1", null, SAID);
  const outcome = await scene.memory.forget({ subject: [T], now: true });
  expect([outcome.back, outcome.survivors, outcome.suspects.open]).toEqual([[], [], 0]);
  // Together, each by what it asked.
  const [first, second] = await scene.memory.forgetAll([
    { subject: [S], now: true },
    { subject: [T], now: true },
  ]);
  expect(first?.status === "fulfilled" && codes(first.value)).toContain("RESURRECTED");
  expect(second?.status === "fulfilled" && codes(second.value)).not.toContain("RESURRECTED");
});

it("VERDICT-3: a record that cannot be looked into stops no request, hides no other record, and lets nothing be COMPLIANT", async () => {
  const scene = await forgotten();
  note(scene, "n1", null, gzipSync(Buffer.alloc(80 * 1024 * 1024)));
  note(scene, "n2", null, SAID);
  const outcome = await forgetAgain(scene);
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(outcome.back).toMatchObject([{ surface: "notes", key: "n2" }]);
  const looks = [];
  for await (const look of scene.memory.watch({ once: true })) looks.push(look);
  expect(looks).toMatchObject([{ outcome: "held" }]);
  expect(looks[0]?.surfaces.find(({ surface }) => surface === "notes")).toMatchObject({ unread: "UNFOLD_LIMIT" });
});

it.each([
  { what: "as it was", text: SAID },
  { what: "in hex", text: Buffer.from(SAID).toString("hex") },
])(
  "VERDICT-3: what a request about a record erased and is stuck over, left $what, is looked for when its person is forgotten",
  async ({ text }) => {
    const scene = await openScene({ sql: SQL, surfaces: SURFACES });
    await recordBoth(scene);
    note(scene, "n1", null, text);
    const first = await scene.memory.forget({ records: ["episodes/s1"], now: true });
    expect([first.verdict, first.state]).toEqual(["PARTIAL", "stuck"]);
    const second = await scene.memory.forget({ subject: [S], now: true });
    expect([second.verdict, second.attestation.kind]).toEqual(["UNCONFIRMED", "withheld"]);
    expect(codes(second)).toContain("RESURRECTED");
    expect(second.back).toMatchObject([{ surface: "notes", key: "n1" }]);
  },
);

it("VERDICT-3: what a request has erased that still waits for its purge is looked for when the person is forgotten", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  note(scene, "n1", null, Buffer.from(SAID).toString("hex"));
  const first = await scene.memory.forget({ records: ["episodes/s1"] });
  expect(first.state).toBe("waiting");
  const second = await scene.memory.forget({ subject: [S], now: true });
  expect([second.verdict, second.attestation.kind]).toEqual(["UNCONFIRMED", "withheld"]);
  expect(second.back).toMatchObject([{ surface: "notes", key: "n1" }]);
});
