// The types of what is signed (PROOFS §4): an in-toto Statement v1 with one of three predicates. Types and constants only; no logic.
import type { CommitmentAlg, UncoveredReason } from "./surface-commitment.ts";
import type { PublicExemption, PublicForm, SurfaceRole } from "./public-form.ts";

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const ERASURE_PREDICATE = "urn:deleatur:erasure:v1";
export const TOMBSTONE_PREDICATE = "urn:deleatur:tombstone:v1";
export const WITHHELD_PREDICATE = "urn:deleatur:withheld:v1";

/** UTC in whole seconds: `2026-11-02T14:02:11Z`. */
export type UtcTime = string;
/** Lower-case hex of 32 bytes. */
export type HexDigest = string;
/** Standard base64 with padding. */
export type Base64 = string;

/** One identifier of the person, as `whoDigest` says it; sorted by digest. */
export interface Who {
  readonly type: string;
  readonly digest: HexDigest;
}

export interface Approval {
  /** An opaque id of who approved, never a person's name. */
  readonly by: string;
  readonly at: UtcTime;
}

export interface AttestedBoundary {
  readonly id: string;
  /** Counts from 1 for each boundary id. */
  readonly version: number;
  readonly digest: HexDigest;
  readonly publicForm: PublicForm;
}

export type Deletion = "file-level" | "cryptographic" | "memory" | "logical" | "expiry";

/** Until when a copy lives. `until`: whole seconds since 1970 UTC, rounded up. */
export interface Horizon {
  readonly until: number;
  readonly basis: string;
}

export interface AttestedSurface {
  readonly id: string;
  readonly alg: CommitmentAlg;
  readonly role: SurfaceRole;
  readonly adapter: { readonly kind: string; readonly version: string };
  /** `full` where every artifact was read (always, for alg 1). */
  readonly scan: "full" | "none";
  readonly snapshot: "yes" | "none";
  /** Where the tree's edges came from; null where nothing was scanned. */
  readonly lineageFrom: "store" | "ledger" | "both" | null;
  /** `none`: nothing to write through (provider caches, backups). */
  readonly fence: "strong" | "leased" | "watch" | "none";
  readonly keyCommit: HexDigest;
  readonly commitment: HexDigest;
  /** Present for alg 1 only. */
  readonly roots: { readonly membership: HexDigest; readonly lineage: HexDigest } | null;
  /** Present for alg 2; for alg 1 where copies out of reach expire by themselves; null for alg 3. */
  readonly horizon: Horizon | null;
  /** Present for alg 3 only. */
  readonly uncovered: { readonly reason: UncoveredReason } | null;
  /** null only for alg 3. */
  readonly deletion: Deletion | null;
  readonly keys: "unique" | "reusable";
  /** What the store's own engine cannot reach, in plain words. */
  readonly outOfReach: readonly string[];
}

/** One query left out, for one name in one surface (PROOFS §3). Sorted by kind, surface, name. */
export type Dropped =
  | { readonly kind: 2; readonly surface: string; readonly name: HexDigest; readonly why: "shared" }
  | { readonly kind: 1 | 3; readonly surface: string; readonly name: HexDigest; readonly why: "reused" };

export interface Closure {
  readonly count: number;
  /** SHA-256 of the canonical JSON of the manifest. */
  readonly manifestDigest: HexDigest;
  /** Edges by origin; an inferred edge that a person confirmed counts as declared. */
  readonly lineage: { readonly recorded: number; readonly declared: number; readonly inferred: number };
  readonly dropped: readonly Dropped[];
}

export const REQUIRED_PROBES = ["key", "exact", "excerpt", "neighbour", "bytes", "re-ingest"] as const;
export const PROBE_NAMES = [
  "key",
  "exact",
  "excerpt",
  "neighbour",
  "bytes",
  "re-ingest",
  "near",
  "semantic",
  "name",
] as const;
export type ProbeName = (typeof PROBE_NAMES)[number];

/** Why a probe had nothing to do in a surface; any other cause is `blind`. */
export type NotApplicable = "NO_TEXT" | "NO_VECTORS" | "NOT_FILE_LEVEL" | "NO_INSERT_PATH";

