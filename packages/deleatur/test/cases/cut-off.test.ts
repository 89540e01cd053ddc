// What a run that was cut off, or a store that was changed under it, leaves: nothing of it is taken for done.
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openKeptBaselines } from "../../src/examine/kept-baselines.ts";
import { parseArtifactId, requestId } from "../../src/model/ids.ts";
import {
  codes,
  DAY_MS,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  SUMMARIES,
  SUMMARIES_SQL,
  T_SAYS,
} from "./scene.ts";

const PLAIN = { sql: EPISODES_SQL, surfaces: { episodes: EPISODES } };

it("FORGET-2: who waits for a request whose holder dies on the way carries it on, and does not answer an earlier round's outcome", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "rederive", rederive: "summarise" } },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1", "t1"], `${S_SAYS[0]}. ${T_SAYS[0]}.`);
  const stuck = await scene.memory.forget({ subject: [S], now: true });
  expect(stuck.state).toBe("stuck");
  scene.memory.registerRederive("summarise", () => Promise.resolve(T_SAYS[0]));
  const elsewhere = { host: "another", pid: 1, started: "then" };
  expect(scene.memory.engine.ledger.claimRequest(requestId(stuck.request), elsewhere, 300)).toBe(true);
  expectErasure(scene, await scene.memory.resume(stuck.request, { now: true }));
});

it("FORGET-1: what a crash behind the attestation leaves is settled already: no bystander is owed another look", async () => {
  const scene = await openScene(PLAIN);
  await recordBoth(scene);
  // The receipt cannot be written: the run ends between attestation and settlement.
  writeFileSync(join(scene.directory, "receipts"), "");
  await expect(scene.memory.forget({ subject: [S], now: true })).rejects.toMatchObject({ code: "RECEIPT_UNWRITTEN" });
  const { ledger } = scene.memory.engine;
  const [open] = ledger.requests();
  if (open === undefined) throw new Error("one request");
  expect(openKeptBaselines(ledger).bystandersOf(open.id).surfaces).toEqual([]);
  rmSync(join(scene.directory, "receipts"));
  expectErasure(scene, await scene.memory.resume(open.id));
});

it("PRIVACY-1 ATTEST-7: a kept request that is closed over its time leaves no fence that nobody could end", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordBoth(scene);
  const { ledger } = scene.memory.engine;
  const until = new Date(scene.clock.now().getTime() + DAY_MS).toISOString();
  ledger.placeHold([parseArtifactId("episodes/s1")], "CASE-7", until);
  const kept = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect(kept.state).toBe("confirming");
  expect(ledger.fencedRequests()).toEqual([kept.request]);
  scene.clock.advance(120 * DAY_MS);
  const memory = await scene.reopen();
  expect(memory.engine.ledger.request(requestId(kept.request))?.state).toBe("closed");
  expect(memory.engine.ledger.fencedRequests()).toEqual([]);
  expect(scene.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'deleatur_fence%'")).toEqual([]);
});

it("CLAIM-5: a store that was put in the place of another between survey and erase has nothing erased from it", async () => {
  let isSwapped = false;
  let swap: (() => void) | undefined;
  const scene = await openScene({
    ...PLAIN,
    report: ({ step, phase }) => {
      if (step !== "erase" || phase !== "started" || isSwapped) return;
      isSwapped = true;
      swap?.();
    },
  });
  await recordBoth(scene);
  const empty = join(scene.directory, "..", `empty-${Date.now()}.sqlite`);
  const other = new Database(empty);
  other.exec(EPISODES_SQL);
  other.close();
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  swap = () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${scene.file}${end}`, { force: true });
    copyFileSync(empty, scene.file);
    rmSync(empty);
  };
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.surfaces).toMatchObject([{ surface: "episodes", erased: 0, failed: 3 }]);
  expect([outcome.verdict === "COMPLIANT", outcome.attestation.kind]).toEqual([false, "withheld"]);
  expect(codes(outcome)).toContain("BYSTANDER_LOST");
});

it.each(["denylist/finished", "erase/progress"])(
  "FORGET-2: what a hold keeps since a request was planned stays, though the request was cut off at %s and is carried on",
  async (place) => {
    const cut = new AbortController();
    const scene = await openScene({
      sql: EPISODES_SQL + SUMMARIES_SQL,
      surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
      report: ({ step, phase }) => {
        if (`${step}/${phase}` === place) cut.abort();
      },
    });
    await recordBoth(scene);
    await deriveSummary(scene, "m1", ["s1"], `It was noted: ${S_SAYS[0]}.`);
    await expect(scene.memory.forget({ subject: [S], now: true }, cut.signal)).rejects.toThrow("aborted");
    const memory = await scene.reopen({ report: () => undefined });
    const { ledger } = memory.engine;
    const held = [parseArtifactId("episodes/s2")];
    ledger.placeHold(held, "CASE-7", new Date(scene.clock.now().getTime() + DAY_MS).toISOString());
    const [open] = ledger.requests();
    if (open === undefined) throw new Error("one request");
    const kept = await memory.resume(open.id, { now: true });
    expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([{ id: "s2" }]);
    expect([kept.state, codes(kept)]).toEqual(["stuck", ["KEPT"]]);
    ledger.releaseHold(held);
    expectErasure(scene, await memory.resume(open.id, { now: true }));
  },
);

it("FORGET-2: a hold that comes while a request runs stops it before the first delete, and resumed it keeps the record", async () => {
  const held = [parseArtifactId("episodes/s2")];
  const scene: Scene = await openScene({
    ...PLAIN,
    report: ({ step, phase }) => {
      if (step !== "rederive" || phase !== "started") return;
      const until = new Date(scene.clock.now().getTime() + DAY_MS).toISOString();
      scene.memory.engine.ledger.placeHold(held, "CASE-7", until);
    },
  });
  await recordBoth(scene);
  await expect(scene.memory.forget({ subject: [S], now: true })).rejects.toMatchObject({ code: "HELD_SINCE" });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toHaveLength(3);
  const [open] = scene.memory.engine.ledger.requests();
  if (open === undefined) throw new Error("one request");
  expect(codes(await scene.memory.resume(open.id, { now: true }))).toEqual(["KEPT"]);
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([{ id: "s2" }]);
});
