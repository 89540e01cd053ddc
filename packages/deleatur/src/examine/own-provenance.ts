// Tells which surviving artifacts have a provenance of their own, so that what they share with the closure is theirs and no leftover.
import type { SurfaceRole } from "../model/declaration.ts";
import type { SubjectIdentifier } from "../model/ids.ts";

/**
 * True for a record of first hand that is about somebody else: a derived text may have its words from the closure, a record that names
 * nobody may be a copy, so neither explains anything. For a target of records every tagged record of first hand counts.
 */
export function hasOwnProvenance(
  role: SurfaceRole,
  subjects: readonly SubjectIdentifier[],
  isOwn: (identifier: SubjectIdentifier) => boolean,
): boolean {
  return isFirstHand(role) && subjects.length > 0 && !subjects.some(isOwn);
}

/** A surface that holds what people said, not what was made of it. */
export function isFirstHand(role: SurfaceRole): boolean {
  return role === "primary" || role === "transcript";
}
