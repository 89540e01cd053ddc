// Terms of do-not-store entries under clocks that jump: only a named act lifts what has ended, and neither a set-back ledger nor a replay brings it back (GUARD-2, GUARD-3).
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { requestId } from "../../src/model/ids.ts";
import { backUp, restored } from "./restored.ts";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import { liftExpired } from "../../src/audit/lift-expired.ts";
import {
  DAY_MS,
  EPISODES,
  EPISODES_SQL,
  logOf,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  type SceneSetup,
  T,
  T_SAYS,
  tempFolder,
} from "./scene.ts";

const HELD = { outcome: "held" };
const REFUSED = { name: "WriteRefusedError", code: "DENYLISTED" };
const NAMED = { role: "privacy-officer", reason: "TERM_ENDED" };

async function memoryOf(setup: Partial<SceneSetup> = {}): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    guard: { expire: "P30D" },
    ...setup,
  });
  await recordBoth(scene);
  return scene;
}

const lift = (scene: Scene, today?: string): ReturnType<typeof liftExpired> =>
  liftExpired(scene.memory.engine, today === undefined ? NAMED : { ...NAMED, today });
const ended = (scene: Scene): number => scene.memory.engine.ledger.endedTerms().length;
const dayOf = (scene: Scene): string => scene.clock.now().toISOString().slice(0, 10);

let keys = 0;
async function expectGuarded(scene: Scene): Promise<void> {
  await expect(recordEpisode(scene, `n${keys++}`, S, S_SAYS[0])).rejects.toMatchObject(REFUSED);
  expect(await recordHeld(scene)).toMatchObject(HELD);
}

function recordHeld(scene: Scene): Promise<unknown> {
  const key = `n${keys++}`;
  const text = `They said: ${S_SAYS[1]}`;
  return scene.memory.record("episodes", { key, subjects: [T], content: { text } }, () =>
    scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(key, text),
  );
}

it("GUARD-2: a clock that jumps ahead lifts nothing, whatever is logged under it; entries past their term still refuse", async () => {
  const scene = await memoryOf();
  await scene.memory.forget({ subject: [S], now: true });
  expect([ended(scene), lift(scene).requests]).toEqual([0, []]);
  scene.clock.advance(40 * DAY_MS);
  expect(ended(scene)).toBe(1);
  await expectGuarded(scene);
  expect((await scene.memory.check()).expired).toBe(1);
  // Under the jumped clock much is logged, a whole request even.
  await scene.memory.forget({ subject: [T], now: true });
  expect(() => lift(scene)).toThrow(expect.objectContaining({ code: "CLOCK_AHEAD" }));
  expect(() => lift(scene, "2020-01-01")).toThrow(expect.objectContaining({ code: "CLOCK_CONTRADICTED" }));
  expect(() => liftExpired(scene.memory.engine, { role: "Marta Example", reason: "X" })).toThrow(
    expect.objectContaining({ code: "BAD_CODE" }),
  );
  await expectGuardedOf(scene);
  scene.clock.advance(-40 * DAY_MS);
  expect([ended(scene), lift(scene).requests]).toEqual([0, []]);
  await expectGuardedOf(scene);
  expect(logOf(scene.memory).filter(({ type }) => type === "denylist-lifted")).toEqual([]);
});

it("GUARD-2: neither two jumps with entries between them, nor one that is a day old, pass for the days of a term", async () => {
  const scene = await memoryOf();
  await scene.memory.forget({ subject: [S], now: true });
  for (const days of [40, 2, 3]) {
    scene.clock.advance(days * DAY_MS);
    await look(scene);
    expect(() => lift(scene)).toThrow(expect.objectContaining({ code: "CLOCK_AHEAD" }));
  }
  await expectGuarded(scene);
});

