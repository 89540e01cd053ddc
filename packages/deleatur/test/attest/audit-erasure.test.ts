// Proves that a foreign tool's claim is audited by the evidence and never by its own word.
import { describe, expect, test } from "vitest";
import { auditErasure } from "../../src/attest/audit-erasure.ts";
import type { ErasureClaim, Evidence } from "../../src/attest/evidence.ts";
import { ErasureAuditError } from "../../src/model/errors.ts";
import { cleanEvidence, survivor, withSurface } from "./clean-evidence.ts";

const CLAIM: ErasureClaim = {
  subject: "account:42",
  surfacesReached: ["episodes", "summaries", "vectors"],
  tombstoneWritten: true,
};

function thrownBy(claim: ErasureClaim, evidence: Evidence): ErasureAuditError {
  try {
    auditErasure(claim, evidence);
  } catch (error) {
    if (error instanceof ErasureAuditError) return error;
    throw error;
  }
  throw new Error("no ErasureAuditError was thrown");
}

describe("auditErasure", () => {
  test("CLAIM-1: a claim of success changes nothing about what the evidence says", () => {
    for (const status of ["success", "partial", "failed"] as const) {
      const audited = auditErasure({ ...CLAIM, status }, cleanEvidence({ survivors: [survivor()] }));
      expect(audited).toMatchObject({ verdict: "PARTIAL", row: "survivor-within-provenance", exitCode: 20 });
    }
  });

  test("CLAIM-2: answers with a verdict and the survivors, and nothing that could be signed", () => {
    const left = survivor();
    const audited = auditErasure(CLAIM, cleanEvidence({ survivors: [left] }));
    expect(audited.survivors).toEqual([left]);
    expect(Object.keys(audited)).not.toContain("attestation");
  });

  test("CLAIM-2: `tombstoneWritten: false` is believed, `true` needs our entries or a trial", () => {
    const without = cleanEvidence({ denylist: { entries: 0, onContent: false } });
    expect(auditErasure({ ...CLAIM, tombstoneWritten: false }, without).row).toBe("no-denylist-entry");
    expect(auditErasure({ ...CLAIM, tombstoneWritten: false }, cleanEvidence()).row).toBe("no-denylist-entry");
    expect(auditErasure(CLAIM, without).row).toBe("guard-not-shown");
    expect(auditErasure(CLAIM, { ...without, denylist: "unknown" }).row).toBe("guard-not-shown");
    expect(auditErasure(CLAIM, { ...without, trial: "held" }).verdict).toBe("COMPLIANT");
    expect(auditErasure(CLAIM, cleanEvidence()).verdict).toBe("COMPLIANT");
    expect(thrownBy(CLAIM, { ...without, trial: "accepted" }).code).toBe("RESURRECTABLE");
  });

  test("CLAIM-3: a claim that the primary store contradicts throws PRIMARY_STILL_HOLDS, naming the surface and no key", () => {
    const primaryHolds = [{ surface: "episodes", key: "the-key", name: "aa" }];
    const error = thrownBy(CLAIM, cleanEvidence({ primaryHolds }));
    expect(error).toMatchObject({ code: "PRIMARY_STILL_HOLDS", exitCode: 21, place: { surface: "episodes" } });
    expect(`${error.message} ${error.cure} ${JSON.stringify(error.place)}`).not.toContain("the-key");
  });

  test("CLAIM-3: success that names no surface throws NO_SURFACE_NAMED, also where the status is left out", () => {
    expect(thrownBy({ ...CLAIM, surfacesReached: [] }, cleanEvidence()).code).toBe("NO_SURFACE_NAMED");
    expect(thrownBy({ ...CLAIM, status: "success", surfacesReached: [] }, cleanEvidence()).code).toBe(
      "NO_SURFACE_NAMED",
    );
  });

  test("CLAIM-4: forgetting an absent subject claims nothing, and is no error", () => {
    const absent = cleanEvidence({ before: { found: false, count: 0 }, denylist: { entries: 0, onContent: false } });
    const audited = auditErasure({ ...CLAIM, surfacesReached: [], tombstoneWritten: false }, absent);
    expect(audited).toMatchObject({ verdict: "UNCONFIRMED", row: "nothing-found" });
  });

  test("CLAIM-5: a tool that names a surface fewer than the boundary has did not reach it", () => {
    const audited = auditErasure({ ...CLAIM, surfacesReached: ["episodes"] }, cleanEvidence());
    expect(audited.verdict).toBe("PARTIAL");
    expect(audited.reasons.map((one) => one.surface)).toEqual(["summaries", "vectors"]);
  });

  test("CLAIM-6: a replicated surface counts as reached when every declared replica was", () => {
    const replicas = [
      { store: "memory", reached: true },
      { store: "memory-eu", reached: true },
    ];
    expect(auditErasure(CLAIM, withSurface("episodes", { replicas })).verdict).toBe("COMPLIANT");
    for (const reached of [false, "unknown"] as const) {
      const short = withSurface("episodes", { replicas: [...replicas, { store: "memory-us", reached }] });
      const audited = auditErasure(CLAIM, short);
      expect(audited.verdict).toBe("PARTIAL");
      expect(audited.reasons).toMatchObject([{ code: "UNREACHABLE", surface: "episodes" }]);
    }
  });

  test("VERDICT-2, REPLAY-1: a summary that quotes the deleted record is PARTIAL, and the error row is not reached", () => {
    const audited = auditErasure(CLAIM, cleanEvidence({ survivors: [survivor({ surface: "summaries" })] }));
    expect(audited.reasons).toMatchObject([{ code: "SURVIVOR_FOUND", surface: "summaries" }]);
  });

  test("VERDICT-3: content that is back, or can come back, throws, and the cure says that deleting again is none", () => {
    const back = thrownBy(CLAIM, cleanEvidence({ back: [{ surface: "episodes", name: "aa" }] }));
    const leftover = survivor({ surface: "vectors", provenance: "outside", contentKeyed: true });
    const denylist = { entries: 0, onContent: false };
    const resurrectable = thrownBy(CLAIM, cleanEvidence({ survivors: [leftover], denylist }));
    expect([back.code, resurrectable.code]).toEqual(["RESURRECTED", "RESURRECTABLE"]);
    for (const error of [back, resurrectable])
      expect(error.cure).toMatch(/repeating the delete (alone )?does not cure it/);
  });

  test("VERDICT-4, RISK-1: an answer without surfaces counts as PARTIAL, is UNCONFIRMED, and escalates with a deadline", () => {
    const audited = auditErasure({ ...CLAIM, status: "partial", surfacesReached: [] }, cleanEvidence());
    expect(audited).toMatchObject({ verdict: "UNCONFIRMED", answerCountsAs: "PARTIAL" });
    expect(audited.risks).toMatchObject([{ code: "SURFACES_NOT_NAMED", deadline: expect.any(Date) }]);
  });

  test("VERDICT-4: without a look before the tool ran, a clean store is not COMPLIANT", () => {
    expect(auditErasure(CLAIM, cleanEvidence({ before: "unknown" })).verdict).toBe("UNCONFIRMED");
  });

  test("CLAIM-5: a foreign tool's own purge and erase are not asked for: its bytes are", () => {
    const unasked = withSurface("summaries", { erase: "unknown", purge: { outcome: "not-run" } });
    expect(auditErasure(CLAIM, unasked).verdict).toBe("COMPLIANT");
    const bytes = survivor({ probe: "bytes", depth: "bytes" });
    expect(auditErasure(CLAIM, { ...unasked, survivors: [bytes] }).verdict).toBe("PARTIAL");
  });
});
