// `scan`: harvests the lineage that the inventory declares, from the stores' own columns, into the ledger.
import type { Command } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

const PARTIAL = 20;

export function addScan(program: Command, run: RunVerb): void {
  program
    .command("scan")
    .description("scan the lineage: read from every store who and what each record comes from")
    .action((_flags: unknown, command: Command) => run(command, scan));
}

async function scan(context: VerbContext): Promise<VerbResult> {
  const memory = await context.openMemory();
  const { signal } = context.terminal;
  const { artifacts, unread } = await bracketRun(memory.engine, "scan", () => memory.scan(signal), signal);
  const failed = [...unread].map(([surface, why]) => ({ surface, why }));
  return {
    text: [
      `${count(artifacts, "record")} read from ${memory.engine.surfaces.length - failed.length} data locations`,
      ...failed.map(({ surface, why }) => `  not read: ${surface} (${why})`),
    ].join("\n"),
    json: { artifacts, surfaces: failed.map(({ surface, why }) => ({ surface, state: "uncovered", why })) },
    exitCode: failed.length === 0 ? 0 : PARTIAL,
  };
}
