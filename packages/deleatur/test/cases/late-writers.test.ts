// Writers that began before a forget and end after it: late puts, writers that died, writers that pause (C05, C19, LINEAGE-6, GUARD-1).
import { currentWriter } from "../../src/ledger/process-identity.ts";
import { parseArtifactId, parseIdentifier } from "../../src/model/ids.ts";
import { settleIntents } from "../../src/audit/settle-intents.ts";
import { isAsOffered } from "../../src/record/what-stands.ts";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import {
  codes,
  deriveSummary,
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
  violations,
} from "./scene.ts";

const SQL = EPISODES_SQL + SUMMARIES_SQL;
const SURFACES = { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } } as const;

const memory = (): Promise<Scene> => openScene({ sql: SQL, surfaces: SURFACES });

it("C05 GUARD-1: a late put about a forgotten person is refused through the SDK", async () => {
  const scene = await memory();
  await recordBoth(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  await expect(recordEpisode(scene, "late", S, "a checkpoint of the thread")).rejects.toMatchObject({
    name: "WriteRefusedError",
    code: "DENYLISTED",
  });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
  expect(violations(scene.memory)).toEqual(["DENYLISTED"]);
});

it("C05 VERDICT-3: a late put past the guard is RESURRECTED in the next audit, and a violation in the log", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  scene.app.prepare("INSERT INTO episodes VALUES ('s1', 's-4471', ?)").run(S_SAYS[0]);
  const claim = { subject: S, surfacesReached: ["episodes", "summaries"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.error).toMatchObject({ class: "ErasureAuditError", code: "RESURRECTED", surfaces: ["episodes"] });
  expect([audit.verdict, audit.exitCode]).toEqual(["UNCONFIRMED", 21]);
  expect(audit.back.map(({ key }) => key)).toEqual(["s1"]);
  expect(audit.reasons[0]?.cure).toMatch(/repeating the delete (?:alone )?does not cure it/u);
  expect(violations(scene.memory)).toEqual(["RESURRECTED"]);
});

it("LINEAGE-2 LINEAGE-6: a derivation without source, from an erased source, or about the person is refused", async () => {
  const scene = await memory();
  await recordBoth(scene);
  await expect(deriveSummary(scene, "m0", [], "from nowhere")).rejects.toMatchObject({ code: "NO_SOURCE" });
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  await expect(deriveSummary(scene, "m1", ["s1", "t1"], "a digest of both")).rejects.toMatchObject({
    code: "ERASED_SOURCE",
  });
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
});

it("C19 LINEAGE-6: a summariser of this process that began before the forget is refused at its commit and undone", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const gate = new AbortController();
  const writing = scene.memory.derive(
    "summaries",
    { key: "m1", sources: ["episodes/s1"], content: { text: S_SAYS[0] } },
    async () => {
      await once(gate.signal, "abort");
      scene.app.prepare("INSERT INTO summaries VALUES ('m1', '[\"s1\"]', ?)").run(S_SAYS[0]);
    },
  );
  const refused = writing.then(
    () => "written",
    (error: unknown) => error,
  );
  // Its lease still runs: the forget waits, with a date and without a verdict.
  const waiting = await scene.memory.forget({ subject: [S], now: true });
  expect([waiting.state, waiting.why, waiting.verdict, waiting.exitCode]).toEqual(["waiting", "lease", undefined, 22]);
  expect(waiting.attestation).toEqual({ kind: "none", code: "WAITING" });
  expect(waiting.receipt).toBeUndefined();
  gate.abort();
  expect(await refused).toBeInstanceOf(Error);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
  expectErasure(scene, await scene.memory.resume(waiting.request, { now: true }));
});

/** T writes what S is forgotten for meanwhile; `then` is what befalls the write before it returns. */
async function recordForgotten(scene: Scene, then: () => void, signal?: AbortSignal): Promise<unknown> {
  const write = async (): Promise<void> => {
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    scene.app.prepare("INSERT INTO episodes VALUES ('late', 't-0815', ?)").run(S_SAYS[0]);
    then();
  };
  return scene.memory.record("episodes", { key: "late", subjects: [T], content: { text: S_SAYS[0] } }, write, signal);
}

