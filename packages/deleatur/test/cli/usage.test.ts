// What the command line says about itself and about a wrong call: help for every verb, exit 2 for every misuse, never a word of what was typed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { smallMemory, subjectFile, temporaryDirectory } from "./small-memory.ts";

const VERBS =
  "init check scan find forget requests review audit verify attest letter hold lift replay watch risks log intents participants keys conformance demo".split(
    " ",
  );
/** Verbs that no issue has built yet are absent, no stubs. */
const LATER = ["mcp", "rebuild"];

describe("help", () => {
  it("lists every verb that is built, and none that is not", async () => {
    const { out, exitCode } = await runCli(temporaryDirectory(), ["--help"]);
    const listed = [...out.matchAll(/^ {2}([a-z]+)\b.*$/gm)].map(([, verb]) => verb);
    expect(exitCode).toBe(0);
    expect(listed).toEqual([...VERBS, "help"]);
    expect(LATER.filter((verb) => listed.includes(verb))).toEqual([]);
  });

  it.each(VERBS.map((verb) => [verb]))("explains %s, the global options included", async (verb) => {
    const { out, err, exitCode } = await runCli(temporaryDirectory(), [verb, "--help"]);
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toContain(`Usage: deleatur ${verb}`);
    expect(out).toContain("--boundary <file>");
    expect(out).toContain("--json");
  });

  it.each([["audit prepare"], ["keys export"], ["keys import"], ["keys public"]])("explains %s", async (words) => {
    const { out, exitCode } = await runCli(temporaryDirectory(), [...words.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: deleatur ${words}`);
  });

  it("gives help and version as one object to scripts", async () => {
    for (const argv of [["--help"], ["forget", "--help"], ["--version"]]) {
      const { json, exitCode } = await askCli(temporaryDirectory(), argv);
      expect([exitCode, typeof json["help"], json.error]).toEqual([0, "string", null]);
    }
  });
});

const PERSON = "lena.k@example.org";

describe("a wrong call", () => {
  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ["no verb", [], "NO_VERB"],
    ["a verb that does not exist", [PERSON], "UNKNOWN_COMMAND"],
    ["an unknown option", ["forget", "--bogus"], "UNKNOWN_OPTION"],
    ["an unknown option that holds an identifier", ["forget", `--${PERSON}`], "UNKNOWN_OPTION"],
    ["more arguments than there are", ["forget", PERSON], "EXCESS_ARGUMENTS"],
    ["a missing argument", ["verify"], "MISSING_ARGUMENT"],
    ["an option without its value", ["forget", "--resume"], "OPTION_MISSING_ARGUMENT"],
    ["a choice that is none", ["forget", "--require", PERSON], "INVALID_ARGUMENT"],
    ["options that exclude each other", ["forget", "--require", "erasure", "--allow-tombstone"], "CONFLICTING_OPTION"],
    ["a named act without its name", ["lift", "--request", "0".repeat(32)], "MISSING_MANDATORY_OPTION_VALUE"],
    ["nobody to forget", ["forget"], "BAD_TARGET"],
    ["an identifier as an argument", ["forget", "--subject", `email:${PERSON}`], "IDENTIFIER_AS_ARGUMENT"],
    ["an address in a record's key", ["forget", "--record", `episodes/${PERSON}`], "IDENTIFIER_AS_ARGUMENT"],
    ["a file that is not there", ["forget", "--subject-file", "nowhere.txt"], "FILE_UNREADABLE"],
    ["a day that does not exist", ["forget", "--record", "episodes/e1", "--received", "2026-02-30"], "BAD_DATE"],
    ["a day to come", ["forget", "--record", "episodes/e1", "--received", "2999-01-01"], "BAD_DATE"],
    ["a request that nobody made", ["forget", "--resume", "0".repeat(32)], "REQUEST_UNKNOWN"],
    ["a request id that is none", ["attest", PERSON], "BAD_REQUEST_ID"],
    ["a resume with a person", ["forget", "--resume", "0".repeat(32), "--record", "a/b"], "RESUME_WITH_TARGET"],
    [
      "a surface that is not declared",
      ["hold", "nowhere/1", "--ground", "x", "--until", "2999-01-01"],
      "SURFACE_UNKNOWN",
    ],
    ["a record of a surface that is not declared", ["forget", "--record", "episodse/e1"], "SURFACE_UNKNOWN"],
    ["a look for such a record", ["find", "--record", "episodse/e1"], "SURFACE_UNKNOWN"],
    ["a ticket for such a record", ["audit", "prepare", "--record", "episodse/e1"], "SURFACE_UNKNOWN"],
    ["a hold without a ground", ["hold", "episodes/e1"], "HOLD_INCOMPLETE"],
    ["a hold that has ended", ["hold", "episodes/e1", "--ground", "x", "--until", "2001-01-01"], "BAD_DATE"],
    ["a release of what is not held", ["hold", "--release", "episodes/e1"], "NOT_HELD"],
    ["a lift that names nothing", ["lift", "--role", "dpo", "--reason", "CONSENT"], "NOTHING_SELECTED"],
    ["a role that is a name", ["lift", "--request", "0".repeat(32), "--role", "Lena K", "--reason", "X1"], "BAD_CODE"],
    ["an audit without a claim", ["audit"], "CLAIM_MISSING"],
    ["a decision without a role", ["review", "0".repeat(32), "--keep", "x"], "DECISION_INCOMPLETE"],
    ["a receipt without a key", ["verify", "receipt.json"], "PUBLIC_KEY_MISSING"],
    ["an intent that is none", ["intents", "--writer-gone", "x"], "INTENT_UNKNOWN"],
    ["no passphrase", ["keys", "export", "keys.json"], "PASSPHRASE_MISSING"],
    ["an index that is none", ["log", "--from", "x"], "BAD_INDEX"],
    ["an inventory that is there already", ["init"], "FILE_EXISTS"],
  ];

  it.each(wrong)("ends %s with exit 2, one object, and no echo", async (_what, argv, code) => {
    const { directory } = smallMemory();
    const asked = await askCli(directory, argv);
    expect([asked.exitCode, asked.json.error?.code]).toEqual([2, code]);
    expect(asked.json).toMatchObject({
      schema: "deleatur-cli/1",
      exitCode: 2,
      verdict: null,
      reasons: [],
      survivors: [],
    });
    const said = await runCli(directory, argv);
    expect([said.exitCode, said.out]).toEqual([2, ""]);
    for (const text of [said.err, asked.run.out]) {
      expect(text).not.toContain(PERSON);
      expect(text).not.toContain("Lena");
    }
  });

  it.each([
    [["forgett"], "did you mean forget? see `deleatur --help`"],
    [["forget", "--dryrun"], "did you mean --dry-run? see `deleatur forget --help`"],
    [["forget", "--require", "all"], "it takes erasure; see `deleatur forget --help`"],
    [
      ["letter", "r.json", "--lang", `x' is invalid. Allowed choices are ${PERSON}.`],
      "it takes en, de, fr; see `deleatur letter --help`",
    ],
    [["forget", `--x\n(Did you mean ${PERSON}?)`], "see `deleatur forget --help`"],
    [
      ["forget"],
      "give identifiers as type:value (`--subject-file FILE`, or - for stdin), or records as surface/key (`--record`)",
    ],
  ])("says what is meant instead: %j", async (argv, cure) => {
    const { json } = await askCli(smallMemory().directory, argv);
    expect(json.error?.cure).toBe(cure);
  });

  it("says what to do about a file once", async () => {
    const { directory } = smallMemory();
    for (const argv of [["forget", "--subject-file", "nowhere.txt"], ["init"]]) {
      const { json } = await askCli(directory, argv);
      expect(json.error?.cure).toBeTypeOf("string");
      expect(json.error?.message).not.toContain(json.error?.cure);
    }
  });

  it("takes random ids as arguments, and identifiers from a JSON array", async () => {
    const { directory } = smallMemory();
    const random = "account:0d9f2c1e-6f0a-4f5e-9a64-1f0c7d3f2b11";
    const shown = await runCli(directory, ["forget", "--dry-run", "--subject", random]);
    expect([shown.exitCode, shown.out]).toEqual([21, expect.stringContaining("nothing is known about this person")]);
    const list = await askCli(directory, ["find", "--subject-file", "-"], { input: '["account:marta-77"]' });
    expect(list.json["artifacts"]).toHaveLength(4);
    const bad = await askCli(directory, ["find", "--subject-file", "-"], { input: '["account:marta-77", 7]' });
    expect([bad.exitCode, bad.json.error?.code]).toEqual([2, "BAD_INPUT"]);
  });
});

describe("init", () => {
  it("drafts an inventory that check can read, and overwrites none", async () => {
    const { directory } = smallMemory();
    const drafted = await askCli(directory, [
      "init",
      "memory.db",
      "--boundary",
      "draft.yaml",
      "--name",
      "test/drafted",
    ]);
    expect([drafted.exitCode, drafted.json["file"]]).toEqual([0, "draft.yaml"]);
    const form = await askCli(directory, ["check", "--public", "-", "--boundary", "draft.yaml"]);
    expect(form.json["publicForm"]).toMatchObject({ id: "test/drafted" });
    expect((await runCli(directory, ["init", "memory.db", "--boundary", "draft.yaml"])).exitCode).toBe(2);
  });

  it("GUARD-1: drafts writers that claim nothing; `check` says once, for all its tables, what is missing and what to do, and it helps", async () => {
    const memory = smallMemory({ writers: "trigger" });
    const told = await runCli(memory.directory, ["check"]);
    expect(told.exitCode).toBe(21);
    const lines = told.out.split("\n").map((line) => line.trim());
    expect(lines.filter((line) => line.includes("RESURRECTABLE"))).toEqual([
      "RESURRECTABLE (technical, episodes, summaries): `writers: trigger` refuses a forgotten person only while a request runs, so erased words can be written again after it",
    ]);
    expect(lines.filter((line) => line.includes("writers: sdk"))).toEqual([
      "- let all writes to episodes, summaries go through the SDK, and declare `writers: sdk`",
    ]);
    // What it foretells is what a request ends with.
    const ended = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--now"]);
    expect([ended.exitCode, ended.json["verdict"]]).toEqual([21, "UNCONFIRMED"]);
    expect(JSON.stringify(ended.json["reasons"])).toContain("RESURRECTABLE");
    const mended = smallMemory({ writers: "sdk" });
    expect((await runCli(mended.directory, ["check"])).exitCode).toBe(0);
  });

  it("says where it found no store", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "picture.png"), "not a store");
    const { exitCode, json } = await askCli(directory, ["init", "."]);
    expect([exitCode, json.error?.code]).toEqual([2, "NOTHING_FOUND"]);
  });
});
