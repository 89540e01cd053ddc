// What may be attested, from real runs: horizons, unbounded caches, exemptions, lineage that is missing, a receipt of three of four stores (ATTEST-*, RISK-1, C20).
import { readFileSync } from "node:fs";
import { canonicalJson, type JsonObject } from "@deleatur/verify";
import { expect, it } from "vitest";
import { publicForm } from "../../src/boundary/public-form.ts";
import {
  codes,
  DAY_MS,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  failedChecks,
  logOf,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T_SAYS,
} from "./scene.ts";

const SQL = EPISODES_SQL + SUMMARIES_SQL;
const SURFACES = { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } } as const;

async function memory(change: Partial<SceneSetup> = {}): Promise<Scene> {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES, ...change });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `A note: ${S_SAYS[0]}`);
  await deriveSummary(scene, "m2", ["t1"], `A note: ${T_SAYS[0]}`);
  return scene;
}

const PROMPTS = { kind: "provider-cache", role: "cache" } as const;

it("ATTEST-5 ATTEST-8 RISK-1: a provider's cache makes it issued, not effective; the confirming audit after the horizon closes it", async () => {
  const horizon = { max: "PT1H", basis: "provider contract, read 2026-11" };
  const scene = await memory({ surfaces: { ...SURFACES, prompts: { ...PROMPTS, horizon } } });
  const issued = await scene.memory.forget({ subject: [S], now: true });
  expect([issued.verdict, codes(issued), issued.exitCode]).toEqual(["UNCONFIRMED", ["HORIZON_OPEN"], 22]);
  expect([issued.state, issued.why, issued.attestation.kind]).toEqual(["confirming", "HORIZON_OPEN", "erasure"]);
  expect(new Date(issued.until ?? 0).getTime() - scene.clock.now().getTime()).toBeGreaterThan(3_500_000);
  const early = scene.verify(issued);
  expect([failedChecks(early), early.outcome.kind, early.outcome.exitCode]).toEqual([[], "not-yet-effective", 22]);
  const { ledger } = scene.memory.engine;
  expect(ledger.risks()).toMatchObject([{ surface: "prompts", kind: "HORIZON_OPEN", overdue: false }]);
  scene.clock.advance(3_700_000);
  expect(ledger.risks()).toMatchObject([{ overdue: true }]);
  // Meanwhile the others go on: what they change and delete of their own is no loss of ours.
  scene.app.exec(
    "DELETE FROM episodes WHERE id = 't3'; UPDATE episodes SET text = 'We sold the glass' WHERE id = 't2'",
  );
  expect(scene.verify(issued).outcome.kind).toBe("erasure");
  const confirmed = await scene.memory.resume(issued.request, { now: true });
  expectErasure(scene, confirmed);
  expect(confirmed.receipt).not.toBe(issued.receipt);
  expect(ledger.risks().map(({ closed }) => closed?.evidence.kind)).not.toContain(undefined);
  // Nothing of the first receipt was undone: both verify.
  expect(scene.verify(issued, { identifiers: [] }).outcome.kind).toBe("erasure");
});

it("ATTEST-2 ATTEST-5: an unbounded cache is DOMAIN_NOT_COVERED; the named downgrade is a tombstone with a gap and a deadline", async () => {
  const scene = await memory({ surfaces: { ...SURFACES, prompts: PROMPTS } });
  const plain = await scene.memory.forget({ subject: [S], now: true });
  expect([plain.verdict, codes(plain), plain.exitCode]).toEqual(["PARTIAL", ["UNBOUNDED"], 20]);
  expect(plain.error).toMatchObject({
    class: "DerivationClosureError",
    code: "DOMAIN_NOT_COVERED",
    surfaces: ["prompts"],
  });
  expect(plain.attestation).toMatchObject({ kind: "withheld", code: "DOMAIN_NOT_COVERED" });
  const tombstone = await scene.memory.resume(plain.request, { now: true, allowTombstone: true });
  expect(tombstone.attestation).toMatchObject({
    kind: "tombstone",
    risks: [{ surface: "prompts", code: "UNBOUNDED" }],
  });
  const report = scene.verify(tombstone);
  expect([failedChecks(report), report.outcome.kind]).toEqual([[], "tombstone"]);
  const [risk] = scene.memory.engine.ledger.risks();
  const days = (new Date(risk?.deadline ?? 0).getTime() - scene.clock.now().getTime()) / DAY_MS;
  expect(days).toBeGreaterThan(29);
  // ATTEST-2: no field of a tombstone can be read as an erasure, and nothing upgrades it.
  const text = readFileSync(tombstone.receipt ?? "", "utf8");
  expect(Buffer.from(JSON.parse(text).envelope.payload, "base64").toString()).not.toContain("urn:deleatur:erasure:v1");
});

const ANSWERS_SQL = "CREATE TABLE answers (id TEXT PRIMARY KEY, account TEXT, text TEXT);";
const ANSWERS = { ...EPISODES, role: "cache", table: "answers", shared: "destroy" } as const;

it.each([
  ["P30D", "UNCONFIRMED", "HORIZON_OPEN", 22],
  ["P31D", "PARTIAL", "UNBOUNDED", 20],
])(
  "ATTEST-5: a cache that is seen, with copies elsewhere that live for %s, is %s %s",
  async (max, verdict, code, exitCode) => {
    const answers = { ...ANSWERS, horizon: { max, basis: "copies in browsers" } };
    const scene = await memory({ sql: SQL + ANSWERS_SQL, surfaces: { ...SURFACES, answers } });
    const { best } = await scene.memory.check();
    expect(best.reasons.map((one) => [one.code, one.surface])).toEqual([[code, "answers"]]);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect([outcome.verdict, codes(outcome), outcome.exitCode]).toEqual([verdict, [code], exitCode]);
    if (code === "HORIZON_OPEN") return;
    const tombstone = await scene.memory.resume(outcome.request, { now: true, allowTombstone: true });
    expect(tombstone.attestation).toMatchObject({ kind: "tombstone", risks: [{ surface: "answers", code }] });
    expect(failedChecks(scene.verify(tombstone))).toEqual([]);
  },
);