function expectHeldAndUndone(scene: Scene): void {
  expect(scene.rows("SELECT id FROM episodes WHERE id = 'late'")).toEqual([]);
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
  expect(violations(scene.memory)).toEqual(["HELD"]);
  expect(scene.memory.held().map(({ artifact }) => artifact.key)).toEqual(["late"]);
}

it("C19 GUARD-2: a write of what was forgotten while it ran is held and undone though its caller has aborted it", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const caller = new AbortController();
  expect(await recordForgotten(scene, () => caller.abort(), caller.signal)).toMatchObject({ outcome: "held" });
  expectHeldAndUndone(scene);
});

it("C19 GUARD-2: where the store is locked such a write is listed for review at once, and the next write that can undoes it", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const writing = recordForgotten(scene, () => scene.app.exec("BEGIN IMMEDIATE"));
  await expect(writing).rejects.toMatchObject({ code: "STORE_LOCKED" });
  expect(scene.memory.held()).toHaveLength(1);
  expect(violations(scene.memory)).toEqual(["HELD"]);
  expect(scene.memory.engine.ledger.openIntents()).toHaveLength(1);
  // Still locked: it is kept for the one after, and hinders no other.
  await recordEpisode(scene, "t8", T, "a word of another");
  expect(scene.memory.engine.ledger.openIntents()).toHaveLength(1);
  scene.app.exec("COMMIT");
  await recordEpisode(scene, "t9", T, "a word of another");
  expectHeldAndUndone(scene);
});

/** What is to be undone, in a store that is locked. */
async function recordLocked(): Promise<Scene> {
  const scene = await memory();
  await recordBoth(scene);
  await expect(recordForgotten(scene, () => scene.app.exec("BEGIN IMMEDIATE"))).rejects.toMatchObject({
    code: "STORE_LOCKED",
  });
  return scene;
}

it("C19 GUARD-2: what was to be undone in a locked store is undone at close", async () => {
  const scene = await recordLocked();
  expect(scene.memory.engine.ledger.openIntents()).toHaveLength(1);
  scene.app.exec("COMMIT");
  await scene.memory.close();
  await scene.reopen();
  expectHeldAndUndone(scene);
});

it("C19 GUARD-2: it is undone before the next forget, which need not wait for it", async () => {
  const scene = await recordLocked();
  scene.app.exec("COMMIT");
  expectErasure(scene, await scene.memory.forget({ subject: [T], now: true }), {
    identifiers: [{ type: "account", identifier: "t-0815" }],
  });
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
});

it("C19: a close that cannot undo it leaves it announced, and a second one does nothing", async () => {
  const scene = await recordLocked();
  await scene.memory.close();
  await scene.memory.close();
  scene.app.exec("COMMIT");
  await scene.reopen();
  expect(scene.memory.engine.ledger.openIntents()).toHaveLength(1);
});

const fail = (): void => {
  throw new Error("after the row");
};

it("C19 GUARD-2: a write that fails after its row stands is held, listed and undone like one that did not; its caller hears of its own failure", async () => {
  const scene = await memory();
  await recordBoth(scene);
  await expect(recordForgotten(scene, fail)).rejects.toThrow("after the row");
  expectHeldAndUndone(scene);
});

it("C19 GUARD-1: one about the forgotten person is undone under the fence; another text under its key joins the lineage", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const own = { key: "late", subjects: [S], content: { text: "a word of another" } };
  const other = { key: "t2", subjects: [T], content: { text: "a word of another" } };
  let request = "";
  const writeAndFail = async (): Promise<void> => {
    scene.app.prepare("INSERT INTO episodes VALUES ('late', 's-4471', ?)").run("a word of another");
    ({ request } = await scene.memory.forget({ subject: [S], now: true }));
    throw new Error("after the row");
  };
  await expect(scene.memory.recordBatch("episodes", [own, other], writeAndFail)).rejects.toThrow("after the row");
  expect(scene.rows("SELECT id FROM episodes WHERE id IN ('late', 't2')")).toEqual([{ id: "t2" }]);
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
  expectErasure(scene, await scene.memory.resume(request, { now: true }));
});

