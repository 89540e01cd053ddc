// `replay`: erases again what a restore brought back, before the restored stores serve. It says what was there, what is left, and what a person must look at.
import type { Command } from "commander";
import type { ReplayOrder, ReplayOutcome } from "../../audit/replay.ts";
import { UsageError } from "../../model/errors.ts";
import { anchorLostLines } from "../print/anchor-lost-lines.ts";
import { table } from "../print/table.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";

interface ReplayFlags extends PaperFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly now?: boolean;
  readonly newAnchor?: boolean;
  readonly role?: string;
  readonly reason?: string;
}

export function addReplay(program: Command, run: RunVerb): void {
  const command = program
    .command("replay")
    .description("after a restore: erase again everything that was ever erased and not lifted, before the stores serve")
    .argument("[surface...]", "the restored data locations; what is found there is erased everywhere")
    .option("--all", "look at all of them")
    .option("--dry-run", "only look, touch nothing")
    .option("--now", "purge at once, whatever window is declared and whatever lock it takes")
    .option(
      "--new-anchor",
      "begin another anchor in place of one that is lost; a named act, so with --role and --reason",
    )
    .option("--role <role>", "who decides, for example operator; logged")
    .option("--reason <code>", "why, for example DISK_LOST; logged");
  addPaperOptions(command).action((surfaces: readonly string[], flags: ReplayFlags, command: Command) =>
    run(command, (context) => replay(surfaces, flags, context)),
  );
}

async function replay(surfaces: readonly string[], flags: ReplayFlags, context: VerbContext): Promise<VerbResult> {
  if ((surfaces.length === 0) === (flags.all !== true)) {
    throw new UsageError("NOTHING_SELECTED", "a replay names the restored data locations, or --all, one of the two", {
      cure: "run `deleatur replay --all` after a restore",
    });
  }
  const memory = await context.openMemory();
  const outcome = await memory.replay(orderOf(surfaces, flags), context.terminal.signal);
  const answers = outcome.requests.map((one) => answerOutcome(memory, one, flags, context));
  return {
    text: [...answers.map(({ text }) => text), replayText(outcome, context)].join("\n"),
    json: {
      state: outcome.state,
      surfaces: outcome.surfaces,
      held: outcome.held.map((one) => (context.areKeysShown ? one : { rule: one.rule })),
      rolledBack: outcome.rolledBack ?? null,
      anchorLost: outcome.anchorLost ?? null,
      requests: answers.map(({ json }) => json),
    },
    exitCode: outcome.exitCode,
  };
}

function orderOf(surfaces: readonly string[], flags: ReplayFlags): ReplayOrder {
  const { role, reason } = flags;
  if (flags.newAnchor === true && (role === undefined || reason === undefined))
    throw new UsageError("ACT_NOT_NAMED", "a new anchor is a named act: give --role and --reason");
  return {
    ...(surfaces.length === 0 ? {} : { surfaces }),
    ...(flags.dryRun === true ? { dryRun: true } : {}),
    ...(flags.now === true ? { now: true } : {}),
    ...(flags.newAnchor === true && role !== undefined && reason !== undefined ? { newAnchor: { role, reason } } : {}),
  };
}

const STATES: Readonly<Record<ReplayOutcome["state"], string>> = {
  whole: "Replayed: nothing that was ever erased is left in the data locations that were looked at.",
  left: "Not done: something is left, or was not purged or read. See above, then run it again.",
  looked: "Only looked, nothing was touched.",
};

const WAITING =
  "Not done: a request waits, its line `next` above says for what. Run the replay again then; with --now where it waits for a purge.";

function fenceLines(fences: ReplayOutcome["fences"]): readonly string[] {
  if (fences === undefined) return [];
  const { lifted, left } = fences;
  return [
    ...(lifted === 0
      ? []
      : [`Fences of ${count(lifted, "request")} stood behind which no open request stands: taken down.`]),
    ...(left === 0
      ? []
      : [`Fences of ${count(left, "request")} that this ledger does not know stand, see deleatur check.`]),
  ];
}

function replayText(outcome: ReplayOutcome, { paint, areKeysShown }: VerbContext): string {
  const { surfaces, held, rolledBack, anchorLost, state } = outcome;
  return [
    ...(rolledBack === undefined
      ? []
      : [
          paint.yellow(
            `The ledger had been set back: its log had ${rolledBack.size} entries, the anchor knew ${rolledBack.anchored}.`,
          ),
          ...(rolledBack.lostRequests.length === 0
            ? []
            : [`Requests that were open and are lost, to be received again: ${rolledBack.lostRequests.join(", ")}`]),
        ]),
    table(
      ["data location", "records", "was back", "left", "to look at", ""],
      surfaces.map(({ label, read, back, left, held: likes, unread }) => [
        label,
        ...[read, back, left, likes].map(String),
        unread ?? "",
      ]),
    ),
    "",
    ...(held.length === 0
      ? []
      : [
          paint.yellow(
            `${count(held.length, "record")} of others, or of nobody, with erased content: not touched, a person must look.`,
          ),
          ...(areKeysShown ? held.map(({ artifact, rule }) => `  ${artifact} (${rule})`) : []),
        ]),
    ...fenceLines(outcome.fences),
    ...anchorLostLines(anchorLost, paint),
    state === "left" && outcome.exitCode === 22 ? WAITING : STATES[state],
    "",
  ].join("\n");
}
