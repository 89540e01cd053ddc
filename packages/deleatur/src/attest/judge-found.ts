// The rows of the verdict table about what was found: back, still held, surviving, unpurged, let in again. Pure: no clock, no I/O.
import type { Evidence, Survivor } from "./evidence.ts";
import { isDeclared, isPurgeBytes, isPurgeOwed, listed, withhold } from "./judge-row.ts";
import type { Row, RowHit } from "./judge-row.ts";
import type { JudgedError, Reason } from "./judgement.ts";
import { reason, reasonsFor } from "./reasons.ts";

function auditError(
  code: (JudgedError & { class: "ErasureAuditError" })["code"],
  reasons: readonly Reason[],
): JudgedError {
  const surfaces = [...new Set(reasons.flatMap((one) => (one.surface === undefined ? [] : [one.surface])))];
  return { class: "ErasureAuditError", code, surfaces };
}

/** What the ledger saw erased is in a primary surface again. */
function judgeResurrected(evidence: Evidence): RowHit | undefined {
  const reasons = reasonsFor("RESURRECTED", "what was erased is back in a primary surface", listed(evidence.back));
  return withhold("UNCONFIRMED", 21, reasons, { error: auditError("RESURRECTED", reasons) });
}

/** A primary surface, or a replica of it, still holds the target. */
function judgePrimaryStillHolds(evidence: Evidence): RowHit | undefined {
  const reasons = reasonsFor(
    "PRIMARY_STILL_HOLDS",
    "a primary surface still holds the target",
    listed(evidence.primaryHolds),
  );
  return withhold("UNCONFIRMED", 21, reasons, { error: auditError("PRIMARY_STILL_HOLDS", reasons) });
}

const RENAME = "rename or remove the file or folder, then run `deleatur forget --resume`";

/** A survivor that provenance reaches, the name of a file, or an artifact of the closure whose erase failed (CLAIM-5). */
function judgeReachedSurvivor(evidence: Evidence): RowHit | undefined {
  const reached = listed(evidence.survivors).filter(
    (one) => one.provenance === "reached" && isDeclared(evidence, one) && !isPurgeBytes(evidence, one),
  );
  const failed = evidence.surfaces.flatMap(({ surface, erase }) =>
    erase === "unknown" || erase.failed === 0
      ? []
      : [reason("SURVIVOR_FOUND", "the erase of an artifact of the closure failed", { surface, count: erase.failed })],
  );
  const named = reached.filter(({ isName }) => isName === true);
  const reasons = [
    ...reasonsFor(
      "SURVIVOR_FOUND",
      "a survivor that provenance reaches",
      reached.filter((one) => !named.includes(one)),
    ),
    ...reasonsFor("SURVIVOR_FOUND", "a file or folder is called by an identifier of the person", named, RENAME),
    ...failed,
  ];
  return withhold("PARTIAL", 20, reasons, { resumable: true });
}

/** Erased, but the purge waits, failed or never ran; bytes found in that surface belong here. */
function judgePurgePending(evidence: Evidence): RowHit | undefined {
  const owed = evidence.surfaces
    .filter((one) => isPurgeOwed(evidence, one))
    .map(({ surface, purge }) => {
      const outcome = purge === "unknown" ? "unknown" : purge.outcome;
      const kind =
        purge !== "unknown" && purge.outcome === "pending" && purge.until !== undefined ? "timed" : "technical";
      return reason("PURGE_PENDING", `erased, but the purge is ${outcome}`, { surface, class: kind });
    });
  const bytes = listed(evidence.survivors).filter((one) => isPurgeBytes(evidence, one));
  const reasons = [...owed, ...reasonsFor("PURGE_PENDING", "erased bytes are still in the store's files", bytes)];
  return withhold("PARTIAL", 20, reasons, { resumable: true });
}

/** An insert path let erased content in, or a leftover keyed by its content's digest waits for identical text. */
function judgeResurrectable(evidence: Evidence): RowHit | undefined {
  const rule = "the re-ingestion probe got in";
  const doors = evidence.surfaces
    .filter((one) => one.reingest === "accepted")
    .map(({ surface }) => reason("RESURRECTABLE", rule, { surface }));
  const trial =
    evidence.trial === "accepted" ? [reason("RESURRECTABLE", `${rule} through the tool's own insert path`)] : [];
  const leftovers = outsideSurvivors(evidence).filter((one) => isResurrectable(evidence, one));
  const reasons = [
    ...doors,
    ...trial,
    ...reasonsFor(
      "RESURRECTABLE",
      "a leftover keyed by its content's digest, with no denylist entry on that content",
      leftovers,
    ),
  ];
  return withhold("UNCONFIRMED", 21, reasons, { error: auditError("RESURRECTABLE", reasons) });
}

/** Another survivor in a declared surface, outside provenance: the closure was not whole. */
function judgeOutsideSurvivor(evidence: Evidence): RowHit | undefined {
  const others = outsideSurvivors(evidence).filter((one) => !isResurrectable(evidence, one));
  const rule = "a survivor in a declared surface, outside provenance";
  return withhold("PARTIAL", 20, [
    ...reasonsFor("SURVIVOR_FOUND", rule, others),
    ...reasonsFor("LINEAGE_MISSING", "no derivation leads to this survivor", others),
  ]);
}

function outsideSurvivors(evidence: Evidence): readonly Survivor[] {
  return listed(evidence.survivors).filter(
    (one) => one.provenance !== "reached" && isDeclared(evidence, one) && !isPurgeBytes(evidence, one),
  );
}

function isResurrectable(evidence: Evidence, survivor: { readonly contentKeyed: boolean }): boolean {
  const guarded = evidence.denylist !== "unknown" && evidence.denylist.entries > 0 && evidence.denylist.onContent;
  return survivor.contentKeyed && !guarded;
}

/** In the table's order. */
export const FOUND_ROWS: readonly Row[] = [
  { name: "resurrected", judge: judgeResurrected },
  { name: "primary-still-holds", judge: judgePrimaryStillHolds },
  { name: "survivor-within-provenance", judge: judgeReachedSurvivor },
  { name: "purge-pending", judge: judgePurgePending },
  { name: "resurrectable", judge: judgeResurrectable },
  { name: "survivor-outside-provenance", judge: judgeOutsideSurvivor },
];