/** How writes from S's words under the keys of records of T come to an end, without a row of their own. */
const NEVER_WRITTEN: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "fail at the store": async (scene) => {
    await expect(recordEpisode(scene, "t2", S, "a word of another")).rejects.toThrow("UNIQUE");
    await expect(deriveSummary(scene, "of-t", ["s1"], "a word of another")).rejects.toThrow("UNIQUE");
  },
  "were announced by a writer that died": async (scene) => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    announce(scene, { ...currentWriter(), pid });
  },
  "were announced by a writer that an operator knows to be gone": async (scene) => {
    const ids = announce(scene, currentWriter());
    const settled = await settleIntents(scene.memory.engine, ids, new AbortController().signal);
    expect(settled).toEqual({ joined: 0, aborted: 2 });
  },
  "were announced by a writer that is slow": async (scene) => {
    announce(scene, currentWriter());
    scene.clock.advance(61_000);
  },
};

function announce(scene: Scene, writer: ReturnType<typeof currentWriter>): readonly string[] {
  const leaseMs = 60_000;
  const [t2, ofT, s1] = ["episodes/t2", "summaries/of-t", "episodes/s1"].map(parseArtifactId);
  if (t2 === undefined || ofT === undefined || s1 === undefined) throw new Error("no such record");
  const orders = [
    { ref: t2, subjects: [parseIdentifier(S)], sources: [], leaseMs },
    { ref: ofT, subjects: [], sources: [s1], leaseMs },
  ];
  return scene.memory.engine.ledger.beginIntents(orders, writer);
}

it.each(Object.entries(NEVER_WRITTEN))(
  "C19 CLAIM-5: records of somebody else do not become the person's where writes under their keys %s",
  async (_how, end) => {
    const scene = await memory();
    await recordBoth(scene);
    await deriveSummary(scene, "of-t", ["t1"], T_SAYS[0]);
    await end(scene);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    const left = "SELECT id FROM episodes UNION SELECT id FROM summaries ORDER BY id";
    expect(scene.rows(left).map(({ id }) => id)).toEqual(["of-t", "t1", "t2", "t3"]);
    const changed = outcome.surfaces.map(({ erased, rewritten }) => [erased, rewritten]);
    expect(changed).toEqual([
      [3, 0],
      [0, 0],
    ]);
    expect(codes(outcome)).toEqual(outcome.verdict === "COMPLIANT" ? [] : ["INTENT_UNRESOLVED"]);
  },
);

const text = (name: string, said: string) => ({ type: "text", name, text: said }) as const;

it("C19: a row counts as the one that was offered where it names nobody and says nothing else, whatever it leaves out", async () => {
  const { ledger } = (await memory()).memory.engine;
  const row = (subjects: readonly string[], ...content: readonly ReturnType<typeof text>[]) => ({
    ref: parseArtifactId("episodes/e1"),
    ...parseArtifactId("episodes/e1"),
    subjects: subjects.map(parseIdentifier),
    sources: [],
    content,
  });
  const offered = row([S], text("title", S_SAYS[0]), text("text", S_SAYS[1]));
  expect(isAsOffered(ledger, row([S], text("text", S_SAYS[1])), offered)).toBe(true);
  expect(isAsOffered(ledger, row([], text("a", S_SAYS[1]), text("b", S_SAYS[0])), offered)).toBe(true);
  expect(isAsOffered(ledger, row([T], text("text", S_SAYS[1])), offered)).toBe(false);
  expect(isAsOffered(ledger, row([S], text("text", T_SAYS[1])), offered)).toBe(false);
  expect(isAsOffered(ledger, row([]), offered)).toBe(false);
});

it("C19: a write that fails because its caller has aborted it leaves no intent behind", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const caller = new AbortController();
  const offered = { key: "late", subjects: [T], content: { text: "a word of another" } };
  const write = (): void => {
    caller.abort();
    throw new Error("no row");
  };
  await expect(scene.memory.record("episodes", offered, write, caller.signal)).rejects.toThrow("no row");
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
});

