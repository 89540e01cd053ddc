// What follows from when a store says that it will drop a record by itself. Pure; the time is handed in.
import type { SurfaceDeclaration } from "./declaration.ts";

/** A store's clock and ours may differ by so much before the one contradicts the other. */
const CLOCKS_DIFFER_MS = 60_000;
/** What goes within that time may be gone before all eyes have looked for it. */
const SOON_MS = 30 * 60_000;

/** True where a declared `ttl` is not what the store says of this record: it has no end, or a later one. */
export function outlivesTtl({ horizon }: SurfaceDeclaration, expires: Date | undefined, now: Date): boolean {
  if (horizon?.isReadBack !== true || horizon.maxSeconds === undefined) return false;
  return expires === undefined || expires.getTime() - now.getTime() > horizon.maxSeconds * 1000 + CLOCKS_DIFFER_MS;
}

/** True where a record that is not found any more may have come to its end by itself. */
export function mayHaveExpired(expiresMs: number, now: Date): boolean {
  return expiresMs <= now.getTime() + CLOCKS_DIFFER_MS;
}

/** True where a record may come to its end while it is still to be found again. */
export function expiresSoon(expires: Date | undefined, now: Date): boolean {
  return expires !== undefined && expires.getTime() <= now.getTime() + SOON_MS;
}
