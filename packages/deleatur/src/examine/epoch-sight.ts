// What one epoch shows to each of the requests that it serves: its own fields, its bystanders, and what explains a likeness to its needles.
import { digestOfField } from "../attest/field-digest.ts";
import type { Engine } from "../engine.ts";
import type { Artifact } from "../model/artifact.ts";
import { artifactId, type ArtifactRef, parseArtifactId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import type { Needle } from "../model/needle.ts";
import { mayHaveExpired } from "../model/time-to-live.ts";
import { createRunFilter, joinExplanations, type RunFilter } from "../probe/run-filter.ts";
import { artifactDigester, refId } from "./artifact-digests.ts";
import type { Baseline } from "./baseline.ts";
import { type ByRef, createByRef } from "./by-ref.ts";
import { type CopyFinder, openCopyFinder } from "./find-copies.ts";
import { hasOwnProvenance } from "./own-provenance.ts";
import type { EpochInput, EpochScan, SharedScan } from "./scan-epoch.ts";
import { toNeedles } from "./to-needles.ts";

export interface Sights {
  /** Shows one artifact to all, with the digests of its fields; answers whether it may be a control: nobody is to lose it and nobody has changed it, or we wrote it ourselves. */
  see(artifact: Artifact, digests: readonly string[]): boolean;
  close(shared: SharedScan, scannable: readonly SurfaceId[]): readonly EpochScan[];
}

type Standing = ReturnType<Baseline["compare"]> | undefined;

/** One request's part. */
interface Sight {
  readonly input: EpochInput;
  readonly needles: readonly Needle[];
  /** What explains to this request alone; made when there is something. */
  own: RunFilter | undefined;
  readonly replacedTexts: ReadonlyMap<string, string>;
  readonly fields: Map<string, readonly string[]>;
  /** Artifacts that do not stand as they stood before. */
  readonly strangers: Map<string, Standing>;
  readonly holders: Map<string, { lawful: number; other: number }>;
  /** Derived from sources outside the closure, with a field that closure content also has: whose it is, is known when all rows are. */
  readonly derived: Derived[];
  readonly copies: CopyFinder | undefined;
}

interface Derived {
  readonly artifact: Artifact;
  /** Hex digest of that field. */
  readonly digest: string;
}

export function openSights(engine: Engine, inputs: readonly EpochInput[]): Sights {
  const sights = inputs.map((input) => openSight(engine, input));
  const finders = sights.flatMap(({ copies }) => copies ?? []);
  const members = membersOf(sights.map(({ input }) => input.closure));
  const wanted = whose(inputs.map(({ needles }) => needles.flatMap(({ content }) => content.map(digestOfField))));
  const owners = ownersOf(inputs);
  const digester = artifactDigester(engine.ledger);
  const baselines = shareOut(inputs.map(({ baseline }) => baseline));
  const bystanders = shareOut(inputs.map((input) => input.bystanders));
  const counts = bystanders.kinds.map(() => ({ intact: 0, changed: 0 }));
  /** Those that their store will drop by itself, and that are still there. */
  const stillThere = bystanders.kinds.map(() => new Set<string>());
  /** What explains to all of them. Of one request it is the only one. */
  const common = createRunFilter(renumber(sights.flatMap(({ needles }) => needles)));

  function seeAlone(place: number, artifact: Artifact, standing: Standing, digests: readonly string[]): void {
    const sight = sights[place];
    if (sight === undefined) return;
    const { input } = sight;
    const id = artifactId(artifact);
    const fields = digests.filter((digest) => wanted.get(digest)?.includes(place) === true);
    if (fields.length > 0) sight.fields.set(id, fields);
    if (standing !== "unchanged") sight.strangers.set(id, standing);
    if (standing !== "unchanged" || input.closure.has(id)) {
      for (const digest of fields) countHolder(sight, artifact.surface, digest, false);
      return;
    }
    const isIndependent = isOthersOwn(engine, artifact, input);
    if (isIndependent) for (const field of artifact.content) ownFilter(sight).add(field);
    for (const digest of fields) attribute(sight, artifact, digest, isIndependent);
  }

  /** What explains to this request alone. */
  function ownFilter(sight: Sight): RunFilter {
    if (inputs.length === 1) return common;
    sight.own ??= createRunFilter(sight.needles);
    return sight.own;
  }

  /** What was made from others' records alone is theirs: two people who say the same have the same embedding. */
  function settleDerived(sight: Sight, rows: SharedScan["rows"]): void {
    const isGrounded = groundedIn(engine, rows, sight);
    for (const { artifact, digest } of sight.derived) {
      const isOthers = isGrounded(artifact);
      countHolder(sight, artifact.surface, digest, isOthers);
      if (!isOthers) continue;
      for (const field of artifact.content) if (field.type === "vector") ownFilter(sight).add(field);
    }
  }

  return {
    see(artifact, digests) {
      for (const finder of finders) finder.see(artifact, digests);
      const isCompared = baselines.kinds.length + bystanders.kinds.length > 0;
      const known = isCompared ? digester.digest(artifact, digests) : undefined;
      const standings = baselines.kinds.map((kind) => (known === undefined ? undefined : kind.compare(known)));
      for (const [place, kind] of bystanders.kinds.entries()) {
        const standing = known === undefined ? undefined : kind.compare(known);
        const count = counts[place];
        if (count === undefined) continue;
        const ends = known === undefined ? undefined : kind.expiries.get(known.surface);
        if (known !== undefined && ends?.has(refId(known)) === true) stillThere[place]?.add(refId(known));
        if (standing === "unchanged") count.intact += 1;
        if (standing === "changed") count.changed += 1;
      }
      const isAnybodys =
        members.has(artifact) ||
        artifact.subjects.some((tag) => owners(tag).length > 0) ||
        artifact.sources.some((source) => members.has(source));
      const isUnchanged = baselines.isForAll && standings.every((standing) => standing === "unchanged");
      const [first] = sights;
      if (isAnybodys || !isUnchanged || first === undefined) {
        for (const place of sights.keys()) {
          const isMember = members.get(artifact)?.has(place) === true;
          seeAlone(place, artifact, isMember ? "new" : standings[baselines.of[place] ?? -1], digests);
        }
        return (
          (isUnchanged && !members.has(artifact)) ||
          sights.some(({ replacedTexts }) => replacedTexts.get(artifactId(artifact)) === digests.join())
        );
      }
      // Nobody's of them: it says the same to all.
      const isIndependent = isOthersOwn(engine, artifact, first.input);
      if (isIndependent) for (const field of artifact.content) common.add(field);
      for (const digest of digests) {
        for (const place of wanted.get(digest) ?? []) {
          const sight = sights[place];
          if (sight === undefined) continue;
          const id = artifactId(artifact);
          sight.fields.set(id, [...(sight.fields.get(id) ?? []), digest]);
          attribute(sight, artifact, digest, isIndependent);
        }
      }
      return true;
    },
    close: (shared, scannable) =>
      sights.map((sight, place): EpochScan => {
        const { input } = sight;
        settleDerived(sight, shared.rows);
        const parts = [common, ...(sight.own === undefined ? [] : [sight.own])];
        const count = counts[bystanders.of[place] ?? -1] ?? { intact: 0, changed: 0 };
        return {
          ...shared,
          explained: {
            erased: joinExplanations(parts),
            rewritten: joinExplanations([...parts, ...replacedFilter(sight)]),
          },
          copies: sight.copies?.copies() ?? [],
          ...answersOf(sight),
          // What nobody could read is neither intact nor lost: it is counted by the round that reads it again.
          bystanders: {
            checked: countRead(input.bystanders, scannable, shared.unread, {
              now: engine.clock(),
              stillThere: stillThere[bystanders.of[place] ?? -1] ?? new Set(),
            }),
            ...count,
          },
        };
      }),
  };
}

/** What is asked later, of what was seen alone: the baselines go with the scan. */
function answersOf({
  fields,
  strangers,
  holders,
}: Sight): Pick<EpochScan, "closureFieldsOf" | "beforeOf" | "isShared"> {
  return {
    closureFieldsOf: (id) => fields.get(id) ?? [],
    beforeOf: (id) => (strangers.has(id) ? strangers.get(id) : "unchanged"),
    isShared(surface, digest) {
      const held = holders.get(`${surface} ${digest}`);
      return held !== undefined && held.lawful > 0 && held.other === 0;
    },
  };
}

function openSight(engine: Engine, input: EpochInput): Sight {
  return {
    input,
    needles: toNeedles(input.needles),
    own: undefined,
    replacedTexts: new Map(input.replaced.map((one) => [artifactId(one), one.content.map(digestOfField).join()])),
    fields: new Map(),
    strangers: new Map(),
    holders: new Map(),
    derived: [],
    copies: openCopyFinder(engine, input),
  };
}

function isOthersOwn(engine: Engine, { surface, subjects }: Artifact, { isOwn }: EpochInput): boolean {
  return hasOwnProvenance(engine.bound(surface).declaration.role, subjects, isOwn);
}

/** Whether all that an artifact was made from stands there as before and ends in others' records. A source that is not there, or came since, proves nothing. */
function groundedIn(
  engine: Engine,
  rows: SharedScan["rows"],
  { input, strangers }: Sight,
): (ref: ArtifactRef) => boolean {
  const known = new Map<string, boolean>();
  const isGrounded = (ref: ArtifactRef): boolean => {
    const id = artifactId(ref);
    const found = known.get(id);
    if (found !== undefined) return found;
    // In a circle nothing ends anywhere.
    known.set(id, false);
    const row = rows.get(ref);
    if (row === undefined || input.closure.has(id) || strangers.has(id)) return false;
    const isIt =
      hasOwnProvenance(engine.bound(row.surface).declaration.role, row.subjects, input.isOwn) ||
      (row.sources.length > 0 && row.sources.every(isGrounded));
    known.set(id, isIt);
    return isIt;
  };
  return isGrounded;
}

/** What we stored ourselves explains likeness to the old text that it replaced. */
function replacedFilter({ input, needles }: Sight): readonly RunFilter[] {
  if (input.replaced.length === 0) return [];
  const filter = createRunFilter(needles);
  for (const { content } of input.replaced) for (const field of content) filter.add(field);
  return [filter];
}

function countHolder({ holders }: Sight, surface: string, digest: string, isLawful: boolean): void {
  const held = holders.get(`${surface} ${digest}`) ?? { lawful: 0, other: 0 };
  if (isLawful) held.lawful += 1;
  else held.other += 1;
  holders.set(`${surface} ${digest}`, held);
}

/** Of which requests an artifact is in the closure, by place. */
function membersOf(closures: readonly ReadonlySet<string>[]): ByRef<Set<number>> {
  const members = createByRef<Set<number>>();
  for (const [place, closure] of closures.entries()) {
    for (const id of closure) {
      const ref = parseArtifactId(id);
      members.set(ref, (members.get(ref) ?? new Set()).add(place));
    }
  }
  return members;
}

/** By entry: the places of the lists that have it. */
function whose(lists: readonly Iterable<string>[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, list] of lists.entries()) {
    for (const entry of list) {
      const known = places.get(entry);
      if (known === undefined) places.set(entry, [place]);
      else if (known.at(-1) !== place) known.push(place);
    }
  }
  return places;
}

