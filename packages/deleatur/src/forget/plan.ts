// Plans a request: the closure of the target along all known derivations, and what becomes of each artifact. Touches no store.
import type { Engine } from "../engine.ts";
import type { KnownSource, Reached } from "../ledger/ledger.ts";
import type { EdgeOrigin } from "../model/artifact.ts";
import type { SharedPolicy } from "../model/declaration.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import type { HarvestIndex } from "./harvest-index.ts";
import type { Target } from "./target.ts";

/** What becomes of one artifact of the closure. */
export interface PlannedItem {
  readonly ref: ArtifactRef;
  readonly depth: number;
  /** Derived items have a higher rank than all their sources: erased from the highest down. */
  readonly rank: number;
  readonly origins: readonly EdgeOrigin[];
  readonly action: "erase" | "rewrite" | "keep";
  /** Why it is not simply erased, or that its erase is another person's loss. */
  readonly because: "own" | "shared-destroy" | "shared" | "index-of-rewritten" | "kept";
  readonly policy?: SharedPolicy;
  /** Whether the store holds it now. */
  readonly present: boolean;
  readonly sources: readonly ArtifactRef[];
  /** Sources that stay, from which a new text may be derived. */
  readonly surviving: readonly ArtifactRef[];
  /** The person's own tags on it, and those of others. */
  readonly ownSubjects: readonly SubjectIdentifier[];
  readonly otherSubjects: readonly SubjectIdentifier[];
}

export interface Plan {
  readonly items: readonly PlannedItem[];
  /** Given and mapped identifiers. */
  readonly identifiers: readonly SubjectIdentifier[];
  /** Of a request about records: whose they are, as far as their store, what they were made from, and mapping surfaces say. */
  readonly owners: readonly SubjectIdentifier[];
  /** Identifier types in use on a surface by rows that no given type can tell apart (LINEAGE-7). */
  readonly identifiersUnknown: readonly { readonly surface: SurfaceId; readonly type: string }[];
  /** Rows of derived surfaces without any source (LINEAGE-3), by surface. */
  readonly withoutLineage: ReadonlyMap<SurfaceId, number>;
  /** Surfaces where a ledger that was set back may lack what the SDK alone was told. */
  readonly lostLineage: readonly SurfaceId[];
  readonly unread: ReadonlyMap<SurfaceId, string>;
  /** Edges into the present items, by origin. */
  readonly edges: Readonly<Record<EdgeOrigin, number>>;
}

/** Holds and keeps that the plan must respect. */
export interface PlanOptions {
  readonly held: (ref: ArtifactRef) => boolean;
  /** What requests that run together with this one do: their persons are no others, and what goes with them does not survive. */
  readonly together?: Together;
}

export interface Together {
  readonly isOwn: (tag: SubjectIdentifier) => boolean;
  /** Ids of all that any of them erases. */
  readonly going: ReadonlySet<string>;
  /** Of these, what one of them erases as nobody else's: then no other keeps a part of it. What a policy destroys is still somebody's loss. */
  readonly ownedByOne: ReadonlySet<string>;
}

/** What a target reaches, whatever becomes of it. */
export interface Reach {
  readonly target: Target;
  readonly identifiers: readonly SubjectIdentifier[];
  readonly owners: readonly SubjectIdentifier[];
  readonly closure: readonly Reached[];
  /** By id. */
  readonly sources: ReadonlyMap<string, readonly ArtifactRef[]>;
  readonly edges: ReadonlyMap<string, readonly KnownSource[]>;
  readonly ranks: ReadonlyMap<string, number>;
}

/** What is asked for one request. */
export interface ReachOrder {
  readonly target: Target;
  /** Artifacts that earlier rounds of the request knew. */
  readonly known: readonly ArtifactRef[];
}

