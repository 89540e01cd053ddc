// Judges evidence about a target by the table of DESIGN §7: the first row that holds decides, every row that holds gives its reasons. Pure: no clock, no I/O.
import { compareUtf8, DEFAULT_HORIZON_LIMIT } from "@deleatur/verify";
import type { Evidence } from "./evidence.ts";
import { CLOSURE_ROWS } from "./judge-closure.ts";
import { CLEAN, effectiveFrom, HORIZON_ROW, UNCOVERED_ROWS, uncoveredBy } from "./judge-coverage.ts";
import { FOUND_ROWS } from "./judge-found.ts";
import { GUARD_ROWS } from "./judge-guard.ts";
import { setAsideKept } from "./judge-row.ts";
import type { NamedHit, Row } from "./judge-row.ts";
import type { AttestationAnswer, JudgedError, Judgement, Reason, ResidualRisk } from "./judgement.ts";
import { cureOf, reason } from "./reasons.ts";

const FAULT_ROWS: readonly Row[] = [...FOUND_ROWS, ...GUARD_ROWS, ...CLOSURE_ROWS, ...UNCOVERED_ROWS];

/** The names of the table's rows, in its order. */
export const VERDICT_ROWS: readonly string[] = [...FAULT_ROWS, HORIZON_ROW].map((row) => row.name).concat(CLEAN.row);

export interface JudgeOptions {
  /** The downgrade to a tombstone: a second, named act (ATTEST-2). */
  readonly allowTombstone: boolean;
}

/** The verdict on this evidence, its reasons, and what may be attested. */
export function judge(evidence: Evidence, options: JudgeOptions = { allowTombstone: false }): Judgement {
  if (evidence.waiting.length > 0) return waiting();
  const open = setAsideKept(evidence);
  const faults = FAULT_ROWS.flatMap((row) => holds(row, open));
  const hits = faults.length > 0 ? faults : holds(HORIZON_ROW, open);
  const decisive = hits[0] ?? CLEAN;
  const reasons = hits.flatMap((hit) => hit.reasons);
  const loss = bystanderLoss(evidence);
  const attestation = attest(open, decisive, reasons, options);
  const error = decisive.error ?? notCovered(decisive, attestation, reasons);
  return {
    row: decisive.row,
    verdict: decisive.verdict,
    reasons: [...loss, ...reasons],
    ...(error === undefined ? {} : { error }),
    attestation,
    violations: [
      ...(reasons.some((one) => one.code === "RESURRECTED") ? (["RESURRECTED"] as const) : []),
      ...(loss.length > 0 ? (["BYSTANDER_LOST"] as const) : []),
    ],
    exitCode: loss.length > 0 && decisive.exitCode === 0 ? 20 : decisive.exitCode,
  };
}

function holds(row: Row, evidence: Evidence): readonly NamedHit[] {
  const hit = row.judge(evidence);
  return hit === undefined ? [] : [{ ...hit, row: row.name }];
}

/** A purge's window or a lease: no row, no verdict, nothing signed. */
function waiting(): Judgement {
  return { row: "waiting", reasons: [], attestation: { kind: "none", code: "WAITING" }, violations: [], exitCode: 22 };
}

/** Losses that no policy names, as one reason: they leave the verdict and are printed first. */
function bystanderLoss({ bystanders }: Evidence): readonly Reason[] {
  if (bystanders === "unknown") return [];
  const { checked, intact, lost, lostByPolicy } = bystanders;
  const count = Math.max(lost, checked - intact) - lostByPolicy;
  return count > 0 ? [reason("BYSTANDER_LOST", "bystanders lost what no policy names", { count })] : [];
}

function attest(
  evidence: Evidence,
  { attestation }: NamedHit,
  reasons: readonly Reason[],
  { allowTombstone }: JudgeOptions,
): AttestationAnswer {
  const named = reasons.some((one) => one.code === "SURFACES_NOT_NAMED") ? [unnamedRisk(evidence)] : [];
  if (attestation.kind === "none") return attestation;
  if (attestation.kind === "erasure") return { kind: "erasure", effective: effectiveFrom(evidence) };
  if (attestation.kind === "withheld")
    return { kind: "withheld", code: attestation.code, resumable: attestation.resumable ?? false, risks: named };

  const risks = residualRisks(evidence, reasons);
  const isDowngradable = risks.length > 0 && reasons.every((one) => one.code !== "LINEAGE_MISSING");
  if (allowTombstone && isDowngradable) return { kind: "tombstone", effective: effectiveFrom(evidence), risks };
  return { kind: "withheld", code: "DOMAIN_NOT_COVERED", resumable: false, risks };
}

/** A plain forget asks for an erasure: in a tombstone row the missing surfaces are named. */
function notCovered(
  decisive: NamedHit,
  attestation: AttestationAnswer,
  reasons: readonly Reason[],
): JudgedError | undefined {
  if (decisive.attestation.kind !== "tombstone" || attestation.kind === "tombstone") return undefined;
  const surfaces = [...uncoveredBy(reasons).keys()].toSorted(compareUtf8);
  return { class: "DerivationClosureError", code: "DOMAIN_NOT_COVERED", surfaces };
}

/** Exactly one risk for each uncovered surface, sorted by the UTF-8 bytes of its id. */
function residualRisks(evidence: Evidence, reasons: readonly Reason[]): readonly ResidualRisk[] {
  return [...uncoveredBy(reasons)]
    .toSorted(([a], [b]) => compareUtf8(a, b))
    .map(([surface, { as, rule, cure }]) => ({
      surface,
      code: as,
      text: rule,
      deadline: (as === "KEPT" ? keptUntil(evidence, surface) : undefined) ?? deadline(evidence, surface),
      cure,
    }));
}

function unnamedRisk(evidence: Evidence): ResidualRisk {
  return {
    code: "SURFACES_NOT_NAMED",
    text: "a tool that cannot name the surfaces that it reached",
    deadline: deadline(evidence, undefined),
    cure: cureOf("SURFACES_NOT_NAMED"),
  };
}

/** The remediation deadline (ATTEST-5): the default horizon limit of the surface's role. */
function deadline(evidence: Evidence, surface: string | undefined): Date {
  const isBackup = evidence.surfaces.some((one) => one.surface === surface && one.role === "backup");
  const seconds = isBackup ? DEFAULT_HORIZON_LIMIT.backup : DEFAULT_HORIZON_LIMIT.cache;
  return new Date(evidence.at.getTime() + seconds * 1000);
}

function keptUntil({ kept }: Evidence, surface: string): Date | undefined {
  if (kept === "unknown") return undefined;
  const ends = kept.filter((one) => one.surface === surface).map((one) => one.until.getTime());
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}
