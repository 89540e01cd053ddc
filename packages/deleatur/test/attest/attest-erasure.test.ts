// Proves what may be attested over a domain: an erasure over all of the boundary, a tombstone only by name, else a refusal in its order.
import { describe, expect, test } from "vitest";
import {
  attestErasure,
  type AttestOrder,
  type AttestOptions,
  type DerivedStore,
} from "../../src/attest/attest-erasure.ts";
import { DerivationClosureError } from "../../src/model/errors.ts";
import { AT, later } from "./clean-evidence.ts";

const summaries: DerivedStore = { surface: "summaries", lineage: "complete", deletion: { as: "provable" } };
const vectors: DerivedStore = { surface: "vectors", lineage: "complete", deletion: { as: "provable" } };
const cache: DerivedStore = {
  surface: "answers",
  lineage: "complete",
  deletion: { as: "provable" },
  horizon: { until: later(3600), basis: "TTL read back" },
};

const ORDER: AttestOrder = {
  record: "r-1",
  commitmentDomain: ["vectors", "episodes", "summaries", "answers"],
  boundary: {
    surfaces: [
      { id: "answers", role: "cache" },
      { id: "episodes", role: "primary" },
      { id: "summaries", role: "derived" },
      { id: "vectors", role: "index" },
    ],
    exempt: [],
  },
  derivedStores: [summaries, vectors, cache],
};

function order(change: Partial<AttestOrder> = {}, ...stores: readonly DerivedStore[]): AttestOrder {
  const changed = new Set(stores.map((one) => one.surface));
  const derivedStores = [...ORDER.derivedStores.filter((one) => !changed.has(one.surface)), ...stores];
  return { ...ORDER, derivedStores, ...change };
}

function refusal(given: AttestOrder, options: AttestOptions = { at: AT }): DerivationClosureError {
  try {
    attestErasure(given, options);
  } catch (error) {
    if (error instanceof DerivationClosureError) return error;
    throw error;
  }
  throw new Error("no DerivationClosureError was thrown");
}

const without = (...gone: readonly string[]): Partial<AttestOrder> => ({
  commitmentDomain: ORDER.commitmentDomain.filter((one) => !gone.includes(one)),
});

describe("an erasure", () => {
  test("ATTEST-1: covers the whole boundary, lists its domain sorted, and has no residual risk", () => {
    const decision = attestErasure(ORDER, { at: AT });
    expect(decision).toMatchObject({
      kind: "erasure",
      domain: ["answers", "episodes", "summaries", "vectors"],
      residualRisks: [],
    });
  });

  test("ATTEST-8: issued is not effective while a horizon is open", () => {
    expect(attestErasure(ORDER, { at: AT })).toMatchObject({ issued: AT, effective: later(3600) });
  });

  test("ATTEST-1: less than the boundary is DOMAIN_NOT_COVERED, the missing surfaces sorted", () => {
    const error = refusal(order(without("vectors", "answers")));
    expect(error).toMatchObject({ code: "DOMAIN_NOT_COVERED", surfaces: ["answers", "vectors"], exitCode: 21 });
  });

  test("ATTEST-1: the missing surfaces are sorted by their UTF-8 bytes, not by UTF-16 units", () => {
    const surfaces = ["\u{1f4a0}", "\u{ff21}"].map((id) => ({ id, role: "primary" as const }));
    const given = { ...ORDER, boundary: { surfaces, exempt: [] }, commitmentDomain: [], derivedStores: [] };
    expect(refusal(given).surfaces).toEqual(["\u{ff21}", "\u{1f4a0}"]);
  });

  test("ATTEST-1: a derived store beside the boundary is missing from the domain, and beyond the boundary when in it", () => {
    const stray: DerivedStore = { surface: "archive", lineage: "complete", deletion: { as: "provable" } };
    expect(refusal(order({}, stray))).toMatchObject({ code: "DOMAIN_NOT_COVERED", surfaces: ["archive"] });
    const domain = [...ORDER.commitmentDomain, "archive"];
    expect(refusal(order({ commitmentDomain: domain }, stray))).toMatchObject({
      code: "DOMAIN_NOT_EQUAL",
      surfaces: ["archive"],
    });
  });

  test("ATTEST-1: nothing is an erasure over an empty boundary, or an empty domain", () => {
    const empty: AttestOrder = {
      record: "r",
      commitmentDomain: [],
      boundary: { surfaces: [], exempt: [] },
      derivedStores: [],
    };
    for (const allowTombstone of [true, false]) {
      expect(refusal(empty, { at: AT, allowTombstone }).code).toBe("DOMAIN_NOT_COVERED");
      expect(refusal(order({ commitmentDomain: [] }), { at: AT, allowTombstone }).code).toBe("DOMAIN_NOT_COVERED");
    }
  });

  test("LINEAGE-3: missing, inferred or untold lineage is LINEAGE_MISSING, whatever may be downgraded", () => {
    const untold = { derivedStores: [vectors, cache] };
    const cases = [
      order({}, { ...summaries, lineage: "missing" }),
      order({}, { ...summaries, lineage: "inferred" }),
      order(untold),
    ];
    for (const given of cases)
      for (const allowTombstone of [true, false])
        expect(refusal(given, { at: AT, allowTombstone })).toMatchObject({
          code: "LINEAGE_MISSING",
          surfaces: ["summaries"],
        });
  });

  test("ATTEST-4: a soft delete is EVENTUAL_DELETION with the longest window in seconds", () => {
    const error = refusal(
      order(
        {},
        { ...vectors, deletion: { as: "eventual", windowSeconds: 60 } },
        {
          ...summaries,
          deletion: { as: "eventual", windowSeconds: 7_776_000 },
        },
      ),
    );
    expect(error).toMatchObject({
      code: "EVENTUAL_DELETION",
      windowSeconds: 7_776_000,
      surfaces: ["summaries", "vectors"],
    });
  });

  test("ATTEST-1, LINEAGE-3, ATTEST-4: the causes come in the order domain, lineage, provable deletion", () => {
    const soft: DerivedStore = { ...vectors, lineage: "missing", deletion: { as: "eventual", windowSeconds: 60 } };
    expect(refusal(order(without("answers"), soft)).code).toBe("DOMAIN_NOT_COVERED");
    expect(refusal(order({ commitmentDomain: [...ORDER.commitmentDomain, "x"] }, soft)).code).toBe("DOMAIN_NOT_EQUAL");
    expect(refusal(order({}, soft)).code).toBe("LINEAGE_MISSING");
    expect(refusal(order({}, { ...soft, lineage: "complete" })).code).toBe("EVENTUAL_DELETION");
  });
});

