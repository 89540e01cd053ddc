// `hold`: keeps records under a legal ground, lists what is held, or releases it and resumes the requests that had to keep it.
import { type Command, Option } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { placeHolds, releaseHolds } from "../../audit/hold-records.ts";
import { UsageError } from "../../model/errors.ts";
import { artifactId } from "../../model/ids.ts";
import { table } from "../print/table.ts";
import { count } from "../print/words.ts";
import { readRecords } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { worstExit } from "../worst-exit.ts";
import { addPaperOptions, answerOutcome, type PaperFlags } from "./answer-outcome.ts";

interface HoldFlags extends PaperFlags {
  readonly ground?: string;
  readonly until?: string;
  readonly release?: boolean;
  readonly now?: boolean;
  readonly recordFile?: string;
}

export function addHold(program: Command, run: RunVerb): void {
  const command = program
    .command("hold [record...]")
    .description(
      "hold records (surface/key) under a legal ground: they are kept until released; without records, list what is held",
    )
    .option("--ground <ref>", "the ground, for example a case number; kept sealed, attested by its kind")
    .option("--until <date>", "when the ground ends, YYYY-MM-DD")
    .addOption(
      new Option("--release", "release the records; requests that had to keep them run again").conflicts([
        "ground",
        "until",
      ]),
    )
    .option("--record-file <file>", "records, one a line; - reads stdin")
    .option("--now", "with --release: purge at once, whatever window is declared and whatever lock it takes");
  addPaperOptions(command).action((records: readonly string[], flags: HoldFlags, command: Command) =>
    run(command, (context) => hold(records, flags, context)),
  );
}

async function hold(given: readonly string[], flags: HoldFlags, context: VerbContext): Promise<VerbResult> {
  const records = await readRecords(given, flags.recordFile, context.terminal);
  const { engine } = await context.openMemory();
  if (flags.release === true) return release(records, flags, context);
  const { ground, until } = flags;
  if (records.length === 0 && ground === undefined && until === undefined) return list(context);
  if (ground === undefined || until === undefined) {
    throw new UsageError("HOLD_INCOMPLETE", "a hold names its ground and when it ends", {
      cure: "deleatur hold RECORD… --ground REF --until YYYY-MM-DD",
    });
  }
  const held = await bracketRun(
    engine,
    "hold",
    () => placeHolds(engine, { records, ground, until }, context.terminal.signal),
    context.terminal.signal,
  );
  return { text: `${count(held, "record")} held until ${until}`, json: { held, until }, exitCode: 0 };
}

async function release(records: readonly string[], flags: HoldFlags, context: VerbContext): Promise<VerbResult> {
  const memory = await context.openMemory();
  const { signal } = context.terminal;
  const { released, requests } = await bracketRun(
    memory.engine,
    "hold-release",
    () => releaseHolds(memory.engine, records),
    signal,
  );
  const answers: VerbResult[] = [];
  for (const request of requests)
    answers.push(
      answerOutcome(memory, await memory.resume(request, { now: flags.now === true }, signal), flags, context),
    );
  return {
    text: [`${count(released, "record")} released`, ...answers.map(({ text }) => text)].join("\n\n"),
    json: { released, requests: answers.map(({ json }) => json) },
    exitCode: worstExit(answers.map(({ exitCode }) => exitCode)),
  };
}

async function list(context: VerbContext): Promise<VerbResult> {
  const { engine } = await context.openMemory();
  const holds = engine.ledger.holds().map(({ ref, until, since, ground }) => ({
    surface: ref.surface,
    ...(context.areKeysShown ? { record: artifactId(ref), ground } : {}),
    since,
    until,
  }));
  const rows = holds.map((one) => [one.record ?? one.surface, one.since.slice(0, 10), one.until.slice(0, 10)]);
  return {
    text: holds.length === 0 ? "Nothing is held." : table(["record", "since", "until"], rows),
    json: { holds },
    exitCode: 0,
  };
}
