// Bad input on the command line: each a clear error of its class with its exit code, where it stands and what cures it; nothing half done.
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { formatPersonCode } from "@deleatur/verify";
import { describe, expect, it } from "vitest";
import { askCli, type CliError, runCli } from "./run-cli.ts";
import { type SmallMemory, smallMemory, subjectFile, temporaryDirectory } from "./small-memory.ts";

const PASSPHRASE = { DELEATUR_PASSPHRASE: "correct horse battery" };
const ask = (): Promise<string> => Promise.resolve(PASSPHRASE.DELEATUR_PASSPHRASE);

/** A memory whose ledger has been used. */
async function usedMemory(): Promise<SmallMemory> {
  const memory = smallMemory();
  expect((await runCli(memory.directory, ["scan"])).exitCode).toBe(0);
  return memory;
}

function edit({ boundaryFile }: SmallMemory, from: string, to: string): void {
  const text = readFileSync(boundaryFile, "utf8");
  if (!text.includes(from)) throw new Error("the boundary has no such text to edit");
  writeFileSync(boundaryFile, text.replace(from, to));
}

/** Every verb that opens the inventory says the same about it. */
async function errorOf(
  memory: SmallMemory,
  argv: readonly string[] = ["check"],
): Promise<CliError & { exitCode: number }> {
  const { exitCode, json } = await askCli(memory.directory, argv);
  const text = await runCli(memory.directory, argv);
  expect([text.exitCode, text.out]).toEqual([exitCode, ""]);
  if (json.error === null) throw new Error("there was no error");
  expect(text.err).toContain(`${json.error.class} ${json.error.code}`);
  expect(text.err).toContain(json.error.cure ?? "");
  return { ...json.error, exitCode };
}

describe("the inventory", () => {
  it("is missing", async () => {
    const { exitCode, json } = await askCli(temporaryDirectory(), ["check"]);
    expect([exitCode, json.error?.class, json.error?.code]).toEqual([2, "BoundaryError", "BOUNDARY_UNREADABLE"]);
  });

  it.each([
    { what: "a table", sql: "ALTER TABLE summaries RENAME TO old", code: "TABLE_MISSING", field: "table" },
    {
      what: "a column",
      sql: "ALTER TABLE summaries RENAME COLUMN text TO txt",
      code: "COLUMN_MISSING",
      field: "content",
    },
  ])("names $what that the store has no more: told with file, line, field and cure", async ({ sql, code, field }) => {
    const memory = smallMemory();
    const db = new Database(memory.database);
    db.exec(sql);
    db.close();
    const line =
      1 +
      readFileSync(memory.boundaryFile, "utf8")
        .split("\n")
        .findIndex((text) => text.includes("summaries:"));
    const error = await errorOf(memory, ["forget", "--subject-file", subjectFile(memory)]);
    expect(error).toMatchObject({
      code,
      exitCode: 2,
      where: { file: memory.boundaryFile, line, field: `surfaces.summaries.${field}`, surface: "summaries" },
      cure: expect.stringContaining("put it back"),
    });
    expect(error.message).toContain(`${memory.boundaryFile}, line ${line}: surfaces.summaries.${field} names`);
    // `check` knows no request that could be resumed, and says the cure of the store.
    const { out } = await runCli(memory.directory, ["check"]);
    expect(out.slice(out.indexOf("Best that could be attested"))).toContain("put it back");
    expect(out).not.toContain("--resume");
    const { json } = await askCli(memory.directory, ["check"]);
    expect(JSON.stringify(json)).not.toContain("--resume");
  });

  it("is wrong in one place: a terminal says file, line and cure once each", async () => {
    const memory = smallMemory();
    edit(memory, "role: primary", "role: first");
    const { err } = await runCli(memory.directory, ["check"]);
    const [told = "", where = "", cure = "", ...rest] = err.trimEnd().split("\n");
    expect(rest).toEqual([]);
    expect(told).toMatch(
      /^BoundaryError BAD_FIELD: surfaces\.episodes\.role is missing or not one of the allowed values$/,
    );
    expect(where).toMatch(/^ {2}where: .*deleatur\.yaml:\d+, field surfaces\.episodes\.role$/);
    expect(cure).toMatch(/^ {2}cure: {2}write primary or /);
  });

  it("is wrong in several places: each is told with file, line, field and cure", async () => {
    const memory = smallMemory();
    edit(memory, "role: primary", "role: first");
    edit(memory, "shared: destroy", "shared: maybe");
    const { exitCode, json } = await askCli(memory.directory, ["check"]);
    expect(exitCode).toBe(2);
    const problems = (json.error as unknown as { problems: readonly CliError[] }).problems;
    expect(problems).toHaveLength(2);
    for (const { where, cure } of problems) {
      expect(where).toMatchObject({
        line: expect.any(Number) as unknown,
        field: expect.stringMatching(/^surfaces\./) as unknown,
      });
      expect(cure).toBeTypeOf("string");
    }
    const { err } = await runCli(memory.directory, ["check"]);
    expect(err.match(/where: .*deleatur\.yaml:\d+, field surfaces\./g)).toHaveLength(2);
  });

  it("holds a literal credential, which is not repeated", async () => {
    const memory = smallMemory();
    edit(memory, "file: ./memory.db", 'file: "postgres://marta:hunter2@db/x"');
    const { code, message } = await errorOf(memory);
    expect(code).toBe("LITERAL_CREDENTIAL");
    expect(message).not.toContain("hunter2");
  });

  it("names a table or a column that the store has not", async () => {
    for (const [from, to] of [
      ["table: episodes", "table: nowhere"],
      ["content: [text] }\n  summaries", "content: [words] }\n  summaries"],
    ] as const) {
      const memory = smallMemory();
      edit(memory, from, to);
      const { exitCode, json } = await askCli(memory.directory, ["check"]);
      expect(exitCode).toBeGreaterThanOrEqual(20);
      expect(json["surfaces"]).toContainEqual(expect.objectContaining({ surface: "episodes", isReachable: false }));
    }
  });
});

