// Tells whether a surface is watched: a look of a watch ended within the time that the boundary declares, by the ledger's clock (GUARD-1). It looks at nothing itself.
import type { Engine } from "../engine.ts";
import type { SurfaceId } from "../model/ids.ts";

/** False without a declared time, and where the clock has gone back behind the last look: then nobody knows how old it is. */
export function isWatched({ boundary, ledger, clock }: Engine, surface: SurfaceId): boolean {
  const { watchSeconds } = boundary;
  const end = ledger.watchEnd(surface);
  if (watchSeconds === undefined || end === undefined) return false;
  const ageMs = clock().getTime() - Date.parse(end.ended);
  return ageMs >= 0 && ageMs <= watchSeconds * 1000;
}
