// `--adapter` on the command line: a kind that does not ship is taken from the module that was named, and from nowhere else.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { askCli } from "./run-cli.ts";
import { temporaryDirectory } from "./small-memory.ts";

const FILES = fileURLToPath(new URL("../../src/adapters/files/index.ts", import.meta.url));

/** A folder of notes under a kind of its own, which is the kind `text` with another name. */
function notesUnder(kind: string): string {
  const directory = temporaryDirectory();
  writeFileSync(
    join(directory, "kind.ts"),
    `import { textFiles } from ${JSON.stringify(FILES)};\nexport const kind = { ...textFiles, kind: ${JSON.stringify(kind)} };`,
  );
  writeFileSync(
    join(directory, "deleatur.yaml"),
    `deleatur: 1
boundary: notes/test
identifiers: [account]
surfaces:
  notes: { kind: ${kind}, role: primary, store: memory, subject: { segment: 0, of: key, sep: "/", type: account } }
connect:
  memory: { path: ./notes/**/*.md }
`,
  );
  mkdirSync(join(directory, "notes", "lena"), { recursive: true });
  writeFileSync(join(directory, "notes", "lena", "one.md"), "a heron that keeps a marzipan umbrella");
  return directory;
}

it("opens a boundary of a kind that a named module exports, and counts what is in it", async () => {
  const { exitCode, json } = await askCli(notesUnder("notes-folder"), ["--adapter", "./kind.ts", "check"]);
  expect(json["surfaces"]).toMatchObject([{ kind: "notes-folder", isReachable: true, rows: 1 }]);
  expect(exitCode).toBe(21);
});

it("refuses the same boundary without it, naming the kinds that exist and where another comes from", async () => {
  const { exitCode, json } = await askCli(notesUnder("notes-folder"), ["check"]);
  expect([exitCode, json.error?.code]).toEqual([2, "UNKNOWN_KIND"]);
  expect(json.error?.cure).toMatch(/sqlite, .*in-process.*--adapter/);
});

it("lets no module take the name of a kind that ships", async () => {
  const { exitCode, json } = await askCli(notesUnder("text"), ["--adapter", "./kind.ts", "check"]);
  expect([exitCode, json.error?.code]).toEqual([2, "KIND_TAKEN"]);
});

it("refuses a module that exports no kind", async () => {
  const directory = notesUnder("notes-folder");
  writeFileSync(join(directory, "other.ts"), "export const kind = { kind: 'notes-folder' };");
  const { exitCode, json } = await askCli(directory, ["--adapter", "./other.ts", "check"]);
  expect([exitCode, json.error?.code]).toEqual([2, "MODULE_UNFIT"]);
});

it("imports nothing that a boundary file names", async () => {
  const directory = notesUnder("./kind.ts");
  const { exitCode, json } = await askCli(directory, ["check"]);
  expect([exitCode, json.error?.code]).toEqual([2, "UNKNOWN_KIND"]);
});
