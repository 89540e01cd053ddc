// What the judge answers: verdict, reasons, error value, what may be attested, and the exit code. Types only; no member can hold a subject's content.
import type { UncoveredReason } from "@deleatur/verify";

export type Verdict = "COMPLIANT" | "PARTIAL" | "UNCONFIRMED";

export type ReasonCode =
  | "RESURRECTED"
  | "PRIMARY_STILL_HOLDS"
  | "SURVIVOR_FOUND"
  | "PURGE_PENDING"
  | "RESURRECTABLE"
  | "LINEAGE_MISSING"
  | "NOTHING_FOUND"
  | "NO_DENYLIST_ENTRY"
  | "NO_SURFACE_NAMED"
  | "SURFACES_NOT_NAMED"
  | "GUARD_NOT_SHOWN"
  | "DOMAIN_NOT_EQUAL"
  | "INTENT_UNRESOLVED"
  | "IDENTIFIER_UNKNOWN"
  | "EVENTUAL_DELETION"
  | "UNDECLARED_CONTAINER"
  | "SUSPECT_OPEN"
  | "PRIMARY_BLIND"
  | "ROLLED_BACK"
  | "ANCHOR_LOST"
  | "BLIND_PROBE"
  | "UNREACHABLE"
  | "UNSUPPORTED"
  | "UNBOUNDED"
  | "KEPT"
  | "WATCHED_ONLY"
  | "CONTAINER_SHARED"
  | "HORIZON_OPEN"
  | "BYSTANDER_LOST";

export type ReasonClass = "technical" | "lawful" | "timed";

/** Why a verdict is what it is. It may be signed and logged: artifacts stand by name, never by key (VERDICT-5). */
export interface Reason {
  readonly code: ReasonCode;
  readonly class: ReasonClass;
  /** The surface, or the undeclared container. */
  readonly surface?: string;
  /** What stands for `surface` wherever the reason is signed or kept: the name of a file may be somebody's words. */
  readonly signedAs?: string;
  /** The rule that was broken, in words. */
  readonly rule: string;
  readonly artifactName?: string;
  readonly count?: number;
  readonly cure: string;
}

/** An error as a value; `auditErasure` and `attestErasure` throw the same. */
export type JudgedError =
  | {
      readonly class: "ErasureAuditError";
      readonly code: "RESURRECTED" | "PRIMARY_STILL_HOLDS" | "RESURRECTABLE" | "NO_SURFACE_NAMED";
      readonly surfaces?: readonly string[];
    }
  | {
      readonly class: "DerivationClosureError";
      readonly code:
        | "DOMAIN_NOT_COVERED"
        | "DOMAIN_NOT_EQUAL"
        | "LINEAGE_MISSING"
        | "INTENT_UNRESOLVED"
        | "IDENTIFIER_UNKNOWN"
        | "EVENTUAL_DELETION";
      /** Sorted by UTF-8 bytes. */
      readonly surfaces?: readonly string[];
      readonly windowSeconds?: number;
    };

/** One residual risk: what is open, until when it must be cured, and how (RISK-1). Exactly one for each uncovered surface. */
export interface ResidualRisk {
  readonly surface?: string;
  readonly code: UncoveredReason | "SURFACES_NOT_NAMED";
  readonly text: string;
  readonly deadline: Date;
  readonly cure: string;
}

/** What may be signed. */
export type AttestationAnswer =
  | { readonly kind: "erasure"; readonly effective: Date }
  | { readonly kind: "tombstone"; readonly effective: Date; readonly risks: readonly ResidualRisk[] }
  | {
      readonly kind: "withheld";
      readonly code: string;
      /** `forget --resume` can finish it. */
      readonly resumable: boolean;
      readonly risks: readonly ResidualRisk[];
    }
  | { readonly kind: "none"; readonly code: string };

export interface Judgement {
  /** The row of the table that decided, by its name. */
  readonly row: string;
  /** Absent while the request waits. */
  readonly verdict?: Verdict;
  /** A bystander's loss first, then the reasons of every row that holds, in the table's order. */
  readonly reasons: readonly Reason[];
  readonly error?: JudgedError;
  readonly attestation: AttestationAnswer;
  /** What the log must record as a violation. */
  readonly violations: readonly ("RESURRECTED" | "BYSTANDER_LOST")[];
  readonly exitCode: 0 | 20 | 21 | 22;
}
