// Prepares the new content of shared artifacts (LINEAGE-5) and holds it against the probes' matchers before anything is stored.
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { toNeedles } from "../examine/to-needles.ts";
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import { createExactMatcher } from "../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../probe/excerpt-matcher.ts";
import { createRunFilter, explainNeedles } from "../probe/run-filter.ts";
import { errorCode } from "../record/harvest.ts";
import { identifierSet, type Plan, type PlannedItem } from "./plan.ts";
import { findRederiver } from "./rederivers.ts";
import { createRedactor } from "./redact-text.ts";

/** The new form of one artifact, or why there is none: then the old text stays fenced and the request is stuck. */
export type Replacement =
  | { readonly outcome: "ready"; readonly artifact: Artifact }
  | { readonly outcome: "absent" }
  | { readonly outcome: "failed"; readonly why: string };

/** One of the requests that are carried together. */
export interface RewriteParty {
  readonly plan: Plan;
  readonly needles: readonly KeptNeedle[];
}

/**
 * New forms for all items to be rewritten, sources before what is derived from them; for each party its own. What several of them share is
 * written once, without the part of any.
 */
export async function prepareRewrites(
  engine: Engine,
  parties: readonly RewriteParty[],
  signal: AbortSignal,
): Promise<readonly ReadonlyMap<string, Replacement>[]> {
  const replacements = new Map<string, Replacement>();
  const members = new Map<string, { item: PlannedItem; of: number[] }>();
  for (const [place, { plan }] of parties.entries()) {
    for (const item of plan.items) {
      if (item.action !== "rewrite") continue;
      const known = members.get(artifactId(item.ref));
      if (known === undefined) members.set(artifactId(item.ref), { item, of: [place] });
      else known.of.push(place);
    }
  }
  const sourcesFirst = [...members.values()].toSorted((a, b) => a.item.rank - b.item.rank);
  const partsOf = createParts(parties);
  const stored = await readAll(
    engine,
    sourcesFirst.map(({ item }) => item.ref),
    signal,
  );
  for (const { item, of } of sourcesFirst) {
    const current = stored.found.get(artifactId(item.ref));
    if (current === undefined) {
      const why = stored.unread.get(item.ref.surface);
      replacements.set(artifactId(item.ref), why === undefined ? { outcome: "absent" } : { outcome: "failed", why });
      continue;
    }
    const { dropped, identifiers, erased } = partsOf(of);
    const isOwn = identifierSet(identifiers);
    const sources = current.sources.filter((source) => !dropped.has(artifactId(source)));
    const subjects = current.subjects.filter((subject) => !isOwn(subject));
    const content = await newContent(engine, item, current, erased, identifiers, replacements, signal);
    replacements.set(
      artifactId(item.ref),
      typeof content === "string"
        ? { outcome: "failed", why: content }
        : { outcome: "ready", artifact: { ...current, sources, subjects, content } },
    );
  }
  return parties.map((_, place) => {
    const own = [...members].flatMap(([id, { of }]): readonly (readonly [string, Replacement])[] => {
      const replacement = replacements.get(id);
      return replacement === undefined || !of.includes(place) ? [] : [[id, replacement]];
    });
    return new Map(own);
  });
}

/** What those who share an item take out of it. */
interface Parts {
  readonly dropped: ReadonlySet<string>;
  readonly identifiers: readonly SubjectIdentifier[];
  readonly erased: readonly KeptNeedle[];
}

function createParts(parties: readonly RewriteParty[]): (places: readonly number[]) => Parts {
  const known = new Map<string, Parts>();
  return (places) => {
    const found = known.get(places.join());
    if (found !== undefined) return found;
    const members = places.flatMap((place) => parties[place] ?? []);
    const parts: Parts = {
      dropped: new Set(
        members.flatMap(({ plan }) =>
          plan.items.flatMap(({ ref, action }) => (action === "rewrite" ? [] : [artifactId(ref)])),
        ),
      ),
      identifiers: members.flatMap(({ plan }) => plan.identifiers),
      erased: members.flatMap(({ needles }) => needles.filter(({ fate }) => fate === "erased")),
    };
    known.set(places.join(), parts);
    return parts;
  };
}

