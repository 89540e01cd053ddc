// `audit`: judges a foreign forget tool by what the stores show; `audit prepare` takes the fingerprints before it runs. It signs nothing.
import type { Command } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { prepareAudit } from "../../audit/prepare-audit.ts";
import { readClaim, readTicket } from "../../audit/read-claim.ts";
import { tryInsertPath } from "../../audit/try-insert-path.ts";
import { UsageError } from "../../model/errors.ts";
import { parseJson, readGiven, writeGiven } from "../files.ts";
import { outcomeJson, outcomeText } from "../print/outcome-report.ts";
import { count } from "../print/words.ts";
import { readTarget, type TargetFlags } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { addTargetOptions } from "./target-options.ts";

interface PrepareFlags extends TargetFlags {
  readonly out?: string;
  readonly days?: string;
}

interface AuditFlags {
  readonly ticket?: string;
  readonly claim?: string;
  readonly reingest?: string;
  readonly subjectFile?: string;
}

export function addAudit(program: Command, run: RunVerb): void {
  const audit = program
    .command("audit")
    .description("audit stores against a forget tool's claim: is it gone, by other eyes than the tool's?")
    .option(
      "--claim <file>",
      "what the tool says: {subject, records?, status?, surfacesReached, tombstoneWritten}; - reads stdin",
    )
    .option("--ticket <file>", "the ticket of `audit prepare`; without one only the given person is looked for")
    .option("--subject-file <file>", "without a ticket: the person's identifiers, where the claim does not say them")
    .option(
      "--reingest <command>",
      "offers the erased texts (JSON on stdin) to a copy of the tool, prints refused, held or accepted",
    )
    .action((flags: AuditFlags, command: Command) => run(command, (context) => judgeClaim(flags, context)));
  addTargetOptions(
    audit
      .command("prepare")
      .description("fingerprint a person's records before the tool runs; the ticket holds no text"),
  )
    .option("--out <file>", "write the ticket there instead of stdout")
    .option("--days <number>", "how long the fingerprints are kept", "14")
    // Options that `audit` has too are read by it, wherever they stand.
    .action((_flags: unknown, command: Command) =>
      run(command, (context) => prepare(command.optsWithGlobals<PrepareFlags>(), context)),
    );
}

async function prepare(flags: PrepareFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const days = Number(flags.days);
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw new UsageError("BAD_DAYS", "--days is a whole number from 1 to 365");
  const target = await readTarget(flags, terminal);
  const { engine } = await context.openMemory();
  const ticket = await bracketRun(
    engine,
    "audit-prepare",
    () => prepareAudit(engine, target, terminal.signal, days),
    terminal.signal,
  );
  const text = `${JSON.stringify(ticket, undefined, 2)}\n`;
  if (flags.out !== undefined) writeGiven(terminal, flags.out, text, { isPrivate: true });
  return {
    text:
      flags.out === undefined
        ? text
        : `${count(ticket.artifacts, "record")} fingerprinted, ticket in ${flags.out}, good until ${ticket.expires}`,
    json: { ticket, file: flags.out ?? null },
    exitCode: 0,
  };
}

async function judgeClaim(flags: AuditFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  if (flags.claim === undefined) {
    throw new UsageError("CLAIM_MISSING", "an audit judges a claim, and none is given", {
      cure: "give --claim FILE with what the forget tool answered",
    });
  }
  const claim = readClaim(parseJson(await readGiven(terminal, flags.claim), flags.claim));
  const ticket =
    flags.ticket === undefined
      ? undefined
      : readTicket(parseJson(await readGiven(terminal, flags.ticket), flags.ticket));
  const target =
    ticket === undefined && flags.subjectFile !== undefined ? await readTarget(flags, terminal) : undefined;
  const memory = await context.openMemory();
  const audited = await bracketRun(
    memory.engine,
    "audit",
    () =>
      memory.audit(
        {
          claim,
          ...(ticket === undefined ? {} : { ticket }),
          ...(target === undefined ? {} : { target }),
          ...(flags.reingest === undefined ? {} : { reingest: tryInsertPath(flags.reingest) }),
        },
        terminal.signal,
      ),
    terminal.signal,
  );
  const outcome = { ...audited, request: "" };
  const limit =
    "Without a ticket only the given person was looked for, by identifier and lineage, and the claim's records by key; content was not.";
  return {
    text: outcomeText(outcome, context) + (ticket === undefined ? `\n${limit}\n` : ""),
    json: { ...outcomeJson(outcome, context), ticket: ticket?.ticket ?? null },
    exitCode: outcome.exitCode,
  };
}