/** Sorted by surface (UTF-8 bytes), name, depth; each once. */
export interface ProbeRun {
  readonly surface: string;
  readonly name: ProbeName;
  readonly depth: "api" | "index" | "bytes";
  readonly outcome: "ran" | "blind" | "not-applicable";
  /** A `NotApplicable` where not applicable, a sentence where blind, null where it ran. */
  readonly why: string | null;
  /** `floor`: the fewest controls that must be found; null means all. Stated for excerpt, neighbour, near and semantic. */
  readonly controls: { readonly taken: number; readonly found: number; readonly floor: number | null };
  readonly survivors: number;
  readonly suspects: { readonly open: number; readonly reviewed: number };
}

export interface ResidualRisk {
  readonly surface: string;
  readonly code: UncoveredReason;
  readonly text: string;
  readonly deadline: UtcTime | null;
  readonly cure: string;
}

/** What stands in erasures and tombstones alike. */
export interface EpochPredicate {
  readonly version: 1;
  /** Random: 32 hex digits. */
  readonly request: string;
  readonly who: readonly Who[];
  readonly target: "person" | "records";
  readonly issued: UtcTime;
  /** From when it holds: never before `issued`, nor before any horizon. */
  readonly effective: UtcTime;
  readonly received: UtcTime | null;
  readonly due: UtcTime | null;
  readonly approvals: readonly Approval[];
  readonly epoch: number;
  readonly boundary: AttestedBoundary;
  /** All of the boundary's, sorted by the UTF-8 bytes of their ids. */
  readonly surfaces: readonly AttestedSurface[];
  readonly closure: Closure;
  /** `scope`: ids of the surfaces whose insert paths are guarded, sorted. */
  readonly denylist: { readonly count: number; readonly scope: readonly string[] };
  readonly probes: readonly ProbeRun[];
  readonly intents: { readonly unresolved: number };
  readonly bystanders: { readonly checked: number; readonly intact: number; readonly lost: number };
  /** Exactly one for each uncovered surface, sorted by surface; empty in an erasure. */
  readonly residualRisks: readonly ResidualRisk[];
  /** Equal to the public form's. */
  readonly exemptions: readonly PublicExemption[];
  /** Equal to the public form's `census.quiet`. */
  readonly quiet: readonly string[];
  /** Where the log proofs of the receipt stand. */
  readonly log: {
    readonly origin: string;
    readonly indices: { readonly request: number; readonly purgeFinished: number; readonly epochRoots: number };
  };
  /** Plain language, for people. */
  readonly statement: string;
  readonly limits: readonly string[];
}

/** Where each surface stands when nothing is attested, as counts of artifacts of the closure. */
export interface SurfaceState {
  readonly id: string;
  readonly erased: number;
  readonly absent: number;
  readonly rewritten: number;
  readonly pending: number;
  readonly unsupported: number;
  readonly failed: number;
  readonly blind: number;
}

/** The refusal to attest: no roots, no closure, no proofs. */
export interface WithheldPredicate {
  readonly version: 1;
  readonly request: string;
  readonly who: readonly Who[];
  readonly target: "person" | "records";
  readonly issued: UtcTime;
  /** The epoch whose B is the statement's subject; null where none was scanned and the subject is the boundary digest. */
  readonly epoch: number | null;
  readonly boundary: AttestedBoundary;
  /** The first reason's class, e.g. `SURVIVOR_FOUND`, `DOMAIN_NOT_COVERED`. */
  readonly code: string;
  readonly reasons: readonly { readonly code: string; readonly surface: string | null; readonly text: string }[];
  readonly cures: readonly string[];
  readonly surfaces: readonly SurfaceState[];
  readonly statement: string;
  readonly limits: readonly string[];
}

interface StatementOf<Type extends string, Predicate> {
  readonly _type: typeof STATEMENT_TYPE;
  /** Exactly one: the boundary id, and the hex of B (or of the boundary digest, see `WithheldPredicate.epoch`). */
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: HexDigest } }];
  readonly predicateType: Type;
  readonly predicate: Predicate;
}

export type ErasureStatement = StatementOf<typeof ERASURE_PREDICATE, EpochPredicate>;
export type TombstoneStatement = StatementOf<typeof TOMBSTONE_PREDICATE, EpochPredicate>;
export type WithheldStatement = StatementOf<typeof WITHHELD_PREDICATE, WithheldPredicate>;
export type Statement = ErasureStatement | TombstoneStatement | WithheldStatement;
