// Counts an outcome for downstream reports: confirmed deletion and partial propagation apart, per surface and in total (VERDICT-6). Pure.
import { type VerdictReport, verdictReport } from "../attest/verdict-report.ts";
import type { RequestOutcome } from "../forget/outcome.ts";

/** The same counts as the judge's own report, from what a request answers. */
export function propagationOf(outcome: RequestOutcome): VerdictReport {
  const { surfaces, survivors, back, verdict, reasons } = outcome;
  return verdictReport(
    {
      surfaces: surfaces.map(({ surface, erased, absent, rewritten, failed }) => ({
        surface,
        erase: { erased, absent, rewritten, failed },
      })),
      survivors,
      back,
      // A primary's own rows stand among the survivors of an outcome.
      primaryHolds: [],
      kept: surfaces.flatMap(({ surface, kept }) => Array.from({ length: kept }, () => ({ surface }))),
    },
    { verdict, reasons },
  );
}
