// Finds in the stores what was ever erased and is there: after a restore, or past the guard. It knows keyed digests only, holds no content, and erases nothing.
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { unfoldContent } from "../probe/unfold-content.ts";
import { contentDigests, contentTag, findContained, recordDigest, tagOf } from "../record/guard.ts";
import { errorCode } from "../record/harvest.ts";
import { contentOfItsOwn } from "./index-content.ts";

/** By what it is known: a forgotten person's identifier, a key, key and content, an erased source, or content alone. */
export type ReturnRule = "identifier" | "record" | "erased" | "source" | "exact" | "folded" | "contained";

/** One artifact that is back. Holds a key: for the operator's terminal only. */
export interface FoundReturn {
  readonly ref: ArtifactRef;
  readonly rule: ReturnRule;
  /** Content that was erased, in a record that is somebody else's or nobody's: a person must look, it is not erased by itself. */
  readonly isHeld: boolean;
  /** The forgotten person's identifiers, as the row names them. */
  readonly persons: readonly SubjectIdentifier[];
  /** Whether the row names anybody at all, and whether what it was made from does. */
  readonly isNamed: boolean;
  readonly isMadeFromNamed: boolean;
  /** Keyed digest of all that it says; empty where it says nothing. */
  readonly tag: Uint8Array;
  /** The erased source, where that is what makes it one. */
  readonly source?: ArtifactRef;
  /** Whose entries it was met by; others may know it as well. None of what is held. */
  readonly requests: ReadonlySet<RequestId>;
}

export interface SurfaceReturns {
  readonly read: number;
  readonly back: number;
  readonly held: number;
  /** Why it could not be read, a code. */
  readonly unread?: string;
}

export interface Returns {
  readonly surfaces: ReadonlyMap<SurfaceId, SurfaceReturns>;
  /** What was found, in the order of the scan; no more than `limit` of each kind, the counts go on. */
  readonly back: readonly FoundReturn[];
  readonly held: readonly FoundReturn[];
  /** The forgotten persons who are named in a row, each with all identifiers that one request denied. */
  readonly persons: readonly FoundPerson[];
  /** Records that a hold keeps of which the ledger only knew a digest, with the hold's end. */
  readonly holds: readonly { readonly ref: ArtifactRef; readonly until: string }[];
}

export interface FoundPerson {
  readonly members: readonly SubjectIdentifier[];
  /** Who denied any of them. */
  readonly requests: ReadonlySet<RequestId>;
}

export interface LookOrder {
  /** All that can be scanned, where absent. */
  readonly surfaces?: ReadonlySet<SurfaceId>;
  readonly limit?: number;
  /** Whether what a request denied should be gone by now; all where absent. */
  readonly counts?: (request: RequestId) => boolean;
  /** Artifacts that are known to be there. */
  readonly passOver?: (ref: ArtifactRef) => boolean;
  /** Whether likenesses that a review kept are listed too. */
  readonly withKept?: boolean;
}

const LIMIT = 100_000;
const DEPTH = 8;

type Finding = Pick<FoundReturn, "rule" | "isHeld" | "requests"> & { readonly source?: ArtifactRef };

const isBack = (rule: ReturnRule, requests: Iterable<RequestId>, source?: ArtifactRef): Finding => ({
  rule,
  isHeld: false,
  requests: new Set(requests),
  ...(source === undefined ? {} : { source }),
});
const isHeld = (rule: ReturnRule): Finding => ({ rule, isHeld: true, requests: new Set() });

/** Scans row by row, sources before what is derived from them; memory grows with what is found, not with what is read. */
export async function findReturns(engine: Engine, order: LookOrder, signal: AbortSignal): Promise<Returns> {
  const [found] = await findReturnsOf(engine, [order], signal);
  return found ?? NOTHING;
}

