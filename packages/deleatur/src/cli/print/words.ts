// The words that people are shown for states, verdicts and attestations (DESIGN §1, third column). COMPLIANT never stands alone.
import type { AttestationAnswer, Verdict } from "../../attest/judgement.ts";
import type { RequestState } from "../../ledger/request-record.ts";

const STATES: Readonly<Record<RequestState, string>> = {
  received: "received",
  blocked: "new writes blocked",
  erasing: "erasing",
  waiting: "waiting",
  confirming: "confirming",
  closed: "closed",
  stuck: "stuck",
};

export function stateWords(state: RequestState, why?: string, until?: string): string {
  const details = [why, until === undefined ? undefined : `until ${until}`].filter((part) => part !== undefined);
  return details.length === 0 ? STATES[state] : `${STATES[state]} (${details.join(", ")})`;
}

/** The only way in which a verdict is printed. */
export function verdictWords(verdict: Verdict, locations: number, codes: readonly string[] = []): string {
  switch (verdict) {
    case "COMPLIANT":
      return `COMPLIANT: nothing found in the ${locations} declared locations`;
    case "PARTIAL":
      return "PARTIAL: not everything is shown to be gone from where it should be gone";
    case "UNCONFIRMED":
      if (codes.includes("NOTHING_FOUND")) return "UNCONFIRMED: nothing was found, so nothing is claimed";
      if (codes.includes("HORIZON_OPEN")) return "UNCONFIRMED: the last copy is not gone by itself yet";
      return "UNCONFIRMED: it is not shown that everything is gone";
  }
}

export function attestationWords(attestation: AttestationAnswer): string {
  switch (attestation.kind) {
    case "erasure":
      return `an erasure, in effect from ${day(attestation.effective)}`;
    case "tombstone":
      return `a tombstone: it covers less than the inventory, ${count(attestation.risks.length, "data location")} open`;
    case "withheld":
      return `withheld, signed as a refusal (${attestation.code})${attestation.resumable ? ", can be resumed" : ""}`;
    case "none":
      return `nothing is signed (${attestation.code})`;
  }
}

/** ISO date and minute in UTC; outcomes that were sealed carry their dates as text. */
function day(date: Date | string): string {
  return `${new Date(date).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
