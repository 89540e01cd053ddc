// The ledger as the engine sees it: lineage, intents, fences, denylist, requests, epochs, risks and the log behind one synchronous interface. Types only.
import type { EdgeOrigin } from "../model/artifact.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import type { Derived } from "./closure.ts";
import type { Anchoring } from "./anchor.ts";
import type { Compaction } from "./compaction.ts";
import type { GuardFilter } from "./guard-filter.ts";
import type { HarvestedLineage, HarvestIntake } from "./harvested-blocks.ts";
import type { GuardTerms } from "./guard-terms.ts";
import type { HeldWrites } from "./held-writes.ts";
import type { Holds } from "./holds.ts";
import type { LedgerIdentity } from "./identity.ts";
import type { ErasedContents } from "./erased-contents.ts";
import type { Looks } from "./looks.ts";
import type { StandIns } from "./stand-ins.ts";
import type { LedgerKeys } from "./keys.ts";
import type { LedgerLogEntry } from "./log-entry.ts";
import type { Participants } from "./participants.ts";
import type { RequestJournal } from "./request-record.ts";
import type { KnownRow } from "./known-records.ts";
import type { WordRuns } from "./word-runs.ts";
import type { WritingMark } from "./writing-mark.ts";

export interface LedgerOptions {
  /** Path of the ledger's SQLite file. */
  readonly file: string;
  readonly keys: LedgerKeys;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly readonly?: boolean;
  /** Names the log (`deleatur/<id>`); where absent, the first recorded boundary names it. */
  readonly boundaryId?: string;
  /** The file that the ledger is anchored in, outside the stores' backup set. */
  readonly anchor?: string;
  /** How long a lock of another process is waited for; 5,000 where absent. */
  readonly busyTimeoutMs?: number;
}

export type ArtifactState = "live" | "erased" | "kept";

/** What is known of one artifact when it is recorded. Holds personal data: never log it. */
export interface ArtifactRecord {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly contentDigest?: Uint8Array;
  readonly origin: EdgeOrigin;
}

export interface KnownArtifact {
  readonly state: ArtifactState;
  readonly knownBy: EdgeOrigin;
  readonly erasedAt?: string;
}

export interface KnownSource {
  /** Absent once the source is erased. */
  readonly ref?: ArtifactRef;
  /** Hex of the keyed digest. */
  readonly digest: string;
  readonly origin: EdgeOrigin;
}

export interface Reached {
  readonly ref: ArtifactRef;
  /** Edges on the shortest path; 0 for the artifacts that the search began from. */
  readonly depth: number;
  /** The origins on the best path, sorted; `inferred` is among them only where every path needs an inferred edge. */
  readonly origins: readonly EdgeOrigin[];
  readonly state: ArtifactState;
}

