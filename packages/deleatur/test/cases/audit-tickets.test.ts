// What an audit's ticket is good for: the claim about its own person or records. It judges nobody else, erases nothing and is no request (CLAIM-1, CLAIM-2).
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import type { ErasureClaim } from "../../src/attest/evidence.ts";
import type { GivenTarget } from "../../src/forget/target.ts";
import { requestId } from "../../src/model/ids.ts";
import {
  codes,
  DAY_MS,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  type Scene,
  T,
} from "./scene.ts";

const claimOf = (subject: string, records?: readonly string[]): ErasureClaim => ({
  subject,
  status: "success",
  surfacesReached: ["episodes"],
  tombstoneWritten: true,
  ...(records === undefined ? {} : { records }),
});
const reingest = (): Promise<"refused"> => Promise.resolve("refused");

async function bothPersons(identifiers: readonly string[] = ["account"]): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES }, identifiers });
  await recordBoth(scene);
  return scene;
}

function deleteByHand(scene: Scene, where: string): void {
  scene.app.exec(`PRAGMA secure_delete = ON; DELETE FROM episodes WHERE ${where}; VACUUM`);
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
}

it("CLAIM-1 CLAIM-2: a ticket of one person does not judge a claim about another, whose rows are all there", async () => {
  const scene = await bothPersons();
  const ticket = await scene.memory.prepareAudit({ subject: [T] });
  deleteByHand(scene, "account = 't-0815'");
  const audit = (claim: ErasureClaim) => scene.memory.audit({ ticket, claim, reingest });
  await expect(audit(claimOf(S))).rejects.toMatchObject({ code: "BAD_TICKET" });
  await expect(audit(claimOf(S, ["episodes/t1", "episodes/t2", "episodes/t3"]))).rejects.toMatchObject({
    code: "BAD_TICKET",
  });
  await expect(audit(claimOf(T, ["episodes/t1", "episodes/s1"]))).rejects.toMatchObject({ code: "BAD_TICKET" });
  expect(await audit(claimOf(T, ["episodes/t1"]))).toMatchObject({ verdict: "COMPLIANT", exitCode: 0 });
});

it("CLAIM-2: each identifier of the ticket's person will do, in the spelling that its type folds to", async () => {
  const scene = await bothPersons(["account", "email"]);
  const ticket = await scene.memory.prepareAudit({ subject: [T, "email:tina@example.org"] });
  deleteByHand(scene, "account = 't-0815'");
  const outcome = await scene.memory.audit({ ticket, claim: claimOf("email:Tina@Example.ORG"), reingest });
  expect(outcome.verdict).toBe("COMPLIANT");
});

it("CLAIM-1 CLAIM-2: a ticket of records judges a claim about those records, not about more, fewer or the whole person", async () => {
  const scene = await bothPersons();
  const ticket = await scene.memory.prepareAudit({ records: ["episodes/s1", "episodes/s2"] });
  deleteByHand(scene, "id IN ('s1', 's2')");
  const audit = (records?: readonly string[]) => scene.memory.audit({ ticket, claim: claimOf(S, records), reingest });
  for (const others of [
    undefined,
    ["episodes/s1"],
    ["episodes/s1", "episodes/s3"],
    ["episodes/s1", "episodes/s1"],
    ["episodes/s1", "episodes/s2", "episodes/s3"],
  ])
    await expect(audit(others)).rejects.toMatchObject({ code: "BAD_TICKET" });
  expect((await audit(["episodes/s2", "episodes/s1"])).verdict).toBe("COMPLIANT");
});

