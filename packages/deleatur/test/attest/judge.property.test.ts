// Proves of the judge, over random heaps of flaws: absent evidence is never clean, a further flaw never improves, the first row that holds decides.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Evidence, SurfaceEvidence } from "../../src/attest/evidence.ts";
import { judge, VERDICT_ROWS } from "../../src/attest/judge.ts";
import type { Judgement } from "../../src/attest/judgement.ts";
import { cleanEvidence, cleanSurface, later, survivor, withSurface } from "./clean-evidence.ts";

type Flaw = readonly [name: string, codes: string, add: (evidence: Evidence) => Evidence];

const surfaceFlaw = (name: string, code: string, surface: string, change: Partial<SurfaceEvidence>): Flaw => [
  name,
  code,
  (evidence) => withSurface(surface, change, evidence),
];

function found(evidence: Evidence, change: Parameters<typeof survivor>[0]): Evidence {
  return {
    ...evidence,
    survivors: [...(evidence.survivors === "unknown" ? [] : evidence.survivors), survivor(change)],
  };
}

/** Bad evidence, one piece each; no two touch the same piece, so any of them can be heaped upon any others. */
const FLAWS: readonly Flaw[] = [
  ["back", "RESURRECTED", (e) => ({ ...e, back: [{ surface: "episodes", name: "aa" }] })],
  ["held", "PRIMARY_STILL_HOLDS", (e) => ({ ...e, primaryHolds: [{ surface: "episodes", name: "ab" }] })],
  ["reached survivor", "SURVIVOR_FOUND", (e) => found(e, { name: "ac" })],
  ["outside survivor", "LINEAGE_MISSING", (e) => found(e, { name: "ad", provenance: "outside" })],
  [
    "content-keyed survivor",
    "SURVIVOR_FOUND|RESURRECTABLE",
    (e) => found(e, { name: "ae", provenance: "outside", contentKeyed: true }),
  ],
  [
    "stray survivor",
    "UNDECLARED_CONTAINER",
    (e) => found(e, { surface: "x", container: "memory.x", provenance: "outside" }),
  ],
  ["no denylist", "NO_DENYLIST_ENTRY", (e) => ({ ...e, denylist: { entries: 0, onContent: false } })],
  ["beyond", "DOMAIN_NOT_EQUAL", (e) => ({ ...e, beyondBoundary: ["archive"] })],
  ["intent", "INTENT_UNRESOLVED", (e) => ({ ...e, intents: { unresolved: 1 } })],
  [
    "identifier",
    "IDENTIFIER_UNKNOWN",
    (e) => ({ ...e, identifiersUnknown: [{ surface: "vectors", types: ["email"] }] }),
  ],
  ["suspect", "SUSPECT_OPEN", (e) => ({ ...e, suspects: { open: 1, reviewed: 0 } })],
  ["rolled back", "ROLLED_BACK", (e) => ({ ...e, ledger: "rolled-back" })],
  ["kept", "KEPT", (e) => ({ ...e, kept: [{ surface: "summaries", name: "zz", ground: "g", until: later(9) }] })],
  [
    "census",
    "UNDECLARED_CONTAINER",
    (e) => ({ ...e, census: { undeclared: [{ container: "memory.y", hits: 1 }], shared: [] } }),
  ],
  surfaceFlaw("purge failed", "PURGE_PENDING", "episodes", { purge: { outcome: "failed" } }),
  surfaceFlaw("primary blind", "PRIMARY_BLIND", "episodes", { probes: [] }),
  surfaceFlaw("door open", "RESURRECTABLE", "episodes", { reingest: "accepted" }),
  surfaceFlaw("foreign writers", "GUARD_NOT_SHOWN", "summaries", { writers: "foreign" }),
  surfaceFlaw("no lineage", "LINEAGE_MISSING", "summaries", {
    lineage: { rowsWithoutEdge: 1, inferredOnly: 0, complete: false },
  }),
  surfaceFlaw("blind", "BLIND_PROBE", "summaries", { probes: [] }),
  surfaceFlaw("purge pending", "PURGE_PENDING", "summaries", { purge: { outcome: "pending" } }),
  surfaceFlaw("soft delete", "EVENTUAL_DELETION", "vectors", { eventual: { windowSeconds: 60 } }),
  surfaceFlaw("unreachable", "UNREACHABLE", "vectors", { state: { as: "uncovered", reason: "UNREACHABLE" } }),
  surfaceFlaw("erase failed", "SURVIVOR_FOUND", "vectors", {
    erase: { erased: 0, absent: 0, rewritten: 0, failed: 1 },
  }),
  surfaceFlaw("unbounded", "UNBOUNDED", "prompt-cache", { horizon: "none" }),
];

const heap = fc.subarray([...FLAWS], { minLength: 0 });
const fewFlaws = fc.subarray(
  FLAWS.filter(([name]) => ["unreachable", "unbounded", "blind", "kept", "no lineage"].includes(name)),
);
const presence = fc.constantFrom({ found: true, count: 3 }, { found: false, count: 0 });
const options = fc.record({ allowTombstone: fc.boolean() });

function withFlaws(flaws: readonly Flaw[], base: Evidence): Evidence {
  return flaws.reduce((evidence, [, , add]) => add(evidence), base);
}

/** How much a judgement lets anyone rely on: 3 an erasure in effect, 2 one to come, 1 a tombstone's rows, 0 nothing signed. */
function assurance({ attestation, verdict, row }: Judgement): number {
  if (attestation.kind === "erasure") return verdict === "COMPLIANT" ? 3 : 2;
  return row === "blind-probe" || row === "uncovered" ? 1 : 0;
}

