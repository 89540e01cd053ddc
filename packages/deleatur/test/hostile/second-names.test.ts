// Files that have a second name: what is taken out under the first would stay under the second, and no probe would look there.
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { defineBoundary, type Deleatur, openDeleatur } from "../../src/index.ts";
import { codes, openScene, S, S_SAYS, T_SAYS, tempFolder } from "../cases/scene.ts";

const LINES = [
  { id: "s1", user: "s-4471", text: S_SAYS[0] },
  { id: "t1", user: "t-0815", text: T_SAYS[0] },
  { id: "t2", user: "t-0815", text: T_SAYS[1] },
];

it("VERDICT-1: a transcript with a hard link elsewhere is not erased by replacing it; with the link gone it is", async () => {
  const scene = await openScene({
    surfaces: {
      transcripts: {
        kind: "jsonl",
        role: "primary",
        store: "transcripts",
        key: "id",
        subject: { field: "user", type: "account" },
        content: ["text"],
      },
    },
  });
  const file = join(scene.transcripts, "a.jsonl");
  const snapshot = join(scene.directory, "snapshot");
  writeFileSync(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join(""));
  linkSync(file, snapshot);
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(codes(outcome)).toContain("PRIMARY_STILL_HOLDS");
  rmSync(snapshot);
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expect(resumed.verdict).toBe("COMPLIANT");
  expect(readFileSync(file, "utf8")).not.toContain(S_SAYS[0]);
});

/** A memory of text files, the first part of whose path names the person. */
async function openNotes(directory: string): Promise<Deleatur> {
  const memory = await openDeleatur(
    defineBoundary(
      {
        deleatur: 1,
        boundary: "cases/notes",
        identifiers: ["account"],
        writers: "sdk",
        surfaces: {
          notes: {
            kind: "text",
            role: "primary",
            store: "notes",
            subject: { segment: 0, of: "key", sep: "/", type: "account" },
          },
        },
        connect: { ledger: "sqlite:./deleatur.db", notes: { path: "./notes/**/*.md" } },
      },
      { directory, env: {} },
    ),
    { environment: {} },
  );
  onTestFinished(() => memory.close());
  await memory.scan();
  return memory;
}

/** One note of S and two of T. */
function layNotes(): { readonly directory: string; readonly notes: string } {
  const directory = tempFolder();
  const notes = join(directory, "notes");
  for (const person of ["s-4471", "t-0815"]) mkdirSync(join(notes, person), { recursive: true });
  writeFileSync(join(notes, "s-4471", "a.md"), S_SAYS[0]);
  writeFileSync(join(notes, "t-0815", "a.md"), T_SAYS[0]);
  writeFileSync(join(notes, "t-0815", "b.md"), T_SAYS[1]);
  return { directory, notes };
}

it("VERDICT-1: a text file behind a symbolic link goes where the link leads", async () => {
  const { directory, notes } = layNotes();
  const elsewhere = join(directory, "elsewhere.md");
  writeFileSync(elsewhere, S_SAYS[1]);
  symlinkSync(elsewhere, join(notes, "s-4471", "b.md"));
  const memory = await openNotes(directory);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("COMPLIANT");
  expect(() => readFileSync(elsewhere)).toThrow("ENOENT");
});

it.each(["t-0815/a.md", "../common.md"])(
  "CLAIM-5: a link to %s goes without the file that another person's record is, or leads to",
  async (target) => {
    const { directory, notes } = layNotes();
    writeFileSync(join(directory, "common.md"), "What the house agreed on when the old boiler was taken out");
    symlinkSync(join("..", target), join(notes, "s-4471", "shared.md"));
    if (target === "../common.md") symlinkSync(join("..", target), join(notes, "t-0815", "shared.md"));
    const memory = await openNotes(directory);
    const outcome = await memory.forget({ subject: [S], now: true });
    expect(codes(outcome)).not.toContain("BYSTANDER_LOST");
    expect(readFileSync(join(notes, target), "utf8")).not.toBe("");
    expect(() => readFileSync(join(notes, "s-4471", "shared.md"))).toThrow("ENOENT");
    expect(outcome.verdict).toBe("COMPLIANT");
  },
);

it("CLAIM-5: a file that another person's record leads to is not taken from under it", async () => {
  const { directory, notes } = layNotes();
  symlinkSync(join("..", "s-4471", "a.md"), join(notes, "t-0815", "shared.md"));
  const memory = await openNotes(directory);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(readFileSync(join(notes, "t-0815", "shared.md"), "utf8")).toBe(S_SAYS[0]);
  rmSync(join(notes, "t-0815", "shared.md"));
  expect((await memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
  expect(() => readFileSync(join(notes, "s-4471", "a.md"))).toThrow("ENOENT");
});

it("VERDICT-4 C08: a folder that a symbolic link leads to is a container of its own, and one within the store is met there", async () => {
  const { directory, notes } = layNotes();
  mkdirSync(join(directory, "old"));
  writeFileSync(join(directory, "old", "a.md"), S_SAYS[0]);
  symlinkSync("../old", join(notes, "archive"));
  symlinkSync(".", join(notes, "again"));
  symlinkSync("round", join(notes, "round"));
  const memory = await openNotes(directory);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(outcome.reasons.map(({ surface }) => surface)).toEqual(["notes.archive"]);
  rmSync(join(notes, "archive"));
  expect((await memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
});

it("VERDICT-1: a file above the folders of persons is nobody's, and explains nothing that it quotes", async () => {
  const { directory, notes } = layNotes();
  writeFileSync(join(notes, "digest.md"), `What came up this week: ${S_SAYS[0]}`);
  const memory = await openNotes(directory);
  const outcome = await memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(codes(outcome)).toContain("SURVIVOR_FOUND");
  expect(outcome.survivors.map(({ key }) => key)).toContain("digest.md");
});
