// The command line as a real process from the build: streams, exit codes, an interruption in the middle of a forget, and the demo.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type CliRun, onlyObject } from "./run-cli.ts";
import { SECRETS, smallMemory, temporaryDirectory } from "./small-memory.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<CliRun>;
}

function start(directory: string, argv: readonly string[], input = ""): Running {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd: directory, stdio: ["pipe", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin.end(input);
  const ended = new Promise<CliRun>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ exitCode: code ?? -1, out, err }));
  });
  return { child, ended };
}

it("ends with 0, one object on stdout and nothing on stderr, the person piped in", async () => {
  const memory = smallMemory();
  const argv = ["forget", "--subject-file", "-", "--out", "papers", "--json"];
  const run = await start(memory.directory, argv, "account:marta-77\n").ended;
  expect(run.exitCode).toBe(0);
  expect(onlyObject(run)).toMatchObject({ verdict: "COMPLIANT", error: null });
  for (const secret of SECRETS) expect(run.out).not.toContain(secret);
  const usage = await start(memory.directory, ["forget", "--json"]).ended;
  expect([usage.exitCode, onlyObject(usage).error?.code]).toEqual([2, "BAD_TARGET"]);
});

it("130 after an interruption in the middle of a forget, which claims nothing; --resume ends it", async () => {
  const script = join(temporaryDirectory(), "rederive.mjs");
  const memory = smallMemory({
    shared: `shared: rederive, rederive: { command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(script)}] }`,
  });
  const begun = join(memory.directory, "begun");
  const words = "The heating in the stairwell has been cold since Tuesday.";
  // The first run waits here until it is interrupted; the second finds the mark and answers.
  writeFileSync(
    script,
    `import { existsSync, writeFileSync } from "node:fs";
if (existsSync(${JSON.stringify(begun)})) console.log(${JSON.stringify(words)});
else { writeFileSync(${JSON.stringify(begun)}, ""); setTimeout(() => {}, 60_000); }`,
  );
  const { child, ended } = start(
    memory.directory,
    ["forget", "--subject-file", "-", "--now", "--json"],
    "account:marta-77",
  );
  for (let tries = 0; !existsSync(begun); tries += 1) {
    if (tries > 600) throw new Error("the forget did not come to the rewriting");
    await sleep(50);
  }
  child.kill("SIGINT");
  const run = await ended;
  expect(run.exitCode).toBe(130);
  const told = onlyObject(run);
  expect(told).toMatchObject({ verdict: null, attestation: null, receipt: null, exitCode: 130 });
  expect(told.error).toMatchObject({ class: "Interrupted", code: "INTERRUPTED" });
  const request = told.error?.where["request"];
  expect(request).toMatch(/^[0-9a-f]{32}$/);
  expect(told.error?.cure).toBe(`run \`deleatur forget --resume ${String(request)} --now\``);

  const resumed = await start(memory.directory, ["forget", "--resume", String(request), "--now", "--json"]).ended;
  expect(onlyObject(resumed)).toMatchObject({ state: "closed", verdict: "COMPLIANT", exitCode: 0 });
  expect(onlyObject(resumed)["totals"]).toMatchObject({ confirmed: { erased: 3, rewritten: 1 } });
  const log = onlyObject(await start(memory.directory, ["log", "--json"]).ended);
  expect(JSON.stringify(log["log"])).toContain('"outcome":"interrupted"');
}, 120_000);

it("ends an interruption before anything was done with 130 as well, and says so on stderr", async () => {
  const memory = smallMemory();
  const { child, ended } = start(memory.directory, ["find", "--subject-file", "-"], "");
  // Before the process listens a signal ends it by the system's own rule.
  child.kill("SIGINT");
  const run = await ended;
  expect(run.exitCode === 130 || run.exitCode === -1 || run.exitCode === 2).toBe(true);
  expect(run.out).toBe("");
});

it("demo: the whole story in one command, and one object for scripts", async () => {
  const directory = temporaryDirectory();
  const run = await start(directory, ["demo", "--json", "--out", "papers"]).ended;
  expect(run.exitCode).toBe(0);
  expect(onlyObject(run)).toMatchObject({ verb: "demo", verdict: "COMPLIANT", attestation: { kind: "erasure" } });
  const files = readdirSync(join(directory, "papers"));
  expect(files.some((file) => file.endsWith(".deleatur.json"))).toBe(true);
  expect(files).toContain("letter.en.html");
}, 120_000);

it("survives a reader that closes the pipe early", async () => {
  const memory = smallMemory();
  const { child, ended } = start(memory.directory, ["--help"]);
  child.stdout?.destroy();
  expect((await ended).err).toBe("");
});
