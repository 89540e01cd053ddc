// The rows of the verdict table about absence, the denylist, the claim's own words and the guard. Pure: no clock, no I/O.
import type { Evidence } from "./evidence.ts";
import { withhold } from "./judge-row.ts";
import type { Row, RowHit } from "./judge-row.ts";
import { reason } from "./reasons.ts";

/** The target was not there and nothing was found: nothing is claimed (CLAIM-4). */
function judgeNothingFound(evidence: Evidence): RowHit | undefined {
  const { before, back, primaryHolds, survivors, suspects, census } = evidence;
  if (before === "unknown" || (before.found && before.count > 0)) return undefined;
  const lists = [back, primaryHolds, survivors];
  if (lists.some((list) => list === "unknown" || list.length > 0)) return undefined;
  if (suspects === "unknown" || suspects.open > 0) return undefined;
  if (census === "unknown" || census.undeclared.some((one) => one.hits > 0)) return undefined;
  return {
    verdict: "UNCONFIRMED",
    reasons: [reason("NOTHING_FOUND", "the target was not there, and nothing was found")],
    attestation: { kind: "none", code: "NOTHING_FOUND" },
    exitCode: 21,
  };
}

/** No denylist entry guards re-ingestion. A foreign `tombstoneWritten: false` is believed; `true` is judged by the guard's row (CLAIM-2). */
function judgeNoDenylistEntry(evidence: Evidence): RowHit | undefined {
  const { claim } = evidence;
  const isMissing = claim === "none" ? !hasEntries(evidence) : !claim.tombstoneWritten;
  const rule = claim === "none" ? "no denylist entry guards re-ingestion" : "the tool says that it wrote no tombstone";
  return withhold("UNCONFIRMED", 21, isMissing ? [reason("NO_DENYLIST_ENTRY", rule)] : []);
}

/** A claim of success that names no surface (CLAIM-3). */
function judgeNoSurfaceNamed(evidence: Evidence): RowHit | undefined {
  const { claim } = evidence;
  if (claim === "none" || claim.surfacesReached.length > 0 || (claim.status ?? "success") !== "success")
    return undefined;
  const reasons = [reason("NO_SURFACE_NAMED", "a claim of success that names no surface")];
  return withhold("UNCONFIRMED", 21, reasons, { error: { class: "ErasureAuditError", code: "NO_SURFACE_NAMED" } });
}

/** An honest claim of less than success that names no surface: it counts as PARTIAL and becomes a risk with a deadline (VERDICT-4). */
function judgeSurfacesNotNamed(evidence: Evidence): RowHit | undefined {
  const { claim } = evidence;
  if (claim === "none" || claim.surfacesReached.length > 0 || (claim.status ?? "success") === "success")
    return undefined;
  return withhold("UNCONFIRMED", 21, [
    reason("SURFACES_NOT_NAMED", "the tool cannot name the surfaces that it reached; its answer counts as PARTIAL"),
  ]);
}

/** A foreign tombstone that nothing shows, or an insert path neither guarded nor watched. */
function judgeGuardNotShown(evidence: Evidence): RowHit | undefined {
  const isTried = evidence.trial === "refused" || evidence.trial === "held";
  if (evidence.claim !== "none" && isTried) return undefined;
  const unshown =
    evidence.claim !== "none" && evidence.claim.tombstoneWritten && !hasEntries(evidence)
      ? [reason("GUARD_NOT_SHOWN", "the tool says that it wrote a tombstone, and nothing shows it")]
      : [];
  const open = evidence.surfaces
    .filter(
      (one) => one.reingest !== "no-path" && (one.writers === "unknown" || one.writers === "foreign") && !one.watched,
    )
    .map(({ surface }) => reason("GUARD_NOT_SHOWN", "an insert path neither guarded nor watched", { surface }));
  return withhold("UNCONFIRMED", 21, [...unshown, ...open]);
}

function hasEntries(evidence: Evidence): boolean {
  return evidence.denylist !== "unknown" && evidence.denylist.entries > 0;
}

/** In the table's order. */
export const GUARD_ROWS: readonly Row[] = [
  { name: "nothing-found", judge: judgeNothingFound },
  { name: "no-denylist-entry", judge: judgeNoDenylistEntry },
  { name: "no-surface-named", judge: judgeNoSurfaceNamed },
  { name: "surfaces-not-named", judge: judgeSurfacesNotNamed },
  { name: "guard-not-shown", judge: judgeGuardNotShown },
];
