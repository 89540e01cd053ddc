// The log entries that a receipt discloses: each is the canonical JSON of one of these. Types only; the log may hold others.
import type {
  ERASURE_PREDICATE,
  HexDigest,
  TOMBSTONE_PREDICATE,
  UtcTime,
  WITHHELD_PREDICATE,
  Who,
} from "./statement.ts";
import type { SurfaceRole } from "./public-form.ts";

/** A boundary version, logged before it is used. Versions of one boundary count up by one. */
export interface BoundaryVersionEntry {
  readonly type: "boundary-version";
  readonly at: UtcTime;
  readonly boundary: string;
  readonly version: number;
  readonly digest: HexDigest;
  /** Sorted by the UTF-8 bytes of their ids. */
  readonly surfaces: readonly { readonly id: string; readonly role: SurfaceRole }[];
}

/** A request opened, or pinned again: to a later boundary version, or with identifiers that were joined since. The last of them carries the attested digest and person. */
export interface RequestEntry {
  readonly type: "request-opened" | "request-pinned";
  readonly at: UtcTime;
  readonly request: string;
  readonly target: "person" | "records";
  /** In the last one equal to the statement's; in the first one among them. */
  readonly who: readonly Who[];
  readonly boundary: { readonly id: string; readonly version: number; readonly digest: HexDigest };
}

/** The last purge of this request, over all its surfaces, has ended. */
export interface PurgeFinishedEntry {
  readonly type: "purge-finished";
  readonly at: UtcTime;
  readonly request: string;
}

/** The roots of one epoch. `logSizeAtScan`: the log's size when the scan began, so every entry below it was there before. */
export interface EpochRootsEntry {
  readonly type: "epoch-roots";
  readonly at: UtcTime;
  readonly boundary: { readonly id: string; readonly version: number; readonly digest: HexDigest };
  readonly epoch: number;
  readonly root: HexDigest;
  /** All of the boundary's, sorted by the UTF-8 bytes of their ids. */
  readonly surfaces: readonly { readonly id: string; readonly commitment: HexDigest }[];
  readonly logSizeAtScan: number;
}

/** A statement was signed. `payloadDigest`: SHA-256 of the DSSE payload's bytes. */
export interface AttestationEntry {
  readonly type: "attestation";
  readonly at: UtcTime;
  readonly request: string;
  readonly predicateType: typeof ERASURE_PREDICATE | typeof TOMBSTONE_PREDICATE | typeof WITHHELD_PREDICATE;
  readonly payloadDigest: HexDigest;
}

export type LogEntry = BoundaryVersionEntry | RequestEntry | PurgeFinishedEntry | EpochRootsEntry | AttestationEntry;
