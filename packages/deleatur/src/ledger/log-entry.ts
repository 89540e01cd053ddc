// The entries that the ledger's log may hold: types, random ids, names and counts. None has room for personal data (LOG-1, PRIVACY-1). Types only.
import type { LogEntry } from "@deleatur/verify";
/** Around every run, whatever it does (LOG-1). A run without its end was cut off. */
export interface RunStartedEntry {
  readonly type: "run-started";
  readonly at: string;
  /** Random, 32 hex digits. */
  readonly run: string;
  readonly verb: string;
  readonly request?: string;
}

export interface RunFinishedEntry {
  readonly type: "run-finished";
  readonly at: string;
  readonly run: string;
  readonly outcome: "done" | "failed" | "interrupted";
  /** The code of an error. */
  readonly code?: string;
}

export interface StepEntry {
  readonly type: "step-started" | "step-finished";
  readonly at: string;
  readonly request: string;
  readonly step: string;
}

export interface VerdictEntry {
  readonly type: "verdict";
  readonly at: string;
  readonly request: string;
  readonly verdict: string;
  /** Reason codes, sorted. */
  readonly reasons: readonly string[];
}

/** Something is back, or somebody else lost data. `name` is a name of PROOFS §2, never a key. */
export interface ViolationEntry {
  readonly type: "violation";
  readonly at: string;
  readonly code: string;
  readonly surface: string;
  readonly request?: string;
  readonly name?: string;
  /** Rounded. */
  readonly count?: number;
}

export interface WriteRefusedEntry {
  readonly type: "write-refused";
  readonly at: string;
  readonly code: "FENCED" | "ERASED_SOURCE" | "NO_SOURCE" | "DENYLISTED";
  readonly surface: string;
  /** The kind of the denylist entry that refused. */
  readonly kind?: string;
}

/** A request had more runs of words than may be filed for one person: so many of its texts are not, or not wholly, kept out inside larger ones (GUARD-2). */
export interface EntriesLimitedEntry {
  readonly type: "entries-limited";
  readonly at: string;
  readonly request: string;
  /** Rounded. */
  readonly count: number;
}

export interface LiftEntry {
  readonly type: "denylist-lifted";
  readonly at: string;
  readonly request?: string;
  /** The term of the request's entries had ended. */
  readonly expired?: true;
  readonly role: string;
  readonly reason: string;
  /** Rounded. */
  readonly count: number;
}

export interface ReviewEntry {
  readonly type: "review-decided";
  readonly at: string;
  readonly request: string;
  readonly suspect: string;
  readonly decision: "kept" | "erased";
  readonly role: string;
  readonly reason: string;
}

export interface HeldDecidedEntry {
  readonly type: "held-decided";
  readonly at: string;
  /** Random, 32 hex digits. */
  readonly held: string;
  readonly decision: "released" | "discarded";
  readonly role: string;
  readonly reason: string;
}

/** Nobody decided on a held write in time, or nobody wrote what was released. */
export interface HeldExpiredEntry {
  readonly type: "held-expired";
  readonly at: string;
  /** Random, 32 hex digits. */
  readonly held: string;
}

export interface EdgeConfirmedEntry {
  readonly type: "edge-confirmed";
  readonly at: string;
  readonly derivedSurface: string;
  readonly sourceSurface: string;
  readonly role: string;
}

export interface IdentifierNoneEntry {
  readonly type: "identifier-none";
  readonly at: string;
  readonly request: string;
  /** The identifier type of which the person has none (LINEAGE-7). */
  readonly identifierType: string;
}

export interface RiskEntry {
  readonly type: "risk-opened" | "risk-closed";
  readonly at: string;
  readonly risk: string;
  readonly request: string;
  readonly surface: string;
  readonly kind: string;
  readonly deadline?: string;
}

export interface HoldEntry {
  readonly type: "hold-placed" | "hold-released";
  readonly at: string;
  readonly surface: string;
  /** Rounded. */
  readonly count: number;
}

export interface KeysExportedEntry {
  readonly type: "keys-exported";
  readonly at: string;
}

export interface RequestClosedEntry {
  readonly type: "request-closed";
  readonly at: string;
  readonly request: string;
}

/** From here on the ledger is compared with an anchor. */
export interface AnchorBegunEntry {
  readonly type: "anchor-begun";
  readonly at: string;
  /** Where another anchor was lost: who had this one begun, and why. */
  readonly role?: string;
  readonly reason?: string;
}

/** The ledger had been set back: it had `size` entries of this log, and its anchor knew `anchored`. */
export interface RolledBackEntry {
  readonly type: "ledger-rolled-back";
  readonly at: string;
  readonly size: number;
  readonly anchored: number;
  /** True where the log had gone on another way: earlier checkpoints do not lead to this one. */
  readonly isForked: boolean;
  /** Records of the anchor that the ledger took in. */
  readonly adopted: number;
}

export interface ReplayedEntry {
  readonly type: "replayed";
  readonly at: string;
  /** Whether nothing that was ever erased is left in any declared location. */
  readonly isWhole: boolean;
  /** Of how many requests, closed or unknown, fences were taken down that no open request stood behind; absent where there were none. */
  readonly fencesLifted?: number;
  /** Rounded counts. */
  readonly surfaces: readonly { readonly id: string; readonly back: number; readonly held: number }[];
}

/** A look of a watch that ended. */
export interface WatchedEntry {
  readonly type: "watched";
  readonly at: string;
  readonly outcome: "clean" | "back" | "held" | "unread";
}

export type LedgerLogEntry =
  | LogEntry
  | RunStartedEntry
  | RunFinishedEntry
  | StepEntry
  | VerdictEntry
  | ViolationEntry
  | WriteRefusedEntry
  | EntriesLimitedEntry
  | LiftEntry
  | ReviewEntry
  | HeldDecidedEntry
  | HeldExpiredEntry
  | EdgeConfirmedEntry
  | IdentifierNoneEntry
  | RiskEntry
  | HoldEntry
  | KeysExportedEntry
  | AnchorBegunEntry
  | RolledBackEntry
  | ReplayedEntry
  | WatchedEntry
  | RequestClosedEntry;
