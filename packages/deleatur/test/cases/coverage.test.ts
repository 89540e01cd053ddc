// What is seen and reached: replicas, a store that is gone, likenesses under review, files without a strong fence, writers that are not ours (CLAIM-6, VERDICT-2, VERDICT-4).
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import {
  codes,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  logOf,
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
  tempFolder,
} from "./scene.ts";

const six = (text: string): string => text.split(" ").slice(1, 7).join(" ");
const SQL = EPISODES_SQL + SUMMARIES_SQL;
const SURFACES = { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } } as const;

/** Episodes in two stores: what is in the first is in the copy too. */
async function replicated(): Promise<{
  readonly scene: Scene;
  readonly copy: Database.Database;
  readonly copyFile: string;
}> {
  const directory = tempFolder();
  const copyFile = join(directory, "copy.db");
  const copy = new Database(copyFile);
  onTestFinished(() => {
    copy.close();
  });
  copy.pragma("journal_mode = WAL");
  copy.exec(EPISODES_SQL);
  const scene = await openScene({
    directory,
    sql: EPISODES_SQL,
    surfaces: { episodes: { ...EPISODES, replicas: ["copy"] } },
    connect: { copy: { file: "./copy.db" } },
  });
  await recordBoth(scene);
  const insert = copy.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
  for (const { id, account, text } of scene.rows("SELECT * FROM episodes")) insert.run(id, account, text);
  return { scene, copy, copyFile };
}

it("CLAIM-6 CLAIM-3: a tool that forgets the replica is caught by eyes that read each one", async () => {
  const { scene } = await replicated();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).not.toBe("COMPLIANT");
  expect(["PRIMARY_STILL_HOLDS", "SURVIVOR_FOUND"]).toContain(codes(audit)[0]);
});

it("CLAIM-6: ours erases from the store and from its replica", async () => {
  const { scene, copy } = await replicated();
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(copy.prepare("SELECT id FROM episodes ORDER BY id").pluck().all()).toEqual(["t1", "t2", "t3"]);
});

it("CLAIM-6 VERDICT-4: with a replica out of reach nothing is COMPLIANT, and what can be reached is erased", async () => {
  const { scene, copy, copyFile } = await replicated();
  copy.close();
  renameSync(copyFile, `${copyFile}.away`);
  await scene.reopen();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.attestation.kind).toBe("withheld");
  expect(existsSync(copyFile)).toBe(false);
});

it("VERDICT-4 FORGET-1: a derived store out of reach is PARTIAL at best; the rest is erased; back in reach, resume finishes", async () => {
  const directory = tempFolder();
  const file = join(directory, "notes.db");
  const notes = new Database(file);
  notes.exec(SUMMARIES_SQL);
  notes.prepare("INSERT INTO summaries VALUES ('m1', '[\"s1\"]', ?)").run(`A note: ${S_SAYS[0]}`);
  notes.prepare("INSERT INTO summaries VALUES ('m2', '[\"t1\"]', ?)").run(`A note: ${T_SAYS[0]}`);
  notes.close();
  const scene = await openScene({
    directory,
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, store: "notes", shared: "destroy" } },
    connect: { notes: { file: "./notes.db" } },
  });
  await recordBoth(scene);
  renameSync(file, `${file}.away`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, outcome.exitCode]).toEqual(["PARTIAL", 20]);
  expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["UNREACHABLE", "summaries"]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  renameSync(`${file}.away`, file);
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expectErasure(scene, resumed);
  const after = new Database(file, { readonly: true });
  expect(after.prepare("SELECT id FROM summaries").pluck().all()).toEqual(["m2"]);
  after.close();
});

it("VERDICT-2 LINEAGE-4: a likeness outside the lineage goes to review; kept with a reason it is lawful, confirmed it is erased by resume", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  // Six words of S in notes that say they come from T: a suspect each, no survivor.
  await deriveSummary(scene, "m1", ["t1"], `They talked of ${six(S_SAYS[0])} and left`);
  await deriveSummary(scene, "m2", ["t2"], `Again ${six(S_SAYS[1])} was heard`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0], outcome.suspects.open]).toEqual(["UNCONFIRMED", "SUSPECT_OPEN", 2]);
  const suspects = scene.memory.suspects(outcome.request);
  expect(new Set(suspects.map(({ surface, key }) => `${surface}/${key}`))).toEqual(
    new Set(["summaries/m1", "summaries/m2"]),
  );
  for (const { id, key } of suspects) {
    const decision = key === "m1" ? "erased" : "kept";
    scene.memory.review(outcome.request, { suspect: id, decision, role: "privacy-officer", reason: "COINCIDENCE" });
  }
  expect(scene.memory.suspects(outcome.request)).toEqual([]);
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
  expectErasure(scene, resumed);
  expect(logOf(scene.memory).filter(({ type }) => type === "review-decided")).toHaveLength(2);
  expect(logOf(scene.memory).filter(({ type }) => type === "edge-confirmed")).toHaveLength(1);
});