describe("ledger and keys", () => {
  it("a missing key stops everything with 1, and an import brings it back", async () => {
    const memory = await usedMemory();
    const exported = await runCli(memory.directory, ["keys", "export", "keys.json"], { environment: PASSPHRASE });
    expect(exported.exitCode).toBe(0);
    rmSync(join(memory.directory, "deleatur.db.keys"), { recursive: true });
    const error = await errorOf(memory, ["requests"]);
    expect([error.exitCode, error.class, error.code]).toEqual([1, "LedgerError", "KEY_MISSING"]);
    const wrong = await askCli(memory.directory, ["keys", "import", "keys.json"], {
      environment: { DELEATUR_PASSPHRASE: "not that one at all" },
    });
    expect([wrong.exitCode, wrong.json.error?.code]).toEqual([1, "KEY_PASSPHRASE"]);
    const imported = await askCli(memory.directory, ["keys", "import", "keys.json", "--passphrase-file", "-"], {
      input: `${PASSPHRASE.DELEATUR_PASSPHRASE}\n`,
    });
    expect([imported.exitCode, imported.json["imported"]]).toEqual([0, ["guard", "request", "signing"]]);
    expect((await runCli(memory.directory, ["requests"])).exitCode).toBe(0);
  });

  it("asks for the passphrase where somebody can answer, overwrites no export, and logs it", async () => {
    const memory = await usedMemory();
    const argv = ["keys", "export", "keys.json"];
    expect((await runCli(memory.directory, argv, { ask })).exitCode).toBe(0);
    const again = await askCli(memory.directory, argv, { ask });
    expect([again.exitCode, again.json.error?.code]).toEqual([2, "FILE_EXISTS"]);
    const weak = await askCli(memory.directory, ["keys", "export", "weak.json"], {
      ask: () => Promise.resolve("short"),
    });
    expect([weak.exitCode, weak.json.error?.code]).toEqual([2, "WEAK_PASSPHRASE"]);
    expect(JSON.stringify((await askCli(memory.directory, ["log"])).json["log"])).toContain('"keys-exported"');
  });

  it("the keys of another ledger are refused with 1", async () => {
    const memory = await usedMemory();
    const other = await usedMemory();
    rmSync(join(memory.directory, "deleatur.db.keys"), { recursive: true });
    renameSync(join(other.directory, "deleatur.db.keys"), join(memory.directory, "deleatur.db.keys"));
    const error = await errorOf(memory, ["requests"]);
    expect([error.exitCode, error.code]).toEqual([1, "KEY_WRONG"]);
  });

  it("a truncated ledger, and a file that is none, end with 1", async () => {
    const memory = await usedMemory();
    truncateSync(join(memory.directory, "deleatur.db"), 5000);
    const damaged = await errorOf(memory, ["requests"]);
    expect([damaged.exitCode, damaged.class]).toEqual([1, "LedgerError"]);
    const foreign = smallMemory();
    writeFileSync(join(foreign.directory, "deleatur.db"), "no database at all, but long enough to be one");
    rmSync(join(foreign.directory, "deleatur.db.keys"), { recursive: true, force: true });
    const { exitCode, class: name } = await errorOf(foreign, ["requests"]);
    expect([exitCode, name]).toEqual([1, "LedgerError"]);
  });

  it("a ledger that another process has locked ends with 1 and says whom to wait for", async () => {
    const memory = await usedMemory();
    const db = new Database(join(memory.directory, "deleatur.db"));
    db.exec("BEGIN IMMEDIATE");
    try {
      const { exitCode, json } = await askCli(memory.directory, ["scan"]);
      expect([exitCode, json.error?.code]).toEqual([1, "LEDGER_LOCKED"]);
      expect(json.error?.cure).toContain("let the other process finish");
    } finally {
      db.exec("ROLLBACK");
      db.close();
    }
  }, 30_000);

  it("LOG-1: a log whose entries were edited is damaged, with 1", async () => {
    const memory = await usedMemory();
    expect((await askCli(memory.directory, ["log", "--verify"])).json["log"]).toMatchObject({ ok: true, size: 2 });
    const db = new Database(join(memory.directory, "deleatur.db"));
    const triggers = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
    db.exec("UPDATE log_entries SET entry = replace(entry, 'scan', 'find') WHERE position = 0");
    db.close();
    const { exitCode, json } = await askCli(memory.directory, ["log", "--verify"]);
    expect([exitCode, json.error?.code]).toEqual([1, "LOG_DAMAGED"]);
  });
});