/** Of each in turn. Their rows are looked for together. */
export function reachEach(engine: Engine, orders: readonly ReachOrder[], index: HarvestIndex): readonly Reach[] {
  const { rows } = index;
  const persons = orders.map(({ target }) => (target.kind === "person" ? index.expand(target.identifiers) : []));
  // What the ledger knows of a surface that is declared no more cannot be reached; the evidence says that it is there (`find-leftovers.ts`).
  const declared = new Set(engine.surfaces.map(({ declaration }) => declaration.id));
  const closures = orders.map(({ target, known }, place) => {
    const identifiers = persons[place] ?? [];
    const seeds =
      target.kind === "records"
        ? target.refs
        : [
            ...index.rowsAbout(identifiers).map(({ surface, key }) => ({ surface, key })),
            ...engine.ledger.artifactsAbout(identifiers),
          ];
    return engine.ledger.closure([...seeds, ...known]).filter(({ ref }) => declared.has(ref.surface));
  });
  rows.expect(closures.flatMap((closure) => closure.map(({ ref }) => ref)));
  const reaches = orders.map(({ target }, place): Reach => {
    const [identifiers, closure] = [persons[place] ?? [], closures[place] ?? []];
    const sources = new Map<string, readonly ArtifactRef[]>();
    const edges = new Map<string, readonly KnownSource[]>();
    const recorded = engine.ledger.sourcesOfEach(closure.map(({ ref }) => ref));
    for (const [at, { ref }] of closure.entries()) {
      const id = artifactId(ref);
      const own = recorded[at] ?? [];
      edges.set(id, own);
      sources.set(id, joinSources(rows.get(id)?.sources ?? [], own));
    }
    const owners = target.kind === "person" ? [] : index.expand(engine.ledger.ownersOf(target.refs));
    return { target, identifiers, owners, closure, sources, edges, ranks: rankClosure(sources) };
  });
  rows.expect(reaches.flatMap(({ sources }) => [...sources.values()].flat()));
  return reaches;
}

/** Plans over a harvest that the ledger has taken in (or takes in inside a transaction that is rolled back). */
export function planRequest(
  engine: Engine,
  { target, identifiers, owners, closure, sources, edges, ranks }: Reach,
  index: HarvestIndex,
  options: PlanOptions,
): Plan {
  const { rows } = index;
  const isOwn = identifierSet(identifiers);
  const inClosure = new Set(closure.map(({ ref }) => artifactId(ref)));
  const targets = new Set(target.kind === "records" ? target.refs.map(artifactId) : []);
  const decided = new Map<string, PlannedItem>();
  const sourcesFirst = closure.toSorted((a, b) => rankOf(ranks, a.ref) - rankOf(ranks, b.ref));
  for (const { ref, depth, origins } of sourcesFirst) {
    const id = artifactId(ref);
    const row = rows.get(id);
    const itemSources = sources.get(id) ?? [];
    const surviving = itemSources.filter((source) => {
      const sourceId = artifactId(source);
      if (options.together?.going.has(sourceId) === true) return false;
      if (!inClosure.has(sourceId)) return rows.has(sourceId);
      return decided.get(sourceId)?.action === "rewrite";
    });
    const subjects = row?.subjects ?? [];
    const isAnothers = (tag: SubjectIdentifier): boolean =>
      isAnotherPerson(tag, identifiers) && options.together?.isOwn(tag) !== true;
    const otherSubjects = target.kind === "person" ? subjects.filter(isAnothers) : [];
    const isTarget = targets.has(id) || options.together?.ownedByOne.has(id) === true;
    // A full-text entry over a kept record is that record's own text: it stays with it, under its ground.
    const isKeptText =
      engine.bound(ref.surface).declaration.kind === "sqlite-fts" &&
      itemSources.some((source) => decided.get(artifactId(source))?.action === "keep");
    decided.set(id, {
      ref,
      depth,
      rank: rankOf(ranks, ref),
      origins,
      present: row !== undefined,
      sources: itemSources,
      surviving,
      ownSubjects: subjects.filter(isOwn),
      otherSubjects,
      ...decide(
        engine,
        ref,
        !isTarget && (surviving.length > 0 || otherSubjects.length > 0),
        otherSubjects.length > 0,
        isKeptText || options.held(ref),
      ),
    });
  }
  return {
    items: [...decided.values()],
    identifiers,
    owners,
    identifiersUnknown: target.kind === "person" ? unknownIdentifiers(index, identifiers, target.none) : [],
    withoutLineage: index.withoutLineage,
    lostLineage: index.lostLineage,
    unread: index.unread,
    edges: countEdges([...decided.values()], edges),
  };
}

