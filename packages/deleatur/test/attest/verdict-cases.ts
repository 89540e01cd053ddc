// The cases of the verdict table: for each, one flaw in clean evidence and the answer that the row must give. Holds no test of its own.
import type { ErasureClaim, Evidence } from "../../src/attest/evidence.ts";
import { cleanEvidence, cleanSurface, later, survivor, withSurface } from "./clean-evidence.ts";

const CLAIM: ErasureClaim = {
  subject: "account:42",
  status: "success",
  surfacesReached: ["episodes", "summaries", "vectors"],
  tombstoneWritten: true,
};

export function claimed(change: Partial<ErasureClaim>, rest: Partial<Evidence> = {}): Evidence {
  return cleanEvidence({ claim: { ...CLAIM, ...change }, ...rest });
}

export interface RowCase {
  readonly flaw: string;
  readonly evidence: Evidence;
  /** row | verdict | reason codes | attestation (the downgrade allowed) | exit code | error */
  readonly answer: string;
}

const uncovered = (reason: "UNREACHABLE" | "UNSUPPORTED" | "BLIND" | "UNBOUNDED" | "KEPT" | "WATCHED_ONLY"): Evidence =>
  withSurface("vectors", { state: { as: "uncovered", reason } });

const silent = { name: "bytes", depth: "bytes", status: "ran", controls: { taken: 4, found: 3 } } as const;
const summaries = cleanSurface({ surface: "summaries" });
const withSilentBytes = summaries.probes.map((probe) => (probe.name === "bytes" ? silent : probe));

