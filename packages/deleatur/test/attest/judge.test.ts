// Proves the verdict table row by row: one flaw each, and what the row answers for it.
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../src/attest/evidence.ts";
import { judge, VERDICT_ROWS } from "../../src/attest/judge.ts";
import type { AttestationAnswer } from "../../src/attest/judgement.ts";
import { AT, cleanEvidence, cleanSurface, later, survivor, withSurface } from "./clean-evidence.ts";
import { claimed, TABLE } from "./verdict-cases.ts";

const summaries = cleanSurface({ surface: "summaries" });

function answer(evidence: Evidence): string {
  const { row, verdict, reasons, attestation, exitCode, error } = judge(evidence, { allowTombstone: true });
  const codes = reasons.length === 0 ? "-" : reasons.map((one) => one.code).join(", ");
  const errors = error === undefined ? [] : [`${error.class} ${error.code}`];
  return [row, verdict, codes, attestationText(attestation), exitCode, ...errors].join(" | ");
}

function attestationText(attestation: AttestationAnswer): string {
  if (attestation.kind === "erasure") return `erasure +${(attestation.effective.getTime() - AT.getTime()) / 1000}`;
  if (attestation.kind === "tombstone")
    return `tombstone ${attestation.risks.map((risk) => `${risk.surface}=${risk.code}`).join(" ")}`;
  if (attestation.kind === "none") return `none ${attestation.code}`;
  return `withheld ${attestation.code}${attestation.resumable ? " resumable" : ""}`;
}

describe("the verdict table", () => {
  test.each(TABLE)("$flaw", ({ evidence, answer: expected }) => {
    expect(answer(evidence)).toBe(expected);
  });

  test("VERDICT-1: every row of the table has a case that it decides", () => {
    expect(new Set(TABLE.map((one) => one.answer.split(" | ")[0]))).toEqual(new Set(VERDICT_ROWS));
  });

  test("the rows stand in the order of the design", () => {
    expect(VERDICT_ROWS).toEqual([
      "resurrected",
      "primary-still-holds",
      "survivor-within-provenance",
      "purge-pending",
      "resurrectable",
      "survivor-outside-provenance",
      "nothing-found",
      "no-denylist-entry",
      "no-surface-named",
      "surfaces-not-named",
      "guard-not-shown",
      "domain-beyond-boundary",
      "closure-unknown",
      "eventual-deletion",
      "not-seen",
      "blind-probe",
      "uncovered",
      "horizon-open",
      "clean",
    ]);
  });
});

