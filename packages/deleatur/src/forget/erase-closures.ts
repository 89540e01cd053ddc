// Erases or rewrites the closures of one run together, derived before sources, each batch's outcomes journalled as soon as the store has said them (DESIGN §3.4).
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

/** One request of the run, and what its closure is rewritten to. */
export interface EraseParty {
  readonly id: RequestId;
  readonly plan: Plan;
  readonly replacements: ReadonlyMap<string, Replacement>;
}

/** What one of them has to do; an artifact in several closures is a task of each. */
interface Task {
  readonly party: EraseParty;
  readonly item: PlannedItem;
  /** Of the artifact. */
  readonly id: string;
}

interface Done {
  readonly task: Task;
  readonly patch: ItemPatch;
}

/**
 * Runs through the ranks from the highest down; an item that has its outcome already is not touched again. What failed is tried again as long as others went: a store may
 * refuse a record that records of another surface refer to, and only the store knows of that.
 * @param together the requests that were surveyed in this very run: to them what it erases is no bystander. Others, surveyed before, are told.
 */
export async function eraseClosures(
  engine: Engine,
  parties: readonly EraseParty[],
  together: ReadonlySet<RequestId>,
  signal: AbortSignal,
): Promise<void> {
  let left = parties.flatMap((party) => tasksOf(engine, party));
  while (left.length > 0) {
    const failed = await eraseRanks(engine, left, together, signal);
    left = failed.length === left.length ? [] : failed;
  }
}

/** How many of a closure were there to be erased or rewritten. */
export function changedBy({ items }: Plan): number {
  return items.filter(({ present, action }) => present && action !== "keep").length;
}

/** All that has no outcome yet. Where the counts say that nothing has one, no item is opened. */
function tasksOf({ ledger }: Engine, party: EraseParty): Task[] {
  const hasDone = ledger.itemCounts(party.id).some(({ outcome }) => isDone(outcome));
  const done = hasDone ? ledger.items(party.id).filter(({ outcome }) => isDone(outcome)) : [];
  const finished = new Set(done.map(({ ref }) => artifactId(ref)));
  return party.plan.items.flatMap((item) => {
    const id = artifactId(item.ref);
    return item.action === "keep" || finished.has(id) ? [] : [{ party, item, id }];
  });
}

function isDone(outcome: string | undefined): boolean {
  return outcome === "erased" || outcome === "rewritten";
}

/** One pass; answers what could not be erased. */
async function eraseRanks(
  engine: Engine,
  tasks: readonly Task[],
  together: ReadonlySet<RequestId>,
  signal: AbortSignal,
): Promise<Task[]> {
  const failed: Task[] = [];
  const report = openProgress(engine, tasks);
  for (const members of inOrder(tasks, together)) {
    for (const [surface, ofSurface] of groupBy(members, ({ item }) => item.ref.surface)) {
      for (let from = 0; from < ofSurface.length; from += BATCH) {
        signal.throwIfAborted();
        const batch = ofSurface.slice(from, from + BATCH);
        const [erasing, rewriting] = [batch.filter(isErase), batch.filter((task) => !isErase(task))];
        const erased = await eraseBatch(engine, surface, erasing, signal);
        failed.push(...erased.flatMap(({ task, patch }) => (patch.outcome === "failed" ? [task] : [])));
        journal(engine, [...erased, ...(await rewriteBatch(engine, rewriting, signal))], together);
        report(surface, batch);
      }
    }
  }
  return failed;
}

function isErase({ item }: Task): boolean {
  return item.action === "erase";
}

/**
 * By rank, the highest first. A closure has all that derives from what is in it: the greatest of an artifact's ranks stands above those of all its sources. A request that
 * was surveyed before this run is by itself: what others erase in the same call may be its bystanders, which it has to be told of before it asks whether any still stand.
 */
function inOrder(tasks: readonly Task[], together: ReadonlySet<RequestId>): readonly (readonly Task[])[] {
  const ranks = new Map<string, number>();
  for (const { id, item } of tasks) ranks.set(id, Math.max(item.rank, ranks.get(id) ?? 0));
  const rankOf = ({ id }: Task): number => ranks.get(id) ?? 0;
  const byRank = groupBy(
    tasks.toSorted((a, b) => rankOf(b) - rankOf(a)),
    rankOf,
  );
  return [...byRank.values()].flatMap((members) => [
    ...groupBy(members, ({ party: { id } }) => (together.has(id) ? undefined : id)).values(),
  ]);
}