it("CLAIM-2 CLAIM-3: without a ticket the records that the claim names are looked at too, those that nobody recorded among them", async () => {
  const scene = await bothPersons();
  deleteByHand(scene, "account = 's-4471'");
  scene.app.exec("INSERT INTO episodes VALUES ('x1', NULL, 'nobody said this')");
  const audit = (records?: readonly string[]) => scene.memory.audit({ claim: claimOf(S, records), reingest });
  expect((await audit()).error).toBeUndefined();
  expect((await audit(["episodes/s1"])).error).toBeUndefined();
  for (const key of ["t1", "x1"]) {
    const outcome = await audit([`episodes/${key}`]);
    expect(outcome.error).toMatchObject({ code: "PRIMARY_STILL_HOLDS", surfaces: ["episodes"] });
    expect(outcome.survivors.map((one) => one.key)).toEqual([key]);
  }
  await expect(audit(["diary/x1"])).rejects.toMatchObject({ code: "SURFACE_UNKNOWN" });
  await expect(audit(["episodes"])).rejects.toMatchObject({ name: "UsageError" });
});

it("CLAIM-2: without a ticket a claim about another person, or other records, than those to look for is refused", async () => {
  const scene = await bothPersons();
  deleteByHand(scene, "account = 't-0815'");
  const audit = (target: GivenTarget, claim: ErasureClaim) => scene.memory.audit({ target, claim, reingest });
  const refused = { code: "CLAIM_ABOUT_OTHERS" };
  await expect(audit({ subject: [T] }, claimOf(S))).rejects.toMatchObject(refused);
  await expect(audit({ records: ["episodes/t1"] }, claimOf(S, ["episodes/s1"]))).rejects.toMatchObject(refused);
  await expect(audit({ records: ["episodes/t1"] }, claimOf(T))).rejects.toMatchObject(refused);
  expect((await audit({ records: ["episodes/t1"] }, claimOf(T, ["episodes/t1"]))).error).toBeUndefined();
});

it("CLAIM-2: where a store gives its keys again, no key tells whether it is the claim's record: that takes a ticket", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: { ...EPISODES, keys: "reusable" } } });
  await recordBoth(scene);
  const claim = claimOf(S, ["episodes/s1"]);
  await expect(scene.memory.audit({ claim })).rejects.toMatchObject({ code: "TICKET_NEEDED" });
  const target = { records: ["episodes/s1"] };
  await expect(scene.memory.audit({ claim, target })).rejects.toMatchObject({ code: "TICKET_NEEDED" });
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  expect((await scene.memory.audit({ claim, ticket })).error).toMatchObject({ code: "PRIMARY_STILL_HOLDS" });
});

it("CLAIM-2 FORGET-2: a ticket is no request: resumed it is unknown, open or expired, and nothing is erased", async () => {
  const scene = await bothPersons();
  const { ticket } = await scene.memory.prepareAudit({ subject: [S] });
  const resume = (now: boolean) => scene.memory.resume(ticket, { now });
  await expect(resume(true)).rejects.toMatchObject({ code: "REQUEST_UNKNOWN" });
  await expect(resume(false)).rejects.toMatchObject({ code: "REQUEST_UNKNOWN" });
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
  scene.memory.engine.ledger.closeRequest(requestId(ticket));
  await expect(resume(true)).rejects.toMatchObject({ code: "REQUEST_UNKNOWN" });
});

it("CLAIM-2 FORGET-2: a ticket that bears a request's id is refused and leaves the request open, however late", async () => {
  const scene = await bothPersons();
  const reader = new Database(scene.file, { readonly: true });
  onTestFinished(() => {
    reader.close();
  });
  reader.exec("BEGIN");
  expect(reader.prepare("SELECT count(*) AS n FROM episodes").get()).toEqual({ n: 6 });
  const stuck = await scene.memory.forget({ subject: [S], now: true });
  expect(codes(stuck)).toContain("PURGE_PENDING");
  const ticket = await scene.memory.prepareAudit({ subject: [T] });
  scene.clock.advance(60 * DAY_MS);
  const forged = { ...ticket, ticket: stuck.request };
  await expect(scene.memory.audit({ ticket: forged, claim: claimOf(T) })).rejects.toMatchObject({ code: "BAD_TICKET" });
  const record = scene.memory.engine.ledger.request(requestId(stuck.request));
  expect([record?.state, record?.identifiers.length]).toEqual([stuck.state, 1]);
  reader.exec("COMMIT");
  expectErasure(scene, await scene.memory.resume(stuck.request, { now: true }));
});
