// What the kit answers: one answer for every case, and whether the store conforms. There is no answer that means "did not matter".
import type { Guarantees } from "../surface.ts";

export type CaseAnswer =
  | { readonly outcome: "met" }
  /** The store cannot do it, its author says why, and it was seen that it does not. */
  | { readonly outcome: "cannot"; readonly reason: string }
  /** Nobody said why it could not be run; never counted as met. */
  | { readonly outcome: "not-run"; readonly reason: string }
  | { readonly outcome: "failed"; readonly why: string };

export interface CaseResult {
  readonly name: string;
  /** What is held true where it is met. */
  readonly says: string;
  readonly answer: CaseAnswer;
}

export interface ConformanceReport {
  readonly subject: string;
  readonly kind: string;
  readonly guarantees: Guarantees;
  readonly results: readonly CaseResult[];
}

export type Outcome = CaseAnswer["outcome"];

const OUTCOMES: readonly Outcome[] = ["met", "cannot", "not-run", "failed"];

export function countOutcomes({ results }: ConformanceReport): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => results.filter(({ answer }) => answer.outcome === outcome).length;
  return { met: count("met"), cannot: count("cannot"), "not-run": count("not-run"), failed: count("failed") };
}

/** True only where every case has an answer, and each is met or cannot. Nothing asked is nothing shown. */
export function isConforming(report: ConformanceReport): boolean {
  const { met } = countOutcomes(report);
  return met > 0 && report.results.every(({ answer: { outcome } }) => outcome === "met" || outcome === "cannot");
}

/** An answer that is none of the four is a failure, whoever gave it. */
export function readAnswer(value: unknown): CaseAnswer {
  const known = typeof value === "object" && value !== null && "outcome" in value ? value.outcome : undefined;
  // Checked right here: it is one of the four, and it was made by `settleCase` or fails.
  if (OUTCOMES.some((outcome) => outcome === known)) return value as CaseAnswer;
  return { outcome: "failed", why: "the case gave no answer that is known" };
}
