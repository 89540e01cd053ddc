// Proves the edges of the verdict table: what is just enough, and what falls one short.
import { describe, expect, test } from "vitest";
import type { Evidence, ProbeEvidence, SurfaceEvidence } from "../../src/attest/evidence.ts";
import { judge } from "../../src/attest/judge.ts";
import { AT, cleanEvidence, cleanSurface, later, withSurface } from "./clean-evidence.ts";

function withProbe(
  name: ProbeEvidence["name"],
  change: Partial<ProbeEvidence>,
  rest: Partial<SurfaceEvidence> = {},
): Evidence {
  const probes = cleanSurface({ surface: "summaries" }).probes.map((one) =>
    one.name === name ? { ...one, ...change } : one,
  );
  return withSurface("summaries", { probes, ...rest });
}

function horizon(seconds: number): Evidence {
  return withSurface("prompt-cache", { horizon: { until: later(seconds), basis: "contract" } });
}

describe("probes", () => {
  test("VERDICT-1: a floor of nothing is no floor: one control at least must be found", () => {
    const controls = { taken: 4, found: 0, floor: 0 };
    expect(judge(withProbe("excerpt", { controls })).row).toBe("blind-probe");
    expect(judge(withProbe("excerpt", { controls: { ...controls, found: 1 } })).row).toBe("clean");
  });

  test("VERDICT-1: key, exact, bytes and re-ingest must find every control, whatever floor is stated", () => {
    for (const name of ["key", "exact", "bytes", "re-ingest"] as const)
      expect(judge(withProbe(name, { controls: { taken: 4, found: 3, floor: 1 } })).row).toBe("blind-probe");
  });

  test("VERDICT-1: not applicable is clean for text and vectors, never for keys, for bytes at file level, or for a guarded path", () => {
    const status = "not-applicable";
    expect(judge(withProbe("excerpt", { status })).row).toBe("clean");
    for (const name of ["key", "bytes", "re-ingest"] as const)
      expect(judge(withProbe(name, { status })).row).toBe("blind-probe");
    expect(judge(withProbe("bytes", { status }, { deletion: "memory" })).row).toBe("clean");
    expect(judge(withProbe("re-ingest", { status }, { reingest: "no-path", required: ["key"] })).row).toBe("clean");
  });

  test("CLAIM-6: of several runs of one probe, each replica's must have seen", () => {
    const base = cleanSurface({ surface: "summaries" });
    const second: ProbeEvidence = { name: "key", depth: "api", status: "blind", controls: { taken: 4, found: 0 } };
    expect(judge(withSurface("summaries", { probes: [...base.probes, second] })).row).toBe("blind-probe");
  });
});

describe("erase, purge and deletion", () => {
  test("VERDICT-4: a ground or a watched writer excuses no blindness, no missing lineage, no purge and no soft delete", () => {
    for (const reason of ["KEPT", "WATCHED_ONLY"] as const) {
      const row = (change: Partial<SurfaceEvidence>): string =>
        judge(withSurface("vectors", { state: { as: "uncovered", reason }, ...change })).row;
      expect(row({})).toBe("uncovered");
      expect(row({ probes: [] })).toBe("blind-probe");
      expect(row({ lineage: "unknown" })).toBe("closure-unknown");
      expect(row({ purge: { outcome: "not-run" } })).toBe("purge-pending");
      expect(row({ deletion: "logical" })).toBe("eventual-deletion");
    }
  });

  test("ATTEST-2: what is out of reach is not asked for what nobody could have seen", () => {
    const unseen = { scan: "unknown", erase: "unknown", purge: "unknown", lineage: "unknown", probes: [] } as const;
    const evidence = withSurface("vectors", { state: { as: "uncovered", reason: "UNREACHABLE" }, ...unseen });
    expect(judge(evidence)).toMatchObject({ row: "uncovered", verdict: "PARTIAL", exitCode: 20 });
  });

  test("CLAIM-5: a rewritten artifact needs its purge as an erased one does, an absent one does not", () => {
    const purge = { outcome: "not-run" } as const;
    const rewritten = withSurface("summaries", { purge, erase: { erased: 0, absent: 0, rewritten: 1, failed: 0 } });
    const absent = withSurface("summaries", { purge, erase: { erased: 0, absent: 2, rewritten: 0, failed: 0 } });
    expect(judge(rewritten).row).toBe("purge-pending");
    expect(judge(absent).row).toBe("clean");
  });

  test("ATTEST-4: a logical deletion is no provable one, also where no window is stated", () => {
    for (const deletion of ["logical", "expiry"] as const) {
      const judgement = judge(withSurface("vectors", { deletion }));
      expect(judgement).toMatchObject({ row: "eventual-deletion", error: { code: "EVENTUAL_DELETION" } });
      expect(judgement.error).not.toHaveProperty("windowSeconds");
    }
  });
});

