// Files that have a second name: what is taken out under the first would stay under the second, and no probe would look there.
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { defineBoundary, openDeleatur } from "../../src/index.ts";
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

it("VERDICT-1: a text file behind a symbolic link goes where the link leads", async () => {
  const directory = tempFolder();
  const notes = join(directory, "notes");
  const elsewhere = join(directory, "elsewhere.md");
  mkdirSync(notes);
  writeFileSync(join(notes, "t-0815.md"), T_SAYS[0]);
  writeFileSync(elsewhere, S_SAYS[0]);
  symlinkSync(elsewhere, join(notes, "s-4471.md"));
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
            subject: { segment: 0, of: "key", sep: ".", type: "account" },
          },
        },
        connect: { ledger: "sqlite:./deleatur.db", notes: { path: "./notes/*.md" } },
      },
      { directory, env: {} },
    ),
    { environment: {} },
  );
  await memory.scan();
  const outcome = await memory.forget({ subject: [S], now: true });
  await memory.close();
  expect(outcome.verdict).toBe("COMPLIANT");
  expect(() => readFileSync(elsewhere)).toThrow("ENOENT");
});
