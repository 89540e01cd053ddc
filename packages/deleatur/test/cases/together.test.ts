// Several requests that run together: one purge and one epoch serve them all, what they share goes with all of them, and one that is stuck holds up no other.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ProgressEvent } from "../../src/progress.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { parseArtifactId, requestId } from "../../src/model/ids.ts";
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
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
  violations,
} from "./scene.ts";

const U = "account:u-1234";
const U_SAYS = "Nine migrating storks rested upon our chimney while everybody slept through the eclipse";
const SHARED = { shared: "rederive", rederive: "summarise" } as const;

/** S, T and U, with summaries of S and T, of S and U, and of all three. */
async function crowd(change: Partial<SceneSetup> = {}): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, ...SHARED } },
    ...change,
  });
  await recordBoth(scene);
  await recordEpisode(scene, "u1", U, U_SAYS);
  await deriveSummary(scene, "st", ["s1", "t1"], `${S_SAYS[0]}. ${T_SAYS[0]}.`);
  await deriveSummary(scene, "su", ["s2", "u1"], `${S_SAYS[1]}. ${U_SAYS}.`);
  await deriveSummary(scene, "stu", ["s3", "t2", "u1"], `${S_SAYS[2]}. ${T_SAYS[1]}. ${U_SAYS}.`);
  registerSummarise(scene);
  return scene;
}

function registerSummarise(scene: Scene): void {
  scene.memory.registerRederive("summarise", (sources) => {
    const texts = sources.flatMap(({ content }) => content.flatMap((field) => ("text" in field ? [field.text] : [])));
    return Promise.resolve(texts.join(" "));
  });
}

function valuesOf(ends: readonly PromiseSettledResult<RequestOutcome>[]): readonly RequestOutcome[] {
  return ends.map((end) => {
    if (end.status === "fulfilled") return end.value;
    throw end.reason;
  });
}

const summaries = (scene: Scene): unknown => scene.rows("SELECT id, text FROM summaries ORDER BY id");

it("FORGET-1 VERIFY-3: two persons forgotten together: one purge, one epoch, a receipt each that verifies over the same root", async () => {
  const events: ProgressEvent[] = [];
  const scene = await crowd({ report: (event) => events.push(event) });
  events.length = 0;
  const [one, two] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  if (one === undefined || two === undefined) throw new Error("two outcomes");
  expectErasure(scene, one, identified(S));
  expectErasure(scene, two, identified(T));
  expect(one.request).not.toBe(two.request);
  const log = logOf(scene.memory);
  expect(log.filter(({ type }) => type === "epoch-roots")).toHaveLength(1);
  expect(log.filter(({ type }) => type === "purge-finished").map(({ request }) => request)).toEqual([
    one.request,
    two.request,
  ]);
  expect(new Set([one, two].map((outcome) => statementOf(outcome).root)).size).toBe(1);
  expect(
    events.filter(({ step, phase, surface }) => step === "purge" && phase === "started" && surface === "episodes"),
  ).toHaveLength(1);
  expect(
    events.filter(({ step, phase, surface }) => step === "epoch" && phase === "started" && surface === "episodes"),
  ).toHaveLength(1);
  expect(
    events.filter(({ step, phase, surface }) => step === "survey" && phase === "started" && surface === "episodes"),
  ).toHaveLength(1);
  // What only the two had goes with them; what a third has a part in is made anew from that part.
  expect(summaries(scene)).toEqual([
    { id: "stu", text: U_SAYS },
    { id: "su", text: U_SAYS },
  ]);
  expect(one.bystanders).toMatchObject({ lost: 0, lostByPolicy: 0 });
  expect(two.bystanders).toMatchObject({ lost: 0, lostByPolicy: 0 });
  expect(violations(scene.memory)).toEqual([]);
});

