// A ledger that was set back to the past, or whose anchor is gone: noticed, fails closed, says so in every verdict (GUARD-5).
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import type { WatchLook } from "../../src/audit/watch.ts";
import { requestId, surfaceId } from "../../src/model/ids.ts";
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
  T_SAYS,
  tempFolder,
} from "./scene.ts";

interface Anchored {
  readonly scene: Scene;
  readonly anchor: string;
}

async function anchoredMemory(): Promise<Anchored> {
  const anchor = join(tempFolder(), "deleatur.anchor");
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    connect: { anchor: { file: anchor } },
  });
  return { scene, anchor };
}

/** The files of ledger and stores, keys left where they are, as an operator's backup holds them. */
function backUp({ directory }: Scene): (names: readonly string[]) => void {
  const backup = tempFolder();
  for (const name of ["deleatur.db", "memory.db"]) {
    for (const end of ["", "-wal"].filter((one) => existsSync(join(directory, name + one))))
      cpSync(join(directory, name + end), join(backup, name + end), { force: true, recursive: true });
  }
  return (names) => {
    for (const name of names)
      for (const end of ["", "-wal", "-shm"]) {
        rmSync(join(directory, name + end), { force: true });
        if (existsSync(join(backup, name + end)))
          cpSync(join(backup, name + end), join(directory, name + end), { recursive: true });
      }
  };
}

async function lookOf(scene: Scene): Promise<WatchLook> {
  for await (const one of scene.memory.watch({ once: true })) return one;
  throw new Error("no look");
}

it("GUARD-5 C24: the ledger of last week is noticed at the next open: writes refused, verdicts UNCONFIRMED, reading goes on", async () => {
  const { scene } = await anchoredMemory();
  await recordBoth(scene);
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const restore = backUp(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  await scene.memory.close();
  restore(["deleatur.db"]);
  const memory = await scene.reopen();
  expect(memory.engine.ledger.anchorState()).toMatchObject({ is: "rolled-back", isForked: false, lostRequests: [] });
  await expect(recordEpisode(scene, "t4", T, "a new thing that nobody ever said before in here")).rejects.toMatchObject(
    {
      name: "LedgerError",
      code: "ROLLED_BACK",
    },
  );
  const { best, anchor } = await memory.check();
  expect([anchor.is, best.attestation, best.reasons.map(({ code }) => code)]).toEqual([
    "rolled-back",
    "withheld",
    ["ROLLED_BACK"],
  ]);
  expect(best.improvements[0]?.change).toContain("deleatur replay --all");
  const outcome = await memory.forget({ subject: [T], now: true });
  expect([outcome.verdict, outcome.attestation.kind, outcome.exitCode]).toEqual(["UNCONFIRMED", "withheld", 21]);
  expect(codes(outcome)).toEqual(["ROLLED_BACK"]);
  const audit = await memory.audit({ claim: { subject: T, surfacesReached: ["episodes"], tombstoneWritten: true } });
  expect(codes(audit)).toContain("ROLLED_BACK");
  expect((await memory.find({ subject: [S] })).unread).toEqual([]);
});

it("GUARD-5: an anchor that is gone fails closed, and is taken up again without a restart when it is back", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  await scene.memory.close();
  renameSync(anchor, `${anchor}.elsewhere`);
  const memory = await scene.reopen();
  await expect(recordEpisode(scene, "t4", T, "said while the anchor was away")).rejects.toMatchObject({
    name: "LedgerError",
    code: "ANCHOR_LOST",
  });
  const outcome = await memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["ANCHOR_LOST"]]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 3 }]);
  expect((await memory.check()).anchor).toMatchObject({ is: "lost" });
  renameSync(`${anchor}.elsewhere`, anchor);
  const before = readFileSync(anchor).length;
  await recordEpisode(scene, "t4", T, "said when the anchor was back");
  expect(readFileSync(anchor).length).toBeGreaterThan(before);
  expectErasure(scene, await memory.resume(outcome.request, { now: true }));
});

