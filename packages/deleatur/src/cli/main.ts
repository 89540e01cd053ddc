#!/usr/bin/env node
// The command line's entry: connects the program to this process and turns every end into an exit code of DESIGN §8.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { runProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";

// The first signal lets the engine stop between two steps; a second one ends the process at once.
const aborting = new AbortController();
process.once("SIGINT", () => aborting.abort());
process.once("SIGTERM", () => aborting.abort());

async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function ask(question: string, isSecret: boolean): Promise<string> {
  process.stderr.write(question);
  // A terminal interface takes over the echo, and an output that swallows it shows none.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? silent : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await lines.question("", { signal: aborting.signal });
  } finally {
    lines.close();
    if (isSecret) process.stderr.write("\n");
  }
}

const canAsk = isatty(process.stdin.fd) && isatty(process.stderr.fd);
const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readInput,
  ...(canAsk ? { ask } : {}),
  isTerminal: isatty(process.stderr.fd),
  isOutTerminal: isatty(process.stdout.fd),
  environment: process.env,
  directory: process.cwd(),
  clock: () => new Date(),
  random: (bytes) => new Uint8Array(randomBytes(bytes)),
  signal: aborting.signal,
};

// A reader that closes the pipe early is no failure of ours, and no verdict either.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), terminal);