export interface Lineage extends HarvestIntake, Holds {
  /** Upserts artifacts with their persons and edges in one transaction; the same list again changes nothing. An erased key that is recorded again is live again. */
  recordArtifacts(list: readonly ArtifactRecord[]): void;
  artifact(ref: ArtifactRef): KnownArtifact | undefined;
  sourcesOf(ref: ArtifactRef): readonly KnownSource[];
  /** By place. */
  sourcesOfEach(refs: readonly ArtifactRef[]): readonly (readonly KnownSource[])[];
  /** What is known of each row of a part of a scan, beside what its store says of it. */
  knownBeside(rows: readonly HarvestedLineage[]): readonly KnownRow[];
  subjectsOf(ref: ArtifactRef): readonly SubjectIdentifier[];
  /** Live and kept artifacts about any of these identifiers. */
  artifactsAbout(identifiers: readonly SubjectIdentifier[]): readonly ArtifactRef[];
  /** Everything derived from these artifacts, transitively, themselves included at depth 0; sources stand before what is derived from them. Erased artifacts are walked through; their refs are known no more. */
  closure(from: readonly ArtifactRef[]): readonly Reached[];
  /** The same, to be asked for single artifacts: no key is opened. */
  derivedFrom(from: readonly ArtifactRef[]): Derived;
  /** Drops key, content digest and persons; the keyed digest and the edges stay. */
  markErased(refs: readonly ArtifactRef[], request: RequestId): void;
  dropSources(derived: ArtifactRef, sources: readonly ArtifactRef[]): void;
  dropSubjects(ref: ArtifactRef, identifiers: readonly SubjectIdentifier[]): void;
  /** Whether each was ever erased, whatever came after. */
  wasErased(refs: readonly ArtifactRef[]): readonly boolean[];
  /** Whether this artifact was once erased with this very content (RESURRECTED needs key and content). */
  wasErasedWith(ref: ArtifactRef, contentDigest: Uint8Array): boolean;
  /** An operator confirms an inferred edge: its origin becomes declared. The caller logs it. @throws UsageError NO_SUCH_EDGE */
  confirmEdge(derived: ArtifactRef, source: ArtifactRef): void;
  /** Edges that nobody has confirmed yet and whose two ends are known. */
  inferredEdges(): readonly { readonly derived: ArtifactRef; readonly source: ArtifactRef }[];
  counts(): {
    readonly artifacts: number;
    readonly derivations: number;
    readonly perSurface: Readonly<Record<string, number>>;
  };
}

