// `participants`: processes that hold a surface in their memory; an operator who knows one to be gone for good ends its lease.
import type { Command } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { endLeases } from "../../audit/end-leases.ts";
import { table } from "../print/table.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface ParticipantsFlags {
  readonly gone?: readonly string[];
}

export function addParticipants(program: Command, run: RunVerb): void {
  program
    .command("participants")
    .description("list processes that hold a data location in their memory")
    .option("--gone <id...>", "this process of another host is known to be gone, and its memory with it")
    .action((flags: ParticipantsFlags, command: Command) => run(command, (context) => participants(flags, context)));
}

async function participants({ gone }: ParticipantsFlags, context: VerbContext): Promise<VerbResult> {
  const { engine } = await context.openMemory();
  if (gone !== undefined) {
    const ended = await bracketRun(engine, "participants", () => endLeases(engine, gone), context.terminal.signal);
    return { text: `${ended} ended`, json: { ended }, exitCode: 0 };
  }
  const open = engine.ledger.participants().map(({ id, surface, leaseUntil, process }) => ({
    id,
    surface,
    leaseUntil: leaseUntil.toISOString(),
    process: `${process.host.split("/")[0] ?? ""}, process ${process.pid}`,
  }));
  return {
    text:
      open.length === 0
        ? "No process takes part."
        : table(
            ["participant", "data location", "lease until", "process"],
            open.map((one) => [one.id, one.surface, one.leaseUntil, one.process]),
          ),
    json: { participants: open },
    exitCode: 0,
  };
}
