// Reads whom or what a command is about: identifiers from a file or stdin, never from arguments unless they are random ids (DESIGN §8).
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { GivenTarget } from "../forget/target.ts";
import { UsageError } from "../model/errors.ts";
import type { Terminal } from "./terminal.ts";

export interface TargetFlags {
  readonly subject?: readonly string[];
  readonly subjectFile?: string;
  readonly record?: readonly string[];
  readonly recordFile?: string;
  readonly none?: readonly string[];
}

/** A value that says nothing about a person by itself: a UUID, a ULID, or at least 16 hex digits. */
const RANDOM_ID = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{16,})$/i;

export async function readTarget(flags: TargetFlags, terminal: Terminal): Promise<GivenTarget> {
  for (const subject of flags.subject ?? []) {
    if (!RANDOM_ID.test(subject.slice(subject.indexOf(":") + 1))) {
      throw new UsageError(
        "IDENTIFIER_AS_ARGUMENT",
        "an identifier stands in the command line, where shells and process lists keep it",
        {
          cure: "put it in a file or pipe it in: --subject-file FILE, or --subject-file -",
        },
      );
    }
  }
  const subject = [...(flags.subject ?? []), ...(await readLines(flags.subjectFile, terminal))];
  const records = [...(flags.record ?? []), ...(await readLines(flags.recordFile, terminal))];
  return {
    ...(subject.length === 0 ? {} : { subject }),
    ...(records.length === 0 ? {} : { records }),
    ...(flags.none === undefined ? {} : { none: flags.none }),
  };
}

/** One entry a line; empty lines and lines that begin with `#` are left out; a JSON array of strings is taken too. */
async function readLines(file: string | undefined, terminal: Terminal): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = file === "-" ? await terminal.readInput() : readText(resolve(terminal.directory, file), file);
  if (text.trimStart().startsWith("[")) {
    const list: unknown = parseJson(text, file);
    if (Array.isArray(list) && list.every((entry) => typeof entry === "string")) return list;
    throw new UsageError("BAD_INPUT", "the list is not a JSON array of strings", { place: { file } });
  }
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length > 0 && !line.startsWith("#"));
}

export function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError("FILE_UNREADABLE", "a file cannot be read", {
      place: { file: shown },
      cure: "check its name and rights",
      cause,
    });
  }
}

/** @throws UsageError, never with a part of the text */
export function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("BAD_JSON", "a file does not hold JSON", { place: { file: shown } });
  }
}