/** A process of its own that begins a derivation and then dies, or waits for a word, before or after its write. */
async function startWriter(scene: Scene, stage: "before" | "after"): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("late-writer.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, scene.directory, stage], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ready = join(scene.directory, "ready");
  for (let tries = 0; !existsSync(ready); tries += 1) {
    if (tries > 400 || child.exitCode !== null) throw new Error("the writer did not start");
    await sleep(25);
  }
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

it("C19: a writer that died before its write leaves an intent that is resolved as aborted", async () => {
  const scene = await memory();
  await recordBoth(scene);
  await killed(await startWriter(scene, "before"));
  expect(scene.memory.engine.ledger.openIntents()).toHaveLength(1);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
});

it("C19 LINEAGE-6: a write whose writer died between write and commit is found and erased before any COMPLIANT", async () => {
  const scene = await memory();
  await recordBoth(scene);
  await killed(await startWriter(scene, "after"));
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "late" }]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(outcome.surfaces.find(({ surface }) => surface === "summaries")).toMatchObject({ erased: 1 });
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
});

it("C19: a paused writer is waited for; beyond its lease the store's own fence refuses its late write", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const child = await startWriter(scene, "before");
  const waiting = await scene.memory.forget({ subject: [S], now: true });
  expect([waiting.state, waiting.why]).toEqual(["waiting", "lease"]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 3 }]);
  scene.clock.advance(61_000);
  // The fence stands in the store since the first call: what the writer does now is refused in its own transaction.
  const gone = once(child, "exit");
  child.stdin?.end("go\n");
  await gone;
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
  expectErasure(scene, await scene.memory.resume(waiting.request, { now: true }));
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
});

it("C19 GUARD-1: a trigger refuses the fenced person's rows even to a writer that never heard of us", async () => {
  let refusal: unknown;
  const scene: Scene = await openScene({
    sql: SQL,
    surfaces: SURFACES,
    report({ step, phase }) {
      if (step !== "erase" || phase !== "finished") return;
      try {
        scene.app.prepare("INSERT INTO episodes VALUES ('late', 's-4471', 'x')").run();
      } catch (error) {
        refusal = error;
      }
    },
  });
  await recordBoth(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(String(refusal)).toMatch(/deleatur/iu);
  // The fence is gone with the request; others write as before.
  await recordEpisode(scene, "t9", T, `${T_SAYS[0]} again`);
  expect(codes(await scene.memory.forget({ subject: [S], now: true }))[0]).toBe("NOTHING_FOUND");
});

it("C19 LINEAGE-6: a writer that lives beyond its lease keeps every verdict from COMPLIANT until it is gone, though the store refuses it", async () => {
  const scene = await memory();
  await recordBoth(scene);
  const child = await startWriter(scene, "before");
  expect((await scene.memory.forget({ subject: [S], now: true })).why).toBe("lease");
  scene.clock.advance(61_000);
  const { request } = scene.memory.engine.ledger.requests().map(({ id }) => ({ request: id }))[0] ?? { request: "" };
  const paused = await scene.memory.resume(request, { now: true });
  expect([paused.verdict, codes(paused), paused.state]).toEqual(["UNCONFIRMED", ["INTENT_UNRESOLVED"], "stuck"]);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  expectErasure(scene, await scene.memory.resume(request, { now: true }));
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
});

it("CLAIM-4: an absent person is not closed as NOTHING_FOUND while a write about them may still come", async () => {
  const scene = await memory();
  const { ledger } = scene.memory.engine;
  // This very process is the writer, and lives.
  const order = { ref: parseArtifactId("episodes/late"), subjects: [parseIdentifier(S)], sources: [], leaseMs: 1 };
  ledger.beginIntents([order], currentWriter());
  scene.clock.advance(1000);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(codes(outcome)).toEqual(["NOTHING_FOUND", "NO_DENYLIST_ENTRY", "INTENT_UNRESOLVED"]);
  expect(outcome.state).toBe("stuck");
});
