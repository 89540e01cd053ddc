// Tells surfaces whose artifacts are derived, so that each of them must name a source (LINEAGE-2, LINEAGE-3).
import type { SurfaceRole } from "../model/declaration.ts";

export function isDerivedRole(role: SurfaceRole): boolean {
  return role === "derived" || role === "index" || role === "cache";
}
