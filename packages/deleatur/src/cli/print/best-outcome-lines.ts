// Says in words the best that could be attested, why it is no more, and what would improve it.
import type { BestOutcome } from "../../attest/best-outcome.ts";
import type { Paint } from "../verb.ts";
import { ruleLines } from "./fold-reasons.ts";

const BEST: Readonly<Record<BestOutcome["attestation"], string>> = {
  erasure: "an erasure",
  tombstone: "a tombstone, which covers less than the inventory",
  withheld: "no attestation: it would be withheld",
  none: "no attestation",
};

export function bestLines(best: BestOutcome, paint: Paint): readonly string[] {
  const after = best.effectiveAfterSeconds;
  const open = best.reasons.filter(({ code }) => code === "RESURRECTABLE");
  const others = best.improvements.filter(({ code }) => code !== "RESURRECTABLE");
  const changes = [...new Set([...openChange(open), ...others.map(({ change }) => change)])];
  return [
    paint.bold(
      `Best that could be attested: ${BEST[best.attestation]}${after > 0 ? `, in effect ${span(after)} later` : ""}`,
    ),
    ...openLines(open, paint),
    ...ruleLines(
      best.reasons.filter((one) => !open.includes(one)),
      paint,
    ),
    ...(changes.length === 0 ? [] : ["What would improve it:", ...changes.map((change) => `  - ${change}`)]),
  ];
}

function namesOf(reasons: BestOutcome["reasons"]): string {
  return [...new Set(reasons.flatMap(({ surface }) => surface ?? []))].join(", ");
}

/** One line for all data locations that let erased words in again; what to do is said once, below. */
function openLines(open: BestOutcome["reasons"], paint: Paint): readonly string[] {
  const [first] = open;
  if (first === undefined) return [];
  return [`  ${paint.bold(first.code)} (${first.class}, ${namesOf(open)}): ${first.rule}`];
}

function openChange(open: BestOutcome["reasons"]): readonly string[] {
  if (open.length === 0) return [];
  return [`let all writes to ${namesOf(open)} go through the SDK, and declare \`writers: sdk\``];
}

function span(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`;
}