it("VERDICT-2: a likeness that was kept and says something else when the request is resumed is decided on anew", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const said = `They talked of ${six(S_SAYS[0])} and left`;
  await deriveSummary(scene, "m1", ["t1"], said);
  const { request } = await scene.memory.forget({ subject: [S], now: true });
  const keepAll = (): void => {
    for (const { id } of scene.memory.suspects(request))
      scene.memory.review(request, {
        suspect: id,
        decision: "kept",
        role: "privacy-officer",
        reason: "COINCIDENCE",
      });
  };
  keepAll();
  scene.app.prepare("UPDATE summaries SET text = ? WHERE id = 'm1'").run(`${said}, and that is who it was.`);
  const changed = await scene.memory.resume(request, { now: true });
  expect([codes(changed), changed.suspects]).toEqual([["SUSPECT_OPEN"], { open: 1, reviewed: 0 }]);
  keepAll();
  const resumed = await scene.memory.resume(request, { now: true });
  expectErasure(scene, resumed);
  expect(resumed.suspects).toEqual({ open: 0, reviewed: 1 });
});

/** Twelve words that whoever writes these summaries likes to begin with; no episode has them. */
const OPENING = "The customer opened the conversation politely and then came to the actual concern";

it("VERDICT-2: a turn of phrase of two summaries is no survivor: a person decides, and what is kept is no obstacle", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `${OPENING}: something musical in a basement.`);
  await deriveSummary(scene, "m2", ["t1"], `${OPENING}: a glazed shelter for plants.`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome), outcome.suspects.open]).toEqual(["UNCONFIRMED", ["SUSPECT_OPEN"], 1]);
  const [suspect] = scene.memory.suspects(outcome.request);
  expect([suspect?.key, suspect?.likeTo?.key, suspect?.words]).toEqual(["m2", "m1", 13]);
  const decided = { decision: "kept", role: "privacy-officer", reason: "TURN_OF_PHRASE" } as const;
  scene.memory.review(outcome.request, { suspect: suspect?.id ?? "", ...decided });
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
});

it.each([
  { what: "words of S's own", text: S_SAYS[0], sources: ["t1"] },
  { what: "a source that is not there", text: OPENING, sources: ["t9"] },
])("VERDICT-2 LINEAGE-3: a summary of T's with $what is a survivor, no matter of review", async ({ text, sources }) => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `${OPENING}: something musical in a basement.`);
  await deriveSummary(scene, "m2", sources, `It was said again: ${text}`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome).includes("SURVIVOR_FOUND")]).toEqual(["PARTIAL", true]);
});

it("VERDICT-2: a summary that was written after the erase and says what an erased one said is a survivor, no turn of phrase", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `${OPENING}: something musical in a basement.`);
  await deriveSummary(scene, "m2", ["t1"], "A glazed shelter for plants.");
  const waiting = await scene.memory.forget({ subject: [S] });
  expect([waiting.state, waiting.why]).toEqual(["waiting", "purge-lock"]);
  scene.app.prepare("INSERT INTO summaries VALUES ('m3', ?, ?)").run('["t1"]', `${OPENING}: a roof of glass.`);
  const outcome = await scene.memory.resume(waiting.request, { now: true });
  expect([outcome.verdict, outcome.suspects.open]).toEqual(["PARTIAL", 0]);
  expect(outcome.survivors.map(({ surface, key }) => `${surface}/${key}`)).toContain("summaries/m3");
});

const line = (id: string, user: string, episode: string, text: string): string =>
  `${JSON.stringify({ id, user, episode, text })}\n`;

const TRANSCRIPTS = {
  kind: "jsonl",
  role: "transcript",
  store: "transcripts",
  key: "id",
  subject: { field: "user", type: "account" },
  content: ["text"],
  derivedFrom: { surface: "episodes", field: "episode" },
} as const;

it("C19 LINEAGE-6: files have no fence of their own: a writer paused beyond its lease keeps it UNCONFIRMED until it is resolved", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES, transcripts: TRANSCRIPTS } });
  await recordBoth(scene);
  const day = join(scene.transcripts, "day.jsonl");
  const other = { key: "l2", subjects: [T], sources: ["episodes/t1"], content: { text: T_SAYS[0] } };
  await scene.memory.derive("transcripts", other, () => writeFileSync(day, line("l2", "t-0815", "t1", T_SAYS[0])));
  const gate = new AbortController();
  const late = { key: "l1", subjects: [S], sources: ["episodes/s1"], content: { text: S_SAYS[0] } };
  const writing = scene.memory
    .derive("transcripts", late, async () => {
      await once(gate.signal, "abort");
      appendFileSync(day, line("l1", "s-4471", "s1", S_SAYS[0]));
    })
    .then(
      () => "written",
      (error: unknown) => error,
    );
  expect((await scene.memory.forget({ subject: [S], now: true })).state).toBe("waiting");
  scene.clock.advance(61_000);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome), outcome.exitCode]).toEqual(["UNCONFIRMED", ["INTENT_UNRESOLVED"], 21]);
  expect(outcome.attestation).toMatchObject({ kind: "withheld", code: "INTENT_UNRESOLVED" });
  gate.abort();
  expect(await writing).toMatchObject({ name: "WriteRefusedError" });
  expect(readFileSync(day, "utf8")).not.toContain("accordion");
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
});

