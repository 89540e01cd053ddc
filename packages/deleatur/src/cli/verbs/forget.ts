// `forget`: has a person or records forgotten, shows beforehand what would happen, or carries an open request on. Its exit code is the judge's.
import { type Command, Option } from "commander";
import type { ContinueOptions } from "../../forget/carriage.ts";
import type { ForgetOrder } from "../../forget/forget-order.ts";
import type { DryRun, RequestOutcome } from "../../forget/outcome.ts";
import type { GivenTarget } from "../../forget/target.ts";
import type { Deleatur } from "../../open-deleatur.ts";
import { UsageError } from "../../model/errors.ts";
import { dryRunJson, dryRunText } from "../print/dry-run-report.ts";
import { readTargets, type SeveralTargetFlags } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";
import { answerOutcomes } from "./answer-outcomes.ts";
import { addSeveralTargetsOptions } from "./target-options.ts";

interface ForgetFlags extends SeveralTargetFlags, PaperFlags {
  readonly dryRun?: boolean;
  readonly resume?: string;
  readonly resumeAll?: boolean;
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
    addSeveralTargetsOptions(command)
      .addOption(
        new Option("--dry-run", "show what would happen, touch nothing").conflicts(["resume", "resumeAll", "out"]),
      )
      .option("--resume <request>", "carry an open request on: after a crash, a wait, a review")
      .addOption(
        new Option("--resume-all", "carry all open requests on: one purge and one scan for all of them").conflicts([
          "resume",
          "require",
          "received",
          "reference",
        ]),
      )
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
  const targets = await readTargets(flags, terminal);
  const isTargeted = targets.some((target) => (target.subject ?? target.records) !== undefined);
  if ((flags.resume !== undefined || flags.resumeAll === true) && isTargeted) {
    throw new UsageError("RESUME_WITH_TARGET", "a resumed request knows its person already", {
      cure: "give --resume or --resume-all alone, or the person alone",
    });
  }
  const received = flags.received === undefined ? undefined : receivedOn(flags.received, terminal.clock());
  const memory = await context.openMemory();
  if (flags.dryRun === true) return dryRun(memory, targets, context);
  const acts = {
    ...(flags.allowTombstone === true ? { allowTombstone: true } : {}),
    ...(flags.now === true ? { now: true } : {}),
  };
  const orders = targets.map((target): ForgetOrder => ({
    ...target,
    ...acts,
    ...(flags.require === undefined ? {} : { require: flags.require }),
    ...(received === undefined ? {} : { received }),
    ...(flags.reference === undefined ? {} : { reference: flags.reference }),
  }));
  const [order, ...others] = orders;
  if (flags.resumeAll === true || others.length > 0) {
    const ends =
      flags.resumeAll === true
        ? await memory.resumeAll(acts, terminal.signal)
        : await memory.forgetAll(orders, terminal.signal);
    return answerOutcomes(memory, await purgeAllowed(memory, ends, acts, context), flags, context);
  }
  const outcome =
    flags.resume === undefined
      ? await memory.forget(order ?? {}, terminal.signal)
      : await memory.resume(flags.resume, acts, terminal.signal);
  const isPurging = outcome.why === "purge-lock" && (await isLockAllowed(context));
  const ended = isPurging ? await memory.resume(outcome.request, { ...acts, now: true }, terminal.signal) : outcome;
  return answerOutcome(memory, ended, flags, context);
}

/** @throws UsageError ONE_AT_A_TIME */
async function dryRun(memory: Deleatur, targets: readonly GivenTarget[], context: VerbContext): Promise<VerbResult> {
  const [target = {}, ...others] = targets;
  if (others.length > 0)
    throw new UsageError("ONE_AT_A_TIME", "a dry run shows one person at a time", { cure: "give one --subject-file" });
  const shown = await memory.dryRun(target, context.terminal.signal);
  return {
    text: dryRunText(shown, context),
    json: dryRunJson(shown, context),
    exitCode: exitOf(shown),
  };
}

/** As the same `forget` would at best, once it has purged: by the verdict, whatever is signed. */
function exitOf({ items, best }: DryRun): number {
  if (items.length > 0 && best.attestation === "erasure") return best.effectiveAfterSeconds > 0 ? 22 : 0;
  return items.length > 0 && best.verdict === "PARTIAL" ? 20 : 21;
}

/** Those that wait for a purge that takes a lock are asked about once, and go on together. */
async function purgeAllowed(
  memory: Deleatur,
  ends: readonly PromiseSettledResult<RequestOutcome>[],
  acts: ContinueOptions,
  context: VerbContext,
): Promise<readonly PromiseSettledResult<RequestOutcome>[]> {
  if (!ends.some(isWaiting) || !(await isLockAllowed(context))) return ends;
  const requests = ends.flatMap((end) => (isWaiting(end) && "value" in end ? [end.value.request] : []));
  const purged = await memory.resumeAll({ ...acts, now: true, requests }, context.terminal.signal);
  return [...ends.filter((end) => !isWaiting(end)), ...purged];
}

function isWaiting(end: PromiseSettledResult<RequestOutcome>): boolean {
  return end.status === "fulfilled" && end.value.why === "purge-lock";
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