/** One case for each row of the table and each kind of evidence in it. */
export const TABLE: readonly RowCase[] = [
  {
    flaw: "VERDICT-3: erased content is back in a primary surface",
    evidence: cleanEvidence({ back: [{ surface: "episodes", name: "ab" }] }),
    answer: "resurrected | UNCONFIRMED | RESURRECTED | withheld RESURRECTED | 21 | ErasureAuditError RESURRECTED",
  },
  {
    flaw: "CLAIM-3: a primary surface still holds the target",
    evidence: cleanEvidence({ primaryHolds: [{ surface: "episodes", name: "ab" }] }),
    answer:
      "primary-still-holds | UNCONFIRMED | PRIMARY_STILL_HOLDS | withheld PRIMARY_STILL_HOLDS | 21 | ErasureAuditError PRIMARY_STILL_HOLDS",
  },
  {
    flaw: "VERDICT-2: a survivor that provenance reaches",
    evidence: cleanEvidence({ survivors: [survivor()] }),
    answer: "survivor-within-provenance | PARTIAL | SURVIVOR_FOUND | withheld SURVIVOR_FOUND resumable | 20",
  },
  {
    flaw: "CLAIM-5: an erase that failed",
    evidence: withSurface("vectors", { erase: { erased: 1, absent: 0, rewritten: 0, failed: 1 } }),
    answer: "survivor-within-provenance | PARTIAL | SURVIVOR_FOUND | withheld SURVIVOR_FOUND resumable | 20",
  },
  {
    flaw: "FORGET-2: a purge that waits for a reader",
    evidence: withSurface("episodes", { purge: { outcome: "pending" } }),
    answer: "purge-pending | PARTIAL | PURGE_PENDING | withheld PURGE_PENDING resumable | 20",
  },
  {
    flaw: "CLAIM-5: a purge that failed, with its bytes found",
    evidence: {
      ...withSurface("summaries", { purge: { outcome: "failed" } }),
      survivors: [survivor({ probe: "bytes", depth: "bytes" })],
    },
    answer: "purge-pending | PARTIAL | PURGE_PENDING, PURGE_PENDING | withheld PURGE_PENDING resumable | 20",
  },
  {
    flaw: "CLAIM-5: a purge that never ran over what was erased",
    evidence: withSurface("summaries", { purge: { outcome: "not-run" } }),
    answer: "purge-pending | PARTIAL | PURGE_PENDING | withheld PURGE_PENDING resumable | 20",
  },
  {
    flaw: "VERDICT-2: bytes that stay after a purge that says it finished",
    evidence: cleanEvidence({ survivors: [survivor({ probe: "bytes", depth: "bytes" })] }),
    answer: "survivor-within-provenance | PARTIAL | SURVIVOR_FOUND | withheld SURVIVOR_FOUND resumable | 20",
  },
  {
    flaw: "VERDICT-3: the re-ingestion probe gets in",
    evidence: withSurface("episodes", { reingest: "accepted" }),
    answer:
      "resurrectable | UNCONFIRMED | RESURRECTABLE | withheld RESURRECTABLE | 21 | ErasureAuditError RESURRECTABLE",
  },
  {
    flaw: "VERDICT-3: a content-keyed leftover, with no denylist entry on that content",
    evidence: cleanEvidence({
      survivors: [survivor({ provenance: "outside", contentKeyed: true })],
      denylist: { entries: 1, onContent: false },
    }),
    answer:
      "resurrectable | UNCONFIRMED | RESURRECTABLE | withheld RESURRECTABLE | 21 | ErasureAuditError RESURRECTABLE",
  },
  {
    flaw: "VERDICT-2: a content-keyed leftover whose content the denylist guards",
    evidence: cleanEvidence({ survivors: [survivor({ provenance: "outside", contentKeyed: true })] }),
    answer: "survivor-outside-provenance | PARTIAL | SURVIVOR_FOUND, LINEAGE_MISSING | withheld SURVIVOR_FOUND | 20",
  },
  {
    flaw: "VERDICT-2: a survivor outside provenance",
    evidence: cleanEvidence({ survivors: [survivor({ provenance: "unknown" })] }),
    answer: "survivor-outside-provenance | PARTIAL | SURVIVOR_FOUND, LINEAGE_MISSING | withheld SURVIVOR_FOUND | 20",
  },
  {
    flaw: "CLAIM-4: the target was not there",
    evidence: cleanEvidence({ before: { found: false, count: 0 }, denylist: { entries: 0, onContent: false } }),
    answer: "nothing-found | UNCONFIRMED | NOTHING_FOUND, NO_DENYLIST_ENTRY | none NOTHING_FOUND | 21",
  },
  {
    flaw: "VERDICT-4: no denylist entry",
    evidence: cleanEvidence({ denylist: { entries: 0, onContent: false } }),
    answer: "no-denylist-entry | UNCONFIRMED | NO_DENYLIST_ENTRY | withheld NO_DENYLIST_ENTRY | 21",
  },
  {
    flaw: "CLAIM-2: a foreign `tombstoneWritten: false`, believed",
    evidence: claimed({ tombstoneWritten: false }),
    answer: "no-denylist-entry | UNCONFIRMED | NO_DENYLIST_ENTRY | withheld NO_DENYLIST_ENTRY | 21",
  },
  {
    flaw: "CLAIM-3: a claim of success that names no surface",
    evidence: claimed({ surfacesReached: [] }),
    answer:
      "no-surface-named | UNCONFIRMED | NO_SURFACE_NAMED | withheld NO_SURFACE_NAMED | 21 | ErasureAuditError NO_SURFACE_NAMED",
  },
  {
    flaw: "VERDICT-4: an honest partial that names no surface",
    evidence: claimed({ surfacesReached: [], status: "partial" }),
    answer: "surfaces-not-named | UNCONFIRMED | SURFACES_NOT_NAMED | withheld SURFACES_NOT_NAMED | 21",
  },
  {
    flaw: "CLAIM-2: a foreign `tombstoneWritten: true` that nothing shows",
    evidence: claimed({}, { denylist: { entries: 0, onContent: false } }),
    answer: "guard-not-shown | UNCONFIRMED | GUARD_NOT_SHOWN | withheld GUARD_NOT_SHOWN | 21",
  },
  {
    flaw: "VERDICT-1: an insert path neither guarded nor watched",
    evidence: withSurface("episodes", { writers: "foreign" }),
    answer: "guard-not-shown | UNCONFIRMED | GUARD_NOT_SHOWN | withheld GUARD_NOT_SHOWN | 21",
  },
  {
    flaw: "ATTEST-1: a domain beyond the boundary",
    evidence: cleanEvidence({ beyondBoundary: ["archive"] }),
    answer:
      "domain-beyond-boundary | UNCONFIRMED | DOMAIN_NOT_EQUAL | withheld DOMAIN_NOT_EQUAL | 21 | DerivationClosureError DOMAIN_NOT_EQUAL",
  },
  ...[
    { rowsWithoutEdge: 3, inferredOnly: 0, complete: true },
    { rowsWithoutEdge: 0, inferredOnly: 2, complete: true },
    { rowsWithoutEdge: 0, inferredOnly: 0, complete: false },
  ].map((lineage) => ({
    flaw: `LINEAGE-3: lineage with ${lineage.rowsWithoutEdge} rows without edge, ${lineage.inferredOnly} inferred, complete ${lineage.complete}`,
    evidence: withSurface("summaries", { lineage }),
    answer:
      "closure-unknown | UNCONFIRMED | LINEAGE_MISSING | withheld LINEAGE_MISSING | 21 | DerivationClosureError LINEAGE_MISSING",
  })),
  {
    flaw: "VERDICT-1: an intent that nobody resolved",
    evidence: cleanEvidence({ intents: { unresolved: 1 } }),
    answer:
      "closure-unknown | UNCONFIRMED | INTENT_UNRESOLVED | withheld INTENT_UNRESOLVED | 21 | DerivationClosureError INTENT_UNRESOLVED",
  },
  {
    flaw: "LINEAGE-7: an identifier type in use that nobody gave",
    evidence: cleanEvidence({ identifiersUnknown: [{ surface: "vectors", types: ["email"] }] }),
    answer:
      "closure-unknown | UNCONFIRMED | IDENTIFIER_UNKNOWN | withheld IDENTIFIER_UNKNOWN | 21 | DerivationClosureError IDENTIFIER_UNKNOWN",
  },
  {
    flaw: "ATTEST-4: a soft delete whose rebuild was not forced",
    evidence: withSurface("vectors", { eventual: { windowSeconds: 86_400 } }),
    answer:
      "eventual-deletion | UNCONFIRMED | EVENTUAL_DELETION | withheld EVENTUAL_DELETION | 21 | DerivationClosureError EVENTUAL_DELETION",
  },
  {
    flaw: "VERDICT-4: an undeclared container",
    evidence: cleanEvidence({ census: { undeclared: [{ container: "memory.notes", hits: 0 }], shared: [] } }),
    answer: "not-seen | UNCONFIRMED | UNDECLARED_CONTAINER | withheld UNDECLARED_CONTAINER | 21",
  },
  {
    flaw: "VERDICT-4: a survivor in a container that nobody declared",
    evidence: cleanEvidence({ survivors: [survivor({ surface: "elsewhere", container: "memory.notes" })] }),
    answer: "not-seen | UNCONFIRMED | UNDECLARED_CONTAINER | withheld UNDECLARED_CONTAINER | 21",
  },
  {
    flaw: "VERDICT-1: a suspect that nobody reviewed",
    evidence: cleanEvidence({ suspects: { open: 2, reviewed: 1 } }),
    answer: "not-seen | UNCONFIRMED | SUSPECT_OPEN | withheld SUSPECT_OPEN | 21",
  },
  {
    flaw: "VERDICT-4: a blind primary",
    evidence: withSurface("episodes", { probes: [] }),
    answer: "not-seen | UNCONFIRMED | PRIMARY_BLIND | withheld PRIMARY_BLIND | 21",
  },
  {
    flaw: "VERDICT-4: a ledger that went back",
    evidence: cleanEvidence({ ledger: "rolled-back" }),
    answer: "not-seen | UNCONFIRMED | ROLLED_BACK | withheld ROLLED_BACK | 21",
  },
  {
    flaw: "VERDICT-4: another surface whose control stays silent",
    evidence: withSurface("summaries", { probes: withSilentBytes }),
    answer: "blind-probe | UNCONFIRMED | BLIND_PROBE | tombstone summaries=BLIND | 21",
  },
  {
    flaw: "VERDICT-4: another surface reached, but not enumerated",
    evidence: withSurface("summaries", { scan: { complete: false, snapshot: "none" } }),
    answer: "blind-probe | UNCONFIRMED | BLIND_PROBE | tombstone summaries=BLIND | 21",
  },
  ...(["UNREACHABLE", "UNSUPPORTED", "UNBOUNDED", "KEPT", "WATCHED_ONLY"] as const).map((reason) => ({
    flaw: `ATTEST-2: a surface that is ${reason}`,
    evidence: uncovered(reason),
    answer: `uncovered | PARTIAL | ${reason} | tombstone vectors=${reason} | 20`,
  })),
  {
    flaw: "ATTEST-2: a surface that was reached but not seen",
    evidence: uncovered("BLIND"),
    answer: "blind-probe | UNCONFIRMED | BLIND_PROBE | tombstone vectors=BLIND | 21",
  },
  {
    flaw: "ATTEST-5: a cache without bound",
    evidence: withSurface("prompt-cache", { horizon: "none" }),
    answer: "uncovered | PARTIAL | UNBOUNDED | tombstone prompt-cache=UNBOUNDED | 20",
  },
  {
    flaw: "ATTEST-5: a cache that is seen, with copies that live longer than may be attested",
    evidence: withSurface("vectors", { horizon: "beyond" }),
    answer: "uncovered | PARTIAL | UNBOUNDED | tombstone vectors=UNBOUNDED | 20",
  },
  {
    flaw: "CLAIM-6: a replica that was not reached",
    evidence: withSurface("episodes", {
      replicas: [
        { store: "a", reached: true },
        { store: "b", reached: false },
      ],
    }),
    answer: "uncovered | PARTIAL | UNREACHABLE | tombstone episodes=UNREACHABLE | 20",
  },
  {
    flaw: "CLAIM-5: a surface that a foreign claim leaves out",
    evidence: claimed({ surfacesReached: ["episodes", "summaries"] }),
    answer: "uncovered | PARTIAL | UNREACHABLE | tombstone vectors=UNREACHABLE | 20",
  },
  {
    flaw: "CLAIM-5: a purge that the kind cannot do",
    evidence: withSurface("vectors", { purge: { outcome: "unsupported" } }),
    answer: "uncovered | PARTIAL | UNSUPPORTED | tombstone vectors=UNSUPPORTED | 20",
  },
  {
    flaw: "VERDICT-1: foreign writers that are watched",
    evidence: withSurface("episodes", { writers: "foreign", watched: true }),
    answer: "uncovered | PARTIAL | WATCHED_ONLY | tombstone episodes=WATCHED_ONLY | 20",
  },
  {
    flaw: "ATTEST-7: artifacts kept under a ground",
    evidence: cleanEvidence({ kept: [{ surface: "episodes", name: "ab", ground: "Art. 17(3)(e)", until: later(99) }] }),
    answer: "uncovered | PARTIAL | KEPT | tombstone episodes=KEPT | 20",
  },
  {
    flaw: "VERDICT-1: a container that another ledger claims",
    evidence: cleanEvidence({ census: { undeclared: [], shared: [{ container: "memory.v", surfaces: ["vectors"] }] } }),
    answer: "uncovered | PARTIAL | CONTAINER_SHARED | tombstone vectors=WATCHED_ONLY | 20",
  },
  {
    flaw: "ATTEST-8: all clean, a horizon open",
    evidence: withSurface("prompt-cache", { horizon: { until: later(3600), basis: "provider contract" } }),
    answer: "horizon-open | UNCONFIRMED | HORIZON_OPEN | erasure +3600 | 22",
  },
  {
    flaw: "VERDICT-1: no flaw at all",
    evidence: cleanEvidence(),
    answer: "clean | COMPLIANT | - | erasure +0 | 0",
  },
  {
    flaw: "CLAIM-2: no flaw in a foreign tool's work, its insert path tried in a copy",
    evidence: claimed({}, { denylist: { entries: 0, onContent: false }, trial: "refused" }),
    answer: "clean | COMPLIANT | - | erasure +0 | 0",
  },
];
