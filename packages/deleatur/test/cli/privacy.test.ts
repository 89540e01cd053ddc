// PRIVACY-1 on the command line: what every verb prints, in text and as an object, in success and in failure, holds no identifier and no content.
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { type CliRun, runCli } from "./run-cli.ts";
import { SECRETS, smallMemory, subjectFile } from "./small-memory.ts";

const KEYS = ["e1", "e2", "s1", "s2"].map((key) => new RegExp(`/${key}\\b`));

/** What of a person's data was printed: secrets and keys of artifacts. */
function leaksIn({ out, err }: CliRun): readonly string[] {
  const text = out + err;
  return [...SECRETS.filter((secret) => text.includes(secret)), ...KEYS.filter((key) => key.test(text)).map(String)];
}

it("PRIVACY-1 VERDICT-5: no verb but find and review prints an identifier, content, or (without a terminal) a key", async () => {
  const memory = smallMemory({ hasLikeness: true });
  const subject = subjectFile(memory);
  const { directory } = memory;
  const named = ["--role", "dpo", "--reason", "CONSENT"];
  const lines: readonly (readonly string[])[] = [
    ["init", "memory.db", "--boundary", "draft.yaml"],
    ["check"],
    ["check", "--public", "-"],
    ["scan"],
    ["audit", "prepare", "--subject-file", subject, "--out", "ticket.json"],
    ["forget", "--dry-run", "--subject-file", subject],
    ["hold", "episodes/e1", "--ground", "case-9", "--until", "2999-01-01"],
    ["hold"],
    ["hold", "--release", "episodes/e1"],
    ["forget", "--subject-file", subject, "--reference", "marta-77 wrote by mail"],
    ["forget", "--subject-file", subject],
    ["requests"],
    ["risks"],
    ["log"],
    ["log", "--verify"],
    ["intents"],
    ["keys", "public"],
    ["lift", "--subject-file", subject, ...named],
    ["lift", "--subject-file", subject, ...named],
    ["forget", "--subject-file", "nowhere"],
  ];
  for (const argv of lines) {
    const leaks = [leaksIn(await runCli(directory, argv)), leaksIn(await runCli(directory, [...argv, "--json"]))];
    expect([argv[0], ...leaks]).toEqual([argv[0], [], []]);
  }
  rmSync(memory.database);
  for (const argv of [["check"], ["scan"], ["forget", "--subject-file", subject]]) {
    expect([argv[0], leaksIn(await runCli(directory, argv))]).toEqual([argv[0], []]);
  }
}, 120_000);

it("find and review show content, and only they", async () => {
  const memory = smallMemory({ hasLikeness: true });
  const subject = subjectFile(memory);
  const found = await runCli(memory.directory, ["find", "--subject-file", subject]);
  expect(found.out).toContain("Sankt Vinzenz");
  expect(found.out).not.toContain("Kodály");
  await runCli(memory.directory, ["forget", "--subject-file", subject]);
  expect((await runCli(memory.directory, ["review"])).out).toContain("behind the blue bins in the yard");
  expect((await runCli(memory.directory, ["find", "--subject-file", subject])).out).toContain("Nothing was found.");
});

it("shows bars and colours on a terminal only, and none where NO_COLOR is set", async () => {
  const memory = smallMemory();
  const plain = await runCli(memory.directory, ["check"]);
  expect([plain.out.includes("\u001b"), plain.err]).toEqual([false, ""]);
  const terminal = await runCli(memory.directory, ["check"], { isTerminal: true, isOutTerminal: true });
  expect(terminal.out).toContain("\u001b[");
  expect(terminal.err).toContain("\u001b[2K");
  const noColour = await runCli(memory.directory, ["check"], { isOutTerminal: true, environment: { NO_COLOR: "1" } });
  expect(noColour.out).not.toContain("\u001b");
});
