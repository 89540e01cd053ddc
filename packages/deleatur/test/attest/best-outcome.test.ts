// Proves that `check` answers by the judge's own table: the best that could be attested, why, and what would improve it.
import { describe, expect, test } from "vitest";
import { bestOutcome, type Told } from "../../src/attest/best-outcome.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import type { Boundary } from "../../src/model/declaration.ts";

const GOOD = `
deleatur: 1
boundary: agent/test
identifiers: [account]
surfaces:
  episodes: { kind: sqlite, role: primary, label: "chats", store: memory, table: episodes, key: id, subject: { column: user_id, type: account }, content: [text] }
  summaries: { kind: sqlite, role: derived, label: "summaries", store: memory, table: summaries, key: id, content: [text], derivedFrom: { surface: episodes, column: source_ids, as: json }, shared: destroy }
  prompts: { kind: provider-cache, role: cache, label: "prompt cache", horizon: { max: PT1H, basis: "contract" } }
writers: sdk
connect:
  ledger: sqlite:./ledger.db
  memory: { file: ./memory.db }
`;

function boundary(...edits: readonly (readonly [string, string])[]): Boundary {
  const text = edits.reduce((yaml, [from, to]) => yaml.replace(from, to), GOOD);
  return parseBoundary(text, { file: "/srv/deleatur.yaml", env: {} });
}

describe("bestOutcome", () => {
  test("VERDICT-1, ATTEST-8: a boundary that covers all promises an erasure, in effect after its horizon", () => {
    const best = bestOutcome(boundary());
    expect(best).toMatchObject({ attestation: "erasure", surfaces: [], improvements: [], effectiveAfterSeconds: 3600 });
    expect(best.reasons.map((one) => one.code)).toEqual(["HORIZON_OPEN"]);
  });

  test("VERDICT-1: writers that nobody guards are told, with the line that would mend it", () => {
    const best = bestOutcome(boundary(["writers: sdk", "writers: foreign"]));
    expect(best).toMatchObject({
      attestation: "withheld",
      verdict: "UNCONFIRMED",
      surfaces: ["episodes", "summaries"],
    });
    expect(best.improvements[0]?.change).toContain("writers: sdk");
  });

  test("VERDICT-3: a store's triggers know persons and keys, not content, so that erased words would come in again", () => {
    const best = bestOutcome(boundary(["writers: sdk", "writers: trigger"]));
    expect(best).toMatchObject({ attestation: "withheld", surfaces: ["episodes", "summaries"] });
    expect(best.reasons.map(({ code }) => code)).toContain("RESURRECTABLE");
    expect(best.improvements[0]?.change).toContain("writers: sdk");
  });

  test.each([
    ["without a bound", ""],
    ["with a bound beyond its limit", `, horizon: { max: P31D, basis: "contract" }`],
  ])("ATTEST-5: a cache %s makes it a tombstone", (_case, horizon) => {
    const best = bestOutcome(boundary([`, horizon: { max: PT1H, basis: "contract" }`, horizon]));
    expect(best).toMatchObject({ attestation: "tombstone", verdict: "PARTIAL", surfaces: ["prompts"] });
    expect(best.improvements[0]?.change).toContain("horizon");
  });

  test("ATTEST-7: a surface with `keep` promises a tombstone, unless nothing of it is kept", () => {
    const keeping = boundary([
      "content: [text] }",
      `content: [text], keep: { ground: "tax law", until: "2030-01-01" } }`,
    ]);
    expect(bestOutcome(keeping)).toMatchObject({ attestation: "tombstone", surfaces: ["episodes"] });
    expect(bestOutcome(keeping, { kept: [] }).attestation).toBe("erasure");
  });

  test("CLAIM-6: a replica that could not be opened makes it a tombstone", () => {
    const replicated = boundary(
      ["table: episodes,", "table: episodes, replicas: [copy],"],
      ["  memory: {", "  copy: { file: ./copy.db }\n  memory: {"],
    );
    expect(bestOutcome(replicated).attestation).toBe("erasure");
    const told = { surfaces: new Map([["episodes", { replicasMissing: ["copy"] }]]) };
    expect(bestOutcome(replicated, told)).toMatchObject({ attestation: "tombstone", surfaces: ["episodes"] });
  });

  const TOLD: readonly (readonly [string, Told, string, string])[] = [
    [
      "LINEAGE-3: rows without lineage",
      { surfaces: new Map([["summaries", { rowsWithoutEdge: 4 }]]) },
      "withheld",
      "LINEAGE_MISSING",
    ],
    [
      "ATTEST-2: a surface that could not be opened",
      { surfaces: new Map([["summaries", { isReachable: false }]]) },
      "tombstone",
      "UNREACHABLE",
    ],
    ["VERDICT-4: an undeclared container", { undeclared: ["memory.notes"] }, "withheld", "UNDECLARED_CONTAINER"],
    [
      "VERDICT-1: another ledger's marker",
      { shared: [{ container: "memory.episodes", surfaces: ["episodes"] }] },
      "tombstone",
      "CONTAINER_SHARED",
    ],
    [
      "LINEAGE-7: an identifier nobody gave",
      { identifiersUnknown: [{ surface: "episodes", types: ["email"] }] },
      "withheld",
      "IDENTIFIER_UNKNOWN",
    ],
    ["VERDICT-4: a ledger that went back", { ledger: "rolled-back" }, "withheld", "ROLLED_BACK"],
    ["GUARD-5: an anchor that is lost", { ledger: "anchor-lost" }, "withheld", "ANCHOR_LOST"],
  ];

  test.each(TOLD)("%s", (_name, told, attestation, code) => {
    const best = bestOutcome(boundary(), told);
    expect(best.attestation).toBe(attestation);
    expect(best.reasons.map((one) => one.code)).toContain(code);
    expect(best.improvements.length).toBeGreaterThan(0);
  });

  test("ATTEST-4: a kind that deletes only logically is told before any request", () => {
    const guarantees = {
      scan: "complete",
      snapshot: "yes",
      deletion: "logical",
      fence: "strong",
      probes: ["key"],
      outOfReach: [],
    } as const;
    const best = bestOutcome(boundary(), { surfaces: new Map([["summaries", { guarantees }]]) });
    expect(best).toMatchObject({ attestation: "withheld", surfaces: ["summaries"] });
    expect(best.reasons[0]?.code).toBe("EVENTUAL_DELETION");
  });
});