/** The new content, or the code of why there is none. */
async function newContent(
  engine: Engine,
  item: PlannedItem,
  current: Artifact,
  erased: readonly KeptNeedle[],
  identifiers: readonly SubjectIdentifier[],
  replacements: ReadonlyMap<string, Replacement>,
  signal: AbortSignal,
): Promise<readonly ContentField[] | string> {
  if (item.because === "index-of-rewritten") return contentOfBase(item, current, replacements);
  if (item.policy === undefined) return current.content;
  const survivors = await readSurviving(engine, item, replacements, signal);
  if (survivors === undefined) return "SOURCES_UNREAD";
  const explained = createRunFilter(toNeedles(erased));
  for (const source of survivors) for (const field of source.content) explained.add(field);
  const asNeedles = explainNeedles(toNeedles(erased), explained);
  const names = namesToTakeOut(identifiers, survivors);
  const redact = createRedactor(asNeedles, names);
  const redacted = current.content.flatMap((field) =>
    // A vector, or bytes, of the old text cannot be redacted; the application embeds the new text again.
    field.type === "text" ? [{ ...field, text: redact(field.text) }] : [],
  );
  let content: readonly ContentField[] = redacted;
  if (item.policy === "rederive") {
    const rederiver = findRederiver(engine, engine.bound(item.ref.surface).declaration.rederive);
    if (rederiver === undefined) return "REDERIVER_MISSING";
    let text: string;
    try {
      text = await rederiver(survivors, signal);
    } catch {
      signal.throwIfAborted();
      return "REDERIVER_FAILED"; // the function's own message may quote what it was given, so it goes nowhere
    }
    if (typeof text !== "string" || text.trim().length === 0) return "REDERIVER_FAILED";
    const [first, ...others] = redacted;
    if (first === undefined) return "NO_TEXT_FIELD";
    content = [{ ...first, text }, ...others];
  }
  return passesProbes(asNeedles, content) && !hasName(names, content) ? content : "NEW_TEXT_FAILS_PROBES";
}

/** Shorter identifiers are ordinary words and numbers too. */
const NAME_LENGTH = 6;

/** The person's identifiers as they would stand in a text, but for those that a surviving source has of its own. */
function namesToTakeOut(identifiers: readonly SubjectIdentifier[], survivors: readonly Artifact[]): readonly string[] {
  const content = survivors.flatMap((source) => source.content);
  return identifiers
    .map(({ value }) => value)
    .filter((value) => value.length >= NAME_LENGTH && !hasName([value], content));
}

function hasName(names: readonly string[], content: readonly ContentField[]): boolean {
  const redact = createRedactor([], names);
  return content.some((field) => field.type === "text" && redact(field.text) !== field.text);
}

function passesProbes(needles: ReturnType<typeof toNeedles>, content: readonly ContentField[]): boolean {
  const matchers = [createExactMatcher(needles), createExcerptMatcher(needles)];
  return content.every((field) =>
    matchers.every((matcher) => matcher.match({ place: { container: "new text" }, field }).length === 0),
  );
}

/** An index row takes the content that its base row is given. */
function contentOfBase(
  item: PlannedItem,
  current: Artifact,
  replacements: ReadonlyMap<string, Replacement>,
): readonly ContentField[] | string {
  for (const source of item.sources) {
    const replacement = replacements.get(artifactId(source));
    if (replacement?.outcome === "failed") return replacement.why;
    if (replacement?.outcome === "ready") {
      const names = new Set(current.content.map(({ name }) => name));
      const fields = replacement.artifact.content.filter(({ name }) => names.size === 0 || names.has(name));
      return fields;
    }
  }
  return "BASE_NOT_REWRITTEN";
}

/** Undefined where a source cannot be read. The surviving sources in the order of the item's, those that are rewritten in this run in their new form. */
async function readSurviving(
  engine: Engine,
  item: PlannedItem,
  replacements: ReadonlyMap<string, Replacement>,
  signal: AbortSignal,
): Promise<readonly Artifact[] | undefined> {
  const stored = await readAll(
    engine,
    item.surviving.filter((source) => !replacements.has(artifactId(source))),
    signal,
  );
  // A text from some of the sources only would look whole.
  if (stored.unread.size > 0) return undefined;
  return item.surviving.flatMap((source) => {
    const replacement = replacements.get(artifactId(source));
    const found = replacement?.outcome === "ready" ? replacement.artifact : stored.found.get(artifactId(source));
    return found === undefined ? [] : [found];
  });
}

/** Those of the artifacts that are there, by id, one read a surface; and the surfaces that could not be read, with a code. */
async function readAll(
  engine: Engine,
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<{ readonly found: ReadonlyMap<string, Artifact>; readonly unread: ReadonlyMap<string, string> }> {
  const found = new Map<string, Artifact>();
  const unread = new Map<string, string>();
  for (const [id, members] of groupBy(refs, ({ surface }) => surface)) {
    const keys = members.map(({ key }) => key);
    try {
      const surface = await engine.open(id);
      for await (const artifact of surface.read(keys, signal)) found.set(artifactId(artifact), artifact);
    } catch (error) {
      signal.throwIfAborted();
      unread.set(id, errorCode(error));
    }
  }
  return { found, unread };
}
