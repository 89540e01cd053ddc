// Purges every surface in which something was erased, batch-wise and within its declared window. A pending purge is a state, not a success.
import type { Engine } from "../engine.ts";
import type { Purged } from "../model/artifact.ts";
import { reasonOf } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";

/** The end of each purged surface; index surfaces before the tables that they stand over. */
export async function purgeStores(
  engine: Engine,
  surfaces: readonly SurfaceId[],
  signal: AbortSignal,
): Promise<ReadonlyMap<SurfaceId, Purged>> {
  const results = new Map<SurfaceId, Purged>();
  const indexesFirst = surfaces.toSorted((a, b) => Number(isIndex(engine, b)) - Number(isIndex(engine, a)));
  for (const id of indexesFirst) {
    engine.report({ step: "purge", phase: "started", surface: id });
    try {
      const surface = await engine.open(id);
      results.set(id, await surface.purge(signal));
    } catch (error) {
      signal.throwIfAborted();
      results.set(id, { outcome: "failed", why: reasonOf(error) });
    }
    engine.report({ step: "purge", phase: "finished", surface: id });
  }
  return results;
}

function isIndex(engine: Engine, id: SurfaceId): boolean {
  return engine.bound(id).declaration.role === "index";
}