it("VERDICT-6 LINEAGE-5: what a policy destroys of a third person is counted as that person's loss by each who is forgotten", async () => {
  const surfaces = { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } } as const;
  const scene = await crowd({ surfaces });
  const [one, two] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  expect(summaries(scene)).toEqual([]);
  // Of S and U, and of all three; that of S and T was nobody else's.
  expect(one?.bystanders).toMatchObject({ lost: 2, lostByPolicy: 2 });
  expect(two?.bystanders).toMatchObject({ lost: 1, lostByPolicy: 1 });
});

function identified(person: string): { readonly identifiers: readonly { type: string; identifier: string }[] } {
  const [type = "", identifier = ""] = person.split(":");
  return { identifiers: [{ type, identifier }] };
}

/** The root and the epoch that a receipt is signed over. */
function statementOf({ receipt = "" }: RequestOutcome): { readonly root: string; readonly epoch: number } {
  // Written by us, and verified before.
  const { envelope } = JSON.parse(readFileSync(receipt, "utf8")) as { readonly envelope: { readonly payload: string } };
  const { subject, predicate } = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8")) as {
    readonly subject: readonly [{ readonly digest: { readonly sha256: string } }];
    readonly predicate: { readonly epoch: number };
  };
  return { root: subject[0].digest.sha256, epoch: predicate.epoch };
}

/** A legal hold on one record of S. */
function hold(scene: Scene): void {
  const until = new Date(scene.clock.now().getTime() + DAY_MS).toISOString();
  scene.memory.engine.ledger.placeHold([parseArtifactId("episodes/s1")], "CASE-7", until);
}

it("LINEAGE-5: a person forgotten with another is nobody's bystander, and the third is whole", async () => {
  const scene = await crowd();
  const before = scene.rows("SELECT * FROM episodes WHERE account = 'u-1234'");
  const ends = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  expect(ends.map(({ bystanders }) => bystanders.checked)).toEqual([1, 1]);
  expect(scene.rows("SELECT * FROM episodes")).toEqual(before);
  // GUARD-2: neither person's words come back, whoever offers them.
  const put = (key: string, text: string): Promise<unknown> =>
    scene.memory.record("episodes", { key, subjects: [U], content: { text } }, () => undefined);
  expect(await put("u2", S_SAYS[0])).toMatchObject({ outcome: "held" });
  expect(await put("u3", T_SAYS[0])).toMatchObject({ outcome: "held" });
});

it("FORGET-2: one that is stuck holds up no other, and is carried on by itself", async () => {
  const scene = await crowd();
  // A hold keeps one record of S: S is stuck at that, T is not.
  hold(scene);
  const [kept, whole] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  if (kept === undefined || whole === undefined) throw new Error("two outcomes");
  expectErasure(scene, whole, identified(T));
  expect([kept.state, kept.attestation.kind, codes(kept)]).toEqual(["stuck", "withheld", ["KEPT"]]);
  expect(kept.error).toMatchObject({ code: "DOMAIN_NOT_COVERED", surfaces: ["episodes"] });
  // The refusal rides on the same epoch.
  expect(logOf(scene.memory).filter(({ type }) => type === "epoch-roots")).toHaveLength(1);
  scene.memory.engine.ledger.releaseHold([parseArtifactId("episodes/s1")]);
  expectErasure(scene, await scene.memory.resume(kept.request, { now: true }), identified(S));
});

it("ATTEST-2: a tombstone beside an erasure has an epoch of its own, and both verify", async () => {
  const scene = await crowd();
  hold(scene);
  const [kept, whole] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true, allowTombstone: true },
      { subject: [T], now: true },
    ]),
  );
  if (kept === undefined || whole === undefined) throw new Error("two outcomes");
  expectErasure(scene, whole, identified(T));
  expect([kept.state, kept.attestation.kind]).toEqual(["confirming", "tombstone"]);
  expect(scene.verify(kept, identified(S)).outcome.kind).toBe("tombstone");
  expect(statementOf(kept).epoch).not.toBe(statementOf(whole).epoch);
});

