// Audits another tool's claim against evidence, for anybody's forget tool (CLAIM-2). It signs nothing, and believes no return value.
import { ErasureAuditError } from "../model/errors.ts";
import type { ErasureClaim, Evidence, Known, Survivor } from "./evidence.ts";
import { judge } from "./judge.ts";
import type { Judgement, Reason, ResidualRisk, Verdict } from "./judgement.ts";
import { cureOf } from "./reasons.ts";

/** What an audit says: it has no member that could be signed. Survivors carry keys, for the operator's terminal only. */
export interface AuditVerdict {
  readonly verdict: Verdict;
  readonly row: string;
  readonly reasons: readonly Reason[];
  readonly survivors: Known<readonly Survivor[]>;
  /** Present where the tool cannot name its surfaces: whatever it says counts as PARTIAL (VERDICT-4). */
  readonly answerCountsAs?: "PARTIAL";
  readonly risks: readonly ResidualRisk[];
  readonly violations: Judgement["violations"];
  readonly exitCode: Judgement["exitCode"];
}

const MESSAGES: Readonly<Record<"RESURRECTED" | "PRIMARY_STILL_HOLDS" | "RESURRECTABLE" | "NO_SURFACE_NAMED", string>> =
  {
    RESURRECTED: "what was erased is back in a primary surface, find what brought it back before deleting again",
    PRIMARY_STILL_HOLDS:
      "the claim says erased and a primary surface still holds the target, mend the tool and forget again",
    RESURRECTABLE: "erased content can be ingested again, guard the insert path before deleting again",
    NO_SURFACE_NAMED: "the claim says success and names no surface, let the tool name what it reached",
  };

/** The verdict on a foreign tool's claim. @throws ErasureAuditError where the evidence contradicts it (the first such row of the table) */
export function auditErasure(claim: ErasureClaim, evidence: Evidence): AuditVerdict {
  const judgement = judge({ ...evidence, claim, waiting: [] });
  const { error, verdict, row, reasons, attestation, violations, exitCode } = judgement;
  if (error?.class === "ErasureAuditError") {
    const [surface] = error.surfaces ?? [];
    throw new ErasureAuditError(error.code, MESSAGES[error.code], {
      place: surface === undefined ? {} : { surface },
      cure: cureOf(error.code),
    });
  }
  return {
    verdict: verdict ?? "UNCONFIRMED",
    row,
    reasons,
    survivors: evidence.survivors,
    ...(reasons.some((one) => one.code === "SURFACES_NOT_NAMED") ? { answerCountsAs: "PARTIAL" as const } : {}),
    risks: attestation.kind === "withheld" || attestation.kind === "tombstone" ? attestation.risks : [],
    violations,
    exitCode,
  };
}