describe("stores", () => {
  it("VERDICT-4 CLAIM-5: a store whose file is missing is never success", async () => {
    const memory = smallMemory();
    const subject = subjectFile(memory);
    rmSync(memory.database);
    const check = await askCli(memory.directory, ["check"]);
    expect([check.exitCode, check.json["undeclared"]]).toEqual([20, []]);
    const forgot = await askCli(memory.directory, ["forget", "--subject-file", subject, "--now"]);
    expect([forgot.exitCode, forgot.json["verdict"], forgot.json["state"]]).toEqual([21, "UNCONFIRMED", "stuck"]);
    const codes = (forgot.json["reasons"] as readonly { code: string }[]).map(({ code }) => code);
    expect(codes).toContain("UNREACHABLE");
    expect(codes).not.toContain("NOTHING_FOUND");
    expect(codes).not.toContain("PURGE_PENDING");
    expect((await askCli(memory.directory, ["find", "--subject-file", subject])).exitCode).toBe(20);
    expect((await askCli(memory.directory, ["scan"])).exitCode).toBe(20);
  });

  it("a store that is no database is never success either", async () => {
    const memory = smallMemory();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(memory.database + suffix, { force: true });
    writeFileSync(memory.database, "something else entirely, and more than sixteen bytes");
    const { exitCode, json } = await askCli(memory.directory, [
      "forget",
      "--subject-file",
      subjectFile(memory),
      "--now",
    ]);
    expect([exitCode, json["verdict"]]).not.toContain("COMPLIANT");
    expect(exitCode).not.toBe(0);
  });
});

