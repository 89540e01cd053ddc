#!/usr/bin/env node
// The command line's entry: connects the program to this process and turns every end into an exit code of DESIGN §8.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { runProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";

const INTERRUPTED = 130;
const aborting = new AbortController();
process.once("SIGINT", () => aborting.abort());
process.once("SIGTERM", () => aborting.abort());

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readInput,
  ask,
  isTerminal: process.stderr.isTTY,
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
if (aborting.signal.aborted) process.exitCode = INTERRUPTED;
