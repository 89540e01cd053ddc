// The lines of a look that found the anchor lost: why, what that takes from the answer, and the cure (GUARD-5).
import { cureOf } from "../../attest/reasons.ts";
import type { Paint } from "../verb.ts";

export function anchorLostLines(why: string | undefined, paint: Paint): readonly string[] {
  if (why === undefined) return [];
  return [
    paint.red(`ANCHOR_LOST: ${why}. What the ledger may have lost with it was not looked for.`),
    `  cure: ${cureOf("ANCHOR_LOST")}`,
  ];
}
