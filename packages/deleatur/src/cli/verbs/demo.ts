// `demo`: builds an agent's memory, forgets a person in it and shows every step. It touches no store of the user's.
import type { Command } from "commander";
import { runDemo } from "../../demo/run-demo.ts";
import { resolveFrom } from "../files.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface DemoFlags {
  readonly out?: string;
  readonly data?: readonly string[];
}

export function addDemo(program: Command, run: RunVerb): void {
  program
    .command("demo")
    .description('build an agent\'s memory, let a naive tool "delete", audit it, forget for real, verify, offer again')
    .option("--out <dir>", "keep receipt, letters and the memory itself there")
    .option("--data <path...>", "real meetings (QMSum files, or a folder of them) instead of the household")
    .action((flags: DemoFlags, command: Command) => run(command, (context) => demo(flags, context)));
}

async function demo({ out, data }: DemoFlags, { terminal, isJson, paint }: VerbContext): Promise<VerbResult> {
  const result = await runDemo(
    {
      ...(out === undefined ? {} : { out: resolveFrom(terminal, out) }),
      ...(data === undefined ? {} : { data: data.map((file) => resolveFrom(terminal, file)) }),
      json: isJson,
      isColoured: paint.isColorSupported,
      // The story is told while it happens; the object for scripts is printed once, at the end.
      print: isJson ? () => undefined : (line) => terminal.out(`${line}\n`),
      clock: terminal.clock,
      random: terminal.random,
    },
    terminal.signal,
  );
  const [first] = result.forgotten;
  return {
    text: "",
    json: {
      verdict: first?.verdict ?? null,
      attestation: first === undefined ? null : { kind: first.attestation },
      surfaces: first?.surfaces ?? [],
      receipt: first?.receipt ?? null,
      demo: result,
    },
    exitCode: result.exitCode,
  };
}
