// Fences the targets of the requests that run together, plans their closures over common harvests, and fences those until nothing new is found (DESIGN §3.3).
import type { Engine } from "../engine.ts";
import { erasableReturns, findEarlierReturns } from "../examine/earlier-returns.ts";
import { BoundaryError, UsageError } from "../model/errors.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import { harvestLineage, recordHarvest } from "../record/harvest.ts";
import { answerSilent, type Roll } from "./call-roll.ts";
import type { Carriage, Carried } from "./carriage.ts";
import { type ForeseenSurvey, foreseeSurvey } from "./foresee-survey.ts";
import { knownArtifacts } from "./known-artifacts.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { planTogether } from "./plan-together.ts";
import { raiseFence } from "./raise-fence.ts";
import { addIdentifiers, appendRequestEntry, logBoundaryVersion, optionsOf } from "./receive-request.ts";
import { resolveIntents } from "./resolve-intents.ts";
import { sealPlan } from "./sealed-plan.ts";
import type { Target } from "./target.ts";
import { waitingOutcome } from "./waiting-outcome.ts";

/** Pins the request, fences what is known of its target, calls the roll of processes, and resolves the intents about it. An outcome where it has to wait. */
export async function fenceTarget(
  engine: Engine,
  one: Carried,
  roll: Roll,
  signal: AbortSignal,
): Promise<RequestOutcome | undefined> {
  const { ledger } = engine;
  const { id, journal } = one;
  refuseUndeclared(
    engine,
    ledger.items(id).map(({ ref }) => ref),
  );
  const { known, isReused } = await knownArtifacts(engine, id, signal);
  const target = targetOf(engine, id, isReused);
  one.known = known;
  one.target = target;
  const given = target.kind === "person" ? target.identifiers : [];
  const named = [...(target.kind === "records" ? target.refs : []), ...known];
  await journal.step("pin", () => pinBoundary(engine, id));
  await journal.step("fence", async () => {
    ledger.updateRequest(id, { state: "blocked" });
    const seeds = [...named, ...ledger.artifactsAbout(given)];
    const reached = ledger.closure(seeds).map(({ ref }) => ref);
    return extendFence(engine, one, given, [...seeds, ...reached], signal);
  });
  // Under the fence, so that whoever wakes later finds out by itself what it may hold no more.
  const silent = answerSilent(engine, id, await roll());
  if (silent !== undefined) return silent;
  one.intents = await resolveIntents(engine, { identifiers: given, refs: named }, signal);
  return waitForWriters(engine, one);
}

/**
 * Harvests, plans and fences until a harvest finds nothing that the fences do not hold already. Only under the whole fence can no further intent
 * about a closure begin; those that had begun are resolved then, and what they left joins the closure. A request that has to wait, or that its caller
 * takes back, leaves the others to be planned without it. Answers the survey that the last reading served, which stands only where it fits the plans.
 */
export async function fenceClosures(
  engine: Engine,
  carriage: Carriage,
  signal: AbortSignal,
): Promise<ForeseenSurvey | undefined> {
  const unplanned = (): readonly Carried[] => carriage.carried.filter(({ journal }) => !journal.isFinished("plan"));
  await joinReturns(engine, unplanned(), new Set(carriage.carried.map(({ id }) => id)), signal);
  let foreseen: ForeseenSurvey | undefined;
  for (let open = unplanned(); open.length > 0; open = unplanned()) {
    foreseen = await foreseeSurvey(engine, carriage, signal);
    const harvest = await harvestLineage(engine, signal, foreseen?.see);
    recordHarvest(engine, harvest);
    const planned = carriage.carried.flatMap((one) => carriage.planOf(one) ?? []);
    const held = new Set(engine.ledger.holds().map(({ ref }) => artifactId(ref)));
    const made = planTogether(engine, open, planned, harvest, (ref) => held.has(artifactId(ref)));
    const plans = new Map(open.flatMap(({ id }, place) => (made[place] === undefined ? [] : [[id, made[place]]])));
    if (await fenceNew(engine, carriage, plans, signal)) continue;
    if (await mustPlanAnew(engine, carriage, plans, signal)) continue;
    await carriage.each(async (one) => {
      const plan = plans.get(one.id);
      if (plan !== undefined) await one.journal.step("plan", () => journalPlan(engine, one, plan));
      return undefined;
    });
  }
  return foreseen;
}

/** What an earlier request about the same person erased and is there again is in no lineage: it joins the closure as what is known of it. */
async function joinReturns(
  engine: Engine,
  open: readonly Carried[],
  running: ReadonlySet<RequestId>,
  signal: AbortSignal,
): Promise<void> {
  const persons = open.flatMap((one) => (one.target.kind === "person" ? [{ one, ...one.target }] : []));
  const found = await findEarlierReturns(engine, persons, running, signal);
  for (const [place, { one }] of persons.entries()) {
    const returns = found[place];
    if (returns !== undefined) one.known = [...one.known, ...erasableReturns(returns)];
  }
}

