// Erases or rewrites the closure, derived before sources, each batch's outcome journalled as soon as the store has said it (DESIGN §3.4).
import type { Engine } from "../engine.ts";
import { standingAt } from "../examine/baseline.ts";
import { openKeptBaselines } from "../examine/kept-baselines.ts";
import { noteTaken, openTaken } from "../examine/taken-by-others.ts";
import type { ItemPatch } from "../ledger/request-record.ts";
import type { Erased } from "../model/artifact.ts";
import { reasonOf } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type RequestId, type SurfaceId } from "../model/ids.ts";
import type { Plan, PlannedItem } from "./plan.ts";
import type { Replacement } from "./prepare-rewrites.ts";

/** Of one surface, in one ledger transaction; the store takes them in its own smaller ones. */
const BATCH = 20_000;

export interface EraseOrder {
  readonly plan: Plan;
  readonly replacements: ReadonlyMap<string, Replacement>;
  /** The requests that were surveyed in this very run: to them what it erases is no bystander. Others that run with it, and were surveyed before, are told. */
  readonly together: ReadonlySet<RequestId>;
}

/**
 * Runs through the ranks from the highest down; an item that has its outcome already is not touched again. What failed is tried again as long as others went: a store may
 * refuse a record that records of another surface refer to, and only the store knows of that. Answers how many were there.
 */
export async function eraseClosure(
  engine: Engine,
  request: RequestId,
  { plan, replacements, together }: EraseOrder,
  signal: AbortSignal,
): Promise<{ readonly changed: number }> {
  const done = finishedItems(engine, request);
  const todo = plan.items.filter(({ ref, action }) => action !== "keep" && !done.has(artifactId(ref)));
  let left: readonly PlannedItem[] = todo;
  while (left.length > 0) {
    const failed = await eraseRanks(engine, request, { plan, replacements, together }, left, signal);
    left = failed.length === left.length ? [] : failed;
  }
  return { changed: plan.items.filter(({ present, action }) => present && action !== "keep").length };
}

/** One pass; answers what could not be erased. */
async function eraseRanks(
  engine: Engine,
  request: RequestId,
  { plan, replacements, together }: EraseOrder,
  todo: readonly PlannedItem[],
  signal: AbortSignal,
): Promise<readonly PlannedItem[]> {
  const ranks = groupBy(
    todo.toSorted((a, b) => b.rank - a.rank),
    ({ rank }) => rank,
  );
  const failed = new Set<string>();
  let finished = 0;
  for (const members of ranks.values()) {
    for (const [surface, items] of groupBy(members, ({ ref }) => ref.surface)) {
      for (let from = 0; from < items.length; from += BATCH) {
        signal.throwIfAborted();
        const batch = items.slice(from, from + BATCH);
        const patches = [
          ...(await eraseBatch(
            engine,
            request,
            batch.filter(({ action }) => action === "erase"),
            signal,
          )),
          ...(await rewriteBatch(
            engine,
            batch.filter(({ action }) => action === "rewrite"),
            replacements,
            signal,
          )),
        ];
        const erasing = new Set(batch.filter(({ action }) => action === "erase").map(({ ref }) => artifactId(ref)));
        for (const { ref, outcome } of patches)
          if (outcome === "failed" && erasing.has(artifactId(ref))) failed.add(artifactId(ref));
        journal(engine, request, { plan, together }, batch, patches);
        finished += batch.length;
        engine.report({ request, step: "erase", phase: "progress", surface, done: finished, total: todo.length });
      }
    }
  }
  return todo.filter(({ ref }) => failed.has(artifactId(ref)));
}

/** Ids of what has its outcome already. Where the counts say that there is none, no item is opened. */
function finishedItems({ ledger }: Engine, request: RequestId): ReadonlySet<string> {
  if (!ledger.itemCounts(request).some(({ outcome }) => isDone(outcome))) return new Set();
  const done = ledger.items(request).filter(({ outcome }) => isDone(outcome));
  return new Set(done.map(({ ref }) => artifactId(ref)));
}

function isDone(outcome: string | undefined): boolean {
  return outcome === "erased" || outcome === "rewritten";
}