it("GUARD-1: foreign writers that nobody watches are GUARD_NOT_SHOWN, though everything is erased", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES, writers: "foreign" });
  await recordBoth(scene);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0], outcome.exitCode]).toEqual(["UNCONFIRMED", "GUARD_NOT_SHOWN", 21]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
});

it("LINEAGE-4: a memory that was written without the SDK is harvested from its own columns and forgotten whole", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  const episode = scene.app.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
  for (const [at, text] of S_SAYS.entries()) episode.run(`s${at + 1}`, "s-4471", text);
  for (const [at, text] of T_SAYS.entries()) episode.run(`t${at + 1}`, "t-0815", text);
  scene.app.prepare("INSERT INTO summaries VALUES ('m1', '[\"s1\",\"s2\"]', ?)").run(`A digest: ${S_SAYS[1]}`);
  scene.app.prepare("INSERT INTO summaries VALUES ('m2', '[\"t1\"]', ?)").run(`A digest: ${T_SAYS[1]}`);
  expect(await scene.memory.scan()).toMatchObject({ artifacts: 8 });
  const found = await scene.memory.find({ subject: [S] });
  expect(found.artifacts.map(({ artifact }) => artifact).toSorted()).toEqual([
    "episodes/s1",
    "episodes/s2",
    "episodes/s3",
    "summaries/m1",
  ]);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
});

it("VERDICT-1: where nobody else is left, canaries stand in as controls and leave no trace", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await deriveSummary(scene, "m1", ["s1"], `A note: ${S_SAYS[0]}`);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT id FROM episodes UNION ALL SELECT id FROM summaries")).toEqual([]);
  expect(scene.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'deleatur%'").length).toBeLessThanOrEqual(1);
});

it("FORGET-1 VERDICT-4: a surface that the boundary dropped stops no forget, and nothing is COMPLIANT while the ledger knows something there", async () => {
  const directory = tempFolder();
  const notes = { ...EPISODES, table: "notes", store: "extra" } as const;
  const connect = { extra: { file: "./extra.db" } };
  const extra = new Database(join(directory, "extra.db"));
  onTestFinished(() => void extra.close());
  extra.exec(EPISODES_SQL.replace("episodes", "notes"));
  const scene = await openScene({ directory, sql: EPISODES_SQL, surfaces: { episodes: EPISODES, notes }, connect });
  await recordBoth(scene);
  await scene.memory.record("notes", { key: "n1", subjects: [S], content: { text: six(S_SAYS[0]) } }, () => {
    extra.prepare("INSERT INTO notes VALUES ('n1', 's-4471', ?)").run(six(S_SAYS[0]));
  });
  await scene.reopen({ surfaces: { episodes: EPISODES }, connect: {} });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
  expect([outcome.verdict, outcome.state, codes(outcome)]).toEqual(["UNCONFIRMED", "stuck", ["UNDECLARED_CONTAINER"]]);
  await scene.reopen({ surfaces: { episodes: EPISODES, notes }, connect });
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  expect(extra.prepare("SELECT id FROM notes").all()).toEqual([]);
});

it("VERIFY-1: a boundary that changes while a request waits is what it is planned over and attested under", async () => {
  const notes = { ...EPISODES, table: "notes" } as const;
  const sql = EPISODES_SQL + EPISODES_SQL.replace("episodes", "notes");
  const scene = await openScene({ sql, surfaces: { episodes: EPISODES }, exempt: [] });
  await recordBoth(scene);
  scene.app.prepare("INSERT INTO notes VALUES ('n1', 's-4471', ?)").run(six(S_SAYS[0]));
  const waiting = await scene.memory.forget({ subject: [S] });
  expect([waiting.state, waiting.why]).toEqual(["waiting", "purge-lock"]);
  await scene.reopen({ surfaces: { episodes: EPISODES, notes } });
  expectErasure(scene, await scene.memory.resume(waiting.request, { now: true }));
  expect(scene.rows("SELECT id FROM notes")).toEqual([]);
});

it("FORGET-1: a container that turns out to be clean is declared, and the request that was stuck for it ends in an erasure", async () => {
  const scene = await openScene({
    sql: `${EPISODES_SQL}CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text TEXT)`,
    surfaces: { episodes: EPISODES },
  });
  await recordBoth(scene);
  const stuck = await scene.memory.forget({ subject: [S], now: true });
  expect([stuck.state, codes(stuck)]).toEqual(["stuck", ["UNDECLARED_CONTAINER"]]);
  await scene.reopen({ surfaces: { episodes: EPISODES, notes: { ...EPISODES, table: "notes" } } });
  expectErasure(scene, await scene.memory.resume(stuck.request, { now: true }));
});
