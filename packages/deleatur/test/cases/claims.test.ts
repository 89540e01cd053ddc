// Forget tools that claim more than happened: paging, foreign ids, a transaction that never commits, an absent person (C01, C02, C15, CLAIM-*).
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import {
  codes,
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
} from "./scene.ts";

const SURFACES = { episodes: EPISODES };
const say = (surfacesReached: readonly string[], tombstoneWritten = false) => ({
  subject: S,
  status: "success" as const,
  surfacesReached,
  tombstoneWritten,
});

const refuses = (): Promise<"refused"> => Promise.resolve("refused");

async function longMemory(): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const more = Array.from({ length: 147 }, (_, at) => ({
    key: `p${at}`,
    text: `${S_SAYS[at % 3]}, said number ${at}`,
  }));
  await scene.memory.recordBatch(
    "episodes",
    more.map(({ key, text }) => ({ key, subjects: [S], content: { text } })),
    () => {
      const insert = scene.app.prepare("INSERT INTO episodes VALUES (?, 's-4471', ?)");
      for (const { key, text } of more) insert.run(key, text);
    },
  );
  return scene;
}

it("C01 CLAIM-3 CLAIM-5: a tool that deletes one page of 100 of 150 rows leaves 50, counted and named", async () => {
  const scene = await longMemory();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  expect(ticket.artifacts).toBe(150);
  scene.app.exec(
    "DELETE FROM episodes WHERE id IN (SELECT id FROM episodes WHERE account = 's-4471' ORDER BY id LIMIT 100); VACUUM",
  );
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const audit = await scene.memory.audit({ ticket, claim: say(["episodes"]) });
  expect(audit.error).toMatchObject({
    class: "ErasureAuditError",
    code: "PRIMARY_STILL_HOLDS",
    surfaces: ["episodes"],
  });
  expect(audit.exitCode).toBe(21);
  const held = audit.survivors.filter(({ surface }) => surface === "episodes");
  expect(held).toHaveLength(50);
  const left = scene.rows("SELECT id FROM episodes WHERE account = 's-4471' ORDER BY id");
  expect(new Set(held.map(({ key }) => key))).toEqual(new Set(left.map(({ id }) => id)));
  expect(audit.attestation.kind).toBe("none");
});

it("C01 CLAIM-5: ours erases all 150, counted again by another connection", async () => {
  const scene = await longMemory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(outcome.surfaces.find(({ surface }) => surface === "episodes")).toMatchObject({ erased: 150, failed: 0 });
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 3 }]);
});

