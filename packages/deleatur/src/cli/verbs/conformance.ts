// `conformance`: runs the kit over the subjects that a module exports, and exits 0 only where every case of each is met or cannot.
import type { Command } from "commander";
import { isSurfaceKind } from "../../adapters/outside-kinds.ts";
import {
  type ConformanceReport,
  conformanceMarkdown,
  type ConformanceSubject,
  countOutcomes,
  isConforming,
  runConformance,
} from "../../conformance/index.ts";
import { answerWords, summary } from "../../conformance/print-report.ts";
import { exportsOf, hasMembers, importModule } from "../import-module.ts";
import { table } from "../print/table.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface ConformanceFlags {
  readonly markdown?: boolean;
  readonly only?: readonly string[];
}

const FAILED = 1;
const NOT_SHOWN = 21;
const INTERRUPTED = 130;

export function addConformance(program: Command, run: RunVerb): void {
  program
    .command("conformance")
    .description("run the conformance kit over an adapter of your own: a module that exports `subject` or `subjects`")
    .argument("<module>", "path or package; its code is run")
    .option("--markdown", "print the tables for the adapter's README")
    .option("--only <case...>", "these cases alone; the others are not run, and the store does not conform by it")
    .action((module: string, flags: ConformanceFlags, command: Command) =>
      run(command, (context) => conformance(module, flags, context)),
    );
}

async function conformance(name: string, flags: ConformanceFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal, paint } = context;
  const { signal, random, clock } = terminal;
  const subjects = exportsOf(await importModule(terminal, name), "subject", isSubject, name);
  const reports: ConformanceReport[] = [];
  for (const subject of subjects) {
    const { only } = flags;
    reports.push(
      await runConformance(subject, {
        signal,
        random,
        clock,
        report: ({ name: step, done, total }) =>
          context.report({ step, phase: "progress", surface: subject.name, done, total }),
        ...(only === undefined ? {} : { only }),
      }),
    );
  }
  const text =
    flags.markdown === true
      ? reports.map(conformanceMarkdown).join("\n\n")
      : reports.map((report) => reportText(report, paint)).join("\n\n");
  return {
    text,
    json: {
      conforms: reports.every(isConforming),
      subjects: reports.map((report) => ({
        subject: report.subject,
        kind: report.kind,
        guarantees: report.guarantees,
        conforms: isConforming(report),
        counts: countOutcomes(report),
        cases: report.results.map(({ name: each, says, answer }) => ({ name: each, says, ...answer })),
      })),
    },
    exitCode: exitOf(reports, signal),
  };
}

function exitOf(reports: readonly ConformanceReport[], signal: AbortSignal): number {
  if (signal.aborted) return INTERRUPTED;
  if (reports.every(isConforming)) return 0;
  // What failed is a failure; what was not run is not shown.
  return reports.some((report) => countOutcomes(report).failed > 0) ? FAILED : NOT_SHOWN;
}

function reportText(report: ConformanceReport, { green, yellow, red }: VerbContext["paint"]): string {
  const rows = report.results.map((result) => {
    const [word, why] = answerWords(result);
    return [result.name, word, why === "" ? result.says : why];
  });
  const verdict = isConforming(report) ? green("It conforms.") : red("It does not conform.");
  const open =
    countOutcomes(report)["not-run"] > 0
      ? [yellow("What is not run is not met: say in `cannot` why it never can be.")]
      : [];
  return [`${report.subject}: ${summary(report)}`, "", table(["case", "answer", ""], rows), "", ...open, verdict].join(
    "\n",
  );
}

function isSubject(value: unknown): value is ConformanceSubject {
  return (
    hasMembers(value, ["lay"], ["name", "kind", "cannot"]) &&
    // It was seen to be an object with this member.
    isSurfaceKind((value as { readonly kind: unknown }).kind)
  );
}
