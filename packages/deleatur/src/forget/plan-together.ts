// Plans requests that run together over one harvest: what one of them erases survives for none, and their persons are no bystanders to each other.
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef } from "../model/ids.ts";
import type { Harvest } from "../record/harvest.ts";
import { expandIdentifiers } from "./expand-identifiers.ts";
import { indexHarvest } from "./harvest-index.ts";
import { identifierSet, type Plan, type PlannedItem, planRequest, reachOf } from "./plan.ts";
import type { Target } from "./target.ts";

export interface PlanOrder {
  readonly target: Target;
  /** Artifacts that earlier rounds of the request knew. */
  readonly known: readonly ArtifactRef[];
}

/**
 * One plan for each order. `planned` are those of requests of the same run that were planned before, in a run that was cut off. What is erased
 * grows until it grows no more: a text made from two persons only goes with both, though each alone would have left it to the other.
 */
export function planTogether(
  engine: Engine,
  orders: readonly PlanOrder[],
  planned: readonly Plan[],
  harvest: Harvest,
  held: (ref: ArtifactRef) => boolean,
): readonly Plan[] {
  const identifiers = [
    ...orders.flatMap(({ target }) =>
      target.kind === "person" ? expandIdentifiers(engine.boundary, target.identifiers, harvest.rows) : [],
    ),
    ...planned.flatMap((plan) => plan.identifiers),
  ];
  const isOwn = identifierSet(identifiers);
  const index = indexHarvest(engine, harvest);
  const reaches = orders.map(({ target, known }) => reachOf(engine, target, harvest, known, index));
  const isAlone = orders.length + planned.length === 1;
  let going = erasedBy(planned);
  let ownedByOne = erasedBy(planned, "own");
  for (;;) {
    const together = isAlone ? {} : { together: { isOwn, going, ownedByOne } };
    const plans = orders.map(({ target, known }, place) =>
      planRequest(engine, target, harvest, { held, known, ...together }, index, reaches[place]),
    );
    const next = new Set([...going, ...erasedBy(plans)]);
    const nextOwned = new Set([...ownedByOne, ...erasedBy(plans, "own")]);
    if (isAlone || (next.size === going.size && nextOwned.size === ownedByOne.size)) return plans;
    going = next;
    ownedByOne = nextOwned;
  }
}

/** Ids of what these plans erase, for any reason or for this one. */
function erasedBy(plans: readonly Plan[], reason?: PlannedItem["because"]): ReadonlySet<string> {
  const items = plans.flatMap((plan) => plan.items);
  const erased = items.filter(
    ({ action, because }) => action === "erase" && (reason === undefined || because === reason),
  );
  return new Set(erased.map(({ ref }) => artifactId(ref)));
}
