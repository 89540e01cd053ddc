// `log`: the ledger's append-only log, and whether it is whole. Its entries hold no personal data.
import type { Command } from "commander";
import { LedgerError, UsageError } from "../../model/errors.ts";
import { table } from "../print/table.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface LogFlags {
  readonly verify?: boolean;
  readonly from?: string;
}

const MOST_ENTRIES = 50;

export function addLog(program: Command, run: RunVerb): void {
  program
    .command("log")
    .description(`show the log, the last ${MOST_ENTRIES} entries, or verify it whole`)
    .option("--verify", "recompute every entry, the tree and all checkpoints")
    .option("--from <index>", "show all entries from this one on")
    .action((flags: LogFlags, command: Command) => run(command, (context) => log(flags, context)));
}

async function log(flags: LogFlags, context: VerbContext): Promise<VerbResult> {
  const { ledger } = (await context.openMemory()).engine;
  const size = ledger.logSize();
  if (flags.verify === true) {
    const state = ledger.verifyLog();
    if (!state.ok) {
      throw new LedgerError("LOG_DAMAGED", `the log of the ledger is damaged: ${state.why}`, {
        place: { file: ledger.file },
        cure: "restore ledger and keys from a backup; do not go on with this file",
      });
    }
    const root = Buffer.from(ledger.logRoot()).toString("base64");
    return {
      text: `The log is whole: ${size} entries, root ${root}`,
      json: { log: { ok: true, size, root } },
      exitCode: 0,
    };
  }
  const from = flags.from === undefined ? Math.max(0, size - MOST_ENTRIES) : Number(flags.from);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new UsageError("BAD_INDEX", "--from is the index of an entry, a whole number from 0");
  // Our own entries: canonical JSON objects with a type and a time.
  const entries = ledger
    .logEntries(from)
    .map(({ index, entry }) => ({ index, ...(JSON.parse(entry) as { type: string; at: string }) }));
  return {
    text:
      entries.length === 0
        ? "No entries."
        : table(
            ["entry", "time", "what", ""],
            entries.map(({ index, at, type, ...rest }) => [String(index), at, type, details(rest)]),
          ),
    json: { log: { size, from, entries } },
    exitCode: 0,
  };
}

/** The short members of an entry; a verdict is worded, so that COMPLIANT never stands alone. */
function details(rest: Readonly<Record<string, unknown>>): string {
  return Object.entries(rest)
    .flatMap(([name, value]) => {
      if (name === "verdict" && value === "COMPLIANT") return ["nothing found in the declared locations"];
      if (typeof value === "number") return [`${name} ${value}`];
      return typeof value === "string" && value.length <= 40 && value !== "" ? [`${name} ${value}`] : [];
    })
    .join(", ");
}