it("GUARD-5: where nothing can stand in the anchor's place the erasing goes on unconfirmed, and a replay may begin another by a named act", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  // A folder in its place: it can neither be read as a file nor written.
  rmSync(anchor);
  mkdirSync(anchor);
  const refused = await scene.memory.forget({ subject: [S], now: true });
  expect(codes(refused)).toEqual(["ANCHOR_LOST"]);
  rmSync(anchor, { recursive: true });
  const outcome = await scene.memory.replay({ now: true, newAnchor: { role: "operator", reason: "DISK_LOST" } });
  expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
  expect(scene.memory.engine.ledger.anchorState()).toEqual({ is: "sound" });
  expect(logOf(scene.memory).filter(({ type }) => type === "anchor-begun")).toMatchObject([
    {},
    { role: "operator", reason: "DISK_LOST" },
  ]);
});

it("GUARD-5: while the anchor is lost no look is clean and no replay whole, for what the ledger lost with it nobody looks for", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  await scene.memory.close();
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const restore = backUp(scene);
  await scene.reopen();
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  await scene.memory.close();
  restore(["deleatur.db"]);
  renameSync(anchor, `${anchor}.elsewhere`);
  scene.app.prepare("INSERT INTO episodes VALUES ('s1', 's-4471', ?)").run(S_SAYS[0]);
  const { engine } = await scene.reopen();
  const lost = { anchorLost: expect.any(String) as string };
  expect(await lookOf(scene)).toMatchObject({ ...lost, outcome: "unread", exitCode: 20 });
  expect(engine.ledger.watchEnd(surfaceId("episodes"))).toBeUndefined();
  expect(await scene.memory.replay({ dryRun: true })).toMatchObject({ ...lost, state: "looked", exitCode: 21 });
  expect(await scene.memory.replay({ now: true })).toMatchObject({ ...lost, state: "left", exitCode: 21 });
  const logged = logOf(scene.memory);
  expect(logged.flatMap(({ type, isWhole }) => (type === "replayed" ? [isWhole] : []))).toEqual([false]);
  expect(logged.flatMap(({ type, outcome }) => (type === "watched" ? [outcome] : []))).toEqual(["unread"]);
  // It is looked for again from the moment that it is back.
  renameSync(`${anchor}.elsewhere`, anchor);
  expect(await lookOf(scene)).toMatchObject({ outcome: "back", exitCode: 21 });
  const replayed = await scene.memory.replay({ now: true });
  expect([replayed.state, replayed.anchorLost]).toEqual(["whole", undefined]);
  expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 's%'")).toEqual([]);
  expect(await lookOf(scene)).toMatchObject({ outcome: "clean", exitCode: 0 });
  expect(engine.ledger.watchEnd(surfaceId("episodes"))).toBeDefined();
});

it("GUARD-5: an anchor that is lost while a look runs takes its clean from it too", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  await scene.reopen({
    report: ({ step, phase }) => {
      if (step === "look" && phase === "started") renameSync(anchor, `${anchor}.elsewhere`);
    },
  });
  expect((await lookOf(scene)).outcome).toBe("unread");
});

it.each([
  ["is lost", "", ".elsewhere", 21],
  ["comes back", ".elsewhere", "", 0],
])(
  "GUARD-5: an anchor that %s while a dry run of a replay looks takes its clean from it too",
  async (_how, from, to, afterwards) => {
    const { scene, anchor } = await anchoredMemory();
    await recordBoth(scene);
    let began = false;
    await scene.memory.close();
    if (from !== "") renameSync(anchor, `${anchor}${from}`);
    await scene.reopen({
      report: ({ step, phase }) => {
        if (began || step !== "look" || phase !== "started") return;
        began = true;
        renameSync(`${anchor}${from}`, `${anchor}${to}`);
      },
    });
    const looked = await scene.memory.replay({ dryRun: true });
    expect(looked).toMatchObject({ anchorLost: expect.any(String) as string, state: "looked", exitCode: 21 });
    expect((await scene.memory.replay({ dryRun: true })).exitCode).toBe(afterwards);
  },
);

