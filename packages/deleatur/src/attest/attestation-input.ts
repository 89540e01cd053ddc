// All that a statement is composed from. Types only: no member has room for a subject's content, key or identifier.
import type {
  Approval,
  Closure,
  Deletion,
  Dropped,
  Manifest,
  ProbeRun,
  PublicForm,
  SurfaceState,
  UtcTime,
  Who,
} from "@deleatur/verify";
import type { RequestId } from "../model/ids.ts";
import type { EpochRoots } from "./epoch-commitments.ts";
import type { Judgement } from "./judgement.ts";
import type { LogTrail } from "./log-trail.ts";

/** What a covered or expiring surface says of itself beside its commitment. */
export interface SurfaceFacts {
  readonly id: string;
  readonly adapter: { readonly kind: string; readonly version: string };
  readonly snapshot: "yes" | "none";
  readonly lineageFrom: "store" | "ledger" | "both";
  readonly fence: "strong" | "leased" | "watch" | "none";
  readonly deletion: Deletion;
  /** In words that may be published. */
  readonly outOfReach: readonly string[];
  /** Of a covered surface whose copies out of reach expire by themselves. */
  readonly horizon?: { readonly until: Date; readonly basis: string };
}

/** What only an erasure or a tombstone says. */
export interface EpochEvidence {
  /** One for every surface. */
  readonly surfaces: readonly SurfaceFacts[];
  readonly manifest: Manifest;
  readonly dropped: readonly Dropped[];
  /** Edges of the closure by origin; inferred ones that a person confirmed count as declared. */
  readonly lineage: Closure["lineage"];
  /** `scope`: surfaces whose insert paths are guarded. */
  readonly denylist: { readonly count: number; readonly scope: readonly string[] };
  readonly probes: readonly ProbeRun[];
  readonly intents: { readonly unresolved: number };
  readonly bystanders: { readonly checked: number; readonly intact: number; readonly lost: number };
}

export interface AttestationInput {
  readonly request: {
    readonly id: RequestId;
    readonly target: "person" | "records";
    /** Equal to the logged request's; empty where the target is records. */
    readonly who: readonly Who[];
    /** Identifier types that the operator says the person has none of (LINEAGE-7); the statement says so. */
    readonly none?: readonly string[];
    readonly received?: UtcTime;
    readonly due?: UtcTime;
    readonly approvals?: readonly Approval[];
  };
  readonly issued: Date;
  /** The pinned version; its digest is computed. */
  readonly boundary: { readonly version: number; readonly publicForm: PublicForm };
  /** Its `attestation` says which kind is composed. */
  readonly judgement: Judgement;
  /** null where no epoch was scanned: then only a refusal can be composed. */
  readonly roots: EpochRoots | null;
  /** null is enough for a refusal. */
  readonly evidence: EpochEvidence | null;
  /** Counts of the closure's artifacts by surface, for a refusal; a surface that is left out counts none. */
  readonly states: readonly SurfaceState[];
  readonly log: LogTrail;
  /** Whether the ledger is anchored outside the stores' backup set (GUARD-5); where it is not, the statement says so. */
  readonly hasAnchor: boolean;
  /** Rounded up to a power of ten: texts that the guard knows as a whole only (GUARD-2). Absent or 0: none. */
  readonly textsCutOff?: number;
}
