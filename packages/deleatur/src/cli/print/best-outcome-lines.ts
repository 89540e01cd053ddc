// Says in words the best that could be attested, why it is no more, and what would improve it.
import type { BestOutcome } from "../../attest/best-outcome.ts";
import type { Paint } from "../verb.ts";
import { reasonLines } from "./fold-reasons.ts";

const BEST: Readonly<Record<BestOutcome["attestation"], string>> = {
  erasure: "an erasure",
  tombstone: "a tombstone, which covers less than the inventory",
  withheld: "no attestation: it would be withheld",
  none: "no attestation",
};

export function bestLines(best: BestOutcome, paint: Paint): readonly string[] {
  const after = best.effectiveAfterSeconds;
  const changes = [...new Set(best.improvements.map(({ change }) => change))];
  return [
    paint.bold(
      `Best that could be attested: ${BEST[best.attestation]}${after > 0 ? `, in effect ${span(after)} later` : ""}`,
    ),
    ...reasonLines(best.reasons, paint),
    ...(changes.length === 0 ? [] : ["What would improve it:", ...changes.map((change) => `  - ${change}`)]),
  ];
}

function span(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`;
}
