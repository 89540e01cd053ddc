// `watch`: what went round the guard is found by keyed digests alone, on a schedule or after writes; what it makes of foreign writers (GUARD-1, VERDICT-3).
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Pacing, watch, type WatchLook, type WatchOrder } from "../../src/audit/watch.ts";
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
  T,
  T_SAYS,
  violations,
} from "./scene.ts";

const NEVER = new AbortController().signal;

async function look(scene: Scene, order: WatchOrder = { once: true }): Promise<WatchLook> {
  for await (const one of scene.memory.watch(order)) return one;
  throw new Error("no look");
}

async function forgotten(): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  return scene;
}

const insert = (scene: Scene, id: string, account: string | null, text: string): void =>
  void scene.app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(id, account, text);

const indexOf = (
  table: string,
  part: { readonly content: readonly ["text"] } | { readonly vector: "embedding" },
  surface = "episodes",
) =>
  ({
    kind: "sqlite",
    role: "index",
    store: "memory",
    table,
    key: "id",
    derivedFrom: { surface, column: "source" },
    ...part,
  }) as const;

const vector = (at: number): Buffer => Buffer.from(Float32Array.from({ length: 8 }, (_, i) => Math.sin(i + at)).buffer);

describe("what a look finds", () => {
  it("C05 GUARD-1 VERDICT-3: written past the guard, after the request is closed and its keys are destroyed", async () => {
    const scene = await forgotten();
    expect((await look(scene)).outcome).toBe("clean");
    insert(scene, "new", "s-4471", "something new about the same person");
    insert(scene, "s2", null, "another text under a key that was erased");
    insert(scene, "t7", "t-0815", S_SAYS[0].toUpperCase());
    insert(scene, "t8", "t-0815", `As somebody said: ${S_SAYS[1]}, more or less.`);
    insert(scene, "t9", "t-0815", "seven words in common with nobody here");
    const found = await look(scene);
    expect([found.outcome, found.exitCode]).toEqual(["back", 21]);
    expect(found.back).toEqual([
      { artifact: "episodes/new", rule: "identifier" },
      { artifact: "episodes/s2", rule: "record" },
    ]);
    expect(found.held).toEqual([
      { artifact: "episodes/t7", rule: "folded" },
      { artifact: "episodes/t8", rule: "contained" },
    ]);
    expect(found.surfaces).toMatchObject([{ surface: "episodes", read: 8, back: 2, held: 2 }]);
    expect(violations(scene.memory)).toEqual(["RESURRECTED", "HELD"]);
    // It refuses and erases nothing.
    expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 8 }]);
    const logged = JSON.stringify(logOf(scene.memory));
    for (const secret of ["s-4471", "s2", "accordion"]) expect(logged).not.toContain(secret);
  });

  it("GUARD-2 VERDICT-3: nothing where a review released a held write; another text under its key, and the same under another, are asked about", async () => {
    const scene = await forgotten();
    const offer = (): Promise<unknown> => recordEpisode(scene, "t9", T, S_SAYS[0]);
    await offer();
    const [held] = scene.memory.held();
    const act = { role: "privacy-officer", reason: "TRUE_COINCIDENCE" };
    scene.memory.decideHeld({ held: held?.id ?? "", decision: "released", ...act });
    await offer();
    expect(scene.rows("SELECT account FROM episodes WHERE id = 't9'")).toEqual([{ account: "t-0815" }]);
    expect((await look(scene)).outcome).toBe("clean");
    insert(scene, "t10", "t-0815", S_SAYS[0]);
    expect((await look(scene)).held.map(({ artifact }) => artifact)).toEqual(["episodes/t10"]);
    scene.app.prepare("UPDATE episodes SET text = ? WHERE id = 't9'").run(S_SAYS[1]);
    expect((await look(scene)).held.map(({ artifact }) => artifact)).toEqual(["episodes/t10", "episodes/t9"]);
  });

  it("GUARD-1 REPLAY-2: an index row whose words are not its source's, or whose source is not there; none that says what its source says", async () => {
    const scene = await openScene({
      sql: `${EPISODES_SQL} CREATE TABLE search (id TEXT PRIMARY KEY, source TEXT, text TEXT);
            CREATE TABLE chained (id TEXT PRIMARY KEY, source TEXT, text TEXT);
            CREATE TABLE ring (id TEXT PRIMARY KEY, source TEXT, text TEXT);
            CREATE TABLE loop (id TEXT PRIMARY KEY, source TEXT, text TEXT);
            CREATE TABLE vectors (id TEXT PRIMARY KEY, source TEXT, embedding BLOB);`,
      surfaces: {
        episodes: EPISODES,
        search: indexOf("search", { content: ["text"] }),
        chained: indexOf("chained", { content: ["text"] }, "search"),
        ring: indexOf("ring", { content: ["text"] }, "loop"),
        loop: indexOf("loop", { content: ["text"] }, "ring"),
        vectors: indexOf("vectors", { vector: "embedding" }),
      },
    });
    await recordBoth(scene);
    const put = (table: string, id: string, source: string | null, value: string | Buffer): void =>
      void scene.app.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`).run(id, source, value);
    for (const [at, text] of [...S_SAYS, ...T_SAYS].entries()) {
      const source = `${at < 3 ? "s" : "t"}${(at % 3) + 1}`;
      put("search", `i${source}`, source, text);
      put("vectors", `v${source}`, source, vector(at));
    }
    await scene.memory.scan();
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    expect((await look(scene)).outcome).toBe("clean");
    // A record of T that quotes S is looked at itself: its index row, and a part of it, say no more. What a vector says nobody can tell.
    insert(scene, "t9", "t-0815", `As somebody said: ${S_SAYS[1]}, more or less.`);
    put("search", "quoting", "t9", `As somebody said: ${S_SAYS[1]}, more or less.`);
    put("search", "part", "t9", S_SAYS[1]);
    put("chained", "quoting", "quoting", S_SAYS[1]);
    // Rows that vouch for each other.
    put("ring", "r1", "r2", S_SAYS[0]);
    put("loop", "r2", "r1", S_SAYS[0]);
    put("vectors", "quoting", "t9", vector(1));
    put("search", "x1", "nobody-9", S_SAYS[0]);
    put("search", "x2", "t1", S_SAYS[0]);
    put("search", "x3", null, S_SAYS[0]);
    put("search", "x4", "nobody-9", "nothing that was ever said by anybody who is forgotten");
    put("vectors", "x5", "nobody-9", vector(0));
    const held = [
      { artifact: "episodes/t9", rule: "contained" },
      ...["x1", "x2", "x3"].map((id) => ({ artifact: `search/${id}`, rule: "folded" })),
      ...["ring/r1", "loop/r2"].map((artifact) => ({ artifact, rule: "folded" })),
      { artifact: "vectors/x5", rule: "exact" },
    ];
    const found = await look(scene);
    expect([found.outcome, found.exitCode, found.held, found.back]).toEqual(["held", 21, held, []]);
    const replayed = await scene.memory.replay({ now: true });
    expect([replayed.exitCode, replayed.held]).toEqual([21, held]);
  });

  it("GUARD-2 GUARD-3: nothing of what was lifted, shared or short", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    const short = "Customer called about billing.";
    for (const [id, account, text] of [
      ["s1", "s-4471", short],
      ["s2", "s-4471", T_SAYS[0]],
      ["t1", "t-0815", T_SAYS[0]],
    ] as const)
      insert(scene, id, account, text);
    await scene.memory.scan();
    await scene.memory.forget({ subject: [S], now: true });
    insert(scene, "t2", "t-0815", short);
    insert(scene, "n1", null, short);
    expect(await look(scene)).toMatchObject({ outcome: "clean", exitCode: 0 });
  });

  it("VERDICT-3: not what an open request is about to erase, nor what it could not", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const outcomes: string[] = [];
    let looking: Promise<void> | undefined;
    await scene.reopen({
      report: ({ step, phase }) => {
        // The entries stand, the delete has not begun.
        if (step === "erase" && phase === "started")
          looking ??= look(scene).then((one) => {
            outcomes.push(one.outcome);
          });
      },
    });
    const forgetting = scene.memory.forget({ subject: [S], now: true });
    await forgetting;
    await looking;
    expect(outcomes).toEqual(["clean"]);
  });

  it("VERDICT-3 FORGET-2: it says which requests it passes over, what they wait for, and which are stuck with something left", async () => {
    const scene = await forgotten();
    expect((await look(scene)).passedOver).toEqual([]);
    // Its purge would lock the store, and has no window.
    const waiting = await scene.memory.forget({ subject: [T] });
    expect(waiting.state).toBe("waiting");
    const one = await look(scene);
    expect([one.outcome, one.exitCode]).toEqual(["clean", 0]);
    expect(one.passedOver).toEqual([{ request: waiting.request, state: "waiting", why: "purge-lock" }]);
    await scene.memory.resume(waiting.request, { now: true });
    expect((await look(scene)).passedOver).toEqual([]);
    // A trigger of the application's own refuses the delete.
    scene.app.exec(
      `INSERT INTO episodes VALUES ('u1', 'u-7', 'A third person says something of their own about kites');
       CREATE TRIGGER stays BEFORE DELETE ON episodes BEGIN SELECT RAISE(ABORT, 'it stays'); END;`,
    );
    const stuck = await scene.memory.forget({ subject: ["account:u-7"], now: true });
    expect(stuck.state).toBe("stuck");
    expect((await look(scene)).passedOver).toMatchObject([{ request: stuck.request, state: "stuck" }]);
  });

  it("GUARD-1: a store that cannot be read is no clean look", async () => {
    const scene = await openScene({
      sql: EPISODES_SQL,
      surfaces: {
        episodes: EPISODES,
        talk: { kind: "jsonl", role: "transcript", store: "transcripts", key: "id", content: ["text"] },
      },
      before: (directory) => writeFileSync(join(directory, "transcripts", "a.jsonl"), ""),
    });
    await recordBoth(scene);
    rmSync(scene.transcripts, { recursive: true });
    const found = await look(scene);
    expect([found.outcome, found.exitCode]).toEqual(["unread", 20]);
    expect(found.surfaces.find(({ surface }) => surface === "talk")?.unread).toBeDefined();
  });
});

describe("foreign writers", () => {
  const foreign = { sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, writers: "foreign" } as const;

  it("GUARD-1: unwatched they are GUARD_NOT_SHOWN; watched within the declared time a tombstone at best", async () => {
    const scene = await openScene({ ...foreign, watch: "PT1H" });
    for (const [at, text] of S_SAYS.entries()) insert(scene, `s${at}`, "s-4471", text);
    insert(scene, "t1", "t-0815", T_SAYS[0]);
    await scene.memory.scan();
    expect((await scene.memory.check()).best).toMatchObject({ attestation: "tombstone", verdict: "PARTIAL" });
    const unwatched = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
    expect([unwatched.verdict, unwatched.attestation.kind]).toEqual(["UNCONFIRMED", "withheld"]);
    expect(codes(unwatched)).toContain("GUARD_NOT_SHOWN");
    await look(scene);
    const watched = await scene.memory.resume(unwatched.request, { now: true, allowTombstone: true });
    expect({ codes: codes(watched), verdict: watched.verdict, exit: watched.exitCode }).toEqual({
      codes: ["WATCHED_ONLY"],
      verdict: "PARTIAL",
      exit: 20,
    });
    for (const ms of [2 * 3600_000, -4 * 3600_000]) {
      scene.clock.advance(ms);
      const late = await scene.memory.resume(unwatched.request, { now: true, allowTombstone: true });
      expect(codes(late)).toContain("GUARD_NOT_SHOWN");
    }
  });

  it("GUARD-1: a look without a declared time makes nothing watched", async () => {
    const scene = await openScene(foreign);
    insert(scene, "s1", "s-4471", S_SAYS[0]);
    await scene.memory.scan();
    await look(scene);
    const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
    expect(codes(outcome)).toContain("GUARD_NOT_SHOWN");
  });
});

/** Time that only a pause moves, and what happens in the pauses. */
function paced(during: (pauses: number) => void): { readonly pacing: Pacing; readonly pauses: () => number } {
  let [now, pauses] = [0, 0];
  return {
    pauses: () => pauses,
    pacing: {
      monotonicMs: () => now,
      pause: (ms) => {
        now += ms;
        pauses += 1;
        during(pauses);
        return Promise.resolve();
      },
    },
  };
}

async function looks(scene: Scene, order: WatchOrder, pacing: Pacing, count: number): Promise<number> {
  let seen = 0;
  for await (const one of watch(scene.memory.engine, order, NEVER, pacing)) {
    expect(one.outcome).toBe("clean");
    seen += 1;
    if (seen === count) break;
  }
  return seen;
}

describe("the schedule", () => {
  it("GUARD-1: a clock that jumps on costs one look, one that jumps back none, and neither stops it", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    const YEARS = 10 * 365 * 86_400_000;
    const forward = paced((pauses) => {
      if (pauses === 1) scene.clock.advance(YEARS);
    });
    await looks(scene, { everySeconds: 3600 }, forward.pacing, 3);
    // One pause up to the jump, then a whole hour in minutes.
    expect(forward.pauses()).toBe(1 + 60);
    const backward = paced((pauses) => {
      if (pauses === 1) scene.clock.advance(-YEARS);
    });
    await looks(scene, { everySeconds: 3600 }, backward.pacing, 2);
    expect(backward.pauses()).toBe(60);
  });

  it("GUARD-1: after writes it looks earlier, after as many changes as were asked for", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    const { pacing, pauses } = paced((at) => {
      if (at % 5 === 0) insert(scene, `x${at}`, "t-0815", `a write of somebody else, number ${at}`);
    });
    await looks(scene, { everySeconds: 3600, afterWrites: 2 }, pacing, 2);
    expect(pauses()).toBe(10);
  });

  it("GUARD-1: it ends by its signal, without an error, in a pause as in a look", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const stop = new AbortController();
    let seen = 0;
    for await (const one of scene.memory.watch({ everySeconds: 3600 }, stop.signal)) {
      seen += one.surfaces.length;
      stop.abort();
    }
    expect(seen).toBe(1);
    for await (const one of scene.memory.watch({}, stop.signal)) seen += one.surfaces.length;
    expect(seen).toBe(1);
    await expect(scene.memory.watch({ everySeconds: 0 }).next()).rejects.toMatchObject({ code: "BAD_WATCH" });
  });

  it("GUARD-1: a watch that looks less often than the inventory says is refused", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, watch: "PT10M" });
    await expect(scene.memory.watch({ everySeconds: 601 }).next()).rejects.toMatchObject({ code: "WATCH_TOO_RARE" });
    expect(T).not.toBe(S);
  });
});
