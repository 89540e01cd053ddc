// Surveys all that is outside the closure before anything is erased: the baseline of bystanders, and which content others also have.
import { digestOfField } from "../attest/field-digest.ts";
import { artifactDigester } from "../examine/artifact-digests.ts";
import { type Baseline, openBaseline } from "../examine/baseline.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { hasOwnProvenance, isFirstHand } from "../examine/own-provenance.ts";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { WordHashes } from "../ledger/word-hashes.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import type { ArtifactKey, ArtifactRef, RequestId, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import { contentDigests } from "../record/guard.ts";
import { scanAll } from "../record/harvest.ts";
import { identifierSet, type Plan } from "./plan.ts";

/** Places for wanted runs, a power of two: several times as many as there are. */
const LEAST_RUN_BITS = 1 << 16;
const BITS_A_RUN = 4;

const BASELINE = "baseline";
export const BYSTANDERS = "bystanders";

export interface Survey {
  /** Hex digests (as the guard's) of closure content that another person's record also has. */
  readonly shared: ReadonlySet<string>;
  /** Runs of words (as `runValues`) that others also have: they are nobody's own and never an entry. */
  readonly sharedRuns: ReadonlySet<number>;
}

/** One request that is to be surveyed. */
export interface SurveyOrder {
  readonly request: RequestId;
  readonly plan: Plan;
  readonly needles: readonly KeptNeedle[];
}

/**
 * Scans once for all of them. The baseline of a request's first round stands for the whole request. Bystanders are taken anew each round, outside
 * every closure that is erased together (`beside` are plans of the same run that need no survey): what their own application changed between two rounds is no loss of ours.
 */
export async function surveySurvivors(
  engine: Engine,
  orders: readonly SurveyOrder[],
  beside: readonly Plan[],
  signal: AbortSignal,
): Promise<readonly Survey[]> {
  const { ledger } = engine;
  const views = orders.map((order) => openView(engine, order));
  const items = [...orders.map(({ plan }) => plan), ...beside].flatMap((plan) => plan.items);
  const isTogether = refSet(items.map(({ ref }) => ref));
  const isGoing = refSet(items.flatMap(({ ref, action }) => (action === "erase" ? [ref] : [])));
  // Surveyed together they have one baseline, and one set of bystanders but for what a request is still owed.
  const baseline = openBaseline();
  const standing = openBaseline();
  const isAnyFirst = views.some(({ isFirst }) => isFirst);
  const digester = artifactDigester(ledger);
  const common = joinViews(views);
  const compare = openComparison(engine, views, common);
  await scanAll(
    engine,
    "survey",
    (artifact) => {
      const fields = artifact.content.map(digestOfField);
      const digests = digester.digest(artifact, fields);
      if (isAnyFirst) baseline.add(digests);
      if (isTogether(artifact)) {
        // It is a bystander to nobody. To a request in whose closure it is not, it says whose words are others' too, unless it goes as well.
        if (!isGoing(artifact)) compare(artifact, fields, ({ inClosure }) => !inClosure(artifact));
        return;
      }
      // What no store keeps, but a process in its memory, comes and goes by itself: it is nobody's to lose.
      if (engine.bound(artifact.surface).declaration.store !== undefined) standing.add(digests);
      compare(artifact, fields);
    },
    signal,
  );
  for (const view of views) if (view !== common) takeOver(view, common);
  for (const { order, owed, isFirst } of views) {
    if (isFirst) ledger.putSealed(order.request, BASELINE, baseline.bytes());
    ledger.putSealed(
      order.request,
      BYSTANDERS,
      (owed.surfaces.length === 0 ? standing : withOwed(ledger, standing, owed)).bytes(),
    );
  }
  return views.map(({ shared, sharedRuns }) => ({ shared, sharedRuns }));
}

/** What one request wants to know of all that is outside its closure. */
interface SurveyView extends Wanted {
  readonly order: SurveyOrder;
  /** Whether its baseline is still to be taken. */
  readonly isFirst: boolean;
  /** Bystanders of a surface that the last round could not read: they are still owed a look. */
  readonly owed: Baseline;
  readonly inClosure: (ref: ArtifactRef) => boolean;
}

/** Content of a closure that others may have too, of one request or of all of them, and what of it was found. */
interface Wanted extends Survey {
  readonly isOwn: (tag: SubjectIdentifier) => boolean;
  readonly wanted: ReadonlySet<string>;
  /** Marks of the wanted content: only what has one of them is digested. */
  readonly marks: ReadonlySet<number>;
  readonly wantedRuns: ReadonlySet<number>;
  /** A byte for each wanted run (`placeOf`): most runs of others are not looked up further. */
  readonly runBits: Uint8Array;
  readonly shared: Set<string>;
  readonly sharedRuns: Set<number>;
}

function openView({ ledger }: Engine, order: SurveyOrder): SurveyView {
  const { request, plan, needles } = order;
  const wanted = new Set<string>();
  const marks = new Set<number>();
  const wantedRuns = new Set<number>();
  for (const { content, fate } of needles) {
    for (const field of content) {
      let words: WordHashes | undefined;
      for (const found of contentDigests(ledger, [field])) {
        wanted.add(hex(found.digest));
        words = found.words;
      }
      marks.add(markOf(words ?? wordsOf(ledger, field)));
      if (words === undefined || fate === "kept") continue;
      for (const run of ledger.runValues(words)) wantedRuns.add(run);
    }
  }
  return {
    order,
    isFirst: ledger.getSealed(request, BASELINE) === undefined,
    owed: openBaseline(ledger.getSealed(request, BYSTANDERS)),
    inClosure: refSet(plan.items.map(({ ref }) => ref)),
    isOwn: askedOnce(identifierSet(plan.identifiers)),
    wanted,
    marks,
    wantedRuns,
    runBits: bitsOf(wantedRuns),
    shared: new Set(),
    sharedRuns: new Set(),
  };
}

/** What all of them want, to be looked up once. */
function joinViews(views: readonly SurveyView[]): Wanted {
  const [only] = views;
  if (only !== undefined && views.length === 1) return only;
  const wantedRuns = new Set(views.flatMap((view) => [...view.wantedRuns]));
  return {
    isOwn: askedOnce((tag) => views.some(({ isOwn }) => isOwn(tag))),
    wanted: new Set(views.flatMap(({ wanted }) => [...wanted])),
    marks: new Set(views.flatMap(({ marks }) => [...marks])),
    wantedRuns,
    runBits: bitsOf(wantedRuns),
    shared: new Set(),
    sharedRuns: new Set(),
  };
}

/** What was found for all of them, as far as one wants it. */
function takeOver({ wanted, wantedRuns, shared, sharedRuns }: SurveyView, common: Wanted): void {
  for (const digest of common.shared) if (wanted.has(digest)) shared.add(digest);
  for (const run of common.sharedRuns) if (wantedRuns.has(run)) sharedRuns.add(run);
}

function bitsOf(runs: ReadonlySet<number>): Uint8Array {
  let size = LEAST_RUN_BITS;
  while (size < BITS_A_RUN * runs.size) size *= 2;
  const bits = new Uint8Array(size);
  const values = Float64Array.from(runs);
  const halves = new Uint32Array(values.buffer);
  for (let at = 0; at < values.length; at += 1) bits[placeOf(halves, at) & (size - 1)] = 1;
  return bits;
}

type Comparison = (artifact: Artifact, digests: readonly string[], isAsked?: (view: SurveyView) => boolean) => void;

/** Texts that are remembered as compared: an index has the very texts of its base rows. */
const KNOWN_TEXTS = 1 << 20;

/** Finds what of the content of each view others have too. `digests` are the fields' own. What is nobody's of them says the same to all, and is held against `common`. */
function openComparison(engine: Engine, views: readonly SurveyView[], common: Wanted): Comparison {
  const { ledger } = engine;
  /** Texts of which nothing is left to be found: they were another person's own to every view. Half of a digest as a number, no text's own by chance. */
  const known = new Set<number>();
  return ({ surface, subjects, sources, content }, digests, isAsked) => {
    const { role } = engine.bound(surface).declaration;
    let isWhole = isAsked === undefined;
    const isNobodys = isAsked === undefined && !subjects.some(common.isOwn);
    const asking = isNobodys ? [common] : views.filter((view) => isAsked?.(view) !== false);
    for (const [at, field] of content.entries()) {
      const isText = field.type === "text";
      // Only another person's own record says of an embedding or of bytes that they are theirs.
      if (!isText && !isFirstHand(role)) continue;
      const mark = isText ? Number.parseInt((digests[at] ?? "").slice(0, 13), 16) : 0;
      if (isText && known.has(mark)) continue;
      let words: WordHashes | undefined;
      let runs: Float64Array | undefined;
      for (const view of asking) {
        const isTheirs = hasOwnProvenance(role, subjects, view.isOwn);
        if (!isTheirs) isWhole = false;
        if (isText && view.wantedRuns.size > 0 && (isTheirs || sources.length > 0)) {
          // A text that was made from others' only: its frame and its words are not the person's, and a leftover is for the probes to find.
          runs ??= ledger.runValues((words ??= ledger.hashWords(field.text)));
          addShared(view, runs);
        }
        if (!isTheirs) continue;
        words ??= wordsOf(ledger, field);
        if (!view.marks.has(markOf(words))) continue;
        for (const { digest } of contentDigests(ledger, [field]))
          if (view.wanted.has(hex(digest))) view.shared.add(hex(digest));
      }
      if (isWhole && isText && known.size < KNOWN_TEXTS) known.add(mark);
    }
  };
}

function addShared({ runBits, wantedRuns, sharedRuns }: Wanted, runs: Float64Array): void {
  const mask = runBits.length - 1;
  const halves = new Uint32Array(runs.buffer, runs.byteOffset, 2 * runs.length);
  for (let at = 0; at < runs.length; at += 1) {
    if (runBits[placeOf(halves, at) & mask] !== 1) continue;
    const run = runs[at] ?? 0;
    if (wantedRuns.has(run)) sharedRuns.add(run);
  }
}

/** A run's place among the bits, out of the number as it stands in memory: equal runs have equal ones. */
function placeOf(halves: Uint32Array, at: number): number {
  const mixed = (halves[2 * at] ?? 0) ^ (halves[2 * at + 1] ?? 0);
  return mixed ^ (mixed >>> 15);
}

/** Whether an artifact is one of these. A scan goes through one surface after the other. */
function refSet(refs: readonly ArtifactRef[]): (ref: ArtifactRef) => boolean {
  const keys = new Map<SurfaceId, ReadonlySet<ArtifactKey>>();
  for (const [surface, members] of groupBy(refs, (ref) => ref.surface))
    keys.set(surface, new Set(members.map(({ key }) => key)));
  return ({ surface, key }) => keys.get(surface)?.has(key) === true;
}

/** Remembers what was answered about an object: a scan has one for each of the few persons that stand on many rows. */
function askedOnce(is: (tag: SubjectIdentifier) => boolean): (tag: SubjectIdentifier) => boolean {
  const answers = new WeakMap<SubjectIdentifier, boolean>();
  return (tag) => {
    let answer = answers.get(tag);
    if (answer === undefined) {
      answer = is(tag);
      answers.set(tag, answer);
    }
    return answer;
  };
}

function wordsOf(ledger: Ledger, field: ContentField): WordHashes | undefined {
  return field.type === "text" ? ledger.hashWords(field.text) : undefined;
}

/** A number that text of the same digest has too; most other text has another. What has no words has none of its own. */
function markOf(words: WordHashes | undefined): number {
  return words === undefined || words.count === 0 ? 0 : ((words.halves[0] ?? 0) ^ words.count) >>> 0;
}

function withOwed(ledger: Ledger, standing: Baseline, owed: Baseline): Baseline {
  const bystanders = openBaseline(standing.bytes());
  for (const surface of owed.surfaces) bystanders.replace(surface, owed);
  return bystanders;
}

/** After a round: what was looked at is settled, what could not be read is owed to the next. */
export function settleBystanders({ ledger }: Engine, request: RequestId, unread: ReadonlyMap<SurfaceId, string>): void {
  const bystanders = openBaseline(ledger.getSealed(request, BYSTANDERS));
  for (const surface of bystanders.surfaces) if (!unread.has(surface)) bystanders.replace(surface);
  ledger.putSealed(request, BYSTANDERS, bystanders.bytes());
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
