// The adapter interface: the one file that an adapter's author reads. Every member is required; what a store cannot do is answered, not left out.
import type { DiskRoom } from "./disk-room.ts";
import type { Artifact, Erased, Offered, Planted, Purged, Rewritten } from "./model/artifact.ts";
import type { Boundary, StoreConnection, SurfaceDeclaration } from "./model/declaration.ts";
import type { ArtifactKey, RequestId, SubjectIdentifier } from "./model/ids.ts";
import type { Finding, Needle, ProbeDepth, ProbeName } from "./model/needle.ts";

// What an adapter is written with, so that this is the one module that it imports.
export { compareUtf8 } from "@deleatur/verify";
export type { DiskRoom } from "./disk-room.ts";
export type { Artifact, ContentField, Erased, Offered, Planted, Purged, Rewritten } from "./model/artifact.ts";
export type { Boundary, StoreConnection, SurfaceDeclaration } from "./model/declaration.ts";
export { BoundaryError, StoreError } from "./model/errors.ts";
export {
  type ArtifactKey,
  artifactKey,
  type ArtifactRef,
  foldIdentifier,
  type RequestId,
  type SubjectIdentifier,
  type SurfaceId,
  surfaceId,
} from "./model/ids.ts";
export type { Finding, Needle, Passage, Place, ProbeDepth, ProbeName } from "./model/needle.ts";
export { createByteMatcher } from "./probe/byte-matcher.ts";
export { createExactMatcher } from "./probe/exact-matcher.ts";
export { createExcerptMatcher } from "./probe/excerpt-matcher.ts";
export type { ByteHit, ByteMatcher, Matcher, MatcherFinding } from "./probe/matcher.ts";

/** `strong`: the store itself refuses. `leased`: the ledger's fence alone, which stands before whatever can be scanned. `none`: for what cannot be scanned. */
export type FenceStrength = "strong" | "leased" | "none";
export type DeletionClass = "file-level" | "cryptographic" | "memory" | "logical" | "expiry";

/** What a kind promises; copied into attestations and held against its behaviour by tests. */
export interface Guarantees {
  readonly scan: "complete" | "none";
  readonly snapshot: "yes" | "none";
  readonly deletion: DeletionClass;
  readonly fence: FenceStrength;
  /** The probes that this kind must answer (DESIGN §6). `re-ingest` is the surface's `offer`, and required whatever stands here. */
  readonly probes: readonly ProbeName[];
  /** What stays out of reach, in words that may be published. */
  readonly outOfReach: readonly string[];
}

/** What is asked of the processes that hold a surface in their memory (kind `in-process`); dead ones are left out, their memory ended with them. */
export interface Participation {
  /** Whether any process ever held this surface. Where none did, nothing is known of it. */
  hasAny(): boolean;
  /**
   * What each live process lists now, asked afresh: one list a process. `asLook`: a process that lists nothing must show that it would list a canary.
   * @throws StoreError PARTICIPANT_SILENT, PARTICIPANT_BLIND
   */
  list(
    keys: readonly ArtifactKey[] | undefined,
    asLook: boolean,
    signal: AbortSignal,
  ): Promise<readonly (readonly Artifact[])[]>;
  /** Has each live process let go of these keys and list afresh; answers which of them are still held, and why. */
  evict(keys: readonly ArtifactKey[], signal: AbortSignal): Promise<ReadonlyMap<ArtifactKey, string>>;
  /** Holds a canary in a participant of this very process, made for it, until it is evicted. */
  stage(canary: Artifact): void;
  close(): void;
}

/** What an adapter is opened with: its declaration, its connections (the surface's own store first, then replicas) and the boundary around it. */
export interface SurfaceEntry {
  readonly declaration: SurfaceDeclaration;
  readonly connections: readonly StoreConnection[];
  readonly boundary: Boundary;
  /** A way of its own to the processes that hold this surface: one for the hands, one for each look. */
  readonly participation: () => Participation;
}

/** One container that exists in a store: a table, an index, a file. `owner` is the container whose shadow it is. */
export interface Container {
  /** `store.table` or `store.file-name`: what census patterns match. */
  readonly name: string;
  readonly kind: "table" | "fts" | "vec" | "shadow" | "view" | "file" | "keys";
  readonly owner?: string;
  readonly holds: readonly ("text" | "vector" | "blob")[];
}

/** A fence: from now on writes about these identifiers, or deriving from these artifacts, are refused in the write's own transaction. */
export interface FenceOrder {
  readonly request: RequestId;
  readonly identifiers: readonly SubjectIdentifier[];
  /** Keys in this surface that must not be written again. */
  readonly keys: readonly ArtifactKey[];
  /** Keys, by source surface, from which nothing may be derived in this surface. */
  readonly sources: ReadonlyMap<string, readonly ArtifactKey[]>;
}

export interface SurfaceKind<Options> {
  readonly kind: string;
  readonly guarantees: Guarantees;
  /** Narrows the declaration to what this kind needs. @throws BoundaryError */
  parse(entry: SurfaceEntry): Options;
  /** Opens the store and checks that the declared container and columns exist. @throws StoreError | BoundaryError */
  open(options: Options): Promise<Surface>;
  /** The probes of this surface: own connections, nothing shared with `open`. Nothing is opened until `look` is called. */
  probes(options: Options): readonly Probe[];
  /** Probes for a container of the same store that no surface declares: it is looked at all the same. */
  containerProbes(options: Options, container: Container): readonly Probe[];
}

