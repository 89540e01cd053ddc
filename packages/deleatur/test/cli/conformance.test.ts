// `conformance` on the command line: a module's subjects are run, the exit code is 0 only where all is met or cannot, and a module that is none is a wrong call.
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { temporaryDirectory } from "./small-memory.ts";

const SUBJECT = fileURLToPath(new URL("../conformance/process-subjects.ts", import.meta.url));

/** A module that exports the provider's cache as its subject, with other reasons where they are given. */
function moduleWith(cannot: string): string {
  const directory = temporaryDirectory();
  const code = `import { providerCacheSubject as whole } from ${JSON.stringify(SUBJECT)};
export const subject = { ...whole, cannot: ${cannot} };`;
  writeFileSync(join(directory, "store.ts"), code);
  return directory;
}

interface Subject {
  readonly conforms: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly cases: readonly { readonly name: string; readonly outcome: string; readonly reason?: string }[];
}

describe("conformance", () => {
  it("prints the table and exits 0 where every case is met or cannot", async () => {
    const directory = moduleWith("whole.cannot");
    const { exitCode, out } = await runCli(directory, ["conformance", "./store.ts"]);
    expect(out).toContain("It conforms.");
    expect(out).toMatch(/guarantees +met/);
    expect(out).toMatch(/paging +cannot +nobody here can read/);
    expect(exitCode).toBe(0);
    const { json } = await askCli(directory, ["conformance", "./store.ts"]);
    // The object's own shape, as the verb writes it.
    const [subject] = json["subjects"] as readonly Subject[];
    expect(json["conforms"]).toBe(true);
    expect(subject).toMatchObject({ subject: "provider-cache", conforms: true, counts: { failed: 0, "not-run": 0 } });
    expect(subject?.cases.find(({ name }) => name === "paging")).toMatchObject({ outcome: "cannot" });
  });

  it("exits 21 where something was not run, for that is not met", async () => {
    const directory = moduleWith("{}");
    const { exitCode, json } = await askCli(directory, ["conformance", "./store.ts"]);
    expect(exitCode).toBe(21);
    expect(json["conforms"]).toBe(false);
    const [subject] = json["subjects"] as readonly Subject[];
    expect(subject?.counts["not-run"]).toBeGreaterThan(20);
    const left = await askCli(moduleWith("whole.cannot"), ["conformance", "./store.ts", "--only", "guarantees"]);
    expect(left.exitCode).toBe(21);
  });

  it("exits 1 where a case failed, for example by a stale reason", async () => {
    const directory = moduleWith('{ ...whole.cannot, guarantees: "not today" }');
    const { exitCode, out } = await runCli(directory, ["conformance", "./store.ts"]);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/guarantees +failed +said to be impossible, and it passes/);
    expect(out).toContain("It does not conform.");
  });

  it("prints the table for a README", async () => {
    const { out } = await runCli(moduleWith("whole.cannot"), ["conformance", "./store.ts", "--markdown"]);
    expect(out).toMatch(/^Kind `provider-cache`, \d+ cases: 3 met, \d+ cannot, 0 not run, 0 failed\.$/m);
    expect(out).toMatch(/^\| `paging` \| cannot \| nobody here can read/m);
  });

  it("exits 130 where it was interrupted, and nothing counts as met that was not run", async () => {
    const signal = AbortSignal.abort();
    const run = await askCli(moduleWith("whole.cannot"), ["conformance", "./store.ts"], { signal });
    expect(run.exitCode).toBe(130);
    expect(run.json["conforms"]).toBe(false);
  });

  it.each([
    ["that is not there", "./nothing.js", "MODULE_UNREADABLE"],
    ["that is no module", "./text.md", "MODULE_UNREADABLE"],
    ["that is a package nobody installed", "no-such-package-at-all", "MODULE_UNREADABLE"],
    ["that exports something else", "./other.js", "MODULE_UNFIT"],
    ["whose subject lacks its kind", "./half.js", "MODULE_UNFIT"],
  ])("refuses a module %s", async (_, name, code) => {
    const directory = temporaryDirectory();
    copyFileSync(fileURLToPath(new URL("../../../../README.md", import.meta.url)), join(directory, "text.md"));
    writeFileSync(join(directory, "other.js"), "export const other = 1;");
    writeFileSync(
      join(directory, "half.js"),
      'export const subject = { name: "half", cannot: {}, lay() {}, kind: { kind: "half" } };',
    );
    const { exitCode, json } = await askCli(directory, ["conformance", name]);
    expect([exitCode, json.error?.code]).toEqual([2, code]);
  });
});