/** Whose an identifier is; few stand on many artifacts. */
function ownersOf(inputs: readonly EpochInput[]): (tag: SubjectIdentifier) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (tag) => {
    const name = `${tag.type}:${tag.value}`;
    const found = known.get(name) ?? inputs.flatMap(({ isOwn }, place) => (isOwn(tag) ? [place] : []));
    known.set(name, found);
    return found;
  };
}

interface Shared {
  readonly kinds: readonly Baseline[];
  /** By input, its place among the kinds. */
  readonly of: readonly number[];
  readonly isForAll: boolean;
}

/** Requests that were surveyed together have one baseline. */
function shareOut(baselines: readonly (Baseline | undefined)[]): Shared {
  const kinds = [...new Set(baselines)].filter((baseline) => baseline !== undefined);
  return {
    kinds,
    of: baselines.map((baseline) => (baseline === undefined ? -1 : kinds.indexOf(baseline))),
    isForAll: baselines.every((baseline) => baseline !== undefined),
  };
}

function countRead(
  bystanders: Baseline | undefined,
  scannable: readonly SurfaceId[],
  unread: ReadonlyMap<SurfaceId, string>,
  { now, stillThere }: { readonly now: Date; readonly stillThere: ReadonlySet<string> },
): number {
  const read = scannable.filter((surface) => !unread.has(surface));
  return read.reduce((sum, surface) => {
    // What came to its own end is nobody's loss, and is not counted at all.
    const ended = [...(bystanders?.expiries.get(surface) ?? [])].filter(
      ([id, ms]) => mayHaveExpired(ms, now) && !stillThere.has(id),
    );
    return sum + (bystanders?.sizeOf(surface) ?? 0) - ended.length;
  }, 0);
}

function renumber(needles: readonly Needle[]): readonly Needle[] {
  return needles.map((needle, index) => ({ ...needle, index }));
}

/** A field that closure content also has, of an unchanged artifact outside the closure. */
function attribute(sight: Sight, artifact: Artifact, digest: string, isIndependent: boolean): void {
  if (!isIndependent && artifact.sources.length > 0) sight.derived.push({ artifact, digest });
  else countHolder(sight, artifact.surface, digest, isIndependent);
}
