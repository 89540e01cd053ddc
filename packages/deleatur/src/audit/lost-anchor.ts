// Tells whether the anchor is lost, as a look must know that finds nothing: what the ledger no longer has it does not look for (GUARD-5).
import type { Engine } from "../engine.ts";

/** Compares with the anchor now, and takes it up where it is back. Answers why it is lost, in our own words; undefined where it is not, or none is declared. */
export function whyAnchorLost({ ledger }: Engine): string | undefined {
  ledger.flushAnchor();
  const state = ledger.anchorState();
  return state.is === "lost" ? state.why : undefined;
}
