// The example, run: the kit finds it to conform and its README says so, and an application forgets a person in its store.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BoundaryError, openDeleatur, UsageError } from "deleatur";
import { conformanceMarkdown, isConforming, runConformance } from "deleatur/conformance";
import { expect, onTestFinished, test } from "vitest";
import { addNote, BOUNDARY, forgetPerson, openNotes } from "./application.ts";
import { kind } from "./kind.ts";
import { subject } from "./subject.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the adapter conforms, and its README has the kit's table", async () => {
  const report = await runConformance(subject);
  const open = report.results.filter(({ answer: { outcome } }) => outcome === "failed" || outcome === "not-run");
  expect(open.map(({ name, answer }) => ({ name, answer }))).toEqual([]);
  expect(isConforming(report)).toBe(true);
  const readme = readFileSync(fileURLToPath(new URL("README.md", import.meta.url)), "utf8");
  expect(readme).toContain(conformanceMarkdown(report));
}, 300_000);

test("without its compaction the byte probe finds the erased line, and the verdict is no erasure", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "memory.log"), "");
  writeFileSync(join(folder, "deleatur.yaml"), BOUNDARY);
  const idle: typeof kind = {
    ...kind,
    open: async (options) => ({
      ...(await kind.open(options)),
      purge: async () => ({ outcome: "purged", method: "none" }),
    }),
  };
  const memory = await openDeleatur(join(folder, "deleatur.yaml"), { kinds: [idle] });
  onTestFinished(() => memory.close());
  await addNote(memory, folder, {
    key: "n1",
    people: ["42"],
    sources: [],
    text: "a heron that keeps a marzipan umbrella",
  });
  await addNote(memory, folder, {
    key: "n2",
    people: ["421"],
    sources: [],
    text: "quite another line about the weather today",
  });
  const { verdict, reasons } = await forgetPerson(memory, "42");
  expect(verdict).not.toBe("COMPLIANT");
  expect(JSON.stringify(reasons)).toContain("SURVIVOR_FOUND");
});

test("an application forgets a person in a store that does not ship", async () => {
  const folder = newFolder();
  const memory = await openNotes(folder);
  onTestFinished(() => memory.close());
  await addNote(memory, folder, {
    key: "n1",
    people: ["42"],
    sources: [],
    text: "a heron that keeps a marzipan umbrella",
  });
  await addNote(memory, folder, {
    key: "n2",
    people: ["421"],
    sources: [],
    text: "quite another line about the weather today",
  });
  const outcome = await forgetPerson(memory, "42");
  expect({ verdict: outcome.verdict, reasons: outcome.reasons }).toEqual({ verdict: "COMPLIANT", reasons: [] });
  const log = readFileSync(join(folder, "memory.log"), "utf8");
  expect(log).not.toContain("marzipan");
  expect(log).toContain("weather");
});

test("a boundary that names a kind nobody gave is an error that names those that exist", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "deleatur.yaml"), BOUNDARY);
  const opening = openDeleatur(join(folder, "deleatur.yaml"));
  await expect(opening).rejects.toThrow(BoundaryError);
  await expect(opening).rejects.toMatchObject({ code: "UNKNOWN_KIND" });
  await expect(opening).rejects.toThrow(/sqlite, .*in-process/);
});

test("no adapter takes the name of a kind that ships, or of another", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "deleatur.yaml"), BOUNDARY);
  const open = (kinds: (typeof kind)[]): Promise<unknown> => openDeleatur(join(folder, "deleatur.yaml"), { kinds });
  await expect(open([{ ...kind, kind: "sqlite" }])).rejects.toMatchObject({ code: "KIND_TAKEN" });
  await expect(open([kind, kind])).rejects.toMatchObject({ code: "KIND_TAKEN" });
  await expect(open([{ ...kind, kind: "Append Log" }])).rejects.toThrow(UsageError);
});
