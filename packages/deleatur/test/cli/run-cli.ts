// Runs the command line inside the test's process, on a terminal that is none: what would have been printed comes back as text.
import { randomBytes } from "node:crypto";
import { runProgram } from "../../src/cli/program.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

export interface CliRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions extends Partial<Terminal> {
  readonly input?: string | Uint8Array;
}

export async function runCli(directory: string, argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { input = "", ...rest } = options;
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readInput: () => Promise.resolve(Buffer.from(input)),
    isTerminal: false,
    isOutTerminal: false,
    environment: {},
    directory,
    clock: () => new Date(),
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    signal: new AbortController().signal,
    ...rest,
  };
  const exitCode = await runProgram(argv, terminal);
  return { exitCode, out, err };
}

/** The answer to a script: exactly one JSON object on stdout, nothing beside it. */
export function onlyObject({
  out,
  err,
}: CliRun): Readonly<Record<string, unknown>> & { readonly error: CliError | null } {
  if (err !== "") throw new Error("something was printed on stderr beside the object");
  if (out.trimEnd().includes("\n")) throw new Error("more than one line was printed");
  const value: unknown = JSON.parse(out);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("no object was printed");
  // One object, and the stable fields are checked by the tests that use them.
  return value as ReturnType<typeof onlyObject>;
}

export interface CliError {
  readonly class: string;
  readonly code: string;
  readonly message: string;
  readonly where: Readonly<Record<string, unknown>>;
  readonly cure: string | null;
}

/** `--json` and its object. */
export async function askCli(
  directory: string,
  argv: readonly string[],
  options: CliOptions = {},
): Promise<{ readonly exitCode: number; readonly json: ReturnType<typeof onlyObject>; readonly run: CliRun }> {
  const run = await runCli(directory, [...argv, "--json"], options);
  return { exitCode: run.exitCode, json: onlyObject(run), run };
}
