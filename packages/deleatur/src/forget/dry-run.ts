// `forget --dry-run`: the closure, what would become of it and the best that could be attested. Touches neither store nor ledger.
import { type BestOutcome, bestOutcome } from "../attest/best-outcome.ts";
import type { Engine } from "../engine.ts";
import { ledgerEvidence } from "../examine/ledger-evidence.ts";
import { foresee, type Foreseen, foreseenOf, foreseeUndeclared, hinderedOf } from "../examine/foresee.ts";
import { type SharedStore, takeCensus } from "../examine/take-census.ts";
import { artifactId, type SurfaceId } from "../model/ids.ts";
import { type Harvest, harvestLineage, recordHarvest } from "../record/harvest.ts";
import type { DryRun } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { planAlone } from "./plan-together.ts";
import { type GivenTarget, parseTarget, type Target } from "./target.ts";

/** @throws UsageError, StoreError */
export async function dryRunRequest(engine: Engine, given: GivenTarget, signal: AbortSignal): Promise<DryRun> {
  const target = parseTarget(given, engine.boundary);
  const harvest = await harvestLineage(engine, signal);
  const plan = planWithoutTrace(engine, target, harvest);
  const foreseen = await foresee(engine, plan.unread, signal);
  const best = bestFor(engine, plan, { ...(await lookAtStores(engine, plan.unread, signal)), foreseen, harvest });
  return {
    items: plan.items.map(({ ref, depth, action, because, sources }) => ({
      artifact: artifactId(ref),
      depth,
      action,
      because,
      sources: sources.map(artifactId),
    })),
    surfaces: engine.surfaces.map(({ declaration }) => {
      const items = plan.items.filter(({ ref }) => ref.surface === declaration.id);
      const count = (action: string): number => items.filter((item) => item.action === action).length;
      return {
        surface: declaration.id,
        label: declaration.label,
        erase: count("erase"),
        rewrite: count("rewrite"),
        keep: count("keep"),
        lossForOthers: items.filter(({ because }) => because === "shared-destroy").length,
      };
    }),
    outOfReach: [
      ...engine.surfaces.flatMap(({ declaration, guarantees }) =>
        guarantees.scan === "none" ? [{ surface: declaration.id, why: guarantees.outOfReach.join("; ") }] : [],
      ),
      ...[...plan.unread].map(([surface, why]) => ({ surface, why })),
    ],
    identifiersUnknown: plan.identifiersUnknown,
    withoutLineage: [...plan.withoutLineage].map(([surface, rows]) => ({ surface, rows })),
    purges: foreseen.purges,
    hindered: hinderedOf(foreseen),
    best,
  };
}

/** `unread`: surfaces known to be out of reach; a store that was read and cannot be listed counts as a container that nobody declared. */
async function lookAtStores(
  engine: Engine,
  unread: ReadonlyMap<SurfaceId, string>,
  signal: AbortSignal,
): Promise<Pick<Beforehand, "undeclared" | "shared">> {
  const census = await takeCensus(engine, signal);
  const undeclared = await foreseeUndeclared(engine, census, unread, signal);
  return { undeclared, shared: census.shared };
}

/** What was asked of the stores before a request. */
export interface Beforehand {
  /** What the census finds that nobody declared. */
  readonly undeclared: readonly string[];
  /** Containers with another ledger's marker. */
  readonly shared: readonly SharedStore[];
  readonly foreseen: Foreseen;
  /** All rows; where it is not given, every surface is taken to keep some. */
  readonly harvest?: Harvest;
}

/** Asks the stores what a request over them would meet. */
export async function askBeforehand(engine: Engine, signal: AbortSignal): Promise<Beforehand> {
  const unread = new Map<SurfaceId, string>();
  return {
    ...(await lookAtStores(engine, unread, signal)),
    foreseen: await foresee(engine, unread, signal),
  };
}

/** The best that could be attested about this very target: what is kept of it, what could not be read, which rows have no lineage. */
export function bestFor(
  engine: Engine,
  plan: Plan,
  { undeclared, shared, foreseen, harvest }: Beforehand,
): BestOutcome {
  const going = new Set(plan.items.filter(({ action }) => action === "erase").map(({ ref }) => artifactId(ref)));
  const left = new Set(harvest?.rows.flatMap((row) => (going.has(artifactId(row)) ? [] : [row.surface])));
  return bestOutcome(engine.boundary, {
    kept: [...new Set(plan.items.filter(({ action }) => action === "keep").map(({ ref }) => ref.surface))],
    undeclared,
    shared,
    ledger: ledgerEvidence(engine.ledger.anchorState()),
    surfaces: new Map(
      engine.surfaces.map(({ declaration: { id }, guarantees }) => [
        id,
        {
          guarantees,
          isReachable: !plan.unread.has(id),
          ...foreseenOf(foreseen, id),
          needsCanary: harvest !== undefined && !left.has(id),
          isUnbounded: harvest?.unbounded?.has(id) === true,
          rowsWithoutEdge: plan.withoutLineage.get(id) ?? 0,
          isLineageLost: plan.lostLineage.includes(id),
        },
      ]),
    ),
    identifiersUnknown: plan.identifiersUnknown.map(({ surface, type }) => ({ surface, types: [type] })),
  });
}

/** Plans inside a ledger transaction that is rolled back, over the lineage that was just read. */
export function planWithoutTrace(engine: Engine, target: Target, harvest: Harvest): Plan {
  const rollback = new Error("dry run");
  let plan: Plan | undefined;
  try {
    engine.ledger.transaction(() => {
      recordHarvest(engine, harvest);
      plan = planAlone(engine, target, harvest);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  if (plan === undefined) throw rollback;
  return plan;
}
