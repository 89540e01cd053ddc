// What was seen about a target, piece by piece, as the judge takes it: a piece nobody looked for says "unknown" and is never clean. Types only, no I/O.
import type { UncoveredReason } from "@deleatur/verify";
import type { SurfaceRole, Writers } from "../model/declaration.ts";
import type { ProbeDepth, ProbeName } from "../model/needle.ts";
import type { DeletionClass } from "../surface.ts";

/** A piece of evidence, or the explicit statement that nobody has it. */
export type Known<T> = T | "unknown";

/** How a surface stands in the commitment: alg 01, 02 or 03. */
export type SurfaceState =
  | { readonly as: "covered" }
  | { readonly as: "expiring" }
  | { readonly as: "uncovered"; readonly reason: UncoveredReason };

/** One artifact in evidence. `key` is for the operator's own terminal only; `name` is what may be signed or logged (PROOFS §2). */
export interface ArtifactMention {
  readonly surface?: string;
  readonly key?: string;
  readonly name?: string;
}

export interface UndeclaredContainer {
  readonly container: string;
  readonly hits: number;
  /** A probe could not look into it to the end. */
  readonly isUnread?: true;
  /** What stands for it where it is signed or kept. */
  readonly signedAs?: string;
}

/** Evidence that something is left. Without `surface` its container is undeclared. */
export interface Survivor extends ArtifactMention {
  /** `store.table`, a file's base name or the surface id, as the probe saw it. */
  readonly container: string;
  readonly probe: ProbeName;
  readonly depth: ProbeDepth;
  /** No record: the name of a file or folder, which is an identifier of the person. */
  readonly isName?: true;
  /** Whether the known derivations lead from the target to it; `unknown` counts as outside. */
  readonly provenance: Known<"reached" | "outside">;
  /** The leftover stands under a key that is its content's own digest: identical text would find it again (REPLAY-2). */
  readonly contentKeyed: boolean;
}

/** One run of one probe over one surface. `not-applicable`: the surface has nothing of the kind (no text, no vectors, no insert path). `floor`: the controls that an excerpt or neighbour probe must find; the others must find all. */
export interface ProbeEvidence {
  readonly name: ProbeName;
  readonly depth: ProbeDepth;
  readonly status: "ran" | "blind" | "not-run" | "not-applicable";
  readonly controls: { readonly taken: number; readonly found: number; readonly floor?: number };
}

/** What became of the closure's artifacts in one surface. */
export interface EraseCounts {
  readonly erased: number;
  readonly absent: number;
  readonly rewritten: number;
  readonly failed: number;
}

export type PurgeEvidence =
  | { readonly outcome: "purged" }
  | { readonly outcome: "pending"; readonly until?: Date; readonly why?: string }
  | { readonly outcome: "unsupported"; readonly why?: string }
  | { readonly outcome: "failed"; readonly why?: string }
  | { readonly outcome: "not-run" };

/** The edges of a derived surface's rows, as its last scan and the ledger have them. */
export interface LineageEvidence {
  readonly rowsWithoutEdge: number;
  /** Rows whose only edges are inferred and not confirmed. */
  readonly inferredOnly: number;
  readonly complete: boolean;
}

/** The answer of a surface's insert path to erased content; `no-path`: there is nothing to write through. */
export type ReingestOutcome = "refused" | "held" | "accepted" | "no-path" | "not-run";

