// `replay` and `watch` on the command line: what they print after a restore, their exit codes, and that no word or key of a person is among it.
import { randomBytes } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { SECRETS, smallMemory, temporaryDirectory } from "./small-memory.ts";

/** Every id begins like the key of a record, `e1`: what chance does to one run in a few hundred. */
const KEYLIKE = { random: (bytes: number): Uint8Array => new Uint8Array([0xe1, ...randomBytes(bytes - 1)]) };
const PERSON = { input: "account:marta-77\n" };

async function forgottenAndRestored(connect = ""): Promise<string> {
  const { directory, database } = smallMemory({ connect });
  // Elsewhere: a copy beside the store is found by the probes.
  const backup = join(temporaryDirectory(), "backup");
  copyFileSync(database, backup);
  expect((await runCli(directory, ["forget", "--subject-file", "-"], PERSON)).exitCode).toBe(0);
  for (const end of ["-wal", "-shm"]) rmSync(database + end, { force: true });
  copyFileSync(backup, database);
  return directory;
}

it("GUARD-4 C09: watch sees what a restore brought back, replay erases it again, and both are quiet then", async () => {
  const directory = await forgottenAndRestored();
  const seen = await askCli(directory, ["watch", "--once"]);
  expect(seen.exitCode).toBe(21);
  expect(seen.json).toMatchObject({ outcome: "back", looks: 1, error: null });
  const looked = await runCli(directory, ["replay", "--all", "--dry-run"]);
  expect([looked.exitCode, looked.err]).toEqual([21, ""]);
  expect(looked.out).toContain("Only looked, nothing was touched.");
  const replayed = await askCli(directory, ["replay", "--all"], KEYLIKE);
  expect(replayed.exitCode).toBe(0);
  expect(replayed.json).toMatchObject({ state: "whole", rolledBack: null, held: [], error: null });
  const said = seen.run.out + looked.out + replayed.run.out;
  for (const secret of SECRETS) expect(said).not.toContain(secret);
  // A key, and not the beginning of an id.
  expect(said).not.toMatch(/["/]e[1-4](?![0-9a-z])/u);
  const after = await runCli(directory, ["watch", "--once"]);
  expect([after.exitCode, after.out]).toEqual([0, expect.stringContaining("Nothing that was erased is there.")]);
});

it("GUARD-5: a set-back ledger is told by check, and replay says what it had lost", async () => {
  const anchor = join(temporaryDirectory(), "deleatur.anchor");
  const { directory } = smallMemory({ connect: `  anchor: { file: ${anchor} }` });
  expect((await runCli(directory, ["check"])).out).toContain("The ledger is what its anchor knows.");
  const ledger = join(directory, "deleatur.db");
  copyFileSync(ledger, `${ledger}.backup`);
  expect((await runCli(directory, ["forget", "--subject-file", "-"], PERSON)).exitCode).toBe(0);
  for (const end of ["-wal", "-shm"]) rmSync(ledger + end, { force: true });
  copyFileSync(`${ledger}.backup`, ledger);
  const check = await runCli(directory, ["check"]);
  expect(check.exitCode).toBe(21);
  expect(check.out).toContain("ROLLED_BACK: the log had");
  // What a request about somebody else could come to is judged by the same ledger.
  const jonas = { input: "account:jonas-12\n" };
  const dryRun = await askCli(directory, ["forget", "--subject-file", "-", "--dry-run"], jonas);
  expect(dryRun.json).toMatchObject({
    best: { attestation: "withheld" },
    reasons: [expect.objectContaining({ code: "ROLLED_BACK" })],
  });
  const required = await askCli(directory, ["forget", "--subject-file", "-", "--require", "erasure"], jonas);
  expect([required.exitCode, required.json.error?.code]).toEqual([21, "DOMAIN_NOT_COVERED"]);
  const replayed = await runCli(directory, ["replay", "--all"]);
  expect(replayed.exitCode).toBe(0);
  expect(replayed.out).toContain("The ledger had been set back");
  expect((await runCli(directory, ["check"])).exitCode).toBe(0);
});

it("GUARD-5: with the anchor lost watch and replay say so and name the cure, which begins another", async () => {
  const anchor = join(temporaryDirectory(), "deleatur.anchor");
  const { directory } = smallMemory({ connect: `  anchor: { file: ${anchor} }` });
  expect((await runCli(directory, ["check"])).exitCode).toBe(0);
  rmSync(anchor);
  for (const [argv, exitCode] of [
    [["watch", "--once"], 20],
    [["replay", "--all", "--dry-run"], 21],
    [["replay", "--all"], 21],
  ] as const) {
    const answer = await askCli(directory, argv);
    expect([answer.exitCode, answer.json]).toEqual([
      exitCode,
      expect.objectContaining({ anchorLost: expect.any(String) as string }),
    ]);
    const { out } = await runCli(directory, argv);
    expect(out).toContain("ANCHOR_LOST: ");
    expect(out).toContain("deleatur replay --all --new-anchor");
  }
  const anew = ["replay", "--all", "--new-anchor", "--role", "operator", "--reason", "DISK_LOST"];
  expect((await runCli(directory, anew)).exitCode).toBe(0);
  expect((await askCli(directory, ["watch", "--once"])).json).toMatchObject({ outcome: "clean", anchorLost: null });
});

it("GUARD-4: a replay whose purge would lock the store waits, says what lets it go on, and ends with --now", async () => {
  const { directory, database } = smallMemory({ isAdopted: false });
  const backup = join(temporaryDirectory(), "backup");
  copyFileSync(database, backup);
  expect((await runCli(directory, ["forget", "--subject-file", "-", "--now"], PERSON)).exitCode).toBe(0);
  for (const end of ["-wal", "-shm"]) rmSync(database + end, { force: true });
  copyFileSync(backup, database);
  const waiting = await runCli(directory, ["replay", "--all"]);
  expect([waiting.exitCode, waiting.out]).toEqual([22, expect.stringContaining("with --now where it waits")]);
  const done = await runCli(directory, ["replay", "--all", "--now"]);
  expect([done.exitCode, done.out]).toEqual([0, expect.stringContaining("Replayed: nothing")]);
});

it.each([
  [["replay"], "NOTHING_SELECTED"],
  [["replay", "episodes", "--all"], "NOTHING_SELECTED"],
  [["replay", "nowhere"], "SURFACE_UNKNOWN"],
  [["replay", "--all", "--new-anchor"], "ACT_NOT_NAMED"],
  [["watch", "--every", "soon"], "BAD_WATCH"],
  [["watch", "--once", "--after-writes", "-3"], "BAD_WATCH"],
])("refuses %j with exit 2", async (argv, code) => {
  const { directory } = smallMemory();
  const answer = await askCli(directory, argv);
  expect([answer.exitCode, answer.json.error?.code]).toEqual([2, code]);
});
