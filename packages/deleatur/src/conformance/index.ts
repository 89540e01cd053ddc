// The conformance kit for an adapter's author: the object to write, the run, and the report. Depends on no test runner.
export { noProcess } from "./no-process.ts";
export { conformanceMarkdown } from "./print-report.ts";
export { type CaseAnswer, type CaseResult, type ConformanceReport, countOutcomes, isConforming } from "./report.ts";
export { type CaseProgress, type ConformanceOptions, runConformance } from "./run-conformance.ts";
export {
  type Bench,
  type BenchHolds,
  type BenchOrder,
  type BenchRecord,
  type ConformanceSubject,
  type Hindrance,
  type Impossible,
  impossible,
  type Wrote,
} from "./subject.ts";
export { fillDisk, holdOpen, makeReadOnly } from "./trouble.ts";
