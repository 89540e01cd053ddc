// `risks`: what attestations left open, the overdue first; `--due` runs the confirming audits that may close it.
import type { Command } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { confirmDueRisks } from "../../audit/confirm-risks.ts";
import type { Risk } from "../../ledger/ledger.ts";
import { table } from "../print/table.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { worstExit } from "../worst-exit.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";

interface RisksFlags extends PaperFlags {
  readonly due?: boolean;
  readonly all?: boolean;
  readonly now?: boolean;
}

export function addRisks(program: Command, run: RunVerb): void {
  const command = program
    .command("risks")
    .description("list residual risks with their deadlines and cures, the overdue first")
    .option("--due", "run the confirming audit of every request with something due; evidence closes it")
    .option("--all", "those that are closed too")
    .option("--now", "with --due: purge at once, whatever window is declared and whatever lock it takes");
  addPaperOptions(command).action((flags: RisksFlags, command: Command) =>
    run(command, (context) => risks(flags, context)),
  );
}

async function risks(flags: RisksFlags, context: VerbContext): Promise<VerbResult> {
  const memory = await context.openMemory();
  const { engine } = memory;
  const { signal } = context.terminal;
  const before = engine.ledger.risks().filter(isOpen);
  const outcomes =
    flags.due === true
      ? await bracketRun(engine, "risks", () => confirmDueRisks(engine, flags.now === true, signal), signal)
      : [];
  const answers = outcomes.map((outcome) => answerOutcome(memory, outcome, flags, context));
  const listed = engine.ledger.risks().filter((risk) => flags.all === true || isOpen(risk));
  const left = new Set(
    engine.ledger
      .risks()
      .filter(isOpen)
      .map(({ id }) => id),
  );
  const closed = before.filter(({ id }) => !left.has(id)).length;
  return {
    text: [
      ...answers.map(({ text }) => text),
      ...(flags.due === true ? [`${count(closed, "risk")} closed by evidence`, ""] : []),
      listed.length === 0
        ? "No open risks."
        : table(["due", "", "data location", "risk", "request", "cure"], listed.map(row)),
    ].join("\n"),
    json: { risks: listed, audited: answers.map(({ json }) => json), closed },
    exitCode: worstExit(outcomes.map(({ exitCode }) => exitCode)),
  };
}

function isOpen({ closed }: Risk): boolean {
  return closed === undefined;
}

function row({ deadline, overdue, closed, surface, kind, request, cure }: Risk): readonly string[] {
  const status = closed === undefined ? (overdue ? "overdue" : "open") : `closed by ${closed.evidence.kind}`;
  return [deadline.slice(0, 10), status, surface, kind, request.slice(0, 8), cure];
}
