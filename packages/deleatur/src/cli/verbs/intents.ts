// `intents`: writes that were begun and not ended; an operator who knows a writer to be gone lets the store decide what became of its write.
import type { Command } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { settleIntents } from "../../audit/settle-intents.ts";
import { artifactId } from "../../model/ids.ts";
import { table } from "../print/table.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface IntentsFlags {
  readonly writerGone?: readonly string[];
}

export function addIntents(program: Command, run: RunVerb): void {
  program
    .command("intents")
    .description("list writes that were begun and not ended, and by whom")
    .option("--writer-gone <id...>", "their writer is known to be gone: what the store holds decides")
    .action((flags: IntentsFlags, command: Command) => run(command, (context) => intents(flags, context)));
}

async function intents(flags: IntentsFlags, context: VerbContext): Promise<VerbResult> {
  const { engine } = await context.openMemory();
  const { signal } = context.terminal;
  const ids = flags.writerGone;
  if (ids !== undefined) {
    const settled = await bracketRun(engine, "intents", () => settleIntents(engine, ids, signal), signal);
    return {
      text: `${settled.joined} written after all, ${settled.aborted} never written`,
      json: { settled },
      exitCode: 0,
    };
  }
  const open = engine.ledger.openIntents().map(({ id, ref, state, begun, leaseUntil, writer }) => ({
    id,
    surface: ref.surface,
    ...(context.areKeysShown ? { record: artifactId(ref) } : {}),
    state,
    begun: begun.toISOString(),
    leaseUntil: leaseUntil.toISOString(),
    writer: `${writer.host.split("/")[0] ?? ""}, process ${writer.pid}`,
  }));
  const rows = open.map((one) => [one.id, one.record ?? one.surface, one.state, one.begun, one.leaseUntil, one.writer]);
  return {
    text:
      open.length === 0
        ? "No open intents."
        : table(["intent", "record", "state", "begun", "lease until", "writer"], rows),
    json: { intents: open },
    exitCode: 0,
  };
}