describe("the judge, over heaps of flaws", () => {
  test("VERDICT-1: never COMPLIANT, no erasure and no exit 0 with any flaw in the evidence", () => {
    fc.assert(
      fc.property(fc.subarray([...FLAWS], { minLength: 1 }), presence, options, (flaws, before, option) => {
        const judgement = judge(withFlaws(flaws, cleanEvidence({ before })), option);
        expect(judgement.verdict).not.toBe("COMPLIANT");
        expect(judgement.attestation.kind).not.toBe("erasure");
        expect(judgement.exitCode).not.toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test("a further flaw never improves what may be relied on, and never moves the verdict to a later row", () => {
    fc.assert(
      fc.property(heap, fc.constantFrom(...FLAWS), presence, options, (flaws, further, before, option) => {
        const less = judge(withFlaws(flaws, cleanEvidence({ before })), option);
        const more = judge(withFlaws([...flaws, further], cleanEvidence({ before })), option);
        expect(assurance(more)).toBeLessThanOrEqual(assurance(less));
        const latest = less.row === "nothing-found" ? VERDICT_ROWS.length : VERDICT_ROWS.indexOf(less.row);
        expect(VERDICT_ROWS.indexOf(more.row)).toBeLessThanOrEqual(latest);
        expect(more.exitCode).not.toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test("VERDICT-5: the first row that holds decides, and every row that holds gives a reason", () => {
    fc.assert(
      fc.property(fc.subarray([...FLAWS], { minLength: 1 }), (flaws) => {
        const judgement = judge(withFlaws(flaws, cleanEvidence()));
        const codes = judgement.reasons.map((one) => one.code);
        const missing = flaws.filter(([, wanted]) => !codes.some((code) => wanted.split("|").includes(code)));
        expect(missing).toEqual([]);
        const alone = flaws.map((flaw) => VERDICT_ROWS.indexOf(judge(withFlaws([flaw], cleanEvidence())).row));
        expect(VERDICT_ROWS.indexOf(judgement.row)).toBeLessThanOrEqual(Math.min(...alone));
      }),
      { numRuns: 500 },
    );
  });

  test("ATTEST-2: a tombstone is only ever given where it was asked for", () => {
    fc.assert(
      fc.property(fewFlaws, (flaws) => {
        const evidence = withFlaws(flaws, cleanEvidence());
        expect(judge(evidence).attestation.kind).not.toBe("tombstone");
        const { attestation, reasons } = judge(evidence, { allowTombstone: true });
        fc.pre(attestation.kind === "tombstone");
        const risks = attestation.kind === "tombstone" ? attestation.risks.map((risk) => risk.surface) : [];
        expect(risks.length).toBeGreaterThan(0);
        expect(new Set(risks).size).toBe(risks.length);
        expect(reasons.map((one) => one.code)).not.toContain("LINEAGE_MISSING");
      }),
      { numRuns: 500 },
    );
  });
});

const PIECES = [
  "before",
  "back",
  "primaryHolds",
  "survivors",
  "suspects",
  "denylist",
  "census",
  "intents",
  "identifiersUnknown",
  "ledger",
  "bystanders",
  "kept",
] as const satisfies readonly (keyof Evidence)[];

const SURFACE_PIECES = [
  "state",
  "scan",
  "erase",
  "purge",
  "writers",
  "reingest",
  "lineage",
  "deletion",
  "eventual",
  "horizon",
] as const satisfies readonly (keyof SurfaceEvidence)[];

describe("absent evidence is never clean", () => {
  test.each(PIECES)("VERDICT-1: not COMPLIANT, and nothing signed, while %s is unknown", (piece) => {
    const judgement = judge({ ...cleanEvidence(), [piece]: "unknown" }, { allowTombstone: true });
    expect(judgement.verdict).not.toBe("COMPLIANT");
    expect(["withheld", "none"]).toContain(judgement.attestation.kind);
    expect(judgement.reasons.length).toBeGreaterThan(0);
  });

  describe.each(["episodes", "summaries"])("in %s", (surface) => {
    test.each(SURFACE_PIECES)("VERDICT-1: not COMPLIANT while %s is unknown", (piece) => {
      const evidence = withSurface(surface, { [piece]: "unknown" });
      expect(judge(evidence).verdict).not.toBe("COMPLIANT");
    });

    test.each(["key", "exact", "excerpt", "bytes", "re-ingest"])(
      "VERDICT-4: not COMPLIANT without the %s probe",
      (name) => {
        const base = cleanSurface({ surface, role: surface === "episodes" ? "primary" : "derived" });
        const others = base.probes.filter((probe) => probe.name !== name);
        const [own] = base.probes.filter((probe) => probe.name === name);
        const broken = [
          others,
          ...(["blind", "not-run"] as const).map((status) => [
            ...others,
            ...(own === undefined ? [] : [{ ...own, status }]),
          ]),
          [...others, ...(own === undefined ? [] : [{ ...own, controls: { taken: 0, found: 0 } }])],
        ];
        for (const probes of broken) expect(judge(withSurface(surface, { probes })).verdict).toBe("UNCONFIRMED");
      },
    );

    test("VERDICT-4: the kind may not leave out key, bytes at file level, and re-ingest", () => {
      for (const name of ["key", "bytes", "re-ingest"]) {
        const probes = cleanSurface({ surface }).probes.filter((probe) => probe.name !== name);
        expect(judge(withSurface(surface, { required: [], probes })).verdict).toBe("UNCONFIRMED");
      }
    });
  });

  test("VERDICT-1: an expiring surface without a known horizon is not COMPLIANT", () => {
    expect(judge(withSurface("prompt-cache", { horizon: "unknown" })).verdict).toBe("PARTIAL");
  });

  test("VERDICT-1: no surface at all is not COMPLIANT", () => {
    expect(judge(cleanEvidence({ surfaces: [] })).row).toBe("not-seen");
  });
});
