// Who a record is about: further identifiers, reused row ids, holds and releases (C21, C22, LINEAGE-7, ATTEST-7, FORGET-2).
import { readFileSync } from "node:fs";
import { verifyReceipt } from "@deleatur/verify";
import { expect, it } from "vitest";
import { publicFormOf } from "../../src/boundary/public-form.ts";
import { parseArtifactId } from "../../src/model/ids.ts";
import {
  codes,
  DAY_MS,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  logOf,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
} from "./scene.ts";

const MAIL = "email:sabine@example.org";

/** Episodes by account, cached answers by e-mail; with `people` the two are joined by a mapping. */
async function mailedMemory(hasPeople: boolean): Promise<Scene> {
  const people = {
    people: {
      kind: "sqlite",
      role: "primary",
      store: "memory",
      table: "people",
      key: "id",
      subject: { column: "account", type: "account" },
      maps: { from: { column: "account", type: "account" }, to: { column: "email", type: "email" } },
    },
  } as const;
  const surfaces: SceneSetup["surfaces"] = {
    episodes: EPISODES,
    answers: {
      kind: "sqlite",
      role: "transcript",
      store: "memory",
      table: "answers",
      key: "id",
      subject: { column: "email", type: "email" },
      content: ["text"],
    },
    ...(hasPeople ? people : {}),
  };
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE answers (id TEXT PRIMARY KEY, email TEXT, text TEXT);
      ${hasPeople ? "CREATE TABLE people (id TEXT PRIMARY KEY, account TEXT, email TEXT);" : ""}`,
    surfaces,
    identifiers: ["account", "email"],
  });
  await recordBoth(scene);
  if (hasPeople) {
    await scene.memory.record("people", { key: "p1", subjects: [S, MAIL], content: {} }, () =>
      scene.app.exec("INSERT INTO people VALUES ('p1', 's-4471', 'sabine@example.org')"),
    );
  }
  for (const [key, mail, text] of [
    ["a1", "sabine@example.org", "You asked about the accordion repair workshop near the old harbour basin"],
    ["a2", "theo@example.org", "You asked when the beekeeping course for beginners would start again this year"],
  ] as const) {
    await scene.memory.record("answers", { key, subjects: [`email:${mail}`], content: { text } }, () =>
      scene.app.prepare("INSERT INTO answers VALUES (?, ?, ?)").run(key, mail, text),
    );
  }
  return scene;
}

it("C21 LINEAGE-7: rows keyed by an identifier that nobody gave make it IDENTIFIER_UNKNOWN; given on resume, both are cleared", async () => {
  const scene = await mailedMemory(false);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0], outcome.exitCode]).toEqual(["UNCONFIRMED", "IDENTIFIER_UNKNOWN", 21]);
  expect(outcome.reasons[0]).toMatchObject({ surface: "answers" });
  expect(outcome.error).toMatchObject({ class: "DerivationClosureError", surfaces: ["answers"] });
  // FORGET-1: what the account reaches was erased all the same.
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  const joined = await scene.memory.forget({ subject: [S, MAIL], now: true });
  expect(joined.request).toBe(outcome.request);
  expectErasure(scene, joined);
  expect(scene.rows("SELECT id FROM answers")).toEqual([{ id: "a2" }]);
});

it("C21 LINEAGE-7: mapped by a declared surface, the e-mail is resolved and both are cleared", async () => {
  const scene = await mailedMemory(true);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM answers")).toEqual([{ id: "a2" }]);
  expect(scene.rows("SELECT id FROM people")).toEqual([]);
  await expect(
    scene.memory.record("answers", { key: "a9", subjects: [MAIL], content: { text: "hello" } }, () => 0),
  ).rejects.toMatchObject({ code: "DENYLISTED" });
});

it("LINEAGE-7: `none` for a type is taken at its word, logged, and the erasure can be attested", async () => {
  const scene = await mailedMemory(false);
  scene.app.exec("DELETE FROM answers WHERE id = 'a1'");
  const outcome = await scene.memory.forget({ subject: [S], none: ["email"], now: true });
  expectErasure(scene, outcome);
  expect(logOf(scene.memory)).toContainEqual(
    expect.objectContaining({ type: "identifier-none", identifierType: "email" }),
  );
  expect(scene.rows("SELECT id FROM answers")).toEqual([{ id: "a2" }]);
});

/** Rows whose id SQLite gives again. */
async function reusedMemory(): Promise<Scene> {
  const scene = await openScene({
    sql: "CREATE TABLE episodes (id INTEGER PRIMARY KEY, account TEXT, text TEXT NOT NULL);",
    surfaces: { episodes: { ...EPISODES, keys: "reusable" } },
  });
  for (const [person, text] of [
    [T, T_SAYS[0]],
    [S, S_SAYS[0]],
  ] as const)
    await insertNext(scene, person, text);
  return scene;
}

async function insertNext(scene: Scene, person: string, text: string): Promise<number> {
  const next = Number(scene.rows("SELECT coalesce(max(id), 0) + 1 AS n FROM episodes")[0]?.["n"]);
  await scene.memory.record("episodes", { key: String(next), subjects: [person], content: { text } }, () => {
    const { lastInsertRowid } = scene.app
      .prepare("INSERT INTO episodes (account, text) VALUES (?, ?)")
      .run(person.slice(8), text);
    expect(Number(lastInsertRowid)).toBe(next);
  });
  return next;
}

it("C22: a row id that SQLite gives again to another person is no resurrection, and receipts before and after verify", async () => {
  const scene = await reusedMemory();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  const first = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, first);
  expect(await insertNext(scene, T, T_SAYS[1])).toBe(2);
  const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect([audit.verdict, codes(audit), audit.back]).toEqual(["COMPLIANT", [], []]);
  // Another request of the same ledger, after the reuse: the next epoch covers the row that T now has there.
  await insertNext(scene, "account:u-7", S_SAYS[1]);
  const second = await scene.memory.forget({ subject: ["account:u-7"], now: true });
  expectErasure(scene, second, { identifiers: [{ type: "account", identifier: "u-7" }] });
  const report = verifyReceipt(readFileSync(first.receipt ?? "", "utf8"), {
    publicKeys: [scene.memory.engine.ledger.keys.publicKeyPem()],
    threshold: 1,
    scope: { boundary: publicFormOf(scene.memory.engine.boundary).text },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: scene.clock.now(),
  });
  expect(report.outcome.kind).toBe("erasure");
});

it("C22 ATTEST-8: a row id that is taken again before the confirming audit is queried by its content, and the receipt verifies", async () => {
  const scene = await openScene({
    sql: `CREATE TABLE episodes (id INTEGER PRIMARY KEY, account TEXT, text TEXT NOT NULL); ${SUMMARIES_SQL}`,
    surfaces: {
      episodes: { ...EPISODES, keys: "reusable" },
      summaries: { ...SUMMARIES, shared: "destroy" },
      prompts: { kind: "provider-cache", role: "cache", horizon: { max: "PT1H", basis: "provider contract" } },
    },
  });
  await insertNext(scene, T, T_SAYS[0]);
  await insertNext(scene, S, S_SAYS[0]);
  const issued = await scene.memory.forget({ subject: [S], now: true });
  expect([issued.state, issued.exitCode]).toEqual(["confirming", 22]);
  expect(await insertNext(scene, T, T_SAYS[2])).toBe(2);
  await deriveSummary(scene, "m2", ["2"], `A note on the trombone: ${T_SAYS[2]}`);
  scene.clock.advance(3_700_000);
  const confirmed = await scene.memory.resume(issued.request, { now: true });
  expectErasure(scene, confirmed);
  expect(scene.rows("SELECT id, account FROM episodes ORDER BY id")).toEqual([
    { id: 1, account: "t-0815" },
    { id: 2, account: "t-0815" },
  ]);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
});

const heldMemory = async (keep?: { readonly ground: string; readonly until: string }): Promise<Scene> => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: {
      episodes: EPISODES,
      summaries: { ...SUMMARIES, shared: "destroy", ...(keep === undefined ? {} : { keep }) },
    },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `A contract note that quotes them: ${S_SAYS[0]}`);
  await deriveSummary(scene, "m2", ["t1"], `A note on the greenhouse: ${T_SAYS[0]}`);
  return scene;
};

it("ATTEST-7 FORGET-2 VERDICT-5: a held record is kept as lawful, a tombstone at best; its release resumes to an erasure", async () => {
  const scene = await heldMemory();
  const { ledger } = scene.memory.engine;
  ledger.placeHold([parseArtifactId("summaries/m1")], "court order 12 O 44", "2031-01-01");
  const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect([outcome.verdict, codes(outcome), outcome.exitCode]).toEqual(["PARTIAL", ["KEPT"], 20]);
  expect(outcome.reasons.map(({ class: kind }) => kind)).toEqual(["lawful"]);
  expect(outcome.attestation).toMatchObject({ kind: "tombstone", risks: [{ surface: "summaries", code: "KEPT" }] });
  expect(outcome.surfaces.find(({ surface }) => surface === "summaries")).toMatchObject({
    kept: 1,
    erased: 0,
    failed: 0,
  });
  expect(scene.verify(outcome).outcome.kind).toBe("tombstone");
  expect(scene.rows("SELECT id FROM summaries ORDER BY id")).toEqual([{ id: "m1" }, { id: "m2" }]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  // RISK-1: the risk has a ledger entry with its deadline; the release and the audit of the next round close it.
  expect(ledger.risks()).toMatchObject([{ surface: "summaries", kind: "KEPT", overdue: false }]);
  // What is kept is fenced: nothing may derive from it.
  await expect(
    scene.memory.derive("summaries", { key: "m9", sources: ["summaries/m1"], content: { text: "x" } }, () => 0),
  ).rejects.toMatchObject({ code: "FENCED" });
  ledger.releaseHold([parseArtifactId("summaries/m1")]);
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expectErasure(scene, resumed);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
  expect(ledger.risks().every(({ closed }) => closed !== undefined)).toBe(true);
});

it("ATTEST-1 ATTEST-2 ATTEST-3: over what a ground keeps, a plain forget withholds DOMAIN_NOT_COVERED and names it; the tombstone is a second act", async () => {
  const scene = await heldMemory({ ground: "tax law, six years", until: "2032-12-31" });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.error).toEqual({
    class: "DerivationClosureError",
    code: "DOMAIN_NOT_COVERED",
    surfaces: ["summaries"],
  });
  expect([outcome.verdict, outcome.attestation.kind, outcome.exitCode]).toEqual(["PARTIAL", "withheld", 20]);
  const report = scene.verify(outcome);
  expect([report.outcome.kind, report.outcome.exitCode]).toEqual(["withheld", 21]);
  const downgraded = await scene.memory.resume(outcome.request, { now: true, allowTombstone: true });
  expect(downgraded.attestation.kind).toBe("tombstone");
  const tombstone = scene.verify(downgraded);
  expect([tombstone.outcome.kind, tombstone.outcome.exitCode]).toEqual(["tombstone", 20]);
  expect(scene.memory.engine.ledger.risks()[0]?.deadline.slice(0, 10)).toBe("2032-12-31");
  scene.clock.advance(8 * 366 * DAY_MS);
  expect(scene.memory.engine.ledger.risks()[0]?.overdue).toBe(true);
});

it("FORGET-1: --require erasure stops before the first delete where the boundary can carry none", async () => {
  const scene = await heldMemory({ ground: "tax law, six years", until: "2032-12-31" });
  await expect(scene.memory.forget({ subject: [S], now: true, require: "erasure" })).rejects.toMatchObject({
    name: "DerivationClosureError",
    code: "DOMAIN_NOT_COVERED",
    surfaces: ["summaries"],
  });
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
  expect(scene.rows("SELECT count(*) AS n FROM summaries")).toEqual([{ n: 2 }]);
});

it("C22: while a request waits, another person's next row may take the erased row id", async () => {
  const scene = await reusedMemory();
  // The store has free pages of unknown history: its purge would lock it, so the request waits with its fence up.
  const waiting = await scene.memory.forget({ subject: [S] });
  expect([waiting.state, waiting.why]).toEqual(["waiting", "purge-lock"]);
  expect(await insertNext(scene, T, T_SAYS[1])).toBe(2);
  const resumed = await scene.memory.resume(waiting.request, { now: true });
  expectErasure(scene, resumed);
  expect(resumed.bystanders.lost).toBe(0);
});

it("C22 GUARD-1: a row that somebody writes past the SDK while a request waits shows that the door is not ours alone", async () => {
  const scene = await reusedMemory();
  const waiting = await scene.memory.forget({ subject: [S] });
  scene.app
    .prepare("INSERT INTO episodes (account, text) VALUES ('t-0815', ?), ('t-0815', ?)")
    .run(T_SAYS[1], T_SAYS[2]);
  const resumed = await scene.memory.resume(waiting.request, { now: true });
  expect([resumed.verdict, codes(resumed), resumed.bystanders.lost]).toEqual(["UNCONFIRMED", ["GUARD_NOT_SHOWN"], 0]);
});

/** A row whose person only the SDK was told, by a thread; the store's own column names nobody. */
async function threadTold(): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    identifiers: ["account", "thread"],
  });
  await recordBoth(scene);
  const given = { key: "x1", subjects: ["thread:7"], content: { text: "the barometer fell again" } };
  await scene.memory.record("episodes", given, () =>
    scene.app.prepare("INSERT INTO episodes VALUES ('x1', NULL, ?)").run(given.content.text),
  );
  return scene;
}

it("LINEAGE-7: a type that only the SDK was told is IDENTIFIER_UNKNOWN, once; given, its record goes too", async () => {
  const scene = await threadTold();
  expect((await scene.memory.find({ subject: [S] })).identifiersUnknown).toEqual([
    { surface: "episodes", type: "thread" },
  ]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["IDENTIFIER_UNKNOWN"]]);
  expect(outcome.reasons).toHaveLength(1);
  expectErasure(scene, await scene.memory.forget({ subject: [S, "thread:7"], now: true }));
  expect(scene.rows("SELECT id FROM episodes WHERE id NOT LIKE 't%'")).toEqual([]);
});

it("LINEAGE-7: so is one that the boundary declares no more, until its records are gone or it is said that there is none", async () => {
  const scene = await threadTold();
  await scene.memory.close();
  const narrow = await scene.reopen({ identifiers: ["account"] });
  const { request, ...outcome } = await narrow.forget({ subject: [S], now: true });
  expect(outcome.reasons).toMatchObject([{ code: "IDENTIFIER_UNKNOWN", surface: "episodes" }]);
  expect((await narrow.resume(request, { now: true })).verdict).toBe("UNCONFIRMED");
  // What the application deleted itself is in nobody's way, though the ledger was not told.
  scene.app.exec("DELETE FROM episodes WHERE id = 'x1'; VACUUM");
  expectErasure(scene, await narrow.resume(request, { now: true }));
  const again = await threadTold();
  expectErasure(again, await again.memory.forget({ subject: [S], none: ["thread"], now: true }));
});

it("LINEAGE-7: a record that is told by the given type as well is no record of another", async () => {
  const scene = await threadTold();
  await scene.memory.record(
    "episodes",
    { key: "x1", subjects: [T], content: { text: "the barometer fell again" } },
    () => 0,
  );
  expect((await scene.memory.find({ subject: [S] })).identifiersUnknown).toEqual([]);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
});