it("ATTEST-7: an audit log is exempt as long as no content is in it; with content in it, it counts as undeclared", async () => {
  const scene = await memory({
    sql: `${SQL} CREATE TABLE payment_log (id INTEGER PRIMARY KEY, account TEXT, cents INTEGER, note TEXT);
      INSERT INTO payment_log VALUES (1, 't-0815', 1999, NULL), (2, 't-0815', 450, 'monthly fee for the allotment garden');`,
    exempt: [{ name: "payments", kind: "audit-log", store: "memory", table: "payment_log", ground: "bookkeeping law" }],
  });
  const copy = scene.app.prepare("INSERT INTO payment_log VALUES (3, 't-0815', 1, ?)");
  copy.run(S_SAYS[0]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0]]).toEqual(["UNCONFIRMED", "UNDECLARED_CONTAINER"]);
  expect(outcome.reasons[0]).toMatchObject({ surface: "memory.payment_log" });
  scene.app.exec("DELETE FROM payment_log WHERE id = 3; VACUUM");
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expectErasure(scene, resumed);
});

it("LINEAGE-3 ATTEST-3 FORGET-1: a derived row without lineage withholds the signature, and the known closure is erased all the same", async () => {
  const scene = await memory();
  scene.app
    .prepare("INSERT INTO summaries VALUES ('m9', '[]', ?)")
    .run("The committee minutes mention a leaking roof above bay nine");
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0], outcome.exitCode]).toEqual(["UNCONFIRMED", "LINEAGE_MISSING", 21]);
  expect(outcome.error).toMatchObject({
    class: "DerivationClosureError",
    code: "LINEAGE_MISSING",
    surfaces: ["summaries"],
  });
  expect([outcome.attestation.kind, outcome.state]).toEqual(["withheld", "stuck"]);
  expect(outcome.reasons[0]?.cure.length).toBeGreaterThan(10);
  const report = scene.verify(outcome);
  expect([failedChecks(report), report.outcome.kind]).toEqual([[], "withheld"]);
  expect(scene.rows("SELECT id FROM summaries ORDER BY id")).toEqual([{ id: "m2" }, { id: "m9" }]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  // The tombstone is no way around it.
  const tried = await scene.memory.resume(outcome.request, { now: true, allowTombstone: true });
  expect(tried.attestation).toMatchObject({ kind: "withheld", code: "LINEAGE_MISSING" });
  // The cure: its source, which stays, is named.
  scene.app.exec(`UPDATE summaries SET source_ids = '["t2"]' WHERE id = 'm9'`);
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
});

it("C20 VERIFY-1 ATTEST-1: an erasure over three stores is no erasure for a verifier whose boundary has four", async () => {
  const scene = await memory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  const mine = publicForm(scene.memory.engine.boundary) as unknown as JsonObject & { surfaces: readonly JsonObject[] };
  const [first] = mine.surfaces;
  const wider = { ...mine, surfaces: [...mine.surfaces, { ...first, id: "zz-archive", label: "archive" }] };
  const pinned = scene.verify(outcome, { scope: { boundary: canonicalJson(wider) } });
  expect([pinned.outcome.kind, pinned.outcome.exitCode]).toEqual(["invalid", 24]);
  expect(failedChecks(pinned).some((check) => check.startsWith("SCOPE"))).toBe(true);
  const expected = {
    surfaces: [
      ...["episodes", "summaries"].map((id) => ({ id, role: id === "episodes" ? "primary" : "derived" }) as const),
      { id: "archive", role: "backup" } as const,
    ],
    exemptions: [],
  };
  expect(scene.verify(outcome, { scope: { expect: expected } }).outcome.kind).toBe("invalid");
});

it("VERIFY-6: another person's code is refused, and without a second pair of eyes the report says so", async () => {
  const scene = await memory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.verify(outcome, { personCode: new Uint8Array(32) }).outcome.kind).toBe("invalid");
  expect(scene.verify(outcome, { identifiers: [{ type: "account", identifier: "t-0815" }] }).outcome.kind).toBe(
    "invalid",
  );
  const strict = scene.verify(outcome, { acceptSelfAttested: false });
  expect([strict.outcome.kind, strict.outcome.exitCode]).toEqual(["signature-holds", 23]);
});

it("LOG-1 VERDICT-5: every run stands in brackets, and neither reasons nor log name a key, an identifier or a text", async () => {
  const scene = await memory();
  scene.app.prepare("INSERT INTO summaries VALUES ('m9', '[]', ?)").run(S_SAYS[1]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  const entries = logOf(scene.memory);
  const started = entries.filter(({ type }) => type === "run-started").map(({ run }) => run);
  const finished = entries.filter(({ type }) => type === "run-finished").map(({ run }) => run);
  expect(started.length).toBeGreaterThan(0);
  expect(finished).toEqual(started);
  for (const text of [
    JSON.stringify(entries),
    JSON.stringify(outcome.reasons),
    readFileSync(outcome.receipt ?? "", "utf8"),
  ])
    for (const secret of ["s-4471", "t-0815", "accordion", "cardiologist", '"s1"', '"m9"'])
      expect(text).not.toContain(secret);
  expect(scene.memory.engine.ledger.verifyLog()).toEqual({ ok: true });
});
