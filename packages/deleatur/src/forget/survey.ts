// Surveys all that is outside the closure before anything is erased: the baseline of bystanders, and which content others also have.
import { type Baseline, digestArtifact, openBaseline } from "../examine/baseline.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { hasOwnProvenance } from "../examine/own-provenance.ts";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { WordHashes } from "../ledger/word-hashes.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactId, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { contentDigests } from "../record/guard.ts";
import { scanAll } from "../record/harvest.ts";
import { identifierSet, type Plan } from "./plan.ts";

/** A power of two: for ten thousand texts of a closure still several times as many as they have runs. */
const RUN_BITS = 1 << 19;

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
  const together = new Set(items.map(({ ref }) => artifactId(ref)));
  const going = new Set(items.flatMap(({ ref, action }) => (action === "erase" ? [artifactId(ref)] : [])));
  // Surveyed together they have one baseline, and one set of bystanders but for what a request is still owed.
  const baseline = openBaseline();
  const standing = openBaseline();
  await scanAll(
    engine,
    "survey",
    (artifact) => {
      const id = artifactId(artifact);
      const digests = digestArtifact(ledger, artifact);
      if (views.some(({ isFirst }) => isFirst)) baseline.add(digests);
      if (together.has(id)) {
        // It is a bystander to nobody. To a request in whose closure it is not, it says whose words are others' too, unless it goes as well.
        if (!going.has(id))
          compareContent(
            engine,
            views.filter(({ inClosure }) => !inClosure.has(id)),
            artifact,
          );
        return;
      }
      // What no store keeps, but a process in its memory, comes and goes by itself: it is nobody's to lose.
      if (engine.bound(artifact.surface).declaration.store !== undefined) standing.add(digests);
      compareContent(engine, views, artifact);
    },
    signal,
  );
  for (const { order, owed, isFirst } of views) {
    if (isFirst) ledger.putSealed(order.request, BASELINE, baseline.bytes());
    ledger.putSealed(
      order.request,
      BYSTANDERS,
      (owed.entries.size === 0 ? standing : withOwed(ledger, standing, owed)).bytes(),
    );
  }
  return views.map(({ shared, sharedRuns }) => ({ shared, sharedRuns }));
}

/** What one request wants to know of all that is outside its closure. */
interface SurveyView extends Survey {
  readonly order: SurveyOrder;
  /** Whether its baseline is still to be taken. */
  readonly isFirst: boolean;
  /** Bystanders of a surface that the last round could not read: they are still owed a look. */
  readonly owed: Baseline;
  readonly inClosure: ReadonlySet<string>;
  readonly isOwn: (tag: SubjectIdentifier) => boolean;
  readonly wanted: ReadonlySet<string>;
  /** Marks of the wanted content: only what has one of them is digested. */
  readonly marks: ReadonlySet<number>;
  readonly wantedRuns: ReadonlySet<number>;
  /** A bit for each wanted run by its lower bits: most runs of others are not looked up further. */
  readonly runBits: Uint8Array;
  readonly shared: Set<string>;
  readonly sharedRuns: Set<number>;
}

function openView({ ledger }: Engine, order: SurveyOrder): SurveyView {
  const { request, plan, needles } = order;
  const wantedRuns = new Set<number>();
  for (const { content, fate } of needles)
    if (fate !== "kept")
      for (const { words } of contentDigests(ledger, content))
        if (words !== undefined) for (const run of ledger.runValues(words)) wantedRuns.add(run);
  const fields = needles.flatMap(({ content }) => content);
  const runBits = new Uint8Array(RUN_BITS);
  for (const run of wantedRuns) runBits[run & (RUN_BITS - 1)] = 1;
  return {
    order,
    isFirst: ledger.getSealed(request, BASELINE) === undefined,
    owed: openBaseline(ledger.getSealed(request, BYSTANDERS)),
    inClosure: new Set(plan.items.map(({ ref }) => artifactId(ref))),
    isOwn: identifierSet(plan.identifiers),
    wanted: new Set(contentDigests(ledger, fields).map(({ digest }) => hex(digest))),
    marks: new Set(fields.map((field) => markOf(wordsOf(ledger, field)))),
    wantedRuns,
    runBits,
    shared: new Set(),
    sharedRuns: new Set(),
  };
}

function compareContent(
  engine: Engine,
  views: readonly SurveyView[],
  { surface, subjects, sources, content }: Artifact,
): void {
  const { ledger } = engine;
  const { role } = engine.bound(surface).declaration;
  const asked = views.flatMap((view) => {
    const isTheirs = hasOwnProvenance(role, subjects, view.isOwn);
    // A text that was made from others' only: its frame and its words are not the person's, and a leftover is for the probes to find.
    const isFrame = view.wantedRuns.size > 0 && (isTheirs || sources.length > 0);
    return isTheirs || isFrame ? [{ view, isTheirs, isFrame }] : [];
  });
  if (asked.length === 0) return;
  for (const field of content) {
    const words = wordsOf(ledger, field);
    const runs = words === undefined ? [] : ledger.runValues(words);
    const mark = markOf(words);
    for (const { view, isTheirs, isFrame } of asked) {
      if (isFrame) addShared(view, runs);
      if (!isTheirs || !view.marks.has(mark)) continue;
      for (const { digest } of contentDigests(ledger, [field]))
        if (view.wanted.has(hex(digest))) view.shared.add(hex(digest));
    }
  }
}

function addShared({ runBits, wantedRuns, sharedRuns }: SurveyView, runs: Iterable<number>): void {
  for (const run of runs) if (runBits[run & (RUN_BITS - 1)] === 1 && wantedRuns.has(run)) sharedRuns.add(run);
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
  for (const surface of owed.entries.keys()) bystanders.replace(surface, owed);
  return bystanders;
}

/** After a round: what was looked at is settled, what could not be read is owed to the next. */
export function settleBystanders({ ledger }: Engine, request: RequestId, unread: ReadonlyMap<SurfaceId, string>): void {
  const bystanders = openBaseline(ledger.getSealed(request, BYSTANDERS));
  for (const surface of bystanders.entries.keys()) if (!unread.has(surface)) bystanders.replace(surface);
  ledger.putSealed(request, BYSTANDERS, bystanders.bytes());
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
