// What a request answers: state, verdict, reasons and receipt as values, never a bare success (CLAIM-1). Types only.
import type { BestOutcome } from "../attest/best-outcome.ts";
import type { ArtifactMention, EraseCounts, PurgeEvidence, Survivor } from "../attest/evidence.ts";
import type { AttestationAnswer, JudgedError, Reason, Verdict } from "../attest/judgement.ts";
import type { ForeseenPurge, Hindered } from "../examine/foresee.ts";
import type { RequestState } from "../ledger/request-record.ts";
import type { SurfaceRole } from "../model/declaration.ts";

/** One surface's part of the outcome; counts of artifacts of the closure. */
export interface SurfaceOutcome extends EraseCounts {
  readonly surface: string;
  readonly label: string;
  readonly role: SurfaceRole;
  readonly kept: number;
  readonly purge: PurgeEvidence["outcome"];
  readonly state: "covered" | "expiring" | "uncovered";
  /** Why it is uncovered, or since when it waits. */
  readonly why?: string;
  /** What its store, or its adapter, said where an erase or a purge did not do what it was asked for, and the code of what kept it from being read; each once. */
  readonly troubles?: readonly string[];
}

/** The answer of `forget`, `forget --resume` and `audit`. Survivors carry keys: for the operator's terminal only. */
export interface RequestOutcome {
  readonly request: string;
  readonly state: RequestState;
  readonly why?: string;
  readonly until?: string;
  /** Absent while the request waits. */
  readonly verdict?: Verdict;
  readonly reasons: readonly Reason[];
  readonly error?: JudgedError;
  readonly attestation: AttestationAnswer;
  readonly survivors: readonly Survivor[];
  readonly back: readonly ArtifactMention[];
  readonly suspects: { readonly open: number; readonly reviewed: number };
  readonly surfaces: readonly SurfaceOutcome[];
  readonly bystanders: {
    readonly checked: number;
    readonly intact: number;
    readonly lost: number;
    readonly lostByPolicy: number;
  };
  readonly denylist: number;
  /** Texts that are guarded as a whole and not, or not wholly, inside larger ones: the request had more runs of words than are filed for one. */
  readonly textsCutOff: number;
  /** Path of the receipt file. */
  readonly receipt?: string;
  /** Binds the receipt to the person; goes into the letter only. */
  readonly personCode?: string;
  readonly exitCode: number;
}

/** What `forget --dry-run` shows; nothing was touched. */
export interface DryRun {
  readonly items: readonly DryRunItem[];
  readonly surfaces: readonly {
    readonly surface: string;
    readonly label: string;
    readonly erase: number;
    readonly rewrite: number;
    readonly keep: number;
    /** Erased although another person has a part in it, because `shared: destroy` says so. */
    readonly lossForOthers: number;
  }[];
  readonly outOfReach: readonly { readonly surface: string; readonly why: string }[];
  readonly identifiersUnknown: readonly { readonly surface: string; readonly type: string }[];
  readonly withoutLineage: readonly { readonly surface: string; readonly rows: number }[];
  /** What each purge would lock and take, and what stands in its way. */
  readonly purges: readonly ForeseenPurge[];
  /** Probes that could not look, and acts that a store would refuse. */
  readonly hindered: readonly Hindered[];
  /** The best that could be attested, by the same judge. */
  readonly best: BestOutcome;
}

export interface DryRunItem {
  readonly artifact: string;
  readonly depth: number;
  readonly action: "erase" | "rewrite" | "keep";
  readonly because: string;
  readonly sources: readonly string[];
}