it("FORGET-1: one whose caller requires an erasure that cannot be is taken back; the others are planned without it", async () => {
  const scene = await crowd();
  hold(scene);
  const [refused, done] = await scene.memory.forgetAll([
    { subject: [S], now: true, require: "erasure" },
    { subject: [T], now: true },
  ]);
  expect(refused).toMatchObject({ status: "rejected", reason: { code: "DOMAIN_NOT_COVERED" } });
  if (done?.status !== "fulfilled") throw new Error("one outcome");
  expectErasure(scene, done.value, identified(T));
  // S was not touched: what S and T had in common stays S's.
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 3 }]);
  expect(summaries(scene)).toMatchObject([{ id: "st", text: S_SAYS[0] }, { id: "stu" }, { id: "su" }]);
  await recordEpisode(scene, "s9", S, "A remark about something else that nobody has ever said in here");
});

it("FORGET-2: the same person given twice in one batch is one request", async () => {
  const scene = await crowd();
  const [one, two] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [S], now: true },
    ]),
  );
  expect(one).toBe(two);
  expect(scene.memory.engine.ledger.request(requestId(one?.request ?? ""))?.state).toBe("closed");
});

it("LINEAGE-5: two persons who said the same are each forgotten whole, though each is the other's explanation", async () => {
  const scene = await crowd();
  await recordEpisode(
    scene,
    "s8",
    S,
    "We both say exactly these fourteen words about the lighthouse keeper and his dog",
  );
  await recordEpisode(
    scene,
    "t8",
    T,
    "We both say exactly these fourteen words about the lighthouse keeper and his dog",
  );
  const ends = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  for (const [place, person] of [S, T].entries()) {
    const outcome = ends[place];
    if (outcome === undefined) throw new Error("two outcomes");
    expectErasure(scene, outcome, identified(person));
    expect(outcome.survivors).toEqual([]);
  }
});

it("GUARD-2: what a third person also says stays the third's to say, though two are forgotten together who said it", async () => {
  const scene = await crowd();
  // The words of S as a whole, and those of T inside a longer text.
  await recordEpisode(scene, "u8", U, S_SAYS[0]);
  await recordEpisode(scene, "u9", U, `As everybody knows: ${T_SAYS[0]}.`);
  valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  const put = (key: string, text: string): Promise<unknown> =>
    scene.memory.record("episodes", { key, subjects: [U], content: { text } }, () => undefined);
  expect(await put("u10", S_SAYS[0])).toBeUndefined();
  expect(await put("u11", `Once more: ${T_SAYS[0]}, they say.`)).toBeUndefined();
  // What only the two said is kept out as before.
  expect(await put("u12", S_SAYS[2])).toMatchObject({ outcome: "held" });
  expect(await put("u13", `Once more: ${T_SAYS[1]}, they say.`)).toMatchObject({ outcome: "held" });
});

it("C07 FORGET-2: what another person's request takes while one waits is no bystander's loss, erased or rewritten", async () => {
  const scene = await crowd();
  const first = await scene.memory.forget({ subject: [S] });
  expect([first.state, first.why]).toEqual(["waiting", "purge-lock"]);
  // S has left "st" to T; now T's own request erases it, and rewrites what U has a part in.
  expectErasure(scene, await scene.memory.forget({ subject: [T], now: true }), identified(T));
  const [ended] = valuesOf(await scene.memory.resumeAll({ now: true }));
  if (ended === undefined) throw new Error("one outcome");
  expectErasure(scene, ended, identified(S));
  expect(violations(scene.memory)).toEqual([]);
});

