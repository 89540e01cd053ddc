// Prints a report: as a table for an adapter's README, and as one for a terminal. It decides nothing about an answer.
import { type CaseAnswer, type CaseResult, type ConformanceReport, countOutcomes, type Outcome } from "./report.ts";

const WORDS: Readonly<Record<Outcome, string>> = {
  met: "met",
  cannot: "cannot",
  "not-run": "not run",
  failed: "failed",
};

/** The table for an adapter's README; the same answers print the same bytes. What is met is named in a line, the rest has a row with its why. */
export function conformanceMarkdown(report: ConformanceReport): string {
  const met = report.results.filter(({ answer }) => answer.outcome === "met").map(({ name }) => `\`${name}\``);
  const others = report.results.filter(({ answer }) => answer.outcome !== "met");
  const rows = others.map(({ name, answer }) => [`\`${name}\``, WORDS[answer.outcome], whyOf(answer)]);
  return [
    `${summary(report)}.`,
    "",
    `Met: ${met.length === 0 ? "none" : met.join(", ")}.`,
    ...(rows.length === 0 ? [] : ["", ...markdownTable(["case", "answer", "why"], rows)]),
  ].join("\n");
}

/** Every case with what it holds true, for the kit's own README. */
export function casesMarkdown(cases: readonly Pick<CaseResult, "name" | "says">[]): string {
  return markdownTable(
    ["case", "what it holds true"],
    cases.map(({ name, says }) => [`\`${name}\``, says]),
  ).join("\n");
}

function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [tableLine(heading), tableLine(heading.map(() => "---")), ...rows.map(tableLine)];
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeCell).join(" | ")} |`;
}

/** What stands above the table: how many cases have which answer. */
export function summary(report: ConformanceReport): string {
  const counts = countOutcomes(report);
  const parts = (["met", "cannot", "not-run", "failed"] as const).map(
    (outcome) => `${counts[outcome]} ${WORDS[outcome]}`,
  );
  return `Kind \`${report.kind}\`, ${report.results.length} cases: ${parts.join(", ")}`;
}

/** The answer and its why, as they are printed. */
export function answerWords({ answer }: CaseResult): readonly [string, string] {
  return [WORDS[answer.outcome], whyOf(answer)];
}

function whyOf(answer: CaseAnswer): string {
  switch (answer.outcome) {
    case "met":
      return "";
    case "cannot":
    case "not-run":
      return answer.reason;
    case "failed":
      return answer.why;
    default:
      return answer satisfies never;
  }
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}
