// Containers that once hid from the census: bytes that live in them are nobody's leftover, so what no probe reads there would pass unseen.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T_SAYS, type SceneSetup } from "../cases/scene.ts";

const FILL = `INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;
const NUMBERS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i FROM n";

const hidden: Readonly<Record<string, { readonly sql: string } & Partial<SceneSetup>>> = {
  "text behind four hundred numbers of an untyped column": {
    sql: `CREATE TABLE notes (a); INSERT INTO notes ${NUMBERS}; INSERT INTO notes VALUES ('${S_SAYS[0]}');`,
  },
  "a table that is called like ours": {
    sql: `CREATE TABLE deleatur_notes (x TEXT); INSERT INTO deleatur_notes VALUES ('${S_SAYS[0]}');`,
  },
  "a table that is called like a part of an index": {
    sql: `CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE f_info (x TEXT); INSERT INTO f_info VALUES ('${S_SAYS[0]}');`,
    exempt: [{ name: "index", kind: "audit-log", store: "memory", table: "f", ground: "holds nothing, never written" }],
  },
  "a table that no census pattern reaches": {
    sql: `CREATE TABLE notes (x TEXT); INSERT INTO notes VALUES ('${S_SAYS[0]}');`,
    census: { include: ["memory.episodes"] },
  },
};

it.each(Object.keys(hidden))("VERDICT-4 C08: %s keeps the verdict from COMPLIANT", async (name) => {
  const { sql, ...setup } = hidden[name] ?? { sql: "" };
  const scene = await openScene({ ...setup, sql: EPISODES_SQL + FILL + sql, surfaces: { episodes: EPISODES } });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(codes(outcome)).toContain("UNDECLARED_CONTAINER");
});

it.each([
  "memory.db.bak",
  "memory.db-old",
  "memory.db~",
  "memory.bak",
  "memory-2026-11.db",
  "memory_backup",
  "Copy of memory.db",
  ".memory.db.swp",
])("VERDICT-4 C08: a copy of the database beside it, called %s, keeps the verdict from COMPLIANT", async (name) => {
  const scene = await openScene({ sql: EPISODES_SQL + FILL, surfaces: { episodes: EPISODES } });
  scene.app.prepare("VACUUM INTO ?").run(join(scene.directory, name));
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  const found = outcome.reasons.find(({ code }) => code === "UNDECLARED_CONTAINER");
  expect(found).toMatchObject({ surface: `memory.${name}` });
  rmSync(join(scene.directory, name));
  expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
});

it("VERDICT-4: files beside a database that are no copies of it, or belong to the boundary, say nothing", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + FILL,
    surfaces: {
      episodes: EPISODES,
      notes: { kind: "jsonl", role: "transcript", store: "notes", key: "id", content: ["text"] },
    },
    connect: { notes: { path: "./memory-notes.jsonl" } },
    before: (directory) => {
      writeFileSync(join(directory, "memory-notes.jsonl"), `${JSON.stringify({ id: "n1", text: T_SAYS[1] })}\n`);
      writeFileSync(join(directory, "memory.ts"), "export const memory = open();");
      writeFileSync(join(directory, "memories.db"), "SQLite format 3\0");
      mkdirSync(join(directory, "memory"));
    },
  });
  await scene.memory.scan();
  expect(codes(await scene.memory.forget({ subject: [S], now: true }))).not.toContain("UNDECLARED_CONTAINER");
});

it("VERDICT-4 C08: behind a symbolic link the database has its copies, and its logs, where the link leads", async () => {
  const scene = await openScene({
    surfaces: { episodes: { ...EPISODES, store: "linked" } },
    connect: { linked: { file: "./link.db" } },
    before: (directory) => {
      mkdirSync(join(directory, "real"));
      const app = new Database(join(directory, "real", "data.db"));
      app.exec(EPISODES_SQL + FILL);
      app.prepare("VACUUM INTO ?").run(join(directory, "real", "data.db.bak"));
      app.close();
      symlinkSync(join("real", "data.db"), join(directory, "link.db"));
    },
  });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.reasons.find(({ code }) => code === "UNDECLARED_CONTAINER")).toMatchObject({
    surface: "linked.data.db.bak",
  });
  rmSync(join(scene.directory, "real", "data.db.bak"));
  expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
});

it.each([
  ["a view", `CREATE VIEW v AS SELECT '${S_SAYS[0]}' AS said`],
  ["a default", `CREATE TABLE n (a INTEGER DEFAULT '${S_SAYS[0]}')`],
  ["a comment", `CREATE TABLE n (a INTEGER /* ${S_SAYS[0]} */)`],
  ["the condition of an index", `CREATE INDEX i ON episodes (id) WHERE text <> '${S_SAYS[0]}'`],
])("VERDICT-1: what %s of the schema says stands in the file like any other copy", async (_, sql) => {
  const scene = await openScene({ sql: `${EPISODES_SQL}${FILL}${sql};`, surfaces: { episodes: EPISODES } });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("PARTIAL");
  expect(outcome.survivors.map(({ probe }) => probe)).toContain("bytes");
});

it("VERDICT-1: a declaration that a person quoted is no copy of their words", async () => {
  const sql = "CREATE TABLE greenhouse_measurements (id INTEGER PRIMARY KEY, humidity INTEGER NOT NULL)";
  const scene = await openScene({
    sql: `${EPISODES_SQL}${FILL}${sql}; INSERT INTO episodes VALUES ('s2', 's-4471', 'I ran ${sql} and it failed again');`,
    surfaces: { episodes: EPISODES },
  });
  await scene.memory.scan();
  expect((await scene.memory.forget({ subject: [S], now: true })).verdict).toBe("COMPLIANT");
});