/** One scan for several looks, an answer for each. */
export async function findReturnsOf(
  engine: Engine,
  orders: readonly LookOrder[],
  signal: AbortSignal,
): Promise<readonly Returns[]> {
  const gathering = orders.map((order) => openGathering(engine, order, signal));
  for (const id of sourcesFirst(engine)) {
    const looking = gathering.filter(({ order }) => order.surfaces?.has(id) !== false);
    if (looking.length === 0) continue;
    engine.report({ step: "look", phase: "started", surface: id });
    let read = 0;
    let unread: string | undefined;
    try {
      for await (const artifact of (await engine.open(id)).scan(signal)) {
        read += 1;
        // One record that nobody can look into must not hide those behind it.
        for (const one of looking) unread = (await one.take(artifact)) ?? unread;
      }
    } catch (error) {
      signal.throwIfAborted();
      unread = errorCode(error);
    }
    for (const one of looking) one.end(id, read, unread);
    engine.report({ step: "look", phase: "finished", surface: id, done: read });
  }
  return gathering.map((one) => one.close());
}

const NOTHING: Returns = { surfaces: new Map(), back: [], held: [], persons: [], holds: [] };

interface Gathering {
  readonly order: LookOrder;
  /** Answers why it could not be looked into, a code. */
  take(artifact: Artifact): Promise<string | undefined>;
  end(surface: SurfaceId, read: number, unread: string | undefined): void;
  close(): Returns;
}

function openGathering(engine: Engine, order: LookOrder, signal: AbortSignal): Gathering {
  const { ledger } = engine;
  const limit = order.limit ?? LIMIT;
  const counting = order.counts ?? ((): boolean => true);
  const look = createLook(engine, counting, order.withKept === true, signal);
  const surfaces = new Map<SurfaceId, SurfaceReturns>();
  const back: FoundReturn[] = [];
  const held: FoundReturn[] = [];
  const holds: { ref: ArtifactRef; until: string }[] = [];
  const persons = new Map<string, SubjectIdentifier>();
  let counts = { back: 0, held: 0 };
  return {
    order,
    async take(artifact) {
      const ref: ArtifactRef = { surface: artifact.surface, key: artifact.key };
      const until = ledger.adoptedHold(ref);
      if (until !== undefined) holds.push({ ref, until });
      let found: Finding | undefined;
      try {
        found = await look.at(artifact);
      } catch (error) {
        if (error instanceof StoreError && error.code === "UNFOLD_LIMIT") return error.code;
        throw error;
      }
      if (found === undefined || order.passOver?.(ref) === true) return undefined;
      const named = artifact.subjects.filter((one) => whoDenied(ledger, one, counting).length > 0);
      for (const one of named) persons.set(`${one.type}:${one.value}`, one);
      counts[found.isHeld ? "held" : "back"] += 1;
      const list = found.isHeld ? held : back;
      if (list.length >= limit) return undefined;
      const isMadeFromNamed = sourcesOf(engine, artifact).some((source) => ledger.subjectsOf(source).length > 0);
      const tag = tagOf(ledger, artifact);
      list.push({ ref, persons: named, isNamed: artifact.subjects.length > 0, isMadeFromNamed, tag, ...found });
      return undefined;
    },
    end(id, read, unread) {
      surfaces.set(id, { read, ...counts, ...(unread === undefined ? {} : { unread }) });
      counts = { back: 0, held: 0 };
    },
    close: () => ({ surfaces, back, held, holds, persons: groupPersons(ledger, [...persons.values()]) }),
  };
}

interface Look {
  at(artifact: Artifact): Promise<Finding | undefined>;
}

