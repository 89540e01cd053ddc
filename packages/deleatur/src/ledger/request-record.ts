// What the ledger keeps of a request: its record, its claim, its journal of steps, its items and its sealed values. Types only.
import type { EdgeOrigin } from "../model/artifact.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier } from "../model/ids.ts";
import type { Writer } from "./ledger.ts";

/** Where a request is (DESIGN §1). */
export type RequestState = "received" | "blocked" | "erasing" | "waiting" | "confirming" | "closed" | "stuck";

export type RequestVerdict = "COMPLIANT" | "PARTIAL" | "UNCONFIRMED";
export type AttestationKind = "erasure" | "tombstone" | "withheld";

export interface RequestOrder {
  readonly id: RequestId;
  readonly target: "person" | "records";
  readonly identifiers: readonly SubjectIdentifier[];
  readonly refs: readonly ArtifactRef[];
  readonly boundaryDigest: string;
  readonly received?: string;
  readonly due: string;
  readonly reference?: string;
  /** JSON; sealed like the selector. */
  readonly options: unknown;
}

/** A request as the ledger opens it. After its close what was sealed is gone: no identifiers, refs, reference, options or person code. */
export interface RequestRecord {
  readonly id: RequestId;
  readonly target: "person" | "records";
  readonly state: RequestState;
  readonly why?: string;
  readonly until?: string;
  readonly identifiers: readonly SubjectIdentifier[];
  readonly refs: readonly ArtifactRef[];
  readonly reference?: string;
  readonly options?: unknown;
  /** r, 32 bytes: goes into the letter only. */
  readonly personCode?: Uint8Array;
  readonly boundaryDigest: string;
  readonly received?: string;
  readonly due: string;
  readonly opened: string;
  readonly updated: string;
  readonly closed?: string;
  readonly verdict?: RequestVerdict;
  /** JSON without personal data. */
  readonly reasons?: unknown;
  readonly attestation?: AttestationKind;
  readonly effective?: string;
  readonly epoch?: number;
  /** Path of the receipt, sealed under the guard's key because a path may name a person. */
  readonly receipt?: string;
}

/** `null` clears a member; an absent member stays. */
export interface RequestPatch {
  readonly state?: Exclude<RequestState, "closed">;
  readonly why?: string | null;
  readonly until?: string | null;
  readonly verdict?: RequestVerdict | null;
  readonly reasons?: unknown;
  readonly attestation?: AttestationKind | null;
  readonly effective?: string | null;
  readonly epoch?: number | null;
  readonly receipt?: string | null;
  readonly boundaryDigest?: string;
  readonly due?: string;
}

export interface RequestStep {
  readonly name: string;
  readonly state: "started" | "finished";
  readonly at: string;
  readonly detail: unknown;
}

export type ItemAction = "erase" | "rewrite" | "keep" | "unreach";

export interface RequestItem {
  readonly ref: ArtifactRef;
  readonly action: ItemAction;
  readonly depth: number;
  readonly origins: readonly EdgeOrigin[];
  readonly outcome?: string;
  readonly why?: string;
}

export interface ItemPatch {
  readonly ref: ArtifactRef;
  readonly action?: ItemAction;
  readonly outcome?: string;
  readonly why?: string;
}

export interface ItemCount {
  readonly surface: string;
  readonly action: ItemAction;
  /** `pending` where an item has no outcome yet. */
  readonly outcome: string;
  readonly count: number;
}

export interface RequestJournal {
  /** Seals selector, reference and options under a fresh request key, and makes the person code. @throws LedgerError REQUEST_EXISTS */
  openRequest(order: RequestOrder): void;
  request(id: RequestId): RequestRecord | undefined;
  /** Oldest first. */
  requests(): readonly RequestRecord[];
  /** Ids of all that are not closed, audit tickets among them. */
  openRequests(): readonly RequestId[];
  /** A request that is not closed about a person who shares one of these identifiers, or about exactly these records. */
  findRunningRequest(selector: {
    readonly identifiers?: readonly SubjectIdentifier[];
    readonly refs?: readonly ArtifactRef[];
  }): RequestId | undefined;
  updateRequest(id: RequestId, patch: RequestPatch): void;
  /** Adds identifiers that turned out to be the same person's, and replaces the options where given; answers how many were new. @throws LedgerError REQUEST_CLOSED */
  extendRequest(id: RequestId, identifiers: readonly SubjectIdentifier[], options?: unknown): number;
  /** Whether this process may work on the request now; asked again it renews. A dead process's claim is taken over. */
  claimRequest(id: RequestId, owner: Writer, leaseMs: number): boolean;
  releaseRequest(id: RequestId, owner: Writer): void;
  /** In the order in which they were first started. */
  steps(id: RequestId): readonly RequestStep[];
  startStep(id: RequestId, name: string): void;
  /** `detail` is JSON without personal data. */
  finishStep(id: RequestId, name: string, detail?: unknown): void;
  /** Upserts; keys are sealed under the request key. */
  putItems(id: RequestId, items: readonly RequestItem[]): void;
  /** In the order in which they were first put; empty after the close. */
  items(id: RequestId): readonly RequestItem[];
  updateItems(id: RequestId, patches: readonly ItemPatch[]): void;
  /** Before and after the close. */
  itemCounts(id: RequestId): readonly ItemCount[];
  /** `name` stands in clear: no personal data in it. */
  putSealed(id: RequestId, name: string, value: Uint8Array): void;
  getSealed(id: RequestId, name: string): Uint8Array | undefined;
  sealedNames(id: RequestId): readonly string[];
  dropSealed(id: RequestId, name: string): void;
  /** Destroys the request key and with it everything that was sealed under it. Closing again changes nothing. */
  closeRequest(id: RequestId): void;
}
