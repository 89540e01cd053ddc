// Text and JSON of a verification: what it amounts to, every check that did not simply pass, and on what it rests.
import type { Check, CheckStatus, VerifyOutcome, VerifyReport } from "@deleatur/verify";
import type { Paint } from "../verb.ts";
import { section } from "./section.ts";

function outcomeWords(outcome: VerifyOutcome): string {
  switch (outcome.kind) {
    case "erasure":
      return "valid: an erasure, in effect";
    case "tombstone":
      return "valid: a tombstone, which covers less than the inventory and is no erasure";
    case "withheld":
      return "valid: the attestation was withheld, nothing is shown to be erased";
    case "not-yet-effective":
      return "valid: an erasure that is not in effect yet";
    case "signature-holds":
      return `signature holds, but missing: ${outcome.missing.join(", ")}`;
    case "invalid":
      return "invalid";
  }
}

const MARKS: Readonly<Record<CheckStatus, string>> = {
  pass: "ok",
  warn: "!",
  fail: "✗",
  "not-reached": "…",
  "not-applicable": "–",
};

export function verifyText(
  { outcome, checks, scope, restsOnMathematics, restsOnOperator }: VerifyReport,
  paint: Paint,
): string {
  const colour = outcome.exitCode === 0 ? paint.green : outcome.kind === "invalid" ? paint.red : paint.yellow;
  return [
    paint.bold(colour(outcomeWords(outcome))),
    `scope: ${scope}; checks: ${tally(checks)}`,
    ...section("What failed:", failedLines(checks, paint)),
    "",
    ...checks.map((check) => checkLine(check, paint)),
    ...section("Rests on mathematics:", restsOnMathematics, "- "),
    ...section("Rests on the operator:", restsOnOperator, "- "),
    "",
  ].join("\n");
}

const TALLIED: Readonly<Record<CheckStatus, string>> = {
  pass: "passed",
  fail: "failed",
  warn: "to look at",
  "not-reached": "not reached",
  "not-applicable": "not applicable",
};

function tally(checks: readonly Check[]): string {
  return Object.entries(TALLIED)
    .map(([status, words]) => [checks.filter((check) => check.status === status).length, words] as const)
    .filter(([number, words]) => number > 0 || words === TALLIED.fail)
    .map(([number, words]) => `${number} ${words}`)
    .join(", ");
}

/** Said first: among forty checks the one that failed would not be seen. */
function failedLines(checks: readonly Check[], paint: Paint): readonly string[] {
  return checks.flatMap(({ status, code, message, surface }) =>
    status === "fail" ? [paint.red(`${code}: ${message}${surface === null ? "" : ` (${surface})`}`)] : [],
  );
}

function checkLine({ code, status, message, surface }: Check, paint: Paint): string {
  const line = `  ${MARKS[status].padEnd(2)} ${code.padEnd(16)} ${message}${surface === null ? "" : ` (${surface})`}`;
  if (status === "fail") return paint.red(line);
  if (status === "warn") return paint.yellow(line);
  return status === "pass" ? line : paint.dim(line);
}

/** `attestation` is null where the receipt shows none. */
export function verifyJson(report: VerifyReport): Readonly<Record<string, unknown>> {
  const { outcome } = report;
  const isAttested = outcome.kind !== "invalid" && outcome.kind !== "signature-holds";
  const kind = outcome.kind === "not-yet-effective" ? "erasure" : outcome.kind;
  return {
    attestation: isAttested ? { kind } : null,
    outcome,
    scope: report.scope,
    checks: report.checks,
    restsOnMathematics: report.restsOnMathematics,
    restsOnOperator: report.restsOnOperator,
  };
}
