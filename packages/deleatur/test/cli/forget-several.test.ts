// Several people on the command line: each file is one of them, and `--resume-all` carries on whatever is open, with one purge for all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { smallMemory, subjectFile, type SmallMemory } from "./small-memory.ts";

function otherFile({ directory }: SmallMemory): string {
  const file = join(directory, "other.txt");
  writeFileSync(file, "account:jonas-12\n");
  return file;
}

type Listed = readonly { readonly state: string; readonly verdict: string; readonly why: string | null }[];

it("FORGET-1: two files are two people, forgotten together, with a receipt each", async () => {
  const memory = smallMemory();
  const files = [subjectFile(memory), otherFile(memory)].flatMap((file) => ["--subject-file", file]);
  const { exitCode, json } = await askCli(memory.directory, ["forget", ...files]);
  const requests = json["requests"] as readonly { readonly receipt: string; readonly verdict: string }[];
  expect([exitCode, requests.map(({ verdict }) => verdict)]).toEqual([0, ["COMPLIANT", "COMPLIANT"]]);
  expect(new Set(requests.map(({ receipt }) => receipt)).size).toBe(2);
});

it("FORGET-2: what waits for a lock is carried on together by --resume-all --now; then nothing is open", async () => {
  const memory = smallMemory({ isAdopted: false });
  for (const file of [subjectFile(memory), otherFile(memory)]) {
    const { exitCode } = await runCli(memory.directory, ["forget", "--subject-file", file]);
    expect(exitCode).toBe(22);
  }
  const { exitCode, json } = await askCli(memory.directory, ["forget", "--resume-all", "--now"]);
  expect([exitCode, (json["requests"] as Listed).map(({ state }) => state)]).toEqual([0, ["closed", "closed"]]);
  const again = await runCli(memory.directory, ["forget", "--resume-all"]);
  expect([again.exitCode, again.out]).toEqual([0, "No open request can go on now.\n"]);
});

it("says what of several files cannot be", async () => {
  const memory = smallMemory();
  const files = [subjectFile(memory), otherFile(memory)].flatMap((file) => ["--subject-file", file]);
  const codeOf = async (more: readonly string[]): Promise<unknown> =>
    (await askCli(memory.directory, ["forget", ...files, ...more])).json.error?.code;
  expect(await codeOf(["--record", "episodes/e1"])).toBe("SEVERAL_AND_MORE");
  expect(await codeOf(["--dry-run"])).toBe("ONE_AT_A_TIME");
  expect(await codeOf(["--resume-all"])).toBe("RESUME_WITH_TARGET");
  expect(await codeOf(["--subject-file", "-", "--subject-file", "-"])).toBe("STDIN_TWICE");
});
