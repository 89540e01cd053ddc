// `forget`: has a person or records forgotten, shows beforehand what would happen, or carries an open request on. Its exit code is the judge's.
import { type Command, Option } from "commander";
import type { ForgetOrder } from "../../forget/forget-order.ts";
import { UsageError } from "../../model/errors.ts";
import { dryRunJson, dryRunText } from "../print/dry-run-report.ts";
import { readTarget, type TargetFlags } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";
import { addTargetOptions } from "./target-options.ts";

interface ForgetFlags extends TargetFlags, PaperFlags {
  readonly dryRun?: boolean;
  readonly resume?: string;
  readonly require?: "erasure";
  readonly allowTombstone?: boolean;
  readonly now?: boolean;
  readonly received?: string;
  readonly reference?: string;
}

export function addForget(program: Command, run: RunVerb): void {
  const command = program
    .command("forget")
    .description(
      "erase everything about a person, or records, and everything derived from it; look again; sign what can be shown",
    );
  addPaperOptions(
    addTargetOptions(command)
      .addOption(new Option("--dry-run", "show what would happen, touch nothing").conflicts(["resume", "out"]))
      .option("--resume <request>", "carry an open request on: after a crash, a wait, a review")
      .addOption(
        new Option("--require <attestation>", "stop before the first delete unless this can be attested").choices([
          "erasure",
        ]),
      )
      .addOption(
        new Option("--allow-tombstone", "attest a tombstone where an erasure is not possible").conflicts("require"),
      )
      .option("--now", "purge at once, whatever window is declared and whatever lock it takes")
      .option("--received <date>", "day on which the request came in, YYYY-MM-DD; due one month later")
      .option("--reference <ref>", "your own reference, kept sealed"),
  ).action((flags: ForgetFlags, self: Command) => run(self, (context) => forget(flags, context)));
}

async function forget(flags: ForgetFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const target = await readTarget(flags, terminal);
  const isTargeted = (target.subject ?? target.records) !== undefined;
  if (flags.resume !== undefined && isTargeted) {
    throw new UsageError("RESUME_WITH_TARGET", "a resumed request knows its person already", {
      cure: "give --resume alone, or the person alone",
    });
  }
  const received = flags.received === undefined ? undefined : receivedOn(flags.received, terminal.clock());
  const memory = await context.openMemory();
  if (flags.dryRun === true) {
    const dryRun = await memory.dryRun(target, terminal.signal);
    return { text: dryRunText(dryRun, context), json: dryRunJson(dryRun, context), exitCode: 0 };
  }
  const acts = {
    ...(flags.allowTombstone === true ? { allowTombstone: true } : {}),
    ...(flags.now === true ? { now: true } : {}),
  };
  const order: ForgetOrder = {
    ...target,
    ...acts,
    ...(flags.require === undefined ? {} : { require: flags.require }),
    ...(received === undefined ? {} : { received }),
    ...(flags.reference === undefined ? {} : { reference: flags.reference }),
  };
  const outcome =
    flags.resume === undefined
      ? await memory.forget(order, terminal.signal)
      : await memory.resume(flags.resume, acts, terminal.signal);
  const isPurging = outcome.why === "purge-lock" && (await isLockAllowed(context));
  const ended = isPurging ? await memory.resume(outcome.request, { ...acts, now: true }, terminal.signal) : outcome;
  return answerOutcome(memory, ended, flags, context);
}

/** A purge that locks a store without a declared window is asked for where somebody can answer (DESIGN §4). */
async function isLockAllowed({ terminal, isJson }: VerbContext): Promise<boolean> {
  if (isJson || terminal.ask === undefined) return false;
  const question = "Everything is erased. The purge rebuilds a store's file and locks it meanwhile. Purge now? [y/N] ";
  return /^y(?:es)?$/i.test((await terminal.ask(question, false)).trim());
}

/** @throws UsageError BAD_DATE */
function receivedOn(text: string, now: Date): string {
  const date = new Date(text);
  const isDay = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/.test(text) && !Number.isNaN(date.getTime());
  if (isDay && date.toISOString().startsWith(text.slice(0, 10)) && date <= now) return date.toISOString();
  throw new UsageError("BAD_DATE", "--received is no day up to today", { cure: "write it as YYYY-MM-DD, in UTC" });
}
