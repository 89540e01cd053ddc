// What a request keeps sealed for its confirming audit has an end of its own, and so has an audit ticket.
import { expect, it } from "vitest";
import { requestId } from "../../src/model/ids.ts";
import {
  DAY_MS,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  SUMMARIES,
  SUMMARIES_SQL,
} from "./scene.ts";

const PROMPTS = {
  kind: "provider-cache",
  role: "cache",
  horizon: { max: "PT1H", basis: "provider contract, read 2026-11" },
} as const;

it("PRIVACY-1: needles are destroyed fifteen days after the last horizon, confirmed or not; the denylist stands", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" }, prompts: PROMPTS },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `A note: ${S_SAYS[0]}`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.state).toBe("confirming");
  const id = requestId(outcome.request);
  scene.clock.advance(15 * DAY_MS);
  expect((await scene.reopen()).engine.ledger.sealedNames(id).length).toBeGreaterThan(0);
  scene.clock.advance(DAY_MS);
  const { ledger } = (await scene.reopen()).engine;
  expect(ledger.request(id)?.state).toBe("closed");
  expect(ledger.request(id)?.identifiers).toEqual([]);
  expect(ledger.sealedNames(id)).toEqual([]);
  expect(ledger.denylistCount(id)).toBe(outcome.denylist);
});

it("CLAIM-2: an audit ticket's fingerprints are destroyed when it expires", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.clock.advance(15 * DAY_MS);
  const memory = await scene.reopen();
  expect(memory.engine.ledger.sealedNames(requestId(ticket.ticket))).toEqual([]);
  const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: false };
  await expect(memory.audit({ ticket, claim })).rejects.toMatchObject({ code: "BAD_TICKET" });
});
