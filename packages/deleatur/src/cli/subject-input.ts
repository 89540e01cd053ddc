// Reads whom or what a command is about: identifiers from a file or stdin, never from arguments unless they are random ids (DESIGN §8).
import type { GivenTarget } from "../forget/target.ts";
import { UsageError } from "../model/errors.ts";
import { parseJson, readGiven } from "./files.ts";
import type { Terminal } from "./terminal.ts";

export interface TargetFlags {
  readonly subject?: readonly string[];
  readonly subjectFile?: string;
  readonly record?: readonly string[];
  readonly recordFile?: string;
  readonly none?: readonly string[];
}

export interface SeveralTargetFlags extends Omit<TargetFlags, "subjectFile"> {
  /** Each file is a person. */
  readonly subjectFile?: readonly string[];
}

/** A value that says nothing about a person by itself: a UUID, a ULID, or at least 16 hex digits. */
const RANDOM_ID = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{16,})$/i;

/** One target for each file of identifiers; everything else is of the only one. @throws UsageError */
export async function readTargets(
  { subjectFile = [], ...flags }: SeveralTargetFlags,
  terminal: Terminal,
): Promise<readonly GivenTarget[]> {
  const [first, ...others] = subjectFile;
  if (others.length === 0)
    return [await readTarget({ ...flags, ...(first === undefined ? {} : { subjectFile: first }) }, terminal)];
  if ([flags.subject, flags.record, flags.recordFile].some((given) => given !== undefined)) {
    throw new UsageError("SEVERAL_AND_MORE", "of several files each is one person, what else is given is nobody's", {
      cure: "give the files alone, or one person alone",
    });
  }
  const targets: GivenTarget[] = [];
  for (const file of subjectFile) targets.push(await readTarget({ ...flags, subjectFile: file }, terminal));
  return targets;
}

export async function readTarget(flags: TargetFlags, terminal: Terminal): Promise<GivenTarget> {
  for (const subject of flags.subject ?? []) {
    if (!RANDOM_ID.test(subject.slice(subject.indexOf(":") + 1))) throw asArgument("an identifier", "--subject-file");
  }
  const subject = [...(flags.subject ?? []), ...(await readLines(flags.subjectFile, terminal))];
  const records = await readRecords(flags.record ?? [], flags.recordFile, terminal);
  return {
    ...(subject.length === 0 ? {} : { subject }),
    ...(records.length === 0 ? {} : { records }),
    ...(flags.none === undefined ? {} : { none: flags.none }),
  };
}

/** Records as `surface/key`; a key that is an address stays out of arguments like any other identifier. */
export async function readRecords(
  given: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (given.some((record) => record.includes("@")))
    throw asArgument("a key that looks like an address", "--record-file");
  return [...given, ...(await readLines(file, terminal))];
}

/** One entry a line; empty lines and lines that begin with `#` are left out; a JSON array of strings is taken too. */
export async function readLines(file: string | undefined, terminal: Terminal): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = await readGiven(terminal, file);
  if (text.trimStart().startsWith("[")) {
    const list = parseJson(text, file);
    if (Array.isArray(list) && list.every((entry) => typeof entry === "string")) return list;
    throw new UsageError("BAD_INPUT", "the list is not a JSON array of strings", { place: { file } });
  }
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length > 0 && !line.startsWith("#"));
}

function asArgument(what: string, flag: string): UsageError {
  return new UsageError(
    "IDENTIFIER_AS_ARGUMENT",
    `${what} stands in the command line, where shells and process lists keep it`,
    { cure: `put it in a file or pipe it in: ${flag} FILE, or ${flag} -` },
  );
}
