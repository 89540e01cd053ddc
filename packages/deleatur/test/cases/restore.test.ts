// Stores and ledger restored from a backup: `replay` erases again what was ever erased, minus what was lawfully lifted, and nothing of anybody else (GUARD-4, GUARD-5).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import { backUp, restored } from "./restored.ts";
import {
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
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
  tempFolder,
  violations,
} from "./scene.ts";

const ACT = { role: "privacy-officer", reason: "NEW_CONSENT" };
const TRANSCRIPTS = {
  kind: "jsonl",
  role: "transcript",
  store: "transcripts",
  key: "id",
  subject: { field: "user", type: "account" },
  content: ["text"],
} as const;

const anchored = (): NonNullable<SceneSetup["connect"]> => ({
  anchor: { file: join(tempFolder(), "deleatur.anchor") },
});

describe("a store of last week", () => {
  it("GUARD-4 C09: without a replay the next audit says RESURRECTED; a replay erases again, is proven, and finds nothing the second time", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const restore = backUp(scene, ["memory.db"]);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await restored(scene, restore);
    const { memory } = scene;
    expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
    const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: true };
    const audit = await memory.audit({ ticket, claim });
    expect(audit.error).toMatchObject({ code: "RESURRECTED" });
    expect(await memory.replay({ dryRun: true })).toMatchObject({
      state: "looked",
      exitCode: 21,
      surfaces: [{ back: 3 }],
    });
    const outcome = await memory.replay({ surfaces: ["episodes"], now: true });
    expect(outcome.surfaces).toEqual([{ surface: "episodes", label: "episodes", read: 3, back: 3, left: 0, held: 0 }]);
    expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
    expect(outcome.requests).toHaveLength(1);
    for (const one of outcome.requests) expectErasure(scene, one);
    expect(scene.rows("SELECT id FROM episodes ORDER BY id")).toEqual([{ id: "t1" }, { id: "t2" }, { id: "t3" }]);
    expect(violations(memory)).toContain("RESURRECTED");
    const again = await memory.replay({ now: true });
    expect([again.state, again.exitCode, again.requests]).toEqual(["whole", 0, []]);
  });

  it("GUARD-4: a backup of the moment in which a request waited: the fence that it brings back does not stay", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    const fences = (): unknown => scene.rows("SELECT name FROM sqlite_master WHERE name LIKE 'deleatur_fence%'");
    await recordBoth(scene);
    const clean = fences();
    expect(await scene.memory.forget({ subject: [S] })).toMatchObject({ state: "waiting", why: "purge-lock" });
    expect(fences()).not.toEqual(clean);
    const restore = backUp(scene, ["memory.db"]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    expect(fences()).toEqual(clean);
    await restored(scene, restore);
    expect(fences()).not.toEqual(clean);
    expect(await scene.memory.replay({ now: true })).toMatchObject({ state: "whole", exitCode: 0 });
    expect(fences()).toEqual(clean);
  });

  it("GUARD-4: a JSONL folder, and derived text: the shared summary is written anew, not destroyed", async () => {
    const surfaces = {
      episodes: EPISODES,
      summaries: { ...SUMMARIES, shared: "rederive", rederive: "join" },
      transcripts: TRANSCRIPTS,
    } as const;
    const scene = await openScene({
      sql: EPISODES_SQL + SUMMARIES_SQL,
      surfaces,
      before: (directory) =>
        writeFileSync(
          join(directory, "transcripts", "a.jsonl"),
          [
            { id: "1", user: "s-4471", text: S_SAYS[2] },
            { id: "2", user: "t-0815", text: T_SAYS[2] },
          ]
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(""),
        ),
    });
    const register = (): void =>
      scene.memory.registerRederive("join", (sources) =>
        Promise.resolve(
          sources.flatMap(({ content }) => content.flatMap((f) => (f.type === "text" ? [f.text] : []))).join(" "),
        ),
      );
    register();
    await recordBoth(scene);
    await deriveSummary(scene, "m1", ["s1", "t1"], `${S_SAYS[0]} and ${T_SAYS[0]}`);
    await deriveSummary(scene, "m2", ["s2"], `They said: ${S_SAYS[1]}`);
    const restore = backUp(scene, ["memory.db", "transcripts"]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await restored(scene, restore);
    register();
    const outcome = await scene.memory.replay({ now: true });
    expect(outcome.surfaces.map(({ surface, back, left }) => [surface, back, left])).toEqual([
      ["episodes", 3, 0],
      ["summaries", 2, 0],
      ["transcripts", 1, 0],
    ]);
    expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
    for (const one of outcome.requests) expectErasure(scene, one);
    expect(scene.rows("SELECT * FROM summaries")).toEqual([{ id: "m1", source_ids: '["t1"]', text: T_SAYS[0] }]);
  });

  it("GUARD-4: half a restore: the summaries alone come back, without the episodes that they were made from", async () => {
    const surfaces = {
      episodes: EPISODES,
      summaries: { ...SUMMARIES, store: "other", shared: "rederive", rederive: "join" },
    } as const;
    const scene = await openScene({
      sql: EPISODES_SQL,
      surfaces,
      connect: { other: { file: "./other.db" } },
      before: (directory) => {
        const other = new Database(join(directory, "other.db"));
        other.exec(SUMMARIES_SQL);
        other.prepare("INSERT INTO summaries VALUES ('m1', ?, ?)").run('["s1","t1"]', `${S_SAYS[0]} and ${T_SAYS[0]}`);
        other.prepare("INSERT INTO summaries VALUES ('m2', ?, ?)").run('["s2"]', `They said: ${S_SAYS[1]}`);
        other.close();
      },
    });
    const register = (): void =>
      scene.memory.registerRederive("join", (sources) =>
        Promise.resolve(
          sources.flatMap(({ content }) => content.flatMap((f) => (f.type === "text" ? [f.text] : []))).join(" "),
        ),
      );
    register();
    await recordBoth(scene);
    await scene.memory.scan();
    const restore = backUp(scene, ["other.db"]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await restored(scene, restore);
    register();
    const outcome = await scene.memory.replay({ now: true });
    expect(outcome.surfaces.map(({ surface, back, left }) => [surface, back, left])).toEqual([
      ["episodes", 0, 0],
      ["summaries", 2, 0],
    ]);
    expect(outcome.state).toBe("whole");
    const other = new Database(join(scene.directory, "other.db"), { readonly: true });
    expect(other.prepare("SELECT * FROM summaries").all()).toEqual([
      { id: "m1", source_ids: '["t1"]', text: T_SAYS[0] },
    ]);
    other.close();
  });

  it("GUARD-4 C22: a row of somebody else's under a key that was given again, and content that others share, stay", async () => {
    const sql = "CREATE TABLE notes (id INTEGER PRIMARY KEY, account TEXT, text TEXT NOT NULL);";
    const scene = await openScene({
      sql,
      surfaces: {
        notes: {
          kind: "sqlite",
          role: "primary",
          store: "memory",
          table: "notes",
          key: "id",
          keys: "reusable",
          subject: { column: "account", type: "account" },
          content: ["text"],
        },
      },
    });
    const insert = scene.app.prepare("INSERT INTO notes (account, text) VALUES (?, ?)");
    insert.run("t-0815", T_SAYS[0]);
    insert.run("s-4471", S_SAYS[0]);
    await scene.memory.scan();
    const restore = backUp(scene, ["memory.db"]);
    await scene.memory.forget({ subject: [S], now: true });
    // Row 2 is T's now.
    insert.run("t-0815", T_SAYS[1]);
    expect((await scene.memory.replay({ now: true })).surfaces).toMatchObject([{ back: 0, held: 0 }]);
    await restored(scene, restore);
    // In the backup the row had lost its owner's name: key and content tell it all the same.
    const app = new Database(scene.file);
    app.prepare("UPDATE notes SET account = NULL WHERE id = 2").run();
    app.close();
    const outcome = await scene.memory.replay({ now: true });
    expect(outcome.surfaces).toMatchObject([{ back: 1, left: 0 }]);
    expect(scene.rows("SELECT id, account FROM notes")).toEqual([{ id: 1, account: "t-0815" }]);
  });

  it("GUARD-4 C22: nor is a row of somebody else's erased that took an erased key and says what the person said elsewhere", async () => {
    const scene = await openScene({
      sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, account TEXT, text TEXT NOT NULL);",
      surfaces: { notes: { ...EPISODES, table: "notes", keys: "reusable" } },
    });
    const insert = scene.app.prepare("INSERT INTO notes (account, text) VALUES (?, ?)");
    for (const text of [S_SAYS[0], "Customer called about billing."]) insert.run("s-4471", text);
    await scene.memory.scan();
    await scene.memory.forget({ subject: [S], now: true });
    insert.run("t-0815", "Customer called about billing.");
    expect((await scene.memory.replay({ now: true })).surfaces).toMatchObject([{ back: 0, left: 0, held: 0 }]);
    expect(scene.rows("SELECT id, account FROM notes")).toEqual([{ id: 1, account: "t-0815" }]);
  });

  it("GUARD-4 C22: nor what somebody else derived from a row under an erased key, and kept when that row was deleted", async () => {
    const scene = await openScene({
      sql: `CREATE TABLE notes (id INTEGER PRIMARY KEY, account TEXT, text TEXT NOT NULL); ${SUMMARIES_SQL}`,
      surfaces: {
        notes: { ...EPISODES, table: "notes", keys: "reusable" },
        summaries: {
          ...SUMMARIES,
          derivedFrom: { surface: "notes", column: "source_ids", as: "json" },
          shared: "destroy",
        },
      },
    });
    const record = (id: number, person: string, text: string): Promise<unknown> =>
      scene.memory.record("notes", { key: String(id), subjects: [person], content: { text } }, () => {
        scene.app.prepare("INSERT INTO notes VALUES (?, ?, ?)").run(id, person.slice("account:".length), text);
      });
    await record(1, T, T_SAYS[0]);
    await record(2, S, S_SAYS[0]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await record(2, T, T_SAYS[1]);
    const write = { key: "m", sources: ["notes/2"], content: { text: "Bees are kept beside the tracks" } };
    await scene.memory.derive("summaries", write, () => {
      scene.app.prepare("INSERT INTO summaries VALUES ('m', '[2]', ?)").run(write.content.text);
    });
    scene.app.exec("DELETE FROM notes WHERE id = 2");
    for await (const look of scene.memory.watch({ once: true })) expect(look.outcome).toBe("clean");
    expect((await scene.memory.replay({ now: true })).state).toBe("whole");
    expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m" }]);
  });

  it("GUARD-3 GUARD-4: what was lawfully lifted stays, distinctive words in somebody else's record are held and not destroyed", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const restore = backUp(scene, ["memory.db"]);
    const forgotten = await scene.memory.forget({ subject: [S], now: true });
    const other = await scene.memory.forget({ subject: [T], now: true });
    liftEntries(scene.memory.engine, { request: other.request, ...ACT });
    await restored(scene, restore);
    const app = new Database(scene.file);
    app.prepare("INSERT INTO episodes VALUES ('u1', 'u-7', ?)").run(`Somebody told me: ${S_SAYS[1]}, and so on.`);
    app.close();
    const outcome = await scene.memory.replay({ now: true });
    expect(outcome.surfaces).toMatchObject([{ back: 3, left: 0, held: 1 }]);
    expect(outcome.held).toEqual([{ artifact: "episodes/u1", rule: "contained" }]);
    expect(outcome.exitCode).toBe(21);
    expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["t1", "t2", "t3", "u1"]);
    expect(violations(scene.memory)).toContain("HELD");
    expect(forgotten.verdict).toBe("COMPLIANT");
  });
});