/** Memories and the observations that they were made from: the tool knows only the first table. */
async function observedMemory(): Promise<Scene> {
  const scene = await openScene({
    sql: "CREATE TABLE memories (id TEXT PRIMARY KEY, account TEXT, text TEXT); CREATE TABLE observations (id TEXT PRIMARY KEY, account TEXT, text TEXT);",
    surfaces: { memories: { ...EPISODES, table: "memories" }, observations: { ...EPISODES, table: "observations" } },
  });
  for (const [table, at, person] of [
    ["memories", 0, S],
    ["observations", 1, S],
    ["memories", 2, T],
  ] as const) {
    const key = `${table}-${at}`;
    await scene.memory.record(table, { key, subjects: [person], content: { text: S_SAYS[at] } }, () => {
      scene.app.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`).run(key, person.slice(8), S_SAYS[at]);
    });
  }
  return scene;
}

it("C02 CLAIM-3 CLAIM-5: 0 deleted of 1 requested is never a success, whatever the tool says", async () => {
  const scene = await observedMemory();
  const records = ["observations/observations-1"];
  const ticket = await scene.memory.prepareAudit({ records });
  const { changes } = scene.app.prepare("DELETE FROM memories WHERE id = ?").run("observations-1");
  expect(changes).toBe(0);
  const audit = await scene.memory.audit({ ticket, claim: { ...say(["memories"]), records } });
  expect(audit.error).toMatchObject({ code: "PRIMARY_STILL_HOLDS", surfaces: ["observations"] });
  expect(audit.verdict).toBe("UNCONFIRMED");
});

it("C02: ours resolves each id to its surface and erases it there", async () => {
  const scene = await observedMemory();
  const outcome = await scene.memory.forget({ records: ["observations/observations-1"], now: true });
  expectErasure(scene, outcome, { identifiers: [] });
  expect(scene.rows("SELECT id FROM observations")).toEqual([]);
  expect(scene.rows("SELECT count(*) AS n FROM memories")).toEqual([{ n: 2 }]);
});

it("C15 CLAIM-1 CLAIM-3: a delete in a transaction that never commits is seen by a fresh connection", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  const tool = new Database(scene.file);
  onTestFinished(() => {
    tool.close();
  });
  tool.exec("BEGIN; DELETE FROM episodes WHERE account = 's-4471'");
  expect(tool.prepare("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'").get()).toEqual({ n: 0 });
  const audit = await scene.memory.audit({ ticket, claim: say(["episodes"], true) });
  expect(audit.error).toMatchObject({ class: "ErasureAuditError", code: "PRIMARY_STILL_HOLDS" });
  expect(audit.survivors.filter(({ surface }) => surface === "episodes")).toHaveLength(3);
  tool.exec("ROLLBACK");
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
});

it("CLAIM-3 VERDICT-4: success that names no surface is NO_SURFACE_NAMED; an honest partial is SURFACES_NOT_NAMED", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const bare = await scene.memory.audit({ ticket, claim: { subject: S, surfacesReached: [], tombstoneWritten: true } });
  expect(bare.error).toMatchObject({ class: "ErasureAuditError", code: "NO_SURFACE_NAMED" });
  expect(bare.exitCode).toBe(21);
  const honest = await scene.memory.audit({ ticket, claim: { ...say([], true), status: "partial" } });
  expect(honest.error).toBeUndefined();
  expect(honest.verdict).toBe("UNCONFIRMED");
  expect(codes(honest)[0]).toBe("SURFACES_NOT_NAMED");
});

it("CLAIM-2: tombstoneWritten false is believed, true is not until a trial of the tool's own path shows it", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: SURFACES });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const audit = (tombstone: boolean, trial?: "refused" | "accepted") =>
    scene.memory.audit({
      ticket,
      claim: say(["episodes"], tombstone),
      ...(trial === undefined ? {} : { reingest: () => Promise.resolve(trial) }),
    });
  expect(codes(await audit(false))[0]).toBe("NO_DENYLIST_ENTRY");
  const untried = await audit(true);
  expect([untried.verdict, codes(untried)[0]]).toEqual(["UNCONFIRMED", "GUARD_NOT_SHOWN"]);
  const open = await audit(true, "accepted");
  expect(open.error).toMatchObject({ class: "ErasureAuditError", code: "RESURRECTABLE" });
  const shut = await audit(true, "refused");
  expect([shut.verdict, codes(shut), shut.attestation.kind]).toEqual(["COMPLIANT", [], "none"]);
});

it("CLAIM-4: forgetting a person who was never there looks everywhere, claims nothing and signs nothing", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: SURFACES });
  await recordEpisode(scene, "t1", T, S_SAYS[0]);
  for (const round of [1, 2]) {
    const outcome = await scene.memory.forget({ subject: ["account:nobody"], now: true });
    expect([round, outcome.verdict, codes(outcome)[0], outcome.exitCode]).toEqual([
      round,
      "UNCONFIRMED",
      "NOTHING_FOUND",
      21,
    ]);
    expect(outcome.attestation).toEqual({ kind: "none", code: "NOTHING_FOUND" });
    expect([outcome.receipt, outcome.denylist, outcome.state]).toEqual([undefined, 0, "closed"]);
  }
  expect(logOf(scene.memory).filter(({ type }) => type === "attestation")).toEqual([]);
  expect(scene.rows("SELECT id FROM episodes")).toEqual([{ id: "t1" }]);
});

it("CLAIM-5: a tool that leaves out a surface is not compliant, though that surface holds nothing", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const audit = await scene.memory.audit({ ticket, claim: say(["episodes"], true), reingest: refuses });
  expect(audit.verdict).toBe("PARTIAL");
  expect(audit.reasons.map(({ code, surface }) => [code, surface])).toEqual([["UNREACHABLE", "summaries"]]);
});