function openProgress(engine: Engine, tasks: readonly Task[]): (surface: SurfaceId, batch: readonly Task[]) => void {
  const all = new Map([...groupBy(tasks, ({ party }) => party)].map(([party, own]) => [party, own.length]));
  const done = new Map<EraseParty, number>();
  return (surface, batch) => {
    for (const [party, own] of groupBy(batch, (task) => task.party)) {
      const count = (done.get(party) ?? 0) + own.length;
      done.set(party, count);
      const total = all.get(party) ?? 0;
      engine.report({ request: party.id, step: "erase", phase: "progress", surface, done: count, total });
    }
  };
}

/** The store is asked once for what several of them have; where it answers nothing, for what each has: what it stumbles over may be one request's alone, and holds up no other. */
async function eraseBatch(
  engine: Engine,
  surface: SurfaceId,
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<readonly Done[]> {
  if (tasks.length === 0) return [];
  const allFailed = (why: string): readonly Done[] => tasks.map((task) => failedFor(task, why));
  const parties = groupBy(tasks, ({ party }) => party);
  let outcomes: readonly Erased[];
  try {
    const keys = new Map(tasks.map(({ id, item }) => [id, item.ref.key]));
    outcomes = await (await engine.open(surface)).erase([...keys.values()], signal);
  } catch (error) {
    signal.throwIfAborted();
    if (parties.size === 1) return allFailed(reasonOf(error));
    const done: Done[] = [];
    for (const own of parties.values()) done.push(...(await eraseBatch(engine, surface, own, signal)));
    return done;
  }
  const byId = new Map(outcomes.map((outcome) => [artifactId(outcome), outcome]));
  const missing = tasks.filter(({ id, item }) => item.present && byId.get(id)?.outcome === "absent");
  for (const { id } of new Set(missing.map(({ party }) => party)))
    if (await isAnotherStore(engine, id, surface, signal)) return allFailed("STORE_CHANGED");
  return tasks.map((task): Done => {
    const erased = byId.get(task.id);
    if (erased === undefined) return failedFor(task, "NO_OUTCOME");
    if (erased.outcome === "failed") return failedFor(task, erased.why);
    // It was there when the plan was made: whoever took it since (we, before a crash; a trigger of the store), it is erased.
    return { task, patch: { ref: task.item.ref, outcome: task.item.present ? "erased" : erased.outcome } };
  });
}

function failedFor(task: Task, why: string): Done {
  return { task, patch: { ref: task.item.ref, outcome: "failed", why } };
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

async function rewriteBatch(engine: Engine, tasks: readonly Task[], signal: AbortSignal): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const task of tasks) {
    const { ref } = task.item;
    const replacement = task.party.replacements.get(task.id) ?? { outcome: "failed", why: "NOT_PREPARED" };
    if (replacement.outcome !== "ready") {
      done.push({ task, patch: { ref, ...replacement } });
      continue;
    }
    try {
      const surface = await engine.open(ref.surface);
      const [rewritten] = await surface.rewrite([replacement.artifact], signal);
      if (rewritten === undefined) done.push(failedFor(task, "NO_OUTCOME"));
      else if (rewritten.outcome === "failed") done.push(failedFor(task, rewritten.why));
      else done.push({ task, patch: { ref, outcome: rewritten.outcome } });
    } catch (error) {
      signal.throwIfAborted();
      done.push(failedFor(task, reasonOf(error)));
    }
  }
  return done;
}

/** Outcome and lineage change together: what is erased leaves the ledger as a digest, what is rewritten loses its edges to the erased. */
function journal(engine: Engine, done: readonly Done[], together: ReadonlySet<RequestId>): void {
  const { ledger } = engine;
  ledger.transaction(() => {
    const taken = done.filter(({ patch }) => isDone(patch.outcome));
    noteTaken(
      engine,
      together,
      taken.map(({ task }) => task.item.ref),
    );
    for (const [party, own] of groupBy(done, ({ task }) => task.party)) {
      ledger.updateItems(
        party.id,
        own.map(({ patch }) => patch),
      );
      const gone = own.filter(({ patch }) => patch.outcome === "erased" || patch.outcome === "absent");
      ledger.markErased(
        gone.map(({ task }) => task.item.ref),
        party.id,
      );
      const rewritten = own.filter(({ patch }) => patch.outcome === "rewritten");
      if (rewritten.length === 0) continue;
      const dropped = new Set(
        party.plan.items.filter(({ action }) => action !== "rewrite").map(({ ref }) => artifactId(ref)),
      );
      for (const { item } of rewritten.map(({ task }) => task)) {
        ledger.dropSources(
          item.ref,
          item.sources.filter((source) => dropped.has(artifactId(source))),
        );
        ledger.dropSubjects(item.ref, item.ownSubjects);
      }
    }
  });
}