it("GUARD-5: an anchor that is lost between the judgement and the receipt holds the receipt back until it is there again", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  await scene.reopen({
    report: ({ step, phase }) => {
      if (step === "judge" && phase === "started") renameSync(anchor, `${anchor}.elsewhere`);
    },
  });
  await expect(scene.memory.forget({ subject: [S], now: true })).rejects.toMatchObject({ code: "ANCHOR_LOST" });
  const [request] = scene.memory.engine.ledger.requests();
  expect(existsSync(join(scene.directory, "receipts"))).toBe(false);
  renameSync(`${anchor}.elsewhere`, anchor);
  await scene.reopen();
  expectErasure(scene, await scene.memory.resume(request?.id ?? "", { now: true }));
});

it("GUARD-5: an anchor on a full disk is lost: the memory opens, reads, and lets no write in", async () => {
  const folder = tempFolder();
  symlinkSync("/dev/full", join(folder, "deleatur.anchor"));
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    connect: { anchor: { file: join(folder, "deleatur.anchor") } },
  });
  expect(scene.memory.engine.ledger.anchorState()).toMatchObject({ is: "lost" });
  expect((await scene.memory.find({ subject: [S] })).artifacts).toEqual([]);
  await expect(recordEpisode(scene, "t4", T, "said on a full disk")).rejects.toMatchObject({ code: "ANCHOR_LOST" });
});

it("GUARD-5: an attestation under an anchor does not say that there is none, and the anchor has its entries before the first delete", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  const sizes: number[] = [];
  await scene.reopen({
    report: ({ step, phase }) => {
      if (step === "erase" && phase === "started") sizes.push(readFileSync(anchor).length);
    },
  });
  const before = readFileSync(anchor).length;
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  // Three records: identifier, record, exact and folded entries, what is erased, and the log so far.
  expect((sizes[0] ?? 0) - before).toBeGreaterThan(10 * 33 + 3 * 65);
  const payload = /"payload":"([^"]+)"/u.exec(readFileSync(outcome.receipt ?? "", "utf8"))?.[1] ?? "";
  const said = Buffer.from(payload, "base64").toString();
  expect(said).toContain("limits");
  expect(said).not.toContain("no anchor");
});

it("GUARD-5 LINEAGE-3: a source that only the SDK was told of is lost with the ledger: no erasure is attested until the text is derived anew", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
    connect: { anchor: { file: join(tempFolder(), "deleatur.anchor") } },
  });
  await recordBoth(scene);
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const restore = backUp(scene);
  // The store's own column names one of its two sources.
  const derive = (sources: readonly string[]): Promise<unknown> =>
    scene.memory.derive(
      "summaries",
      { key: "m1", sources, content: { text: "A cellar was wet, a roof is tight" } },
      () => {
        const row = scene.app.prepare("INSERT OR REPLACE INTO summaries VALUES ('m1', ?, ?)");
        row.run('["t1"]', "A cellar was wet, a roof is tight");
      },
    );
  await derive(["episodes/t1", "episodes/s1"]);
  await scene.memory.close();
  restore(["deleatur.db"]);
  const memory = await scene.reopen();
  expect((await memory.replay({ now: true })).state).toBe("whole");
  const lost = { attestation: "withheld", reasons: [{ code: "LINEAGE_MISSING", surface: "summaries" }] };
  // What a harvest has not entered yet counts as well.
  expect((await memory.check()).best).toMatchObject(lost);
  expect((await memory.dryRun({ subject: [S] })).best).toMatchObject(lost);
  await expect(memory.forget({ subject: [S], now: true, require: "erasure" })).rejects.toMatchObject({
    code: "DOMAIN_NOT_COVERED",
  });
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome), outcome.attestation.kind]).toEqual([
    "UNCONFIRMED",
    ["LINEAGE_MISSING"],
    "withheld",
  ]);
  const { best } = await memory.check();
  expect(best).toMatchObject(lost);
  expect(best.improvements[0]?.change).toContain("anew through the SDK");
  await derive(["episodes/t1"]);
  expect((await memory.check()).best.attestation).toBe("erasure");
  expectErasure(scene, await memory.resume(outcome.request, { now: true }));
});

