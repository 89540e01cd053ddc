// Surveys all that is outside the closure before anything is erased: the baseline of bystanders, and which content others also have.
import { digestOfField } from "../attest/field-digest.ts";
import { artifactDigester } from "../examine/artifact-digests.ts";
import { type Baseline, openBaseline } from "../examine/baseline.ts";
import { openDigestTable } from "../examine/digest-table.ts";
import {
  hasBaseline,
  keepBaseline,
  keepBystanders,
  type NoBystanders,
  openKeptBaselines,
  withoutNone,
} from "../examine/kept-baselines.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { scanAll } from "../record/harvest.ts";
import type { Plan } from "./plan.ts";
import { joinWanted, openComparison, takeOver, type Wanted, wantedOf } from "./wanted-content.ts";

export interface Survey {
  /** Hex digests (as the guard's) of closure content that another person's record also has. */
  readonly shared: ReadonlySet<string>;
  /** Runs of words (as `runValues`) that others also have: they are nobody's own and never an entry. */
  readonly sharedRuns: ReadonlySet<number>;
}

/** One request that is to be surveyed. */
export interface SurveyOrder {
  readonly request: RequestId;
  readonly identifiers: readonly SubjectIdentifier[];
  readonly closure: readonly ArtifactRef[];
  /** What the closure says, and said in earlier rounds. */
  readonly contents: Iterable<readonly ContentField[]>;
}

/** What is asked for a request that is planned, and whose needles are sealed. */
export function surveyOrder(
  request: RequestId,
  { identifiers, items }: Plan,
  needles: readonly KeptNeedle[],
): SurveyOrder {
  return {
    request,
    identifiers,
    closure: items.map(({ ref }) => ref),
    contents: needles.map(({ content }) => content),
  };
}

/** A survey for several requests, over one reading of all stores. */
export interface OpenSurvey {
  /** Takes each artifact that the reading meets. Answers what became of one of a closure since it was read, if it was. */
  readonly see: (artifact: Artifact) => "outside" | "unchanged" | "changed";
  /** After the reading: seals what must stand and answers each request's own. `plans` are all that are carried out together. */
  readonly end: (plans: readonly Plan[], signal: AbortSignal) => Promise<ReadonlyMap<RequestId, Survey>>;
}

/**
 * Scans once for all of them. The baseline of a request's first round stands for the whole request. Bystanders are taken anew each round, outside
 * every closure that is erased together (`plans`): what their own application changed between two rounds is no loss of ours.
 */
export async function surveySurvivors(
  engine: Engine,
  orders: readonly SurveyOrder[],
  plans: readonly Plan[],
  signal: AbortSignal,
): Promise<ReadonlyMap<RequestId, Survey>> {
  const survey = openSurvey(
    engine,
    orders,
    plans.flatMap(({ items }) => items.map(({ ref }) => ref)),
  );
  await scanAll(engine, "survey", survey.see, signal);
  return await survey.end(plans, signal);
}

/** @param together artifacts of the closures; with content where they were read. They are bystanders to nobody. */
export function openSurvey(
  engine: Engine,
  orders: readonly SurveyOrder[],
  together: readonly (ArtifactRef & Partial<Pick<Artifact, "content">>)[],
): OpenSurvey {
  const { ledger } = engine;
  const digester = artifactDigester(ledger);
  const closures = openDigestTable();
  for (const { surface, key, content = [] } of together)
    closures.add(digester.digest({ surface, key, subjects: [], sources: [], content }).words);
  const kept = openKeptBaselines(ledger);
  const views = orders.map(({ request, identifiers, contents }): View => ({
    ...wantedOf(ledger, identifiers, contents),
    request,
    isFirst: !hasBaseline(ledger, request),
    owed: kept.bystandersOf(request),
  }));
  const common = joinWanted(views);
  const compare = openComparison(engine, views, common);
  // Surveyed together they have one baseline, and one set of bystanders but for what a request is still owed.
  const baseline = openBaseline();
  return {
    see(artifact) {
      const fields = artifact.content.map(digestOfField);
      const digests = digester.digest(artifact, fields);
      baseline.add(digests);
      const before = closures.compare(digests.words);
      if (before !== "new") return before;
      compare(artifact, fields);
      return "outside";
    },
    async end(plans, signal) {
      await compareStaying(engine, plans, orders, views, compare, signal);
      for (const view of views) if (view !== common) takeOver(view, common);
      const bytes = baseline.bytes();
      const none: NoBystanders = {
        // What no store keeps, but a process in its memory, comes and goes by itself: it is nobody's to lose.
        surfaces: baseline.surfaces.filter((surface) => engine.bound(surface).declaration.store === undefined),
        artifacts: [...groupBy(together, ({ surface }) => surface)].map(([surface, members]) => [
          surface,
          members.map((ref) => digester.idOf(ref)),
        ]),
      };
      for (const { request, owed, isFirst } of views) {
        if (isFirst) {
          keepBaseline(ledger, request, bytes, none);
          continue;
        }
        const [bystanders, stillOwed] = [withoutNone(baseline, none), withoutNone(owed, none)];
        for (const surface of stillOwed.surfaces) bystanders.replace(surface, stillOwed);
        keepBystanders(ledger, request, bystanders);
      }
      return new Map(views.map(({ request, shared, sharedRuns }) => [request, { shared, sharedRuns }]));
    },
  };
}

/** What one request wants to know of all that is outside its closure. */
interface View extends Wanted {
  readonly request: RequestId;
  /** Whether its baseline is still to be taken. */
  readonly isFirst: boolean;
  /** Bystanders of a surface that the last round could not read: they are still owed a look, but for those that are erased together with it now. */
  readonly owed: Baseline;
}

/** What is in the closure of one and stays, says to the others whose words are others' too: all that goes says it to nobody. */
async function compareStaying(
  engine: Engine,
  plans: readonly Plan[],
  orders: readonly SurveyOrder[],
  views: readonly View[],
  compare: ReturnType<typeof openComparison>,
  signal: AbortSignal,
): Promise<void> {
  if (plans.length < 2) return;
  const items = plans.flatMap((plan) => plan.items);
  const going = new Set(items.flatMap(({ ref, action }) => (action === "erase" ? [artifactId(ref)] : [])));
  const staying = items.flatMap(({ ref, present }) => (present && !going.has(artifactId(ref)) ? [ref] : []));
  const closures = orders.map(({ closure }) => new Set(closure.map(artifactId)));
  for (const [surface, members] of groupBy(staying, (ref) => ref.surface)) {
    const keys = new Set(members.map(({ key }) => key));
    try {
      for await (const artifact of (await engine.open(surface)).read([...keys], signal)) {
        const asking = views.filter((_, place) => closures[place]?.has(artifactId(artifact)) !== true);
        compare(artifact, artifact.content.map(digestOfField), asking);
      }
    } catch {
      signal.throwIfAborted(); // what cannot be read explains nothing; the examination says that it is out of reach
    }
  }
}

/** After a round: what was looked at is settled, what could not be read is owed to the next. */
export function settleBystanders({ ledger }: Engine, request: RequestId, unread: ReadonlyMap<SurfaceId, string>): void {
  const bystanders = unread.size === 0 ? openBaseline() : openKeptBaselines(ledger).bystandersOf(request);
  for (const surface of bystanders.surfaces) if (!unread.has(surface)) bystanders.replace(surface);
  keepBystanders(ledger, request, bystanders);
}