/** A process that writes: it is known dead by host, process id and start. */
export interface Writer {
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

export interface IntentOrder {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly contentDigest?: Uint8Array;
  readonly leaseMs: number;
  /** The store may give an erased key to somebody else's row (C22): a row that names its person or its sources is then judged by those. */
  readonly isKeyReusable?: boolean;
}

export interface OpenIntent {
  readonly id: string;
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly contentDigest?: Uint8Array;
  readonly begun: Date;
  readonly leaseUntil: Date;
  readonly writer: Writer;
  /** `unresolved`: a resolution was tried and could not tell. */
  readonly state: "open" | "unresolved";
}

export interface Intents {
  /** @throws WriteRefusedError FENCED | ERASED_SOURCE, in the same transaction: all of the list or none */
  beginIntents(list: readonly IntentOrder[], writer: Writer): readonly string[];
  /** Records the artifacts and edges. @throws WriteRefusedError FENCED | ERASED_SOURCE: the write must be undone, then aborted */
  commitIntents(ids: readonly string[]): void;
  abortIntents(ids: readonly string[]): void;
  leaveIntents(ids: readonly string[]): void;
  /** Open and unresolved ones, oldest first. */
  openIntents(): readonly OpenIntent[];
  /** How the store, read at the intended keys, answered. `joined` records the artifact under the fence. */
  resolveIntents(ends: readonly { readonly id: string; readonly how: "joined" | "aborted" | "unresolved" }[]): void;
}

export interface FenceSelector {
  readonly identifiers?: readonly SubjectIdentifier[];
  readonly refs?: readonly ArtifactRef[];
  readonly sources?: readonly ArtifactRef[];
}

export interface Fence {
  raiseFence(
    request: RequestId,
    fence: { readonly identifiers: readonly SubjectIdentifier[]; readonly refs: readonly ArtifactRef[] },
  ): void;
  extendFence(request: RequestId, refs: readonly ArtifactRef[]): void;
  lowerFence(request: RequestId): void;
  /** Whose fences stand. */
  fencedRequests(): readonly RequestId[];
  isFenced(selector: FenceSelector): boolean;
}

export type DenylistKind = "identifier" | "record" | "exact" | "folded";

export interface DenylistOrder {
  readonly kind: DenylistKind;
  /** 32 bytes from `keyedDigest`, `identifierDigest` or `artifactDigest`. */
  readonly digest: Uint8Array;
  /** Content that another person also had: refused only for its owners. */
  readonly shared: boolean;
  /** `identifierDigest` of each identifier of the person. */
  readonly owners: readonly Uint8Array[];
}

export interface DenylistEntry {
  readonly id: string;
  readonly request: RequestId;
  readonly shared: boolean;
  /** Hex of `identifierDigest`. */
  readonly owners: readonly string[];
  readonly since: string;
}

export interface LiftSelector {
  readonly request?: RequestId;
  readonly ids?: readonly string[];
  /** Lifts entries of kind identifier only; content entries outlive a lift that does not name them (GUARD-2). */
  readonly identifiers?: readonly SubjectIdentifier[];
}

export interface Denylist {
  /** Answers how many were new. */
  addDenylist(request: RequestId, entries: readonly DenylistOrder[]): number;
  findDenylist(kind: DenylistKind, digest: Uint8Array): readonly DenylistEntry[];
  /** Lifts what every given part of the selector names. @throws UsageError where nothing is given */
  liftDenylist(selector: LiftSelector): number;
  /** Whether a lift of these would find any. @throws UsageError where nothing is given */
  hasDenylist(selector: LiftSelector): boolean;
  denylistCount(request?: RequestId): number;
}

/** A gram that a window of a text chose, with the runs of eight words whose least gram it is. All numbers are keyed (GUARD-2). */
export interface GramOfRuns {
  /** 53 bits: what is looked up. */
  readonly gram: number;
  /** 48 bits each: what tells that all eight words are the same. */
  readonly runs: readonly number[];
}

export interface FoundGram extends GramOfRuns {
  readonly request: RequestId;
  /** Hex of `identifierDigest`. */
  readonly owners: readonly string[];
}

/** What one request erased. */
export interface FingerprintOrder {
  readonly request: RequestId;
  /** `identifierDigest` of each identifier of the person. */
  readonly owners: readonly Uint8Array[];
  readonly grams: Iterable<GramOfRuns>;
}

/** Which runs of words were erased: finds a larger text that contains an erased one. */
export interface Fingerprints {
  /** Takes the place of what each request had; each stands once. Many at once cost far less than one after the other. Answers how many runs there are. */
  putFingerprints(orders: readonly FingerprintOrder[]): number;
  /** Whether anything is filed for one of them (`identifierDigest`). */
  ownsFingerprints(owners: readonly Uint8Array[]): boolean;
  /** What is filed under these grams, of all requests. */
  findFingerprints(grams: readonly number[]): readonly FoundGram[];
  /** Takes runs away, of one request or of all. Answers how many. */
  dropRuns(grams: Iterable<GramOfRuns>, request?: RequestId): number;
  dropFingerprints(request: RequestId): number;
  /** From now on neither the digests nor the runs become entries of any request. */
  allowText(digests: readonly Uint8Array[], grams: Iterable<GramOfRuns>): void;
}

export interface Digests {
  /** HMAC-SHA256 under the guard key, separated by domain; parts are length-prefixed. */
  keyedDigest(domain: string, ...parts: readonly (string | Uint8Array)[]): Uint8Array;
  identifierDigest(identifier: SubjectIdentifier): Uint8Array;
  artifactDigest(ref: ArtifactRef): Uint8Array;
}

export interface EpochRecord {
  readonly epoch: number;
  readonly state: "begun" | "recorded";
  /** Hex of B. */
  readonly root?: string;
  readonly boundaryDigest?: string;
  readonly begun: string;
  readonly finished?: string;
  readonly surfaces?: unknown;
  readonly keyDestroyed: boolean;
}

export interface Epochs {
  /** The next number with a fresh random key, which stands in the key store before the number is used. */
  newEpoch(): { readonly epoch: number; readonly key: Uint8Array };
  epochKey(epoch: number): Uint8Array | undefined;
  destroyEpochKey(epoch: number): void;
  recordEpoch(
    epoch: number,
    result: {
      readonly root: string;
      readonly boundaryDigest: string;
      readonly begun: string;
      readonly finished: string;
      /** JSON without personal data: commitments and states per surface. */
      readonly surfaces: unknown;
    },
  ): void;
  epochs(): readonly EpochRecord[];
}

export interface BoundaryVersion {
  /** Counts up from 1. */
  readonly version: number;
  readonly digest: string;
  readonly publicForm: string;
  readonly since: string;
}

export interface BoundaryVersions {
  /** Whether this version is new. A version that was there before and is not the latest counts as new again. */
  recordBoundary(digest: string, publicForm: string): boolean;
  boundaryVersions(): readonly BoundaryVersion[];
}

export interface RiskOrder {
  readonly request: RequestId;
  readonly surface: SurfaceId;
  readonly kind: string;
  readonly cure: string;
  /** ISO time. */
  readonly deadline: string;
  /** JSON without personal data. */
  readonly detail: unknown;
}

/** What closes a risk (RISK-1): a later audit that looked, or a horizon that has passed. */
export type RiskEvidence =
  | { readonly kind: "audit"; readonly epoch: number; readonly logIndex: number }
  | { readonly kind: "horizon"; readonly until: string };

export interface Risk extends RiskOrder {
  readonly id: string;
  readonly opened: string;
  readonly overdue: boolean;
  readonly closed?: { readonly at: string; readonly evidence: RiskEvidence };
}

export interface Risks {
  /** Answers their ids. The same request, surface and kind again only moves the deadline, cure and detail of the open risk. */
  openRisks(list: readonly RiskOrder[]): readonly string[];
  /** Open ones by deadline, so the overdue first; then the closed. */
  risks(): readonly Risk[];
  /** @throws UsageError NO_SUCH_RISK, or where the horizon has not passed */
  closeRisk(id: string, evidence: RiskEvidence): void;
}

export interface StoredLogEntry {
  readonly index: number;
  /** The canonical JSON that was hashed. */
  readonly entry: string;
  readonly at: string;
}

export type LogState = { readonly ok: true } | { readonly ok: false; readonly why: string };

export interface TransparencyLog {
  /** Answers the entry's index. Typed entries only: none of them has room for personal data. */
  append(entry: LedgerLogEntry): number;
  logSize(): number;
  logEntry(index: number): StoredLogEntry;
  /** From `from` (0) up to, not including, `to` (the size). */
  logEntries(from?: number, to?: number): readonly StoredLogEntry[];
  logRoot(size?: number): Uint8Array;
  inclusionProof(index: number, size: number): readonly Uint8Array[];
  consistencyProof(from: number, to: number): readonly Uint8Array[];
  /** A signed note (C2SP) over the current size and root; kept, so that a shorter log is noticed. @throws LedgerError NO_BOUNDARY before a boundary names the log */
  checkpoint(): string;
  /** `deleatur/<boundary id>`. @throws LedgerError NO_BOUNDARY */
  logOrigin(): string;
  /** Recomputes every leaf, node and checkpoint. */
  verifyLog(): LogState;
}

export interface Ledger
  extends
    Lineage,
    Intents,
    Fence,
    Denylist,
    Digests,
    WordRuns,
    Fingerprints,
    GuardFilter,
    GuardTerms,
    HeldWrites,
    RequestJournal,
    Epochs,
    BoundaryVersions,
    Risks,
    Participants,
    LedgerIdentity,
    TransparencyLog,
    ErasedContents,
    Looks,
    StandIns,
    Anchoring,
    WritingMark,
    Compaction {
  readonly file: string;
  readonly keys: LedgerKeys;
  /** Runs `act` in one write transaction (BEGIN IMMEDIATE); a nested call joins the outer one. @throws LedgerError LEDGER_LOCKED | LEDGER_FULL */
  transaction<T>(act: () => T): T;
  /** Moves what was dropped out of the write-ahead log; `busy` while another process reads. It is tried by itself after every act that drops something. */
  flush(): "flushed" | "busy";
  /** Closes the file; where something was dropped and nobody else is in the way, it is compacted first. */
  close(): void;
}