/** A container that a purge keeps locked while it writes it anew. */
export interface PurgeLock {
  /** As the census names it, or in words. */
  readonly container: string;
  /** The store's own name of the lock. */
  readonly mode: string;
  readonly keepsOut: "readers and writers" | "writers" | "nobody";
  /** How much is written anew under it. */
  readonly bytes: number;
}

/** What acts would meet that were done now: asked before any of them, by rights and sizes, without a write. What may still be in use by then is not foreseen. */
export interface Foresight {
  /** What a purge would answer instead of `purged`. */
  readonly hindrance?: Exclude<Purged, { readonly outcome: "purged" }>;
  /** Whether what is erased still stands in the store's own files after such a purge, where eyes that see bytes find it. */
  readonly bytesStay: boolean;
  readonly locks: readonly PurgeLock[];
  /** Room on the store's disk that a purge takes beside what is used, in bytes; what stays free after it is not counted. */
  readonly spareBytes: number;
  /** The file system that it takes it from, where that can be looked at from here. */
  readonly disk?: DiskRoom;
  /** About how long a purge takes. */
  readonly seconds: number;
  /** What `seconds` and `spareBytes` rest on, in words. */
  readonly basis: string;
  /** How a store could be kept so that a purge of it took less, in words. */
  readonly cheaper?: string;
  /** Acts that the store would refuse, each with the reason. */
  readonly refused: readonly { readonly act: "erase" | "offer" | "plant"; readonly why: string }[];
}

/** What a scan is asked for: with `lineage`, content may be left out, and a store that can then reads less. */
export type ScanPart = "all" | "lineage";

/** One open surface. Every act is idempotent, so that a crashed run is simply run again. */
export interface Surface {
  readonly guarantees: Guarantees;
  /** Every container of the store, shadow tables with their owner. */
  census(signal: AbortSignal): Promise<readonly Container[]>;
  /**
   * Every artifact, in one read snapshot where the store has one, in the order of the UTF-8 bytes of their keys (`compareUtf8`; numbers that the store gives, by value).
   * @throws StoreError where it cannot be enumerated, and where the store goes away before the end
   */
  scan(signal: AbortSignal, part?: ScanPart): AsyncIterable<Artifact>;
  /** The artifacts of these keys that exist; absent ones are left out. */
  read(keys: readonly ArtifactKey[], signal: AbortSignal): AsyncIterable<Artifact>;
  /** Sets content, sources and subjects of each artifact to what is given (a removed subject or source is removed from its column or join). */
  rewrite(replacements: readonly Artifact[], signal: AbortSignal): Promise<readonly Rewritten[]>;
  /** Erases by key, and counts again that each is gone. One answer for each key; `absent` only of what a store that is there does not hold. */
  erase(keys: readonly ArtifactKey[], signal: AbortSignal): Promise<readonly Erased[]>;
  /** Whether the next purge takes a lock that keeps others out while it runs (VACUUM); such a purge is asked for, or waits for its window. */
  purgeLock(signal: AbortSignal): Promise<"none" | "exclusive">;
  /** What stands in the way of the acts, and what a purge costs; `check` and a dry run promise no more. Writes nothing. @throws StoreError */
  foresee(signal: AbortSignal): Promise<Foresight>;
  /** Makes erased bytes unrecoverable from the store's own files; `pending` while a reader holds them. */
  purge(signal: AbortSignal): Promise<Purged>;
  /** A dry-run insert through the store's own insert path (rolled back). */
  offer(artifact: Artifact, signal: AbortSignal): Promise<Offered>;
  /** Really inserts a canary about nobody, where nothing survives that could be a control; a surface that makes up its own keys answers the key. */
  plant(canary: Artifact, signal: AbortSignal): Promise<Planted>;
  /** Raises a fence; asked again, it adds. Answers the strength that it really has. */
  fence(order: FenceOrder, signal: AbortSignal): Promise<FenceStrength>;
  /** The requests, of whatever ledger, whose fence stands in the surface's stores: one look, however many they are. Writes nothing. @throws StoreError */
  fences(signal: AbortSignal): Promise<readonly RequestId[]>;
  /** Ends the fences of requests. `pending`: it is down, but a reader keeps a trace of it in the store's files; asked again, it is tried again. */
  unfence(requests: readonly RequestId[], signal: AbortSignal): Promise<"ended" | "pending">;
  /** Leaves a ledger's marker in each store of the surface; asked again, it changes nothing. `unmarked`: a store cannot be written (now). @throws StoreError */
  mark(ledger: string, signal: AbortSignal): Promise<"marked" | "unmarked">;
  /** The ledgers whose markers stand in the surface's stores. Writes nothing. @throws StoreError */
  markers(signal: AbortSignal): Promise<readonly string[]>;
  /** Takes the markers of these ledgers out. @throws StoreError */
  unmark(ledgers: readonly string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** One pair of eyes. `scope` names what it reads (`bytes:memory`): of several surfaces with the same name and scope, one look serves all. */
export interface Probe {
  readonly name: ProbeName;
  readonly depth: ProbeDepth;
  readonly scope: string;
  /** May begin to look for these before its turn, beside the other probes; what is found is told in its turn. */
  begin?(needles: readonly Needle[]): void;
  /** Looks for every needle; a control that is not among the findings makes the probe blind. Asked for none it only opens what it would read. @throws StoreError where it cannot look (blind) */
  look(needles: readonly Needle[], signal: AbortSignal): AsyncIterable<Finding>;
  close(): Promise<void>;
}
