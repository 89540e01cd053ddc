// The answer for a surface in whose name no process ever took part: out of reach, never clean.
import { StoreError } from "../../model/errors.ts";
import type { SurfaceId } from "../../model/ids.ts";
import type { Participation } from "../../surface.ts";

/** @throws StoreError STORE_MISSING */
export function refuseNeverRegistered(surface: SurfaceId, participation: Participation): void {
  if (participation.hasAny()) return;
  throw new StoreError("STORE_MISSING", `no process ever took part in ${surface}, so nobody knows what is in memory`, {
    place: { surface },
    cure: "call `participate` in every process that holds it",
  });
}