describe("presence and time", () => {
  test("CLAIM-4: a presence that contradicts itself is no presence", () => {
    expect(judge(cleanEvidence({ before: { found: false, count: 1 } })).row).toBe("nothing-found");
    expect(judge(cleanEvidence({ before: { found: true, count: 0 } })).row).toBe("nothing-found");
  });

  test("ATTEST-8: a horizon is over at its very second", () => {
    expect(judge(horizon(0)).verdict).toBe("COMPLIANT");
    expect(judge(horizon(0.001)).row).toBe("horizon-open");
  });

  test("ATTEST-5: only a cache or a backup can merely expire", () => {
    const evidence = withSurface("prompt-cache", { role: "transcript" });
    expect(judge(evidence).reasons).toMatchObject([{ code: "UNSUPPORTED", surface: "prompt-cache" }]);
  });

  test("RISK-1: a backup has ninety days, other surfaces thirty, a hold until its last date", () => {
    const state = { as: "uncovered", reason: "UNREACHABLE" } as const;
    const base = withSurface("summaries", { state }, withSurface("vectors", { state, role: "backup" }));
    const kept = [later(50), later(90), later(70)].map((until) => ({ surface: "episodes", ground: "g", until }));
    const { attestation } = judge({ ...base, kept }, { allowTombstone: true });
    expect(attestation).toMatchObject({
      effective: AT,
      risks: [
        { surface: "episodes", code: "KEPT", deadline: later(90) },
        { surface: "summaries", deadline: later(2_592_000) },
        { surface: "vectors", deadline: later(7_776_000) },
      ],
    });
  });

  test("a bystander's loss changes no exit code but 0", () => {
    const bystanders = { checked: 2, intact: 1, lost: 1, lostByPolicy: 0 };
    const open = withSurface("prompt-cache", { horizon: { until: later(9), basis: "contract" } });
    expect(judge({ ...open, bystanders }).exitCode).toBe(22);
    expect(judge(cleanEvidence({ bystanders, intents: { unresolved: 1 } })).exitCode).toBe(21);
  });

  test("FORGET-1, FORGET-2: a purge with a date is a timed reason and resumable, one without is technical", () => {
    const dated = judge(withSurface("episodes", { purge: { outcome: "pending", until: later(60) } }));
    expect(dated.reasons).toMatchObject([{ code: "PURGE_PENDING", class: "timed" }]);
    expect(dated.attestation).toMatchObject({ resumable: true });
    const stuck = judge(withSurface("episodes", { purge: { outcome: "pending" } }));
    expect(stuck.reasons).toMatchObject([{ code: "PURGE_PENDING", class: "technical" }]);
  });

  test("FORGET-1: a closure without lineage withholds the signature and names the cures: confirm, rebuild, destroy", () => {
    const lineage = { rowsWithoutEdge: 2, inferredOnly: 0, complete: false };
    const [only] = judge(withSurface("summaries", { lineage })).reasons;
    for (const cure of ["confirm", "rebuild", "destroy"]) expect(only?.cure).toContain(cure);
  });
});