it("GUARD-5: a record's person that only the SDK was told of is lost with the ledger: no erasure is attested over it", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL);",
    surfaces: {
      notes: { kind: "sqlite", role: "primary", store: "memory", table: "notes", key: "id", content: ["text"] },
    },
    connect: { anchor: { file: join(tempFolder(), "deleatur.anchor") } },
  });
  const record = (key: string, person: string, text: string): Promise<unknown> =>
    scene.memory.record("notes", { key, subjects: [person], content: { text } }, () => {
      scene.app.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?)").run(key, text);
    });
  await record("s1", S, S_SAYS[0]);
  await record("t1", T, T_SAYS[0]);
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const restore = backUp(scene);
  await record("s2", S, S_SAYS[1]);
  await scene.memory.close();
  restore(["deleatur.db"]);
  const memory = await scene.reopen();
  await memory.replay({ now: true });
  const { best } = await memory.check();
  expect([best.attestation, best.reasons.map(({ code }) => code)]).toEqual(["withheld", ["LINEAGE_MISSING"]]);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["LINEAGE_MISSING"]]);
  expect(scene.rows("SELECT id FROM notes ORDER BY id")).toEqual([{ id: "s2" }, { id: "t1" }]);
});

it("GUARD-5: what a request harvests while the anchor is away counts as lost once the anchor tells that the ledger was set back", async () => {
  const anchor = join(tempFolder(), "deleatur.anchor");
  const scene = await openScene({
    sql: "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL);",
    surfaces: {
      notes: { kind: "sqlite", role: "primary", store: "memory", table: "notes", key: "id", content: ["text"] },
    },
    connect: { anchor: { file: anchor } },
  });
  const record = (key: string, person: string, text: string): Promise<unknown> =>
    scene.memory.record("notes", { key, subjects: [person], content: { text } }, () => {
      scene.app.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?)").run(key, text);
    });
  await record("s1", S, S_SAYS[0]);
  await record("t1", T, T_SAYS[0]);
  // A harvest alone has met this one too, and the anchor was there.
  scene.app.exec("INSERT INTO notes VALUES ('old', 'written before there was a ledger')");
  await scene.memory.scan();
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  await scene.reopen();
  const restore = backUp(scene);
  await record("s2", S, S_SAYS[1]);
  await scene.memory.close();
  restore(["deleatur.db"]);
  renameSync(anchor, `${anchor}.elsewhere`);
  await scene.reopen();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["ANCHOR_LOST"]]);
  renameSync(`${anchor}.elsewhere`, anchor);
  const memory = await scene.reopen();
  expect(memory.engine.ledger.anchorState()).toMatchObject({ is: "rolled-back" });
  expect((await memory.replay({ now: true })).state).toBe("whole");
  const resumed = await memory.resume(outcome.request, { now: true });
  expect([resumed.verdict, codes(resumed), resumed.attestation.kind]).toEqual([
    "UNCONFIRMED",
    ["LINEAGE_MISSING"],
    "withheld",
  ]);
  scene.app.exec("DELETE FROM notes WHERE id = 's2'");
  expectErasure(scene, await memory.resume(outcome.request, { now: true }));
});

it("GUARD-3 GUARD-5: what was lawfully lifted while the anchor was away stays lifted when the ledger turns out to have gone on another way", async () => {
  const { scene, anchor } = await anchoredMemory();
  await recordBoth(scene);
  const forgotten = await scene.memory.forget({ subject: [S], now: true });
  const request = requestId(forgotten.request);
  await scene.memory.close();
  const restore = backUp(scene);
  await scene.reopen();
  await scene.memory.forget({ subject: [T], now: true });
  await scene.memory.close();
  restore(["deleatur.db"]);
  renameSync(anchor, `${anchor}.elsewhere`);
  await scene.reopen();
  liftEntries(scene.memory.engine, { request, role: "privacy-officer", reason: "NEW_CONSENT" });
  renameSync(`${anchor}.elsewhere`, anchor);
  const { engine } = await scene.reopen();
  expect(engine.ledger.anchorState()).toMatchObject({ is: "rolled-back", isForked: true });
  expect(engine.ledger.denylistCount(request)).toBe(0);
  scene.app.prepare("INSERT INTO episodes VALUES ('s1', 's-4471', ?)").run(S_SAYS[0]);
  expect((await scene.memory.replay({ now: true })).state).toBe("whole");
  expect(scene.rows("SELECT id FROM episodes")).toEqual([{ id: "s1" }]);
});