/** Everything seen in one declared surface. */
export interface SurfaceEvidence {
  readonly surface: string;
  readonly role: SurfaceRole;
  readonly state: Known<SurfaceState>;
  /** Whether every row was enumerated, and in one snapshot. */
  readonly scan: Known<{ readonly complete: boolean; readonly snapshot: "yes" | "none" }>;
  readonly erase: Known<EraseCounts>;
  readonly purge: Known<PurgeEvidence>;
  /** What the kind must answer; `key`, `re-ingest` and, at file level, `bytes` are required whatever stands here. */
  readonly required: readonly ProbeName[];
  readonly probes: readonly ProbeEvidence[];
  readonly writers: Known<Writers>;
  /** Whether `watch` follows foreign writers. */
  readonly watched: boolean;
  readonly reingest: Known<ReingestOutcome>;
  /** `not-derived`: the boundary derives nothing into this surface. */
  readonly lineage: Known<LineageEvidence | "not-derived">;
  readonly deletion: Known<DeletionClass>;
  /** A store that deletes softly and rebuilds later: the longest wait; `none`: deletion is at once. */
  readonly eventual: Known<{ readonly windowSeconds: number } | "none">;
  /** When the last copy out of reach has expired. `none`: in a covered surface no copy is out of reach, in an expiring one there is no bound. `beyond`: later than may be attested. */
  readonly horizon: Known<{ readonly until: Date; readonly basis: string } | "none" | "beyond">;
  /** Every declared replica; the surface is reached when all of them were (CLAIM-6). */
  readonly replicas: readonly { readonly store: string; readonly reached: Known<boolean> }[];
}

/** What a forget tool says about itself: never evidence (CLAIM-1). Hostile input where it comes from a file. */
export interface ErasureClaim {
  readonly subject: string;
  readonly records?: readonly string[];
  /** Absent counts as a claim of success. */
  readonly status?: "success" | "partial" | "failed";
  readonly surfacesReached: readonly string[];
  readonly tombstoneWritten: boolean;
}

/** An artifact that a recorded legal ground keeps. */
export interface KeptArtifact extends ArtifactMention {
  readonly surface: string;
  readonly ground: string;
  readonly until: Date;
}

/** Why no verdict can be asked for yet: a purge's window, or a lease under which a write may still come. */
export interface WaitingFor {
  readonly why: "purge-window" | "lease";
  readonly surface?: string;
  readonly until?: Date;
}

/** Everything that the judge is told. It holds keys for the terminal: never log it whole. */
export interface Evidence {
  /** The ledger's clock when the evidence was complete. */
  readonly at: Date;
  readonly target: "person" | "records";
  /** Whether the target was there before the erase, and how many artifacts. */
  readonly before: Known<{ readonly found: boolean; readonly count: number }>;
  /** The claim of a foreign tool under audit; `none` for our own forget. */
  readonly claim: ErasureClaim | "none";
  /** A trial of a foreign tool's own insert path, in a copy. */
  readonly trial: "refused" | "held" | "accepted" | "not-run";
  /** Every surface of the boundary. */
  readonly surfaces: readonly SurfaceEvidence[];
  /** What was erased and is in a primary surface again. */
  readonly back: Known<readonly ArtifactMention[]>;
  /** What a primary surface, or a replica of it, still holds of the target. */
  readonly primaryHolds: Known<readonly ArtifactMention[]>;
  readonly survivors: Known<readonly Survivor[]>;
  readonly suspects: Known<{ readonly open: number; readonly reviewed: number }>;
  /** Our own entries; `onContent`: the closure's content is among them. */
  readonly denylist: Known<{ readonly entries: number; readonly onContent: boolean }>;
  /** Containers that no surface declares or exempts, and containers that bear another ledger's marker. */
  readonly census: Known<{
    readonly undeclared: readonly UndeclaredContainer[];
    readonly shared: readonly { readonly container: string; readonly surfaces: readonly string[] }[];
  }>;
  readonly intents: Known<{ readonly unresolved: number }>;
  /** Identifier types that a surface uses and nobody gave, resolved or answered with `none`. */
  readonly identifiersUnknown: Known<readonly { readonly surface: string; readonly types: readonly string[] }[]>;
  /** `no-anchor` is a stated limit, no fault; `anchor-lost`: one is declared and cannot be compared with (GUARD-5). */
  readonly ledger: Known<"sound" | "no-anchor" | "rolled-back" | "anchor-lost">;
  /** `lost` counts every loss, those that a policy names (`shared: destroy`) included. */
  readonly bystanders: Known<{
    readonly checked: number;
    readonly intact: number;
    readonly lost: number;
    readonly lostByPolicy: number;
  }>;
  readonly kept: Known<readonly KeptArtifact[]>;
  /** Surfaces in the commitment's domain that the boundary does not declare. */
  readonly beyondBoundary: readonly string[];
  readonly waiting: readonly WaitingFor[];
}