it("GUARD-2 GUARD-3: of two requests past their term by the clock, the one whose days the log shows is lifted, the other is told and stands", async () => {
  const scene = await memoryOf();
  const first = await scene.memory.forget({ subject: [S], now: true });
  for (let day = 0; day < 30; day += 5) {
    scene.clock.advance(5 * DAY_MS);
    await look(scene);
  }
  const second = await scene.memory.forget({ subject: [T], now: true });
  scene.clock.advance(40 * DAY_MS);
  expect(lift(scene)).toMatchObject({ requests: [first.request], doubted: [second.request] });
  await recordEpisode(scene, "s9", S, S_SAYS[0]);
  await expect(recordEpisode(scene, "t9", T, T_SAYS[0])).rejects.toMatchObject(REFUSED);
  expect(lift(scene, dayOf(scene))).toMatchObject({ requests: [second.request], doubted: [] });
});

/** Both persons are forgotten here. */
async function expectGuardedOf(scene: Scene): Promise<void> {
  for (const person of [S, T])
    await expect(recordEpisode(scene, `n${keys++}`, person, S_SAYS[0])).rejects.toMatchObject(REFUSED);
}

async function look(scene: Scene): Promise<void> {
  for await (const { outcome } of scene.memory.watch()) {
    expect(outcome).toBe("clean");
    return;
  }
}

it("GUARD-2 GUARD-3: where the log has gone on beside the clock, or somebody names the day, what has ended is lifted whole and logged", async () => {
  for (const isSteady of [true, false]) {
    const scene = await memoryOf();
    const { request } = await scene.memory.forget({ subject: [S], now: true });
    for (let day = 0; day < 40; day += 5) {
      scene.clock.advance(5 * DAY_MS);
      if (isSteady) await look(scene);
    }
    const { requests, lifted } = lift(scene, isSteady ? undefined : dayOf(scene));
    expect(requests).toEqual([request]);
    expect(lifted).toBeGreaterThan(5);
    expect(logOf(scene.memory).filter(({ type }) => type === "denylist-lifted")).toMatchObject([
      { request, expired: true, ...NAMED },
    ]);
    expect(await recordHeld(scene)).not.toMatchObject(HELD);
    await recordEpisode(scene, "s1", S, S_SAYS[0]);
    expect([ended(scene), lift(scene).requests]).toEqual([0, []]);
    // What lawfully came back under its old key is no return.
    expect(await scene.memory.replay({ now: true })).toMatchObject({ state: "whole" });
    expect(scene.rows("SELECT id FROM episodes WHERE id = 's1'")).toHaveLength(1);
  }
});

it("GUARD-2: a clock that is put back before an entry is written does not end it sooner: its term begins at the latest time in the log", async () => {
  const scene = await memoryOf();
  scene.clock.advance(100 * DAY_MS);
  await look(scene);
  scene.clock.advance(-100 * DAY_MS);
  await scene.memory.forget({ subject: [S], now: true });
  scene.clock.advance(129 * DAY_MS);
  expect(ended(scene)).toBe(0);
  scene.clock.advance(2 * DAY_MS);
  expect(ended(scene)).toBe(1);
});

it("GUARD-2: without a term, and for a request that is not closed, nothing ever ends; a lift of the request takes its term along", async () => {
  const scene = await memoryOf();
  const { request } = await scene.memory.forget({ subject: [S], now: true });
  liftEntries(scene.memory.engine, { request, ...NAMED });
  await scene.reopen({ guard: {} });
  await scene.memory.forget({ subject: [T], now: true });
  scene.clock.advance(36_500 * DAY_MS);
  expect(ended(scene)).toBe(0);
});

function copyLedger(from: string, to: string): void {
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(join(to, `deleatur.db${end}`), { force: true });
    if (end !== "-shm") cpSync(join(from, `deleatur.db${end}`), join(to, `deleatur.db${end}`), { recursive: true });
  }
}