async function eraseBatch(
  engine: Engine,
  request: RequestId,
  items: readonly PlannedItem[],
  signal: AbortSignal,
): Promise<readonly ItemPatch[]> {
  const [first] = items;
  if (first === undefined) return [];
  let outcomes: readonly Erased[];
  try {
    const surface = await engine.open(first.ref.surface);
    outcomes = await surface.erase(
      items.map(({ ref }) => ref.key),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    return items.map(({ ref }) => ({ ref, outcome: "failed", why: reasonOf(error) }));
  }
  const byId = new Map(outcomes.map((outcome) => [artifactId(outcome), outcome]));
  const isMissing = items.some(({ ref, present }) => present && byId.get(artifactId(ref))?.outcome === "absent");
  if (isMissing && (await isAnotherStore(engine, request, first.ref.surface, signal)))
    return items.map(({ ref }) => ({ ref, outcome: "failed", why: "STORE_CHANGED" }));
  return items.map(({ ref, present }) => {
    const erased = byId.get(artifactId(ref));
    if (erased === undefined) return { ref, outcome: "failed", why: "NO_OUTCOME" };
    if (erased.outcome === "failed") return { ref, outcome: "failed", why: erased.why };
    // It was there when the plan was made: whoever took it since (we, before a crash; a trigger of the store), it is erased.
    return { ref, outcome: present ? "erased" : erased.outcome };
  });
}

/**
 * Whether everybody else's artifacts are gone from the surface as well since they were surveyed: then its store was put in the place of another, and
 * what is absent from this one is erased from nowhere.
 */
async function isAnotherStore(
  engine: Engine,
  request: RequestId,
  surface: SurfaceId,
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger } = engine;
  const bystanders = openKeptBaselines(ledger).bystandersOf(request).without(openTaken(engine, request));
  if (standingAt(bystanders, surface, engine.clock()) === 0) return false;
  for await (const artifact of (await engine.open(surface)).scan(signal, "lineage"))
    if (artifact.surface === surface) return false;
  return true;
}

async function rewriteBatch(
  engine: Engine,
  items: readonly PlannedItem[],
  replacements: ReadonlyMap<string, Replacement>,
  signal: AbortSignal,
): Promise<readonly ItemPatch[]> {
  const patches: ItemPatch[] = [];
  for (const { ref } of items) {
    const replacement = replacements.get(artifactId(ref)) ?? { outcome: "failed", why: "NOT_PREPARED" };
    if (replacement.outcome !== "ready") {
      patches.push({ ref, ...replacement });
      continue;
    }
    try {
      const surface = await engine.open(ref.surface);
      const [rewritten] = await surface.rewrite([replacement.artifact], signal);
      if (rewritten === undefined) patches.push({ ref, outcome: "failed", why: "NO_OUTCOME" });
      else if (rewritten.outcome === "failed") patches.push({ ref, outcome: "failed", why: rewritten.why });
      else patches.push({ ref, outcome: rewritten.outcome });
    } catch (error) {
      signal.throwIfAborted();
      patches.push({ ref, outcome: "failed", why: reasonOf(error) });
    }
  }
  return patches;
}

/** Outcome and lineage change together: what is erased leaves the ledger as a digest, what is rewritten loses its edges to the erased. */
function journal(
  engine: Engine,
  request: RequestId,
  { plan, together }: Pick<EraseOrder, "plan" | "together">,
  batch: readonly PlannedItem[],
  patches: readonly ItemPatch[],
): void {
  const outcomes = new Map(patches.map((patch) => [artifactId(patch.ref), patch.outcome]));
  const dropped = new Set(plan.items.filter(({ action }) => action !== "rewrite").map(({ ref }) => artifactId(ref)));
  engine.ledger.transaction(() => {
    engine.ledger.updateItems(request, patches);
    const taken = patches.filter(({ outcome }) => outcome === "erased" || outcome === "rewritten");
    noteTaken(
      engine,
      together,
      taken.map(({ ref }) => ref),
    );
    const gone = batch.filter(({ ref }) => ["erased", "absent"].includes(outcomes.get(artifactId(ref)) ?? ""));
    engine.ledger.markErased(
      gone.map(({ ref }) => ref),
      request,
    );
    for (const item of batch) {
      if (outcomes.get(artifactId(item.ref)) !== "rewritten") continue;
      engine.ledger.dropSources(
        item.ref,
        item.sources.filter((source) => dropped.has(artifactId(source))),
      );
      engine.ledger.dropSubjects(item.ref, item.ownSubjects);
    }
  });
}