describe("a tombstone", () => {
  const allowed = { at: AT, allowTombstone: true };

  test("ATTEST-2: is a named act, and has exactly one risk for each uncovered store, with deadline and cure", () => {
    const decision = attestErasure(order(without("vectors", "answers")), allowed);
    expect(decision.kind).toBe("tombstone");
    expect(decision.residualRisks).toMatchObject([
      { surface: "answers", code: "UNREACHABLE", deadline: expect.any(Date), cure: expect.any(String) },
      { surface: "vectors", code: "UNREACHABLE", deadline: expect.any(Date), cure: expect.any(String) },
    ]);
  });

  test("ATTEST-2: an uncovered store's unknown lineage or soft delete is part of its risk, a told gap in lineage never", () => {
    const untold = { ...without("vectors"), derivedStores: [summaries, cache] };
    expect(attestErasure(order(untold), allowed).kind).toBe("tombstone");
    const soft: DerivedStore = { ...vectors, deletion: { as: "eventual", windowSeconds: 60 } };
    expect(attestErasure(order(without("vectors"), soft), allowed).kind).toBe("tombstone");
    expect(refusal(order(without("vectors"), { ...soft, lineage: "missing" }), allowed).code).toBe("LINEAGE_MISSING");
  });

  test("ATTEST-2: is never given where an erasure can be", () => {
    expect(attestErasure(ORDER, allowed).kind).toBe("erasure");
  });

  test.each([
    ["told to be unbounded", order({}, { ...cache, horizon: "unbounded" as const })],
    ["that nobody said anything about", order({ derivedStores: [summaries, vectors] })],
  ])("ATTEST-5: a cache %s is an open gap with a remediation deadline", (_case, given) => {
    expect(refusal(given)).toMatchObject({ code: "DOMAIN_NOT_COVERED", surfaces: ["answers"] });
    expect(attestErasure(given, allowed)).toMatchObject({
      kind: "tombstone",
      openGaps: ["answers"],
      residualRisks: [{ surface: "answers", code: "UNBOUNDED", deadline: later(2_592_000) }],
    });
  });

  test("ATTEST-6: a kept embedding needs mechanism and epsilon, declared in the boundary", () => {
    const keeping = order({}, { ...vectors, keptEmbedding: { exemption: "noised" } });
    const exempt = { name: "noised", kind: "non-recoverable", mechanism: "Gaussian", epsilon: 0.5 } as const;
    const argued = (...entries: AttestOrder["boundary"]["exempt"]): AttestOrder => ({
      ...keeping,
      boundary: { ...keeping.boundary, exempt: entries },
    });
    expect(attestErasure(argued(exempt), { at: AT })).toMatchObject({ kind: "erasure", exemptions: ["noised"] });
    const { mechanism: _mechanism, ...noMechanism } = exempt;
    const { epsilon: _epsilon, ...noEpsilon } = exempt;
    const unargued = [
      keeping,
      argued(noMechanism),
      argued(noEpsilon),
      argued({ ...exempt, mechanism: " " }),
      argued({ ...exempt, epsilon: Number.POSITIVE_INFINITY }),
      argued({ ...exempt, epsilon: -1 }),
      argued({ ...exempt, kind: "audit-log" }),
      argued({ ...exempt, name: "other" }),
    ];
    for (const given of unargued) {
      expect(refusal(given)).toMatchObject({ code: "DOMAIN_NOT_COVERED", surfaces: ["vectors"] });
      expect(attestErasure(given, allowed).kind).toBe("tombstone");
    }
  });

  test("ATTEST-7: what a ground keeps is a residual risk until its date, so a tombstone", () => {
    const until = later(86_400);
    const given = order({}, { ...summaries, kept: { ground: "Art. 17(3)(e)", until } });
    expect(refusal(given).surfaces).toEqual(["summaries"]);
    expect(attestErasure(given, allowed).residualRisks).toMatchObject([
      { surface: "summaries", code: "KEPT", deadline: until },
    ]);
  });

  test("the record stands in no message", () => {
    expect(refusal(order({ ...without("vectors"), record: "the-record" })).message).not.toContain("the-record");
  });
});