it("a bystander that its application loses while a request waits is still counted as lost", async () => {
  const scene = await crowd();
  const first = await scene.memory.forget({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE id = 't3'");
  expect((await scene.memory.resume(first.request, { now: true })).bystanders.lost).toBe(1);
});

it("FORGET-1 LINEAGE-5: one that was cut off after its survey and is carried on with another takes what that other erases for no loss", async () => {
  const cut = new AbortController();
  const scene = await crowd({
    report: ({ step, phase }) => {
      if (step === "rederive" && phase === "started") cut.abort();
    },
  });
  await expect(scene.memory.forget({ subject: [S], now: true }, cut.signal)).rejects.toThrow("aborted");
  const { ledger } = scene.memory.engine;
  const steps = ledger.requests().flatMap(({ id }) => ledger.steps(id).map(({ name, state }) => `${name} ${state}`));
  expect(steps).toEqual(expect.arrayContaining(["1/denylist finished"]));
  expect(steps).not.toContain("1/erase finished");
  const memory = await scene.reopen({ report: () => undefined });
  registerSummarise(scene);
  const both = valuesOf(
    await memory.forgetAll([
      { subject: [T], now: true },
      { subject: [S], now: true },
    ]),
  );
  for (const outcome of both) expectErasure(scene, outcome, { identifiers: [] });
});

it("FORGET-2: what a store throws at is one person's alone: the others of the run are erased", async () => {
  const scene = await crowd();
  // No refusal of a row, as a constraint is: the whole call of the store fails.
  scene.app.exec(
    "CREATE TRIGGER stumble BEFORE DELETE ON episodes WHEN OLD.id = 's2' BEGIN SELECT zeroblob(2147483647); END",
  );
  const [stuck, whole] = valuesOf(
    await scene.memory.forgetAll([
      { subject: [S], now: true },
      { subject: [T], now: true },
    ]),
  );
  if (stuck === undefined || whole === undefined) throw new Error("two outcomes");
  expectErasure(scene, whole, identified(T));
  expect(stuck).toMatchObject({ state: "stuck", error: { code: "PRIMARY_STILL_HOLDS" } });
  scene.app.exec("DROP TRIGGER stumble");
  expectErasure(scene, await scene.memory.resume(stuck.request, { now: true }), identified(S));
});

it("CLAIM-5: one that was cut off and finds a record gone does not take a store that another one empties beside it for another store", async () => {
  const cut = new AbortController();
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    report: ({ step, phase }) => {
      if (step === "erase" && phase === "started") cut.abort();
    },
  });
  await recordBoth(scene);
  await expect(scene.memory.forget({ subject: [S], now: true }, cut.signal)).rejects.toThrow("aborted");
  scene.app.exec("DELETE FROM episodes WHERE id = 's1'");
  const memory = await scene.reopen({ report: () => undefined });
  const both = valuesOf(
    await memory.forgetAll([
      { subject: [T], now: true },
      { subject: [S], now: true },
    ]),
  );
  for (const outcome of both) expectErasure(scene, outcome, { identifiers: [] });
  expect(violations(memory)).toEqual([]);
});

it("C07: bystanders that are owed a look since the last round, and are forgotten together in this one, are no loss", async () => {
  let isAway = false;
  let takeAway: (() => void) | undefined;
  const scene = await openScene({
    sql: `${EPISODES_SQL}CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text TEXT NOT NULL);`,
    surfaces: { episodes: EPISODES, notes: { ...EPISODES, table: "notes" } },
    report: ({ step, phase }) => {
      if (step !== "epoch" || phase !== "started" || isAway) return;
      isAway = true;
      takeAway?.();
    },
  });
  await recordBoth(scene);
  await recordEpisode(scene, "u1", U, U_SAYS);
  const note = (key: string, person: string, text: string): Promise<unknown> =>
    scene.memory.record("notes", { key, subjects: [person], content: { text } }, () =>
      scene.app.prepare("INSERT INTO notes VALUES (?, ?, ?)").run(key, person.slice("account:".length), text),
    );
  await note("s9", S, "Seven copper kettles hang over the stove in the cottage of my late grandfather");
  await note("t9", T, "The orange kayak leaks near its second rivet and needs resin before the summer");
  // Out of reach while the first round is examined.
  takeAway = () => scene.app.exec("ALTER TABLE notes RENAME TO away");
  expect((await scene.memory.forget({ subject: [S], now: true })).state).toBe("stuck");
  scene.app.exec("ALTER TABLE away RENAME TO notes");
  const both = valuesOf(
    await scene.memory.forgetAll([
      { subject: [T], now: true },
      { subject: [S], now: true },
    ]),
  );
  for (const outcome of both) expectErasure(scene, outcome, { identifiers: [] });
  expect(violations(scene.memory)).toEqual([]);
});
