// `attest`: runs a further round of an open request; with the named act of a downgrade it may end in a tombstone.
import type { Command } from "commander";
import type { RunVerb } from "../verb.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";

interface AttestFlags extends PaperFlags {
  readonly allowTombstone?: boolean;
  readonly now?: boolean;
}

export function addAttest(program: Command, run: RunVerb): void {
  addPaperOptions(
    program
      .command("attest <request>")
      .description("attest an open request again, on a new scan")
      .option("--allow-tombstone", "the named act of a downgrade: a tombstone where an erasure is not possible")
      .option("--now", "purge at once, whatever window is declared"),
  ).action((request: string, flags: AttestFlags, command: Command) =>
    run(command, async (context) => {
      const memory = await context.openMemory();
      const acts = { allowTombstone: flags.allowTombstone === true, now: flags.now === true };
      const outcome = await memory.resume(request, acts, context.terminal.signal);
      return answerOutcome(memory, outcome, flags, context);
    }),
  );
}
