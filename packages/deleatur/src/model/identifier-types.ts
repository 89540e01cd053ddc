// Which types of identifiers a boundary knows: what is named by another could never be asked for. No I/O.
import { UsageError } from "./errors.ts";

/** @throws UsageError IDENTIFIER_TYPE_UNKNOWN; it names the declared types and nothing of what was given */
export function refuseUndeclaredTypes(declared: readonly string[], given: readonly string[]): void {
  if (given.every((type) => declared.includes(type))) return;
  throw new UsageError("IDENTIFIER_TYPE_UNKNOWN", "an identifier's type is not among the boundary's identifiers", {
    cure: `use one of ${declared.join(", ")}, or add the type to identifiers`,
  });
}
