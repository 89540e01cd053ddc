// Adapters that do nothing and say that they did: whatever the eraser says of itself, other eyes look, and nothing is COMPLIANT (VERDICT-1, CLAIM-1, CLAIM-5).
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { SurfaceId } from "../../src/model/ids.ts";
import type { Deleatur } from "../../src/open-deleatur.ts";
import type { Surface } from "../../src/surface.ts";
import {
  codes,
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
  violations,
} from "./scene.ts";

async function memory(shared: "destroy" | "redact" = "destroy"): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared } },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1", "t1"], `${S_SAYS[0]}. ${T_SAYS[0]}.`);
  await deriveSummary(scene, "m2", ["t2"], `It was noted: ${T_SAYS[1]}.`);
  return scene;
}

/** Replaces acts of one open surface, or of all, by liars; the probes open stores of their own and are not in reach of it. */
function sabotage(memory: Deleatur, where: string, lie: (honest: Surface) => Partial<Surface>): void {
  const honestOpen = memory.engine.open.bind(memory.engine);
  Object.assign(memory.engine, {
    async open(id: SurfaceId): Promise<Surface> {
      const honest = await honestOpen(id);
      if (where !== "all" && id !== where) return honest;
      const lies = lie(honest);
      return new Proxy(honest, {
        get: (target, name, receiver) => (name in lies ? Reflect.get(lies, name) : Reflect.get(target, name, receiver)),
      });
    },
  });
}

type Lie = (honest: Surface) => Partial<Surface>;
const eraseLies =
  (surface: string): Lie =>
  () => ({
    erase: (keys) =>
      Promise.resolve(keys.map((key) => ({ surface: surface as SurfaceId, key, outcome: "erased" as const }))),
  });
const purgeLies: Lie = () => ({ purge: () => Promise.resolve({ outcome: "purged", method: "none at all" }) });
const rewriteLies: Lie = () => ({
  rewrite: (list) => Promise.resolve(list.map(({ surface, key }) => ({ surface, key, outcome: "rewritten" as const }))),
});

/** What a liar gets: no verdict, no signature on an erasure or a tombstone, no success. */
const CAUGHT = { isCompliant: false, isSigned: false, isSuccess: false, hasReasons: true } as const;

async function attempt(scene: Scene): Promise<unknown> {
  const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  return {
    isCompliant: outcome.verdict === "COMPLIANT",
    isSigned: !["withheld", "none"].includes(outcome.attestation.kind),
    isSuccess: outcome.exitCode === 0,
    hasReasons: codes(outcome).length > 0,
  };
}

it("VERDICT-1 CLAIM-1: a primary's erase that does nothing is caught", async () => {
  const scene = await memory();
  sabotage(scene.memory, "episodes", eraseLies("episodes"));
  expect(await attempt(scene)).toEqual(CAUGHT);
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
});

it("VERDICT-1 CLAIM-1: a derived surface's erase that does nothing is caught and named", async () => {
  const scene = await memory();
  sabotage(scene.memory, "summaries", eraseLies("summaries"));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0]]).toEqual(["PARTIAL", "SURVIVOR_FOUND"]);
  expect(outcome.survivors.map(({ surface, key }) => [surface, key])).toContainEqual(["summaries", "m1"]);
  // Honest again, resume finishes what is left.
  await scene.reopen();
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
});

it("CLAIM-5: an erase that answers nothing at all, or for another key, is a failure", async () => {
  for (const answer of [[], [{ surface: "episodes" as SurfaceId, key: "zz", outcome: "erased" }]]) {
    const scene = await memory();
    sabotage(scene.memory, "episodes", () => ({ erase: () => Promise.resolve(answer as never) }));
    expect(await attempt(scene)).toEqual(CAUGHT);
  }
});

it("VERDICT-1: a purge that does nothing is caught by the bytes that are left", async () => {
  const scene = await memory();
  sabotage(scene.memory, "all", purgeLies);
  expect(await attempt(scene)).toEqual(CAUGHT);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
});

it("LINEAGE-5 VERDICT-1: a rewrite that does nothing is caught by the old words that are left", async () => {
  const scene = await memory("redact");
  sabotage(scene.memory, "summaries", rewriteLies);
  expect(await attempt(scene)).toEqual(CAUGHT);
});

it("VERDICT-1: a scan that hides the person's rows does not hide them from the probes", async () => {
  const scene = await memory();
  sabotage(scene.memory, "episodes", (honest) => ({
    ...eraseLies("episodes")(honest),
    async *scan(signal) {
      for await (const artifact of honest.scan(signal)) if (!artifact.key.startsWith("s")) yield artifact;
    },
  }));
  expect(await attempt(scene)).toEqual(CAUGHT);
});

it("VERDICT-1 GUARD-1: a store that lets erased content in again by its own path is RESURRECTABLE", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    writers: "trigger",
  });
  await recordBoth(scene);
  sabotage(scene.memory, "episodes", () => ({ offer: () => Promise.resolve({ outcome: "accepted" }) }));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, outcome.exitCode]).toEqual(["UNCONFIRMED", 21]);
  expect(outcome.error).toMatchObject({ class: "ErasureAuditError", code: "RESURRECTABLE" });
});

it("VERDICT-6 C16: an erase that takes a bystander's row too is printed first, logged, attested, and not forgotten by the next round", async () => {
  const horizon = { max: "PT1H", basis: "provider contract" };
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, prompts: { kind: "provider-cache", role: "cache", horizon } },
  });
  await recordBoth(scene);
  sabotage(scene.memory, "episodes", (honest) => ({
    erase(keys, signal) {
      scene.app.exec("DELETE FROM episodes WHERE id = 't1'");
      return honest.erase(keys, signal);
    },
  }));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([codes(outcome)[0], outcome.bystanders.lost]).toEqual(["BYSTANDER_LOST", 1]);
  expect(violations(scene.memory)).toEqual(["BYSTANDER_LOST"]);
  scene.clock.advance(3_700_000);
  const confirmed = await scene.memory.resume(outcome.request, { now: true });
  expect([confirmed.verdict, codes(confirmed), confirmed.bystanders.lost, confirmed.exitCode]).toEqual([
    "COMPLIANT",
    ["BYSTANDER_LOST"],
    1,
    20,
  ]);
});

it("FORGET-2 CLAIM-6: what a store says once of its purge, as of a failover, stands though another store's bytes have all purged once more", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, notes: { ...EPISODES, store: "other" } },
    connect: { other: { file: "./other.db" } },
    before: (directory) => new Database(join(directory, "other.db")).exec(EPISODES_SQL).close(),
  });
  await recordBoth(scene);
  const asked = { episodes: 0, notes: 0 };
  sabotage(scene.memory, "episodes", (honest) => ({
    purge: async (signal) =>
      (asked.episodes += 1) === 1 ? { outcome: "purged", method: "none at all" } : await honest.purge(signal),
  }));
  sabotage(scene.memory, "notes", (honest) => ({
    purge: async (signal) =>
      (asked.notes += 1) === 1 ? { outcome: "pending", why: "another server answers" } : await honest.purge(signal),
  }));
  const told = await scene.memory.forget({ subject: [S], now: true });
  expect(asked).toEqual({ episodes: 2, notes: 2 });
  expect([told.state, told.verdict, codes(told)]).toEqual(["stuck", "PARTIAL", ["PURGE_PENDING"]]);
  expectErasure(scene, await scene.memory.resume(told.request, { now: true }));
});