/** Raises the fence, or adds to it, and remembers what it holds. */
async function extendFence(
  engine: Engine,
  { id, fenced }: Carried,
  persons: readonly SubjectIdentifier[],
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof raiseFence>>> {
  const strengths = await raiseFence(engine, id, persons, refs, signal);
  for (const ref of refs) fenced.refs.set(artifactId(ref), ref);
  for (const tag of persons) fenced.persons.set(personOf(tag), tag);
  return strengths;
}

function personOf({ type, value }: SubjectIdentifier): string {
  return `${type}:${value}`;
}

/** Fences what the plans reach beyond the fences; answers whether there was something. */
async function fenceNew(
  engine: Engine,
  carriage: Carriage,
  plans: ReadonlyMap<RequestId, Plan>,
  signal: AbortSignal,
): Promise<boolean> {
  let isNew = false;
  await carriage.each(async (one) => {
    const plan = plans.get(one.id);
    const refs = (plan?.items ?? []).flatMap(({ ref }) => (one.fenced.refs.has(artifactId(ref)) ? [] : [ref]));
    const persons = (plan?.identifiers ?? []).filter((tag) => !one.fenced.persons.has(personOf(tag)));
    if (refs.length === 0 && persons.length === 0) return undefined;
    isNew = true;
    await extendFence(engine, one, persons, refs, signal);
    return undefined;
  });
  return isNew;
}

/** Resolves the intents under the whole fence, and asks each caller. Answers whether a closure has grown or a request is out. */
async function mustPlanAnew(
  engine: Engine,
  carriage: Carriage,
  plans: ReadonlyMap<RequestId, Plan>,
  signal: AbortSignal,
): Promise<boolean> {
  const before = carriage.carried.length;
  let hasJoined = false;
  await carriage.each(async (one) => {
    const plan = plans.get(one.id);
    if (plan === undefined) return undefined;
    const about = { identifiers: plan.identifiers, refs: plan.items.map(({ ref }) => ref) };
    one.intents = await resolveIntents(engine, about, signal);
    if (one.intents.joined > 0) hasJoined = true;
    const waiting = waitForWriters(engine, one);
    if (waiting === undefined && !hasJoined) one.options.beforeErase?.(plan);
    return waiting;
  });
  return hasJoined || carriage.carried.length < before;
}

function waitForWriters(engine: Engine, { id, intents }: Carried): RequestOutcome | undefined {
  return intents.waitingUntil === undefined ? undefined : waitingOutcome(engine, id, "lease", intents.waitingUntil);
}

function journalPlan(engine: Engine, { id, round, target }: Carried, plan: Plan): { readonly items: number } {
  const { ledger } = engine;
  // Mapped identifiers are the person's as well: denied, excluded and attested like those that were given.
  if (target.kind === "person") addIdentifiers(engine, id, plan.identifiers);
  sealPlan(engine, id, round, plan);
  ledger.putItems(
    id,
    plan.items.map(({ ref, action, depth, origins }) => ({ ref, action, depth, origins })),
  );
  // What an earlier round erased and is there again is to be erased again.
  ledger.updateItems(
    id,
    plan.items.filter(({ present }) => present).map(({ ref, action }) => ({ ref, action, outcome: "planned" })),
  );
  return { items: plan.items.length };
}

function targetOf(engine: Engine, id: RequestId, isReused: (ref: ArtifactRef) => boolean): Target {
  const record = engine.ledger.request(id);
  if (record === undefined) {
    throw new UsageError("REQUEST_UNKNOWN", "no request has this id, see `deleatur requests`", {
      place: { request: id },
    });
  }
  if (record.target === "records") return { kind: "records", refs: record.refs.filter((ref) => !isReused(ref)) };
  return { kind: "person", identifiers: record.identifiers, none: optionsOf(engine, id).none };
}

/** A request is pinned to a boundary version; changed since, it is pinned again and planned over the new one (DESIGN §3.11). */
function pinBoundary(engine: Engine, id: RequestId): void {
  const boundary = logBoundaryVersion(engine);
  if (engine.ledger.request(id)?.boundaryDigest === boundary.digest) return;
  engine.ledger.transaction(() => {
    engine.ledger.updateRequest(id, { boundaryDigest: boundary.digest });
    appendRequestEntry(engine, "request-pinned", id, boundary);
  });
}

/** What an earlier round reached must still be declared, else it could no longer be looked at. */
function refuseUndeclared(engine: Engine, refs: readonly ArtifactRef[]): void {
  const declared = new Set<string>(engine.surfaces.map(({ declaration }) => declaration.id));
  const missing = refs.find(({ surface }) => !declared.has(surface));
  if (missing === undefined) return;
  throw new BoundaryError(
    "SURFACE_DROPPED",
    "an open request has reached a surface that the boundary no longer declares",
    {
      place: { surface: missing.surface },
      cure: "declare the surface again until the request is closed",
    },
  );
}
