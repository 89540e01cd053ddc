// What a verb answers that carries several requests on: each with its papers, those that failed too; the exit code is that of the one that leaves the most to do.
import type { RequestOutcome } from "../../forget/outcome.ts";
import type { Deleatur } from "../../open-deleatur.ts";
import { errorResult } from "../print/error-report.ts";
import type { VerbResult } from "../terminal.ts";
import type { VerbContext } from "../verb.ts";
import { worstExit } from "../worst-exit.ts";
import { answerOutcome, type PaperFlags } from "./answer-outcome.ts";

export function answerOutcomes(
  memory: Deleatur,
  ends: readonly PromiseSettledResult<RequestOutcome>[],
  flags: PaperFlags,
  context: VerbContext,
): VerbResult {
  const answers = ends.map((end) =>
    end.status === "fulfilled"
      ? answerOutcome(memory, end.value, flags, context)
      : errorResult(end.reason, false, undefined),
  );
  return {
    text: answers.length === 0 ? "No open request can go on now." : answers.map(({ text }) => text).join("\n"),
    json: { requests: answers.map(({ json }) => json) },
    exitCode: worstExit(answers.map(({ exitCode }) => exitCode)),
  };
}