describe("a foreign receipt", () => {
  it("of another operator is invalid, with 24", async () => {
    const memory = smallMemory();
    const stranger = smallMemory();
    const { json } = await askCli(memory.directory, [
      "forget",
      "--subject-file",
      subjectFile(memory),
      "--out",
      "papers",
    ]);
    await runCli(stranger.directory, ["keys", "public", "own.pem"]);
    const receipt = join(memory.directory, json["receipt"] as string);
    const verified = await askCli(stranger.directory, ["verify", receipt, "--public-key", "own.pem"]);
    expect([verified.exitCode, verified.json["outcome"]]).toEqual([24, { kind: "invalid", exitCode: 24 }]);
    // The reason stands at the top, not only among forty checks.
    const told = await runCli(stranger.directory, ["verify", receipt, "--public-key", "own.pem"]);
    expect(told.out.split("\n").slice(3, 5)).toEqual(["What failed:", expect.stringMatching(/^ {2}SIGNATURES: /)]);
    const letter = await askCli(stranger.directory, ["letter", receipt]);
    expect(letter.exitCode).toBe(24);
  });

  it("VERIFY-4: of any size or shape ends with 24, and bad options of the verifier's own with 2", async () => {
    const memory = smallMemory();
    await runCli(memory.directory, ["keys", "public", "own.pem"]);
    const verify = ["verify", "receipt.json", "--public-key", "own.pem"];
    writeFileSync(join(memory.directory, "receipt.json"), "{");
    expect((await askCli(memory.directory, verify)).exitCode).toBe(24);
    for (let size = 0; size < 17; size += 1)
      appendFileSync(join(memory.directory, "receipt.json"), " ".repeat(1 << 20));
    expect((await askCli(memory.directory, verify)).exitCode).toBe(24);
    writeFileSync(join(memory.directory, "bad.pem"), "no key");
    for (const argv of [
      ["verify", "receipt.json", "--public-key", "bad.pem"],
      [...verify, "--threshold", "0"],
      [...verify, "--expect", "own.pem"],
    ]) {
      const { exitCode, json } = await askCli(memory.directory, argv);
      expect([exitCode, json.error?.code]).toEqual([2, "BAD_VERIFIER_OPTION"]);
    }
    const slip = await askCli(memory.directory, [...verify, "--person-code", "ABC"]);
    expect([slip.exitCode, slip.json.error?.code]).toEqual([2, "BAD_PERSON_CODE"]);
    expect(slip.json.error?.cure).toContain("eight groups of seven");
    const both = await askCli(memory.directory, [...verify, "--boundary", "own.pem", "--expect", "own.pem"]);
    expect([both.exitCode, both.json.error?.code]).toEqual([2, "TWO_SCOPES"]);
  });

  const notText = Buffer.concat([Buffer.from("account:"), Buffer.from([0xff, 0xfe]), Buffer.from("\n")]);
  it.each([
    ["an inventory with a member twice", "--boundary", '{"deleatur":1,"deleatur":1}', "NOT_A_PUBLIC_FORM"],
    ["an inventory with half a character", "--boundary", '{"id":"\\ud800"}', "NOT_A_PUBLIC_FORM"],
    ["an inventory of sixty levels", "--boundary", `${"[".repeat(60)}${"]".repeat(60)}`, "NOT_A_PUBLIC_FORM"],
    ["an inventory with a number that no double holds", "--boundary", '{"deleatur":1e999}', "NOT_A_PUBLIC_FORM"],
    ["an inventory in YAML", "--boundary", "deleatur: 1", "NOT_A_PUBLIC_FORM"],
    ["an empty inventory", "--boundary", "", "NOT_A_PUBLIC_FORM"],
    ["an inventory that is no text", "--boundary", notText, "FILE_NOT_TEXT"],
    ["an empty key", "--auditor-key", "", "BAD_VERIFIER_OPTION"],
    ["a key that is no text", "--log-key", notText, "FILE_NOT_TEXT"],
    ["a list that is no text", "--expect", notText, "FILE_NOT_TEXT"],
    ["identifiers that are no text", "--subject-file", notText, "FILE_NOT_TEXT"],
    ["identifiers with half a character", "--subject-file", '["account:\\ud800"]', "BAD_JSON"],
    ["identifiers with a member twice", "--subject-file", '[{"a":1,"a":1}]', "BAD_JSON"],
    ["an identifier without type", "--subject-file", "42", "BAD_IDENTIFIER"],
    ["a type longer than any", "--subject-file", `${"t".repeat(65_536)}:42`, "BAD_VERIFIER_OPTION"],
  ])("is not judged by %s: 2, the file and a cure", async (_what, option, given, code) => {
    const memory = smallMemory();
    await runCli(memory.directory, ["keys", "public", "own.pem"]);
    writeFileSync(join(memory.directory, "receipt.json"), "{}");
    writeFileSync(join(memory.directory, "given"), given);
    const code56 = formatPersonCode(new Uint8Array(32));
    const argv = ["verify", "receipt.json", "--public-key", "own.pem", "--person-code", code56, option, "given"];
    const { exitCode, json } = await askCli(memory.directory, argv);
    expect([exitCode, json.error?.class, json.error?.code]).toEqual([2, "UsageError", code]);
    expect(json.error?.cure ?? json.error?.message).toMatch(/\S/);
    // Of an identifier nothing is said but that it is none.
    const isOfIdentifier = option === "--subject-file" && ["BAD_IDENTIFIER", "BAD_VERIFIER_OPTION"].includes(code);
    expect(json.error?.where).toEqual(isOfIdentifier ? {} : { file: "given" });
  });

  it("is read from stdin once, and is no verdict where it is no file", async () => {
    const memory = smallMemory();
    await runCli(memory.directory, ["keys", "public", "own.pem"]);
    const codeOf = async (argv: readonly string[]): Promise<unknown> => {
      const { exitCode, json } = await askCli(memory.directory, argv, { input: "{}" });
      return [exitCode, json.error?.code];
    };
    const verify = ["verify", "-", "--public-key", "own.pem"];
    expect(await codeOf([...verify, "--boundary", "-"])).toEqual([2, "STDIN_TWICE"]);
    expect(await codeOf([...verify, "--boundary", "."])).toEqual([2, "FILE_UNREADABLE"]);
    expect(await codeOf(["verify", ".", "--public-key", "own.pem"])).toEqual([2, "FILE_UNREADABLE"]);
    expect(await codeOf(["verify", "-", "--public-key", "/dev/zero"])).toEqual([2, "FILE_TOO_LARGE"]);
    expect(await codeOf(["letter", "-", "--public-key", "deleatur.yaml"])).toEqual([2, "BAD_VERIFIER_OPTION"]);
    const bytes = await askCli(memory.directory, verify, { input: Buffer.from([0x7b, 0xff, 0x7d]) });
    expect([bytes.exitCode, bytes.json["outcome"]]).toEqual([24, { kind: "invalid", exitCode: 24 }]);
  });
});
