// Leaves this ledger's marker in the stores that it manages, so that another ledger over the same store is noticed (CONTAINER_SHARED). What only looks leaves none.
import type { Engine } from "../engine.ts";
import { StoreError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";

/** Once for each surface of an engine; a store that is locked, out of reach or read-only bears no marker, and is tried again at the next write. */
export async function markStores(engine: Engine, ids: readonly SurfaceId[], signal: AbortSignal): Promise<void> {
  for (const id of new Set(ids)) {
    if (engine.marked.has(id) || engine.bound(id).declaration.store === undefined) continue;
    try {
      const surface = await engine.open(id);
      if ((await surface.mark(engine.ledger.ledgerId(), signal)) === "marked") engine.marked.add(id);
    } catch (error) {
      signal.throwIfAborted();
      // Whoever needs the store will be told what is wrong with it.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