describe("below the table", () => {
  test("FORGET-2: waiting has no verdict, signs nothing and exits with 22", () => {
    const evidence = cleanEvidence({ waiting: [{ why: "purge-window", surface: "episodes", until: later(60) }] });
    const judgement = judge(evidence);
    expect(judgement.verdict).toBeUndefined();
    expect(judgement.attestation.kind).toBe("none");
    expect(judgement.exitCode).toBe(22);
  });

  test("ATTEST-2: a plain forget in a tombstone row is withheld and names the missing surfaces, sorted", () => {
    const evidence = withSurface(
      "vectors",
      { state: { as: "uncovered", reason: "UNREACHABLE" } },
      withSurface("prompt-cache", { horizon: "none" }),
    );
    const judgement = judge(evidence);
    expect(judgement.error).toEqual({
      class: "DerivationClosureError",
      code: "DOMAIN_NOT_COVERED",
      surfaces: ["prompt-cache", "vectors"],
    });
    expect(judgement.attestation).toMatchObject({ kind: "withheld", code: "DOMAIN_NOT_COVERED" });
    expect(judgement.exitCode).toBe(20);
  });

  test("ATTEST-2: a tombstone has exactly one risk for each uncovered surface, with a deadline and a cure", () => {
    const evidence = withSurface("vectors", {
      state: { as: "uncovered", reason: "WATCHED_ONLY" },
      replicas: [{ store: "b", reached: "unknown" }],
      purge: { outcome: "unsupported" },
    });
    const { attestation } = judge(evidence, { allowTombstone: true });
    expect(attestation).toMatchObject({ kind: "tombstone", risks: [{ surface: "vectors", code: "UNREACHABLE" }] });
  });

  test("LINEAGE-3: no downgrade while LINEAGE_MISSING is among the reasons", () => {
    const base = withSurface("summaries", { lineage: { rowsWithoutEdge: 1, inferredOnly: 0, complete: false } });
    const evidence = withSurface("vectors", { state: { as: "uncovered", reason: "UNREACHABLE" } }, base);
    const judgement = judge(evidence, { allowTombstone: true });
    expect(judgement.attestation).toMatchObject({ kind: "withheld", code: "LINEAGE_MISSING" });
    expect(judgement.reasons.map((one) => one.code)).toEqual(["LINEAGE_MISSING", "UNREACHABLE"]);
  });

  test("FORGET-2: what a ground keeps is no survivor, but lawful, until its date", () => {
    const until = later(86_400);
    const evidence = cleanEvidence({
      primaryHolds: [{ surface: "episodes", name: "kept", key: "k" }],
      survivors: [survivor({ surface: "episodes", name: "kept" })],
      kept: [{ surface: "episodes", name: "kept", key: "k", ground: "Art. 17(3)(b)", until }],
    });
    const judgement = judge(evidence, { allowTombstone: true });
    expect(judgement.reasons).toMatchObject([{ code: "KEPT", class: "lawful", surface: "episodes", count: 1 }]);
    expect(judgement.attestation).toMatchObject({ kind: "tombstone", risks: [{ code: "KEPT", deadline: until }] });
  });

  test("a bystander's loss leaves the verdict, stands first, is a violation and makes 0 into 20", () => {
    const clean = judge(cleanEvidence({ bystanders: { checked: 20, intact: 18, lost: 2, lostByPolicy: 1 } }));
    expect(clean.verdict).toBe("COMPLIANT");
    expect(clean.reasons).toMatchObject([{ code: "BYSTANDER_LOST", count: 1 }]);
    expect(clean.violations).toEqual(["BYSTANDER_LOST"]);
    expect(clean.exitCode).toBe(20);

    const bystanders = { checked: 20, intact: 18, lost: 0, lostByPolicy: 0 };
    const worse = judge(cleanEvidence({ bystanders, survivors: [survivor()] }));
    expect(worse.reasons.map((one) => one.code)).toEqual(["BYSTANDER_LOST", "SURVIVOR_FOUND"]);
    expect(worse.exitCode).toBe(20);
  });

  test("a bystander's loss that a policy names is no violation", () => {
    const judgement = judge(cleanEvidence({ bystanders: { checked: 20, intact: 18, lost: 2, lostByPolicy: 2 } }));
    expect(judgement).toMatchObject({ verdict: "COMPLIANT", exitCode: 0, violations: [] });
  });

  test("VERDICT-5: reasons carry class, surface, rule, artifact name and cure, and never a key", () => {
    const evidence = cleanEvidence({
      back: [{ surface: "episodes", key: "the-key", name: "aa" }],
      primaryHolds: [{ surface: "episodes", key: "the-key", name: "aa" }],
      survivors: [survivor({ key: "the-key" }), survivor({ key: "the-key", provenance: "outside" })],
      kept: [{ surface: "vectors", key: "the-key", ground: "g", until: AT }],
    });
    const judgement = judge(evidence);
    expect(JSON.stringify(judgement)).not.toContain("the-key");
    expect(judgement.violations).toEqual(["RESURRECTED"]);
    for (const one of judgement.reasons)
      expect(one).toMatchObject({
        class: expect.any(String),
        surface: expect.any(String),
        rule: expect.any(String),
        cure: expect.any(String),
      });
    expect(judgement.reasons[0]).toMatchObject({ artifactName: "aa" });
  });

  test("VERDICT-4, RISK-1: a tool that cannot name its surfaces escalates to a risk with a deadline", () => {
    const { attestation } = judge(claimed({ status: "partial", surfacesReached: [], tombstoneWritten: false }));
    expect(attestation).toMatchObject({
      kind: "withheld",
      risks: [{ code: "SURFACES_NOT_NAMED", deadline: later(2_592_000), cure: expect.any(String) }],
    });
  });

  test("ATTEST-5: an unbounded cache is an open gap with a remediation deadline", () => {
    const { attestation } = judge(withSurface("prompt-cache", { horizon: "none" }), { allowTombstone: true });
    expect(attestation).toMatchObject({
      kind: "tombstone",
      risks: [{ code: "UNBOUNDED", deadline: later(2_592_000) }],
    });
  });

  test("ATTEST-4: the error carries the longest window in seconds", () => {
    const base = withSurface("vectors", { eventual: { windowSeconds: 60 } });
    const judgement = judge(withSurface("summaries", { eventual: { windowSeconds: 7_776_000 } }, base));
    expect(judgement.error).toMatchObject({ windowSeconds: 7_776_000, surfaces: ["summaries", "vectors"] });
  });

  test("a probe whose floor is stated may miss controls above it, a bytes probe may miss none", () => {
    const floor = { name: "excerpt", depth: "api", status: "ran", controls: { taken: 9, found: 8, floor: 8 } } as const;
    const probes = summaries.probes.map((probe) => (probe.name === "excerpt" ? floor : probe));
    expect(judge(withSurface("summaries", { probes })).verdict).toBe("COMPLIANT");
    const below = probes.map((probe) =>
      probe === floor ? { ...floor, controls: { taken: 9, found: 7, floor: 8 } } : probe,
    );
    expect(judge(withSurface("summaries", { probes: below })).row).toBe("blind-probe");
  });

  test("CLAIM-4: a hit in an undeclared container is something found, not NOTHING_FOUND", () => {
    const evidence = cleanEvidence({
      before: { found: false, count: 0 },
      census: { undeclared: [{ container: "memory.notes", hits: 3 }], shared: [] },
    });
    expect(judge(evidence).row).toBe("not-seen");
  });
});
