// Proves that downstream counts keep confirmed deletion and partial propagation apart.
import { expect, test } from "vitest";
import type { Evidence } from "../../src/attest/evidence.ts";
import { judge } from "../../src/attest/judge.ts";
import { verdictReport, type SurfaceReport, type VerdictReport } from "../../src/attest/verdict-report.ts";
import { cleanEvidence, later, survivor, withSurface } from "./clean-evidence.ts";

function report(evidence: Evidence): VerdictReport {
  return verdictReport(evidence, judge(evidence));
}

function surfaceIn(given: VerdictReport, id: string): SurfaceReport | undefined {
  return given.surfaces.find((one) => one.surface === id);
}

test("VERDICT-6: what is confirmed in one surface is not mixed with what another still holds", () => {
  const clean = report(cleanEvidence());
  expect(clean.total.confirmed.erased).toBe(6);
  expect(clean.total.partial).toEqual({ survivors: 0, stillHeld: 0, failed: 0, unconfirmed: 0, kept: 0 });

  const partial = report(cleanEvidence({ survivors: [survivor()] }));
  expect(surfaceIn(partial, "episodes")?.confirmed.erased).toBe(2);
  expect(surfaceIn(partial, "summaries")).toMatchObject({
    confirmed: { erased: 0, rewritten: 0, absent: 0 },
    partial: { survivors: 1, unconfirmed: 2 },
  });
  expect(partial.total).toMatchObject({ confirmed: { erased: 4 }, partial: { survivors: 1, unconfirmed: 2 } });
});

test("VERDICT-6: unpurged, failed and blind surfaces confirm nothing", () => {
  const pending = report(withSurface("vectors", { purge: { outcome: "pending" } }));
  expect(surfaceIn(pending, "vectors")).toMatchObject({ confirmed: { erased: 0 }, partial: { unconfirmed: 2 } });
  const failed = report(withSurface("vectors", { erase: { erased: 1, absent: 0, rewritten: 1, failed: 3 } }));
  expect(surfaceIn(failed, "vectors")).toMatchObject({
    confirmed: { rewritten: 0 },
    partial: { failed: 3, unconfirmed: 2 },
  });
  const blind = report(withSurface("summaries", { probes: [] }));
  expect(surfaceIn(blind, "summaries")?.confirmed.erased).toBe(0);
});

test("VERDICT-6: where nobody looked, nothing is confirmed anywhere", () => {
  expect(report(cleanEvidence({ survivors: "unknown" })).total.confirmed.erased).toBe(0);
  const waiting = report(cleanEvidence({ waiting: [{ why: "lease" }] }));
  expect(waiting).toMatchObject({ verdict: undefined, total: { confirmed: { erased: 0 } } });
});

test("VERDICT-6, FORGET-2: what a ground keeps is counted as kept, and takes nothing from what was erased", () => {
  const kept = [{ surface: "episodes", name: "aa", ground: "g", until: later(9) }];
  expect(surfaceIn(report(cleanEvidence({ kept })), "episodes")).toMatchObject({
    confirmed: { erased: 2 },
    partial: { kept: 1, unconfirmed: 0 },
  });
});

test("VERDICT-6: survivors in undeclared containers stand by themselves", () => {
  const stray = survivor({ surface: "x", container: "memory.x" });
  expect(report(cleanEvidence({ survivors: [stray] })).elsewhere).toBe(1);
});
