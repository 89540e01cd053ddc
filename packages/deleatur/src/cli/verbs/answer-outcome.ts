// What every verb that carries a request on answers: the outcome with its papers, and the options that say where those go.
import { type Command, Option } from "commander";
import type { RequestOutcome } from "../../forget/outcome.ts";
import type { LetterLanguage } from "../../letter/wording.ts";
import type { Deleatur } from "../../open-deleatur.ts";
import { handOut } from "../hand-out.ts";
import { outcomeJson, outcomeText } from "../print/outcome-report.ts";
import type { VerbResult } from "../terminal.ts";
import type { VerbContext } from "../verb.ts";

export interface PaperFlags {
  readonly out?: string;
  readonly lang: LetterLanguage;
  readonly controller?: string;
}

export function addPaperOptions(command: Command): Command {
  return command
    .option("--out <dir>", "put receipt, public form, public key and letter there")
    .addOption(new Option("--lang <language>", "language of the letter").choices(["en", "de", "fr"]).default("en"))
    .option("--controller <name>", "who answers, as it stands in the letter");
}

export function answerOutcome(
  memory: Deleatur,
  outcome: RequestOutcome,
  flags: PaperFlags,
  context: VerbContext,
): VerbResult {
  const papers = handOut(memory, outcome, flags, context.terminal);
  const told = papers.receipt === undefined ? outcome : { ...outcome, receipt: papers.receipt };
  // A receipt that stands among the papers is not named twice.
  const { receipt, ...rest } = outcome;
  const shown = receipt === undefined || papers.receipt !== undefined ? rest : outcome;
  const files = papers.files.map((file, index) => `${index === 0 ? "papers    " : "          "}${file}\n`).join("");
  return {
    text: outcomeText(shown, context) + files,
    json: { ...outcomeJson(told, context), papers: papers.files },
    exitCode: outcome.exitCode,
  };
}
