// Plans requests that run together over one harvest: what one of them erases survives for none, and their persons are no bystanders to each other.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { artifactId, type ArtifactRef } from "../model/ids.ts";
import type { Harvest } from "../record/harvest.ts";
import type { Target } from "./target.ts";
import { indexHarvest } from "./harvest-index.ts";
import { identifierSet, type Plan, type PlannedItem, planRequest, reachEach, type ReachOrder } from "./plan.ts";

/**
 * One plan for each order. `planned` are those of requests of the same run that were planned before, in a run that was cut off. What is erased
 * grows until it grows no more: a text made from two persons only goes with both, though each alone would have left it to the other.
 */
export function planTogether(
  engine: Engine,
  orders: readonly ReachOrder[],
  planned: readonly Plan[],
  harvest: Harvest,
  held: (ref: ArtifactRef) => boolean,
): readonly Plan[] {
  const index = indexHarvest(engine, harvest);
  const reaches = reachEach(engine, orders, index);
  const isOwn = identifierSet([...reaches, ...planned].flatMap(({ identifiers }) => identifiers));
  const isAlone = orders.length + planned.length === 1;
  let going = erasedBy(planned);
  let ownedByOne = erasedBy(planned, "own");
  for (;;) {
    const together = isAlone ? {} : { together: { isOwn, going, ownedByOne } };
    const plans = reaches.map((reach) => planRequest(engine, reach, index, { held, ...together }));
    const next = new Set([...going, ...erasedBy(plans)]);
    const nextOwned = new Set([...ownedByOne, ...erasedBy(plans, "own")]);
    if (isAlone || (next.size === going.size && nextOwned.size === ownedByOne.size)) return plans;
    going = next;
    ownedByOne = nextOwned;
  }
}

/** A plan for one target that nothing runs together with, and of which no earlier round knew anything. */
export function planAlone(engine: Engine, target: Target, harvest: Harvest): Plan {
  const held = new Set(engine.ledger.holds().map(({ ref }) => artifactId(ref)));
  const [plan] = planTogether(engine, [{ target, known: [] }], [], harvest, (ref) => held.has(artifactId(ref)));
  if (plan === undefined) throw new UsageError("NOT_PLANNED", "a target was given and no plan was made for it");
  return plan;
}

/** Ids of what these plans erase, for any reason or for this one. */
function erasedBy(plans: readonly Plan[], reason?: PlannedItem["because"]): ReadonlySet<string> {
  const items = plans.flatMap((plan) => plan.items);
  const erased = items.filter(
    ({ action, because }) => action === "erase" && (reason === undefined || because === reason),
  );
  return new Set(erased.map(({ ref }) => artifactId(ref)));
}
