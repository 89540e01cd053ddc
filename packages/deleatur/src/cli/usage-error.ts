// Turns what commander found wrong with a command line into our own error. What was typed may be an identifier, so only our own flags are repeated.
import type { CommanderError } from "commander";
import { UsageError } from "../model/errors.ts";

const WHAT: Readonly<Record<string, string>> = {
  "commander.unknownCommand": "there is no such verb",
  "commander.unknownOption": "an option is unknown",
  "commander.excessArguments": "there are more arguments than the verb takes",
  "commander.missingArgument": "an argument is missing",
  "commander.missingMandatoryOptionValue": "an option that the verb needs is missing",
  "commander.optionMissingArgument": "an option has no value",
  "commander.conflictingOption": "two options exclude each other",
  "commander.invalidArgument": "an option has a value that it does not take",
  "commander.help": "a verb is missing",
};

/** What commander adds at the very end of its message out of our own declarations, whatever stands before it. */
const CHOICES = /\. Allowed choices are ([a-z, -]+)\.$/;
const LIKENESS = /\n\(Did you mean (?:one of )?([a-z, -]+)\?\)$/;

/** A flag as it may be repeated: it cannot hold a value. */
const FLAG = /'(?:-\w, )?(--[a-z][a-z-]{0,30})[ ']/g;

export function usageError(error: CommanderError, argv: readonly string[], verbs: readonly string[]): UsageError {
  const what = WHAT[error.code] ?? "the command line cannot be read";
  const flags = [...new Set([...error.message.matchAll(FLAG)].flatMap(([, flag]) => flag ?? []))];
  const verb = argv.find((word) => verbs.includes(word));
  const code =
    error.code === "commander.help"
      ? "NO_VERB"
      : error.code
          .replace("commander.", "")
          .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
          .toUpperCase();
  const named = flags.length === 0 ? "" : ` (${flags.join(", ")})`;
  const help = verb === undefined ? "see `deleatur --help`" : `see \`deleatur ${verb} --help\``;
  const [, choices] = CHOICES.exec(error.message) ?? [];
  const [, likeness] = LIKENESS.exec(error.message) ?? [];
  const hint =
    choices === undefined ? (likeness === undefined ? "" : `did you mean ${likeness}? `) : `it takes ${choices}; `;
  return new UsageError(code, `${what}${named}`, { cure: `${hint}${help}` });
}
