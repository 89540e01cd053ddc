// `lift`: takes do-not-store entries away after a lawful return. A named act: who and why are logged.
import { type Command, Option } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { liftExpired } from "../../audit/lift-expired.ts";
import { liftEntries } from "../../audit/lift-entries.ts";
import { UsageError } from "../../model/errors.ts";
import { count } from "../print/words.ts";
import { readLines } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface LiftFlags {
  readonly request?: string;
  readonly subjectFile?: string;
  readonly allow?: string;
  readonly expired?: true;
  readonly today?: string;
  readonly role: string;
  readonly reason: string;
}

export function addLift(program: Command, run: RunVerb): void {
  program
    .command("lift")
    .description("lift do-not-store entries after a lawful return; several options narrow each other")
    .option("--request <request>", "all entries of one request, those on content included")
    .option("--subject-file <file>", "a person's identifiers; entries on content stay; - reads stdin")
    .option("--allow <file>", "texts that may be stored again, one a line or a JSON array; - reads stdin")
    .addOption(
      new Option("--expired", "all entries of requests whose term (guard.expire) has ended").conflicts([
        "request",
        "subjectFile",
        "allow",
      ]),
    )
    .option("--today <date>", "with --expired: that the clock is right, where the log does not show so much time")
    .requiredOption("--role <role>", "who decides, for example privacy-officer; logged")
    .requiredOption("--reason <code>", "why, for example NEW_CONSENT; logged")
    .action((flags: LiftFlags, command: Command) => run(command, (context) => lift(flags, context)));
}

async function lift(flags: LiftFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  if (flags.expired === true) return expire(flags, context);
  if (flags.today !== undefined) throw new UsageError("TODAY_ALONE", "--today goes with --expired");
  const order = {
    role: flags.role,
    reason: flags.reason,
    ...(flags.request === undefined ? {} : { request: flags.request }),
    ...(flags.subjectFile === undefined ? {} : { subject: await readLines(flags.subjectFile, terminal) }),
    ...(flags.allow === undefined ? {} : { texts: await readLines(flags.allow, terminal) }),
  };
  const { engine } = await context.openMemory();
  const lifted = await bracketRun(engine, "lift", () => liftEntries(engine, order), terminal.signal);
  return {
    text: `${count(lifted, "do-not-store entry", "do-not-store entries")} lifted and logged`,
    json: { lifted },
    exitCode: 0,
  };
}

async function expire({ role, reason, today }: LiftFlags, context: VerbContext): Promise<VerbResult> {
  const { engine } = await context.openMemory();
  const order = { role, reason, ...(today === undefined ? {} : { today }) };
  const { requests, lifted, doubted } = await bracketRun(
    engine,
    "lift",
    () => liftExpired(engine, order),
    context.terminal.signal,
  );
  const entries = count(lifted, "do-not-store entry", "do-not-store entries");
  const said =
    requests.length === 0
      ? "No term has ended, nothing was lifted"
      : `${entries} of ${count(requests.length, "request")} lifted and logged: their term had ended`;
  const left =
    doubted.length === 0
      ? ""
      : `\nThose of ${count(doubted.length, "request")} stand: by the clock alone their term has ended, see --today`;
  return {
    text: said + left,
    json: { lifted, requests, doubted },
    exitCode: 0,
  };
}
