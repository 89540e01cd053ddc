// The options by which a verb is told whom or what it is about: the same for every verb that takes a person or records.
import type { Command } from "commander";

export function addTargetOptions(command: Command): Command {
  return addTarget(
    command.option(
      "--subject-file <file>",
      "the person's identifiers, one type:value a line or a JSON array; - reads stdin",
    ),
  );
}

/** The same where each further file is a further person. */
export function addSeveralTargetsOptions(command: Command): Command {
  return addTarget(
    command.option(
      "--subject-file <file>",
      "the person's identifiers, one type:value a line or a JSON array; - reads stdin; given again: a further person",
      (file: string, before: readonly string[]) => [...before, file],
      [],
    ),
  );
}

function addTarget(command: Command): Command {
  return command
    .option("--subject <id...>", "the same as arguments, random ids only (UUID, ULID, hex)")
    .option("--record-file <file>", "records, one surface/key a line or a JSON array; - reads stdin")
    .option("--record <id...>", "the same as arguments")
    .option("--none <type...>", "identifier types that this person has none of");
}
