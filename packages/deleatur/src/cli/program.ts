// The command line as a whole: global options, all verbs, and the one place where an answer or an error is printed. A verb never prints by itself.
import { Command, CommanderError } from "commander";
import { UsageError } from "../model/errors.ts";
import { VERSION } from "../version.ts";
import { importKinds } from "./import-module.ts";
import { errorResult } from "./print/error-report.ts";
import { jsonObject } from "./print/json-object.ts";
import type { Terminal, VerbResult } from "./terminal.ts";
import { createContext, type GlobalFlags, type RunVerb } from "./verb.ts";
import { usageError } from "./usage-error.ts";
import { addVerbs } from "./verbs/add-verbs.ts";

const EPILOGUE = `
Exit codes: 0 as asked and effective · 1 failed · 2 usage or boundary · 20 partial, or a valid tombstone · 21 unconfirmed or withheld ·
22 valid but not yet effective, or waiting · 23 signature holds, but scope, exclusion or a second pair of eyes is missing · 24 invalid · 130 interrupted`;

/** What somebody who asked for it wants of the resumed request as well. */
const RESUMED_WITH = ["--now", "--allow-tombstone"];

/** Runs one command line to its exit code; it never throws. */
export async function runProgram(argv: readonly string[], given: Terminal): Promise<number> {
  const terminal: Terminal = { ...given, readInput: once(given.readInput) };
  let answer: VerbResult | undefined;
  let verb = "";
  let request: string | undefined;
  const help: string[] = [];
  const program = new Command();
  const run: RunVerb = async (command, act) => {
    verb = nameOf(command);
    const flags = program.opts<GlobalFlags>();
    const context = createContext(terminal, flags, await importKinds(terminal, flags.adapter ?? []));
    try {
      answer = await act(context);
    } finally {
      request = context.lastRequest();
      await context.close();
    }
  };
  program
    .name("deleatur")
    .description(
      "Erasure that can be proven, for agent memory: finds every copy, erases it, looks again, signs what it can show.",
    )
    .version(VERSION, "--version", "the version of this program")
    .option("--boundary <file>", "the inventory of all data locations (default: deleatur.yaml)")
    .option("--json", "print one JSON object (schema deleatur-cli/1) instead of text")
    .option(
      "--adapter <module>",
      "an adapter of your own: a module that exports `kind` or `kinds`; its code is run (may be repeated)",
      (module: string, before: readonly string[]) => [...before, module],
      [],
    )
    .option("--keys", "show the keys of records where no terminal is")
    .addHelpText("after", EPILOGUE)
    .configureHelp({ showGlobalOptions: true, helpWidth: 118 })
    .configureOutput({ writeOut: (text) => void help.push(text), writeErr: (text) => void help.push(text) })
    .helpCommand("help [verb]", "help for a verb")
    .exitOverride();
  addVerbs(program, run);
  const isJson = argv.includes("--json");
  try {
    await program.parseAsync(argv, { from: "user" });
    return print(terminal, isJson, verb, answer ?? { text: "", json: {}, exitCode: 0 });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      const text = help.join("");
      return print(terminal, isJson, verb, { text, json: { help: text }, exitCode: 0 });
    }
    const verbs = program.commands.map((command) => command.name());
    const told = error instanceof CommanderError ? usageError(error, argv, verbs) : error;
    const acts = RESUMED_WITH.filter((flag) => argv.includes(flag));
    const failure = errorResult(told, terminal.signal.aborted, request, acts);
    if (isJson) return print(terminal, true, verb, failure);
    terminal.err(failure.text);
    return failure.exitCode;
  }
}

function print(terminal: Terminal, isJson: boolean, verb: string, { text, json, exitCode }: VerbResult): number {
  if (isJson) terminal.out(`${JSON.stringify(jsonObject(verb, json, exitCode))}\n`);
  else if (text !== "") terminal.out(text.endsWith("\n") ? text : `${text}\n`);
  return exitCode;
}

/** A second reader of stdin would find nothing there, and take that for what was given. */
function once(readInput: Terminal["readInput"]): Terminal["readInput"] {
  let isRead = false;
  return () => {
    if (isRead) throw new UsageError("STDIN_TWICE", "stdin is read once, give all but one of what is `-` as files");
    isRead = true;
    return readInput();
  };
}

function nameOf(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}
