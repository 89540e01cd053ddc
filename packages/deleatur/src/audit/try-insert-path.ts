// Tries a foreign tool's own insert path in a copy: a command that is given the erased texts and says how they were taken. Its word counts for refusals only as far as it runs.
import { spawn } from "node:child_process";
import type { Evidence } from "../attest/evidence.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { artifactId } from "../model/ids.ts";

const ANSWERS = ["refused", "held", "accepted"] as const;
const LONGEST_ANSWER = 65_536;

/**
 * Runs `command` in a shell. It reads a JSON array of `{artifact, content}` from stdin, offers each to a copy of the tool, and prints as its last word
 * `refused`, `held` or `accepted` (one accepted is enough). Any other end shows nothing: `not-run`.
 */
export function tryInsertPath(
  command: string,
): (needles: readonly KeptNeedle[], signal: AbortSignal) => Promise<Evidence["trial"]> {
  return async (needles, signal) => {
    const said = await runCommand(command, JSON.stringify(needles.map(toOffer)), signal);
    return ANSWERS.find((answer) => answer === said) ?? "not-run";
  };
}

function toOffer({ ref, content }: KeptNeedle): Readonly<Record<string, unknown>> {
  return {
    artifact: artifactId(ref),
    content: Object.fromEntries(content.flatMap((field) => (field.type === "text" ? [[field.name, field.text]] : []))),
  };
}

/** The last word that the command prints; nothing where it fails. */
function runCommand(command: string, input: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, signal, stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk: string) => {
      output = (output + chunk).slice(-LONGEST_ANSWER);
    });
    child.on("error", (error) => (signal.aborted ? reject(error) : resolve(undefined)));
    child.on("close", (code) => resolve(code === 0 ? output.trim().split(/\s+/).at(-1) : undefined));
    // A command that does not read its input is no fault of ours: its exit code decides.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