it("GUARD-3 GUARD-5: a ledger that is set back knows from its anchor which terms there are and what was lifted by them", async () => {
  const anchor = join(tempFolder(), "deleatur.anchor");
  const scene = await memoryOf({ connect: { anchor: { file: anchor } } });
  await scene.memory.forget({ subject: [S], now: true });
  const backup = tempFolder();
  copyLedger(scene.directory, backup);
  await scene.memory.forget({ subject: [T], now: true });
  scene.clock.advance(40 * DAY_MS);
  expect(ended(scene)).toBe(2);
  await scene.memory.close();
  copyLedger(backup, scene.directory);
  await scene.reopen();
  // The second request's term came from the anchor.
  expect(ended(scene)).toBe(2);
  expect(lift(scene, dayOf(scene)).requests).toHaveLength(2);
  await scene.memory.replay({ now: true });
  await scene.memory.close();
  copyLedger(backup, scene.directory);
  await scene.reopen();
  expect(ended(scene)).toBe(0);
  expect(scene.memory.engine.ledger.denylistCount()).toBe(0);
  expect(await scene.memory.replay({ now: true })).toMatchObject({ state: "whole" });
  expect(scene.memory.engine.ledger.denylistCount()).toBe(0);
});

/** The restored scene, its application connected again. */
async function restoredScene(scene: Scene, restore: () => void): Promise<Scene> {
  await restored(scene, restore);
  const app = new Database(scene.file);
  onTestFinished(() => void app.close());
  return {
    ...scene,
    app,
    get memory() {
      return scene.memory;
    },
  };
}

it("GUARD-3 GUARD-4: what a replay entered again ends with the request that it stands for, not by a term of its own", async () => {
  const before = await memoryOf();
  const restore = backUp(before, ["memory.db"]);
  const request = requestId((await before.memory.forget({ subject: [S], now: true })).request);
  before.clock.advance(20 * DAY_MS);
  const scene = await restoredScene(before, restore);
  const replayed = await scene.memory.replay({ now: true });
  expect(replayed).toMatchObject({ state: "whole", requests: [{ verdict: "COMPLIANT" }] });
  const stands = requestId(replayed.requests[0]?.request ?? "");
  const { ledger } = scene.memory.engine;
  expect(ledger.denylistCount(stands)).toBeGreaterThan(3);
  scene.clock.advance(15 * DAY_MS);
  // The term of the replay's own entries has not ended.
  expect(ledger.endedTerms()).toEqual([request]);
  await expectGuarded(scene);
  expect(lift(scene, dayOf(scene)).requests).toEqual([request]);
  expect([ledger.denylistCount(request), ledger.denylistCount(stands)]).toEqual([0, 0]);
  expect(await recordHeld(scene)).not.toMatchObject(HELD);
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  // It may be there now: neither a replay nor a look takes it for back.
  expect(await scene.memory.replay({ now: true })).toMatchObject({ state: "whole", requests: [] });
  await look(scene);
  expect([ended(scene), lift(scene).requests]).toEqual([0, []]);
});

it("GUARD-3 GUARD-4: what a replay entered for two persons' records stands until the last of them has ended", async () => {
  const before = await memoryOf();
  const restore = backUp(before, ["memory.db"]);
  await before.memory.forget({ subject: [S], now: true });
  before.clock.advance(20 * DAY_MS);
  const other = await before.memory.forget({ subject: [T], now: true });
  const scene = await restoredScene(before, restore);
  expect((await scene.memory.replay({ now: true })).requests).toHaveLength(2);
  scene.clock.advance(15 * DAY_MS);
  lift(scene, dayOf(scene));
  const { ledger } = scene.memory.engine;
  // The other's entries stand, its own and those of its replay.
  expect(ledger.denylistCount(requestId(other.request))).toBeGreaterThan(3);
  await recordEpisode(scene, "s9", S, S_SAYS[0]);
  await expect(recordEpisode(scene, "t9", T, T_SAYS[0])).rejects.toMatchObject(REFUSED);
});