/** An edge known from several places counts once, for the firmest of them. */
function countEdges(items: readonly PlannedItem[], known: ReadonlyMap<string, readonly KnownSource[]>): Plan["edges"] {
  const edges = { recorded: 0, declared: 0, inferred: 0 };
  for (const { ref } of items.filter(({ present }) => present)) {
    const bySource = new Map<string, Set<EdgeOrigin>>();
    for (const { digest, origin } of known.get(artifactId(ref)) ?? []) {
      bySource.set(digest, (bySource.get(digest) ?? new Set()).add(origin));
    }
    for (const origins of bySource.values()) {
      edges[origins.has("recorded") ? "recorded" : origins.has("declared") ? "declared" : "inferred"] += 1;
    }
  }
  return edges;
}

function decide(
  engine: Engine,
  ref: ArtifactRef,
  isShared: boolean,
  hasOtherPerson: boolean,
  isHeld: boolean,
): Pick<PlannedItem, "action" | "because" | "policy"> {
  const { declaration } = engine.bound(ref.surface);
  if (declaration.keep !== undefined || isHeld) return { action: "keep", because: "kept" };
  if (!isShared) return { action: "erase", because: "own" };
  const policy = declaration.shared;
  if (policy === "destroy") return { action: "erase", because: "shared-destroy", policy };
  if (policy !== undefined) return { action: "rewrite", because: "shared", policy };
  // No policy is declared: a record that another person also owns stays theirs, without this person's tag (C07);
  // an index entry of a rewritten record is refreshed where the index holds text, and dropped where it holds vectors.
  if (hasOtherPerson) return { action: "rewrite", because: "shared" };
  if (declaration.kind === "sqlite-fts") return { action: "rewrite", because: "index-of-rewritten" };
  return { action: "erase", because: "own" };
}

/** An identifier of a type that this person has too, with another value: somebody else. */
function isAnotherPerson(tag: SubjectIdentifier, identifiers: readonly SubjectIdentifier[]): boolean {
  const sameType = identifiers.filter(({ type }) => type === tag.type);
  return sameType.length > 0 && !sameType.some(({ value }) => value === tag.value);
}

/** What the store names, and what else the ledger knows. */
function joinSources(named: readonly ArtifactRef[], known: readonly KnownSource[]): readonly ArtifactRef[] {
  const found = new Map(named.map((source) => [artifactId(source), source]));
  for (const { ref: source } of known) if (source !== undefined) found.set(artifactId(source), source);
  return [...found.values()];
}

/** Longest path from a source inside the closure; a cycle is cut where it closes. */
function rankClosure(sources: ReadonlyMap<string, readonly ArtifactRef[]>): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const open = new Set<string>();
  for (const start of sources.keys()) {
    const stack = [start];
    while (stack.length > 0) {
      const id = stack.at(-1)!;
      const inside = (sources.get(id) ?? []).map(artifactId).filter((source) => source !== id && sources.has(source));
      open.add(id);
      const waiting = inside.find((source) => !ranks.has(source) && !open.has(source));
      if (waiting !== undefined) {
        stack.push(waiting);
        continue;
      }
      ranks.set(id, 1 + Math.max(-1, ...inside.map((source) => ranks.get(source) ?? -1)));
      open.delete(id);
      stack.pop();
    }
  }
  return ranks;
}

function rankOf(ranks: ReadonlyMap<string, number>, ref: ArtifactRef): number {
  return ranks.get(artifactId(ref)) ?? 0;
}

export function identifierSet(identifiers: readonly SubjectIdentifier[]): (tag: SubjectIdentifier) => boolean {
  const known = new Set(identifiers.map(({ type, value }) => `${type}:${value}`));
  return ({ type, value }) => known.has(`${type}:${value}`);
}

/** What the stores name persons by, and what only the SDK was told. */
function unknownIdentifiers(
  index: HarvestIndex,
  identifiers: readonly SubjectIdentifier[],
  none: readonly string[],
): Plan["identifiersUnknown"] {
  const told = new Set([...identifiers.map(({ type }) => type), ...none]);
  const unknown = new Map<string, { surface: SurfaceId; type: string }>();
  for (const { surface, types } of index.typeSets) {
    if (types.some((type) => told.has(type))) continue;
    for (const type of types) unknown.set(`${surface} ${type}`, { surface, type });
  }
  for (const { surface, type } of index.untoldTypes([...told])) unknown.set(`${surface} ${type}`, { surface, type });
  return [...unknown.values()];
}
