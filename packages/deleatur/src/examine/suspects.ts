// Keeps a request's suspects and which of them were reviewed, sealed under the request key.
import type { Engine } from "../engine.ts";
import { sealedValue } from "../ledger/sealed-value.ts";
import type { RequestId } from "../model/ids.ts";
import type { Suspect } from "./grade-findings.ts";

const SUSPECTS = sealedValue<readonly Suspect[]>("suspects");
const REVIEWS = sealedValue<readonly string[]>("reviews");

export function openSuspects({ ledger }: Engine, id: RequestId): readonly Suspect[] {
  return SUSPECTS.open(ledger, id) ?? [];
}

export function putSuspects({ ledger }: Engine, id: RequestId, suspects: readonly Suspect[]): void {
  SUSPECTS.put(ledger, id, suspects);
}

/** Ids of the suspects that a named role has reviewed. */
export function openReviews({ ledger }: Engine, id: RequestId): ReadonlySet<string> {
  return new Set(REVIEWS.open(ledger, id));
}

export function putReviews({ ledger }: Engine, id: RequestId, reviewed: ReadonlySet<string>): void {
  REVIEWS.put(ledger, id, [...reviewed]);
}
