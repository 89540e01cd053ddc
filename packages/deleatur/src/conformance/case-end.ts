// How a case ends before its end: as failed, or as impossible on this bench. It leaves no case and is never shown as an error.
import type { Impossible } from "./subject.ts";

export class CaseEnd extends Error {
  readonly outcome: "failed" | "impossible";

  constructor(outcome: "failed" | "impossible", why: string) {
    super(why);
    this.outcome = outcome;
  }
}

/** @throws CaseEnd where it does not hold */
export function hold(isTrue: boolean, why: string): asserts isTrue {
  if (!isTrue) throw new CaseEnd("failed", why);
}

/** @throws CaseEnd where the bench cannot do it */
export function needs(isThere: boolean, why: string): asserts isThere {
  if (!isThere) throw new CaseEnd("impossible", why);
}

/** What the bench could do. @throws CaseEnd */
export function possible<Answer extends { readonly outcome: string }>(
  answer: Answer | Impossible,
): Exclude<Answer, Impossible> {
  if (answer.outcome === "impossible") throw new CaseEnd("impossible", (answer as Impossible).why);
  // Narrowed by its outcome.
  return answer as Exclude<Answer, Impossible>;
}
