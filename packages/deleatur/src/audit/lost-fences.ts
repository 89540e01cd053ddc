// Finds fences in the stores behind which no open request stands, one look a surface, and takes them down: a restore brings them back, and nobody else would end them. Never another ledger's.
import type { Engine } from "../engine.ts";
import { lowerStoreFences } from "../forget/raise-fence.ts";
import { BoundaryError, StoreError } from "../model/errors.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";

/** The fences of one surface that no request of this ledger will end. */
export interface LostFences {
  readonly surface: SurfaceId;
  /** Of requests that are closed. */
  readonly closed: readonly RequestId[];
  /** Of requests that this ledger does not know, or knows no more. */
  readonly unknown: readonly RequestId[];
  /** Whether the store bears another ledger's marker: then an unknown one may be that ledger's, and stands. */
  readonly isShared: boolean;
}

/** Touches nothing. A surface that cannot be reached, or does not fit its store, is told by others. */
export async function findLostFences(engine: Engine, signal: AbortSignal): Promise<readonly LostFences[]> {
  const { ledger } = engine;
  const standing = new Set(ledger.fencedRequests());
  const states = new Map(ledger.requests().map(({ id, state }) => [id, state]));
  const found: LostFences[] = [];
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    try {
      const surface = await engine.open(declaration.id);
      const fences = await surface.fences(signal);
      const closed = fences.filter((id) => states.get(id) === "closed" && !standing.has(id));
      const unknown = fences.filter((id) => !states.has(id));
      if (closed.length + unknown.length === 0) continue;
      const isShared = (await surface.markers(signal)).some((marker) => marker !== ledger.ledgerId());
      found.push({ surface: declaration.id, closed, unknown, isShared });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StoreError || error instanceof BoundaryError)) throw error;
    }
  }
  return found;
}

/** How many requests' fences were taken down, and how many stand because they may be another ledger's, or because something is left to be erased. */
export interface LiftedFences {
  readonly lifted: number;
  readonly left: number;
}

/** `isWhole`: nothing is back any more, so that no unknown request can still have anything to hold off. */
export async function lowerLostFences(engine: Engine, isWhole: boolean, signal: AbortSignal): Promise<LiftedFences> {
  const found = await findLostFences(engine, signal);
  const isMeant = ({ isShared }: LostFences): boolean => isWhole && !isShared;
  const lifted = new Set(found.flatMap((one) => [...one.closed, ...(isMeant(one) ? one.unknown : [])]));
  const left = new Set(found.flatMap((one) => (isMeant(one) ? [] : one.unknown)));
  for (const one of left) lifted.delete(one);
  if (lifted.size > 0) await lowerStoreFences(engine, [...lifted], signal);
  return { lifted: lifted.size, left: left.size };
}