function createLook(
  engine: Engine,
  counts: (request: RequestId) => boolean,
  withKept: boolean,
  signal: AbortSignal,
): Look {
  const { ledger } = engine;
  /** Every artifact that is back, and whose it is; by it what derives from it is known. */
  const flagged = new Map<string, ReadonlySet<RequestId>>();
  const judged = new Map<string, ReadonlySet<RequestId> | undefined>();

  async function at(artifact: Artifact): Promise<Finding | undefined> {
    const ref: ArtifactRef = { surface: artifact.surface, key: artifact.key };
    const { keep } = engine.bound(artifact.surface).declaration;
    if (keep !== undefined || ledger.artifact(ref)?.state === "kept" || ledger.adoptedHold(ref) !== undefined)
      return undefined;
    const found = await judge(artifact, 0);
    if (found !== undefined && !found.isHeld) flagged.set(artifactId(ref), found.requests);
    const isKept = found?.isHeld === true && !withKept && ledger.isKeptLikeness(ref, tagOf(ledger, artifact));
    return isKept ? undefined : found;
  }

  async function judge(artifact: Artifact, depth: number): Promise<Finding | undefined> {
    const ref: ArtifactRef = { surface: artifact.surface, key: artifact.key };
    const denied = artifact.subjects.flatMap((one) => whoDenied(ledger, one, counts));
    if (denied.length > 0) return isBack("identifier", denied);
    const recorded = ledger.findDenylist("record", recordDigest(ledger, ref)).map(({ request }) => request);
    if (recorded.some(counts)) return isBack("record", recorded.filter(counts));
    const earlier = ledger
      .erasedUnder(ref, contentTag(ledger, artifact.content))
      .filter(({ isSame, request }) => isSame && counts(request) && isStillDenied(ledger, artifact, request));
    const erased = earlier.filter(({ fate }) => fate === "erased").map(({ request }) => request);
    if (erased.length > 0) return isBack("erased", erased);
    const sources = sourcesOf(engine, artifact);
    for (const source of sources) {
      const requests = await whoErasedSource(source, depth);
      if (requests !== undefined) return isBack("source", requests, source);
    }
    const like = earlier.length > 0 ? isHeld("erased") : undefined;
    const found = judgeContent(artifact, sources) ?? like;
    const isIndex = engine.bound(artifact.surface).declaration.role === "index";
    if (found === undefined || !isIndex || sources.length === 0) return found;
    // An index says what its record says, and that was looked at; what it says beside that was not.
    const content = await contentOfItsOwn(engine, artifact, (of) => sourcesOf(engine, of), signal);
    return content.length === 0 ? undefined : (judgeContent({ ...artifact, content }, sources) ?? like);
  }

  /** Who erased it, where it was and neither stands there as somebody else's (C22) nor as what was lawfully lifted. */
  async function whoErasedSource(source: ArtifactRef, depth: number): Promise<ReadonlySet<RequestId> | undefined> {
    const id = artifactId(source);
    const known = flagged.get(id) ?? judged.get(id);
    if (known !== undefined || judged.has(id)) return known;
    const by = ledger
      .erasedUnder(source, undefined)
      .filter(({ fate, request }) => fate === "erased" && counts(request))
      .map(({ request }) => request);
    // A chain of sources that does not end is no reason to erase.
    if (by.length === 0 || depth >= DEPTH) return undefined;
    // Recorded again since, and gone by itself: what derives from it is not the forgotten person's.
    const isGone =
      engine.bound(source.surface).declaration.keys === "unique" || ledger.artifact(source)?.state !== "live";
    let answer: ReadonlySet<RequestId> | undefined = isGone ? new Set(by) : undefined;
    for await (const row of (await engine.open(source.surface)).read([source.key], signal)) {
      const found = await judge(row, depth + 1);
      answer = found === undefined || found.isHeld ? undefined : found.requests;
    }
    judged.set(id, answer);
    return answer;
  }

  function judgeContent(artifact: Artifact, sources: readonly ArtifactRef[]): Finding | undefined {
    const subjects =
      artifact.subjects.length > 0 ? artifact.subjects : sources.flatMap((source) => ledger.subjectsOf(source));
    const offeredBy = new Set(subjects.map((one) => Buffer.from(ledger.identifierDigest(one)).toString("hex")));
    const isOwned = (owners: readonly string[]): boolean => owners.some((owner) => offeredBy.has(owner));
    let held: Finding | undefined;
    const digests = contentDigests(ledger, unfolded(artifact.content));
    for (const { kind, digest } of digests) {
      for (const { owners, shared, request } of ledger.findDenylist(kind, digest)) {
        if (!counts(request)) continue;
        if (isOwned(owners)) return isBack(kind, [request]);
        // What others also had, or what is too short to be anybody's own, stays with whoever has it.
        if (!shared) held ??= isHeld(kind);
      }
    }
    const filter = ledger.openFilter();
    for (const { words } of digests) {
      if (words === undefined) continue;
      const contained = findContained(ledger, filter, words, isOwned, () => subjects.length > 0, counts);
      if (contained.is === "owned") return isBack("contained", contained.requests);
      if (contained.is === "found") held ??= isHeld("contained");
    }
    return held;
  }

  return { at };
}

