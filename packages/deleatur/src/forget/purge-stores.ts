// Purges every surface, batch-wise and within its declared window; servers of different kinds at the same time. A pending purge is a state, not a success.
import type { Engine } from "../engine.ts";
import type { Purged } from "../model/artifact.ts";
import { reasonOf } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import type { SurfaceId } from "../model/ids.ts";

/** The end of each purged surface; index surfaces before the tables that they stand over. */
export async function purgeStores(
  engine: Engine,
  surfaces: readonly SurfaceId[],
  signal: AbortSignal,
): Promise<ReadonlyMap<SurfaceId, Purged>> {
  const indexesFirst = surfaces.toSorted((a, b) => Number(isIndex(engine, b)) - Number(isIndex(engine, a)));
  const results = new Map<SurfaceId, Purged>();
  const purgeInTurn = async (ids: readonly SurfaceId[]): Promise<void> => {
    for (const id of ids) results.set(id, await purgeOne(engine, id, signal));
  };
  const groups = groupBy(indexesFirst, (id) => serverOf(engine, id));
  await purgeInTurn(groups.get("none") ?? []);
  groups.delete("none");
  // Each is waited for before the first failure is thrown: none may be at work once the caller goes on.
  for (const end of await Promise.allSettled([...groups.values()].map(purgeInTurn)))
    if (end.status === "rejected") throw end.reason;
  return new Map([...results].toSorted(([a], [b]) => indexesFirst.indexOf(a) - indexesFirst.indexOf(b)));
}

async function purgeOne(engine: Engine, id: SurfaceId, signal: AbortSignal): Promise<Purged> {
  engine.report({ step: "purge", phase: "started", surface: id });
  let purged: Purged;
  try {
    const surface = await engine.open(id);
    purged = await surface.purge(signal);
  } catch (error) {
    signal.throwIfAborted();
    purged = { outcome: "failed", why: reasonOf(error) };
  }
  engine.report({ step: "purge", phase: "finished", surface: id });
  return purged;
}

/**
 * What does the work of a purge. A PostgreSQL is no Redis, whatever their addresses: neither is in the other's way, and both work while we wait. Two stores of one kind may be one server,
 * which the declaration does not tell, and what a file or a stranger's kind needs is done by this very process: those have turns.
 */
function serverOf(engine: Engine, id: SurfaceId): "postgres" | "redis" | "none" {
  const { store } = engine.bound(id).declaration;
  const type = store === undefined ? undefined : engine.boundary.connect.stores.get(store)?.type;
  return type === "postgres" || type === "redis" ? type : "none";
}

function isIndex(engine: Engine, id: SurfaceId): boolean {
  return engine.bound(id).declaration.role === "index";
}
