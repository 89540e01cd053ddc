// Carries a request through its steps, from wherever its journal says that it stands, to an outcome (DESIGN §2). Killed anywhere, it is simply run again.
import { openNeedles, sealNeedles } from "../examine/kept-needles.ts";
import type { Engine } from "../engine.ts";
import { sweepCanaries } from "../examine/sweep-canaries.ts";
import { BoundaryError, UsageError } from "../model/errors.ts";
import { artifactId, type ArtifactRef, type RequestId } from "../model/ids.ts";
import { harvestLineage, recordHarvest } from "../record/harvest.ts";
import { concludeRequest } from "./conclude-request.ts";
import { allowReplaced, denyReturn } from "./deny.ts";
import { eraseClosure } from "./erase-closure.ts";
import { knownArtifacts } from "./known-artifacts.ts";
import type { RequestOutcome } from "./outcome.ts";
import { type Plan, planRequest } from "./plan.ts";
import { prepareRewrites } from "./prepare-rewrites.ts";
import { purgeRequest } from "./purge-request.ts";
import { raiseFence } from "./raise-fence.ts";
import { addIdentifiers, appendRequestEntry, logBoundaryVersion, optionsOf } from "./receive-request.ts";
import { type IntentResolution, resolveIntents } from "./resolve-intents.ts";
import { openPlan, openReplacements, sealPlan, sealReplacements } from "./sealed-plan.ts";
import { openSealedOutcome, settleRequest } from "./settle-request.ts";
import { openStepJournal } from "./step-journal.ts";
import { surveySurvivors } from "./survey.ts";
import type { Target } from "./target.ts";
import { waitingOutcome } from "./waiting-outcome.ts";

/** The named acts of this very call; none of them is remembered for the next. */
export interface ContinueOptions {
  readonly allowTombstone?: boolean;
  readonly now?: boolean;
  /** Called with the plan before the first delete; what it throws stops the request there. */
  readonly beforeErase?: (plan: Plan) => void;
}

/** Runs one round of the request. The caller holds its claim. */
export async function continueRequest(
  engine: Engine,
  id: RequestId,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { ledger } = engine;
  const journal = openStepJournal(engine, id);
  const { round } = journal;
  // What was attested before a crash, or before a reader was in the way, is settled first: nothing else may come between.
  const attested = openSealedOutcome(engine, id, round);
  if (attested !== undefined) return settleRequest(engine, { id, round }, attested, signal);
  refuseUndeclared(
    engine,
    ledger.items(id).map(({ ref }) => ref),
  );
  await sweepCanaries(engine, signal);
  const { known, isReused } = await knownArtifacts(engine, id, signal);
  const target = targetOf(engine, id, isReused);
  const given = target.kind === "person" ? target.identifiers : [];
  await journal.step("pin", () => pinBoundary(engine, id));
  await journal.step("fence", async () => {
    ledger.updateRequest(id, { state: "blocked" });
    const seeds = [...(target.kind === "records" ? target.refs : []), ...known, ...ledger.artifactsAbout(given)];
    const reached = ledger.closure(seeds).map(({ ref }) => ref);
    return raiseFence(engine, id, given, [...seeds, ...reached], signal);
  });
  const about = { identifiers: given, refs: [...(target.kind === "records" ? target.refs : []), ...known] };
  let intents = await resolveIntents(engine, about, signal);
  if (intents.waitingUntil !== undefined) return waitingOutcome(engine, id, "lease", intents.waitingUntil);
  const fenced = journal.isFinished("plan") ? undefined : await fenceClosure(engine, id, target, known, signal);
  if (fenced !== undefined) intents = fenced.intents;
  if (intents.waitingUntil !== undefined) return waitingOutcome(engine, id, "lease", intents.waitingUntil);
  await journal.step("plan", () => {
    const plan = fenced?.plan;
    if (plan === undefined) throw new UsageError("NOT_PLANNED", "a request is planned before its plan is journalled");
    options.beforeErase?.(plan);
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
  });
  const plan = openPlan(engine, id, round);
  if (plan === undefined)
    throw new UsageError("REQUEST_CLOSED", "the request is closed, its plan is gone", { place: { request: id } });
  ledger.updateRequest(id, { state: "erasing", why: null, until: null });
  await journal.step("needles", () =>
    sealNeedles(
      engine,
      id,
      round,
      plan.items
        .filter(({ present }) => present)
        .map((item) => ({
          ref: item.ref,
          fate: item.action === "erase" ? "erased" : item.action === "rewrite" ? "rewritten" : "kept",
          withContent: !(item.action === "rewrite" && item.because === "shared" && item.policy === undefined),
        })),
      signal,
    ),
  );
  await journal.step("denylist", async () => {
    if (plan.items.length === 0 && known.length === 0) return { entries: 0 };
    const needles = openNeedles(engine, id);
    const survey = await surveySurvivors(engine, id, plan, needles, signal);
    return { entries: denyReturn(engine, id, plan.identifiers, needles, survey) };
  });
  await journal.step("rederive", async () => {
    const replacements = await prepareRewrites(engine, plan, openNeedles(engine, id), signal);
    sealReplacements(engine, id, round, replacements);
    allowReplaced(engine, id, replacements.values());
    return { prepared: replacements.size };
  });
  await journal.step("erase", () => eraseClosure(engine, id, plan, openReplacements(engine, id, round), signal));
  const purge = await purgeRequest(engine, id, journal, options.now === true, signal);
  if (purge.wait !== undefined) {
    return waitingOutcome(engine, id, purge.wait.why, purge.wait.why === "purge-window" ? purge.wait.until : undefined);
  }
  return concludeRequest(
    engine,
    { id, round, target, plan, purge, unresolvedIntents: intents.unresolved },
    options,
    signal,
  );
}

interface FencedClosure {
  readonly plan: Plan;
  readonly intents: IntentResolution;
}

/**
 * Harvests, plans and fences until a harvest finds nothing that the fence does not hold already. Only under the whole fence can no further
 * intent about the closure begin; those that had begun are resolved then, and what they left joins the closure.
 */
async function fenceClosure(
  engine: Engine,
  id: RequestId,
  target: Target,
  known: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<FencedClosure> {
  const held = new Set(engine.ledger.holds().map(({ ref }) => artifactId(ref)));
  for (let size = -1; ;) {
    const harvest = await harvestLineage(engine, signal);
    recordHarvest(engine, harvest);
    const plan = planRequest(engine, target, harvest, { held: (ref) => held.has(artifactId(ref)), known });
    const refs = plan.items.map(({ ref }) => ref);
    if (refs.length === size) {
      const intents = await resolveIntents(engine, { identifiers: plan.identifiers, refs }, signal);
      if (intents.joined === 0 || intents.waitingUntil !== undefined) return { plan, intents };
    }
    size = refs.length;
    await raiseFence(engine, id, plan.identifiers, refs, signal);
  }
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
