// A tombstone must exclude something somewhere: where everything of its target is kept, or nothing that is asked is covered, it is withheld and no receipt of ours is rejected by our own verifier (ATTEST-2, ATTEST-3).
import { expect, it } from "vitest";
import { placeHolds } from "../../src/audit/hold-records.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import {
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

const HOLD = { ground: "tax-law", until: "2040-01-01" };

async function heldScene(records: readonly string[]): Promise<Scene> {
  const scene = await openScene({
    sql: `${EPISODES_SQL} ${SUMMARIES_SQL} CREATE TABLE letters (id TEXT PRIMARY KEY, account TEXT, text TEXT);`,
    surfaces: {
      episodes: EPISODES,
      letters: { ...EPISODES, table: "letters" },
      summaries: { ...SUMMARIES, shared: "destroy" },
    },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `They said: ${S_SAYS[0]}`);
  await deriveSummary(scene, "m2", ["t1"], `A note on the greenhouse: ${T_SAYS[0]}`);
  await placeHolds(scene.memory.engine, { ...HOLD, records }, new AbortController().signal);
  return scene;
}

/** Withheld, and signed as such. */
function expectWithheld(scene: Scene, outcome: RequestOutcome, change: Parameters<Scene["verify"]>[1] = {}): void {
  expect([outcome.verdict, outcome.state, outcome.attestation.kind]).toEqual(["PARTIAL", "stuck", "withheld"]);
  expect(outcome.error).toMatchObject({ code: "DOMAIN_NOT_COVERED" });
  expect(scene.verify(outcome, change).outcome.kind).toBe("withheld");
}

it("ATTEST-2 ATTEST-3: a person all of whose records are held gets no tombstone, and an erasure once they are released", async () => {
  const scene = await heldScene(["episodes/s1", "episodes/s2", "episodes/s3", "summaries/m1"]);
  const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect(outcome.reasons.map(({ code }) => code)).toEqual(["KEPT", "KEPT"]);
  expectWithheld(scene, outcome);
  scene.memory.engine.ledger.releaseHold(scene.memory.engine.ledger.holds().map(({ ref }) => ref));
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
});

it("ATTEST-2 ATTEST-3: records that lie in uncovered locations alone get no tombstone, those with something in a covered one do", async () => {
  const scene = await heldScene(["episodes/s2"]);
  const forget = (records: readonly string[]): Promise<RequestOutcome> =>
    scene.memory.forget({ records, now: true, allowTombstone: true });
  expectWithheld(scene, await forget(["episodes/s2", "episodes/s3"]), { identifiers: [] });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([{ id: "s1" }, { id: "s2" }]);
  await placeHolds(scene.memory.engine, { ...HOLD, records: ["episodes/t2"] }, new AbortController().signal);
  const outcome = await forget(["episodes/s1", "episodes/t2"]);
  expect([outcome.verdict, outcome.attestation.kind]).toEqual(["PARTIAL", "tombstone"]);
  expect(scene.verify(outcome, { identifiers: [] }).outcome.kind).toBe("tombstone");
});