/** Fields as they stand, and what an encoding hides in them. @throws StoreError UNFOLD_LIMIT */
function unfolded(content: readonly ContentField[]): readonly ContentField[] {
  return content.flatMap((field): readonly ContentField[] => {
    const { name } = field;
    const hidden = unfoldContent(field).slice(1);
    return [
      field,
      ...hidden.map((view): ContentField =>
        view.type === "text" ? { type: "text", name, text: view.text } : { type: "bytes", name, bytes: view.bytes },
      ),
    ];
  });
}

function whoDenied(
  ledger: Ledger,
  identifier: SubjectIdentifier,
  counts: (request: RequestId) => boolean,
): readonly RequestId[] {
  return ledger
    .findDenylist("identifier", ledger.identifierDigest(identifier))
    .map(({ request }) => request)
    .filter(counts);
}

/** A content whose entries were all lifted, or that is allowed to anybody, may be there again. */
function isStillDenied(ledger: Ledger, { content }: Artifact, request: RequestId): boolean {
  return contentDigests(ledger, content).some(({ kind, digest }) =>
    ledger.findDenylist(kind, digest).some((entry) => entry.request === request),
  );
}

/** Edges of the store's own columns, and of the ledger where their source is still known. */
function sourcesOf({ ledger }: Engine, artifact: Artifact): readonly ArtifactRef[] {
  const sources = new Map(artifact.sources.map((source) => [artifactId(source), source]));
  for (const { ref } of ledger.sourcesOf(artifact)) if (ref !== undefined) sources.set(artifactId(ref), ref);
  return [...sources.values()];
}

/** Surfaces that can be scanned, each behind those that it derives from; a ring stays in the boundary's order. */
function sourcesFirst({ surfaces }: Engine): readonly SurfaceId[] {
  const byId = new Map(surfaces.map((bound) => [bound.declaration.id, bound]));
  const sorted = new Set<SurfaceId>();
  const visit = (id: SurfaceId, path: ReadonlySet<SurfaceId>): void => {
    const bound = byId.get(id);
    if (bound === undefined || sorted.has(id) || path.has(id)) return;
    for (const { surface } of bound.declaration.derivedFrom) visit(surface, new Set([...path, id]));
    if (bound.guarantees.scan !== "none") sorted.add(id);
  };
  for (const id of byId.keys()) visit(id, new Set());
  return [...sorted];
}

/** Identifiers that one request denied are one person's. */
function groupPersons(ledger: Ledger, identifiers: readonly SubjectIdentifier[]): readonly FoundPerson[] {
  const groups: { requests: Set<RequestId>; members: SubjectIdentifier[] }[] = [];
  for (const identifier of identifiers) {
    const requests = ledger
      .findDenylist("identifier", ledger.identifierDigest(identifier))
      .map(({ request }) => request);
    const same = groups.filter((group) => requests.some((request) => group.requests.has(request)));
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push({
      requests: new Set([...requests, ...same.flatMap((group) => [...group.requests])]),
      members: [...same.flatMap(({ members }) => members), identifier],
    });
  }
  return groups;
}
