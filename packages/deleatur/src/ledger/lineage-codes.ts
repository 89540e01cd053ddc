// How the ledger's tables write states and origins: small numbers, the better known origin the lower. It must agree with migration 1.
import type { EdgeOrigin } from "../model/artifact.ts";
import { LedgerError } from "../model/errors.ts";

/** The place of an origin in this list is its number, and its rank. */
export const ORIGINS: readonly EdgeOrigin[] = ["recorded", "declared", "inferred"];

export const STATE = { mentioned: 0, live: 1, erased: 2 } as const;

/** @throws LedgerError LEDGER_DAMAGED */
export function originOf(code: number): EdgeOrigin {
  const origin = ORIGINS[code];
  if (origin !== undefined) return origin;
  throw new LedgerError("LEDGER_DAMAGED", "an edge of the ledger has no known origin, restore it from a backup");
}
