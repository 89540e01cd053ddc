// Surveys all that is outside the closure before anything is erased: the baseline of bystanders, and which content others also have.
import { type Baseline, digestArtifact, openBaseline } from "../examine/baseline.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { hasOwnProvenance } from "../examine/own-provenance.ts";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import { artifactId, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { contentDigests } from "../record/guard.ts";
import { scanAll } from "../record/harvest.ts";
import { identifierSet, type Plan } from "./plan.ts";

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
          for (const view of views) if (!view.inClosure.has(id)) compareContent(engine, view, artifact);
        return;
      }
      // What is in memory comes and goes by itself: it is nobody's to lose.
      if (engine.bound(artifact.surface).guarantees.deletion !== "memory") standing.add(digests);
      for (const view of views) compareContent(engine, view, artifact);
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
  readonly wantedRuns: ReadonlySet<number>;
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
  return {
    order,
    isFirst: ledger.getSealed(request, BASELINE) === undefined,
    owed: openBaseline(ledger.getSealed(request, BYSTANDERS)),
    inClosure: new Set(plan.items.map(({ ref }) => artifactId(ref))),
    isOwn: identifierSet(plan.identifiers),
    wanted: new Set(needles.flatMap(({ content }) => contentDigests(ledger, content).map(({ digest }) => hex(digest)))),
    wantedRuns,
    shared: new Set(),
    sharedRuns: new Set(),
  };
}

function compareContent(engine: Engine, view: SurveyView, { surface, subjects, sources, content }: Artifact): void {
  const { ledger } = engine;
  const isTheirs = hasOwnProvenance(engine.bound(surface).declaration.role, subjects, view.isOwn);
  // A text that was made from others' only: its frame and its words are not the person's, and a leftover is for the probes to find.
  const isFrame = view.wantedRuns.size > 0 && (isTheirs || sources.length > 0);
  if (!isTheirs && !isFrame) return;
  for (const { digest, words } of contentDigests(ledger, content)) {
    if (isFrame && words !== undefined)
      for (const run of ledger.runValues(words)) if (view.wantedRuns.has(run)) view.sharedRuns.add(run);
    if (isTheirs && view.wanted.has(hex(digest))) view.shared.add(hex(digest));
  }
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