describe("ledger and stores of last week", () => {
  it("GUARD-4 GUARD-5 C24: a replay from the anchor erases again, keeps what was lifted, and writes and verdicts are whole again", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, connect: anchored() });
    await recordBoth(scene);
    await recordEpisode(
      scene,
      "u1",
      "account:u-7",
      "A third person says something of their own about kites and weather",
    );
    const restore = backUp(scene, ["memory.db", "deleatur.db"]);
    const early = await scene.memory.forget({ subject: [S], now: true });
    expectErasure(scene, early);
    const lifted = await scene.memory.forget({ subject: ["account:u-7"], now: true });
    liftEntries(scene.memory.engine, { request: lifted.request, ...ACT });
    const size = scene.memory.engine.ledger.logSize();
    const root = scene.memory.engine.ledger.logRoot();
    await restored(scene, restore);
    const { memory } = scene;
    expect(memory.engine.ledger.anchorState()).toMatchObject({ is: "rolled-back" });
    await expect(recordEpisode(scene, "t9", T, "nothing much")).rejects.toMatchObject({ code: "ROLLED_BACK" });
    const outcome = await memory.replay({ now: true });
    expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
    expect(outcome.rolledBack).toMatchObject({ isForked: false, lostRequests: [] });
    for (const one of outcome.requests) expectErasure(scene, one);
    expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["t1", "t2", "t3", "u1"]);
    // The log is the one that earlier receipts were signed over, and says what happened.
    const log = logOf(memory);
    expect(Buffer.from(memory.engine.ledger.logRoot(size))).toEqual(Buffer.from(root));
    expect(log.slice(size).map(({ type }) => type)).toContain("ledger-rolled-back");
    expect(log.at(-1)).toMatchObject({ type: "run-finished" });
    expect(memory.engine.ledger.anchorState()).toEqual({ is: "sound" });
    const app = new Database(scene.file);
    await memory.record("episodes", { key: "t4", subjects: [T], content: { text: "and again" } }, () => {
      app.prepare("INSERT INTO episodes VALUES ('t4', 't-0815', 'and again')").run();
    });
    app.close();
    expectErasure(scene, await memory.forget({ subject: [T], now: true }), {
      identifiers: [{ type: "account", identifier: "t-0815" }],
    });
  });

  it("GUARD-5: a ledger alone that was set back takes in what it lost, and drops the keys of what is gone", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, connect: anchored() });
    await recordBoth(scene);
    const restore = backUp(scene, ["deleatur.db"]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await restored(scene, restore);
    const { ledger } = scene.memory.engine;
    expect(ledger.counts().artifacts).toBe(6);
    const outcome = await scene.memory.replay({ now: true });
    expect([outcome.state, outcome.exitCode, outcome.requests]).toEqual(["whole", 0, []]);
    expect(ledger.counts().artifacts).toBe(3);
    expect(ledger.anchorState()).toEqual({ is: "sound" });
  });

  it("GUARD-4: a record under a hold that the older ledger does not know is kept", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, connect: anchored() });
    await recordBoth(scene);
    const restore = backUp(scene, ["memory.db", "deleatur.db"]);
    const { ledger } = scene.memory.engine;
    ledger.placeHold([{ surface: "episodes", key: "s2" } as never], "CASE-1", "2099-01-01");
    await scene.memory.forget({ subject: [S], now: true });
    await restored(scene, restore);
    await scene.memory.replay({ now: true });
    expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["s2", "t1", "t2", "t3"]);
    expect(scene.memory.engine.ledger.holds()).toMatchObject([{ until: "2099-01-01" }]);
  });
});
