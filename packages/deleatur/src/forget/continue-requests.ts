// Carries requests through their steps together, each from wherever its journal says that it stands, to an end (DESIGN §2). Killed anywhere, they are simply run again.
import type { Engine } from "../engine.ts";
import { type KeptNeedle, type NeedleOrder, openNeedles, sealNeedles } from "../examine/kept-needles.ts";
import { sweepCanaries } from "../examine/sweep-canaries.ts";
import { UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { callRoll, waitForSilent } from "./call-roll.ts";
import { markStores } from "../record/mark-stores.ts";
import { type Carriage, type Carried, type ContinueOrder, type Ended, isHeldSince, openCarriage } from "./carriage.ts";
import { concludeRequests, type PurgedRound } from "./conclude-requests.ts";
import { discardHeldAbout } from "../record/hold-write.ts";
import { allowReplaced, type Denied, denyReturns, type DenyOrder } from "./deny.ts";
import { changedBy, eraseClosures, type EraseParty } from "./erase-closures.ts";
import { fenceClosures, fenceTarget } from "./fence-closures.ts";
import type { ForeseenSurvey } from "./foresee-survey.ts";
import type { Plan } from "./plan.ts";
import { prepareRewrites, type Replacement, type RewriteParty } from "./prepare-rewrites.ts";
import { purgeRequests } from "./purge-requests.ts";
import { openReplacements, sealReplacements } from "./sealed-plan.ts";
import { openSealedOutcome, settleRequest } from "./settle-request.ts";
import { type Survey, surveyOrder, surveySurvivors } from "./survey.ts";
import { waitingOutcome } from "./waiting-outcome.ts";

/**
 * Runs one round of each request. Harvest, survey, entries, erase, purge, scan, probes and trial are made once for all of them; everything else each does by
 * itself, and what ends one leaves the others going. Answers the end of each. @throws only when `signal` is aborted
 */
export async function continueRequests(
  engine: Engine,
  orders: readonly ContinueOrder[],
  signal: AbortSignal,
): Promise<ReadonlyMap<RequestId, Ended>> {
  const carriage = openCarriage(engine, orders, signal);
  // What was attested before a crash, or before a reader was in the way, is settled first: nothing else may come between.
  await carriage.each(({ id, round, options }) => {
    const attested = openSealedOutcome(engine, id, round);
    return attested === undefined ? undefined : settleRequest(engine, { id, round, options }, attested, signal);
  });
  if (carriage.carried.length === 0) return carriage.ends;
  await sweepCanaries(engine, signal);
  await markStores(
    engine,
    engine.surfaces.map(({ declaration }) => declaration.id),
    signal,
  );
  const roll = callRoll(engine, signal);
  await carriage.each((one) => fenceTarget(engine, one, roll, signal));
  const foreseen = await fenceClosures(engine, carriage, signal);
  const before = foreseen?.fits(plansOf(carriage)) === true ? foreseen : undefined;
  await carriage.each(async ({ id, round, journal }) => {
    const plan = planOf(carriage, { id, round });
    engine.ledger.updateRequest(id, { state: "erasing", why: null, until: null });
    await journal.step("needles", () => sealNeedles(engine, id, round, needlesOf(plan), before?.read, signal));
    return undefined;
  });
  const together = await denyTogether(engine, carriage, before, signal);
  await rewriteShared(engine, carriage, signal);
  await waitForSilent(engine, carriage, signal);
  await eraseTogether(engine, carriage, together, signal);
  const purged = await purgeClosures(engine, carriage, signal);
  await waitForSilent(engine, carriage, signal);
  const examined = purged.filter(({ id }) => !carriage.ends.has(id));
  await concludeRequests(engine, examined, (id, ended) => carriage.end(id, ended), signal);
  engine.ledger.forgetHarvest();
  return carriage.ends;
}

/** One survey for all whose entries are still to be written, `foreseen` where that fits. Answers whose: what anybody of this run erases is no bystander to them. */
async function denyTogether(
  engine: Engine,
  carriage: Carriage,
  foreseen: ForeseenSurvey | undefined,
  signal: AbortSignal,
): Promise<ReadonlySet<RequestId>> {
  // What the others erase was planned, and perhaps surveyed, in a run that was cut off.
  const plans = plansOf(carriage);
  const needles = new Map<RequestId, readonly KeptNeedle[]>();
  await carriage.each(({ id, round, known, journal }) => {
    if (journal.isFinished("denylist")) return undefined;
    journal.begin("denylist");
    const { items } = planOf(carriage, { id, round });
    if (items.length > 0 || known.length > 0) needles.set(id, openNeedles(engine, id));
    return undefined;
  });
  const surveys = await surveysOf(engine, needles, plans, foreseen, signal);
  const orders: DenyOrder[] = [];
  await carriage.each(({ id, round, target, journal }) => {
    if (journal.isFinished("denylist")) return undefined;
    const { identifiers, items } = planOf(carriage, { id, round });
    // Nobody who is forgotten leaves a sealed copy behind, whatever else is found of them.
    discardHeldAbout(engine, { identifiers, artifacts: items.map(({ ref }) => ref) });
    const [own, survey] = [needles.get(id), surveys.get(id)];
    if (own !== undefined && survey !== undefined)
      orders.push({ request: id, target, identifiers, needles: own, survey });
    return undefined;
  });
  let denied: ReadonlyMap<RequestId, Denied> = new Map();
  await carriage.together([...needles.keys()], () => {
    denied = denyReturns(engine, orders);
  });
  await carriage.each(async ({ id, journal }) => {
    await journal.step("denylist", () => denied.get(id) ?? { entries: 0, textsCutOff: 0 });
    return undefined;
  });
  return new Set(needles.keys());
}

async function surveysOf(
  engine: Engine,
  needles: ReadonlyMap<RequestId, readonly KeptNeedle[]>,
  plans: ReadonlyMap<RequestId, Plan>,
  foreseen: ForeseenSurvey | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<RequestId, Survey>> {
  if (needles.size === 0) return new Map();
  if (foreseen?.fits(plans) === true) return await foreseen.end([...plans.values()], signal);
  const orders = [...plans].flatMap(([id, plan]) => {
    const own = needles.get(id);
    return own === undefined ? [] : [surveyOrder(id, plan, own)];
  });
  return await surveySurvivors(engine, orders, [...plans.values()], signal);
}

function plansOf(carriage: Carriage): ReadonlyMap<RequestId, Plan> {
  return new Map(
    carriage.carried.flatMap((one) => {
      const plan = carriage.planOf(one);
      return plan === undefined ? [] : [[one.id, plan] as const];
    }),
  );
}

/** New texts are prepared together: what several of them share is written once, without the part of any. */
async function rewriteShared(engine: Engine, carriage: Carriage, signal: AbortSignal): Promise<void> {
  const parties = new Map<RequestId, RewriteParty>();
  await carriage.each(({ id, round, journal }) => {
    if (journal.isFinished("rederive")) return undefined;
    journal.begin("rederive");
    parties.set(id, { plan: planOf(carriage, { id, round }), needles: [] });
    return undefined;
  });
  // Nobody's new text is held against needles where no text is new.
  const isRewriting = [...parties.values()].some(({ plan }) => plan.items.some(({ action }) => action === "rewrite"));
  if (isRewriting) for (const [id, { plan }] of parties) parties.set(id, { plan, needles: openNeedles(engine, id) });
  const prepared = await prepareRewrites(engine, [...parties.values()], signal);
  const places = [...parties.keys()];
  await carriage.each(async ({ id, round, journal }) => {
    const replacements = prepared[places.indexOf(id)] ?? new Map<string, Replacement>();
    await journal.step("rederive", () => {
      sealReplacements(engine, id, round, replacements);
      allowReplaced(engine, id, replacements.values());
      return { prepared: replacements.size };
    });
    return undefined;
  });
}

/** One pass over the stores for all whose erase is not finished. */
async function eraseTogether(
  engine: Engine,
  carriage: Carriage,
  together: ReadonlySet<RequestId>,
  signal: AbortSignal,
): Promise<void> {
  const parties: EraseParty[] = [];
  await carriage.each(({ id, round, journal, options }) => {
    const plan = planOf(carriage, { id, round });
    const replacements = openReplacements(engine, id, round);
    // What must not be forgotten stands outside of the ledger before the first delete (GUARD-5).
    engine.ledger.flushAnchor(options.isReplay);
    if (journal.isFinished("erase")) return undefined;
    // The last look before the first delete: writing new texts may have taken long.
    if (isHeldSince(engine, id))
      throw new UsageError("HELD_SINCE", "a hold was placed on a record since the request was planned, resume it", {
        place: { request: id },
        cure: "run `deleatur forget --resume` with its id: it is planned anew, and keeps the record",
      });
    journal.begin("erase");
    parties.push({ id, plan, replacements });
    return undefined;
  });
  await carriage.together(
    parties.map(({ id }) => id),
    () => eraseClosures(engine, parties, together, signal),
  );
  await carriage.each(async ({ id, round, journal }) => {
    await journal.step("erase", () => ({ changed: changedBy(planOf(carriage, { id, round })) }));
    return undefined;
  });
}

/** One purge for all. Those that have to wait for it have their end here. */
async function purgeClosures(engine: Engine, carriage: Carriage, signal: AbortSignal): Promise<readonly PurgedRound[]> {
  const orders = carriage.carried.map(({ id, journal, options }) => ({ id, journal, now: options.now === true }));
  const purges = await purgeRequests(engine, orders, signal);
  const purged: PurgedRound[] = [];
  await carriage.each(({ id, round, target, intents, options }) => {
    const purge = purges.get(id);
    if (purge === undefined) throw new UsageError("NOT_PURGED", "a request is examined after its purge");
    const { wait } = purge;
    if (wait !== undefined)
      return waitingOutcome(engine, id, wait.why, wait.why === "purge-window" ? wait.until : undefined);
    const plan = planOf(carriage, { id, round });
    purged.push({ id, round, target, plan, purge, unresolvedIntents: intents.unresolved, options });
    return undefined;
  });
  return purged;
}

/** @throws UsageError REQUEST_CLOSED */
function planOf(carriage: Carriage, one: Pick<Carried, "id" | "round">): Plan {
  const plan = carriage.planOf(one);
  if (plan === undefined)
    throw new UsageError("REQUEST_CLOSED", "the request is closed, its plan is gone", { place: { request: one.id } });
  return plan;
}

function needlesOf(plan: Plan): readonly NeedleOrder[] {
  return plan.items
    .filter(({ present }) => present)
    .map((item) => ({
      ref: item.ref,
      fate: item.action === "erase" ? "erased" : item.action === "rewrite" ? "rewritten" : "kept",
      withContent: !(item.action === "rewrite" && item.because === "shared" && item.policy === undefined),
    }));
}
