// Drafting a boundary from real stores: SQLite files with full text and vectors, JSONL and text folders, and known layouts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inspectServer } from "../../src/adapters/postgres/inspect-layout.ts";
import { inspectKeys } from "../../src/adapters/redis/inspect-layout.ts";
import { inspectSqliteLayout } from "../../src/adapters/sqlite/inspect-layout.ts";
import { draftBoundary, type DraftedBoundary } from "../../src/boundary/draft-boundary.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import type { Boundary, SurfaceDeclaration } from "../../src/model/declaration.ts";
import { StoreError, UsageError } from "../../src/model/errors.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deleatur-draft-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = "quetzalcoatl";

function database(name: string, sql: string, fill?: (db: Database.Database) => void): string {
  const file = join(folder, name);
  const db = new Database(file);
  loadVec(db);
  db.exec(sql);
  fill?.(db);
  db.close();
  return file;
}

async function draft(...paths: string[]): Promise<DraftedBoundary & { readonly boundary: Boundary }> {
  const drafted = await draftBoundary(
    paths,
    { directory: folder, inspectSqlite: inspectSqliteLayout, inspectKeys, inspectServer, environment: {} },
    new AbortController().signal,
  );
  return { ...drafted, boundary: parseBoundary(drafted.yaml, { file: join(folder, "deleatur.yaml"), env: {} }) };
}

function surface(boundary: Boundary, id: string): SurfaceDeclaration {
  const found = boundary.surfaces.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no surface ${id}`);
  return found;
}

const AGENT_SQL = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, created_at TEXT);
  CREATE TABLE episodes (id TEXT PRIMARY KEY, user_id INTEGER REFERENCES users(id), text TEXT NOT NULL, created_at TEXT);
  CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT, source_ids TEXT);
  CREATE TABLE embeddings (episode_id TEXT PRIMARY KEY REFERENCES episodes(id), embedding BLOB);
  CREATE TABLE notes (text TEXT, account_id TEXT);
  CREATE TABLE counters (name_id INTEGER, total INTEGER);
  CREATE TABLE docs (id INTEGER PRIMARY KEY, owner_id TEXT, page TEXT);
  CREATE VIRTUAL TABLE docs_fts USING fts5(page, content='docs', content_rowid='id');
  CREATE VIRTUAL TABLE episodes_fts USING fts5(text, episode_id UNINDEXED);
  CREATE VIRTUAL TABLE episode_vec USING vec0(id TEXT PRIMARY KEY, embedding float[4], +episode_id TEXT);
  CREATE TABLE episode_vec_remarks (id TEXT PRIMARY KEY, remark TEXT);
  CREATE VIEW recent AS SELECT * FROM episodes;
  CREATE TABLE deleatur_fence (id TEXT, text TEXT);
`;

function fillAgent(db: Database.Database): void {
  db.prepare("INSERT INTO users VALUES (1, 'a@example.org', '2026-01-01')").run();
  db.prepare("INSERT INTO episodes VALUES ('e1', 1, ?, '2026-01-01')").run(`the ${SECRET} came to dinner last week`);
  db.prepare("INSERT INTO episodes VALUES ('e2', 1, ?, '2026-01-02')").run(`and the ${SECRET} left again`);
  db.prepare('INSERT INTO summaries (body, source_ids) VALUES (?, \'["e1","e2"]\')').run(`the ${SECRET} visited once`);
  const vector = new Float32Array([1, 2, 3, 4]);
  db.prepare("INSERT INTO embeddings VALUES ('e1', ?)").run(Buffer.from(vector.buffer));
}

describe("a draft of an agent's SQLite memory", () => {
  it("guesses keys, people, contents, vectors and derivations, and parses", async () => {
    const { boundary } = await draft(database("memory.db", AGENT_SQL, fillAgent));
    expect(boundary.surfaces.map(({ id }) => String(id))).toEqual([
      "docs",
      "docs_fts",
      "embeddings",
      "episode_vec",
      "episode_vec_remarks",
      "episodes",
      "episodes_fts",
      "notes",
      "summaries",
      "users",
    ]);
    expect(boundary.identifiers).toEqual(["account", "email"]);
    expect(surface(boundary, "episodes")).toMatchObject({
      kind: "sqlite",
      role: "primary",
      key: ["id"],
      keys: "unique",
      subject: [{ column: "user_id", type: "account" }],
      content: [{ column: "text", as: "text" }],
      writers: "trigger",
    });
    expect(surface(boundary, "users")).toMatchObject({
      keys: "reusable",
      maps: [{ from: { column: "id", type: "account" }, to: { column: "email", type: "email" } }],
    });
    expect(surface(boundary, "summaries")).toMatchObject({
      role: "derived",
      keys: "unique",
      derivedFrom: [{ surface: "episodes", column: "source_ids", as: "json" }],
      shared: "redact",
    });
    expect(surface(boundary, "notes")).toMatchObject({ key: ["rowid"], keys: "reusable" });
    expect(surface(boundary, "embeddings")).toMatchObject({
      role: "index",
      vector: "embedding",
      derivedFrom: [{ surface: "episodes", column: "episode_id" }],
    });
  });

  it("knows FTS5 and vec0 tables and what they are made from", async () => {
    const { boundary } = await draft(database("memory.db", AGENT_SQL, fillAgent));
    expect(surface(boundary, "docs_fts")).toMatchObject({
      kind: "sqlite-fts",
      key: ["rowid"],
      content: [],
      derivedFrom: [{ surface: "docs", column: "rowid" }],
    });
    expect(surface(boundary, "episodes_fts")).toMatchObject({
      content: [{ column: "text", as: "text" }],
      derivedFrom: [{ surface: "episodes", column: "episode_id" }],
    });
    expect(surface(boundary, "episode_vec")).toMatchObject({
      kind: "sqlite-vec",
      key: ["id"],
      vector: "embedding",
      derivedFrom: [{ surface: "episodes", column: "episode_id" }],
    });
  });

  it("PRIVACY-1: marks what a person must decide and carries no value of the store", async () => {
    const { yaml, notes } = await draft(database("memory.db", AGENT_SQL, fillAgent));
    expect(yaml).toMatch(/shared: redact # decide: /);
    expect(yaml).toContain(
      "writers: trigger # decide: sdk where only the SDK writes; with trigger a SQLite table refuses a forgotten person only while a request runs, and no erasure is attested\n",
    );
    expect(yaml + notes.join("\n")).not.toMatch(new RegExp(`${SECRET}|example\\.org|dinner`));
    expect(notes.join("\n")).toContain("memory.counters");
    expect(yaml).not.toContain("deleatur_fence");
  });

  it("holds with an empty database of the same layout", async () => {
    const { boundary } = await draft(database("memory.db", AGENT_SQL));
    expect(surface(boundary, "episodes").content).toEqual([{ column: "text", as: "text" }]);
  });

  it("keeps tables of two files apart and quotes odd names", async () => {
    const one = database(
      "a.db",
      'CREATE TABLE "Odd: name" (id TEXT PRIMARY KEY, text TEXT); CREATE TABLE t (id TEXT PRIMARY KEY, text TEXT)',
    );
    const two = database("b.db", "CREATE TABLE t (id TEXT PRIMARY KEY, text TEXT)");
    const { boundary } = await draft(one, two);
    expect(boundary.surfaces.map(({ id, store, table }) => [String(id), store, table])).toEqual([
      ["odd--name", "a", "Odd: name"],
      ["t", "a", "t"],
      ["t-2", "b", "t"],
    ]);
  });
});

describe("a draft of files", () => {
  it("looks below a folder that has no store of its own, and says of one that has none at all", async () => {
    const transcripts = join(folder, "transcripts");
    for (const path of ["transcripts/one", "transcripts/two/old", "transcripts/.cache", "empty"])
      mkdirSync(join(folder, path), { recursive: true });
    const line = { id: "1", user_id: "u1", text: `a long ${SECRET} sentence here` };
    for (const path of ["one/a.jsonl", "two/old/b.jsonl", ".cache/c.txt"])
      writeFileSync(join(transcripts, path), `${JSON.stringify(line)}\n`);
    const { boundary, notes } = await draft(transcripts, join(folder, "empty"));
    expect(boundary.surfaces).toMatchObject([
      { id: "transcripts", kind: "jsonl", content: [{ column: "text", as: "text" }] },
    ]);
    expect(boundary.connect.stores.get("transcripts")).toMatchObject({ glob: join(transcripts, "**/*.jsonl") });
    expect(notes).toEqual(["./empty: no store was found in it"]);
  });

  it("reads JSONL folders and text folders", async () => {
    const transcripts = join(folder, "transcripts");
    mkdirSync(transcripts);
    writeFileSync(
      join(transcripts, "a.jsonl"),
      `${JSON.stringify({ id: "1", user_id: "u1", text: `a long ${SECRET} sentence here`, at: "2026" })}\nnot json\n`,
    );
    writeFileSync(join(transcripts, "b.md"), `# ${SECRET}\n`);
    const { boundary, yaml } = await draft(transcripts);
    expect(boundary.surfaces).toMatchObject([
      {
        id: "transcripts",
        kind: "jsonl",
        key: ["id"],
        subject: [{ field: "user_id", type: "account" }],
        content: [{ column: "text", as: "text" }],
        writers: "foreign",
      },
      { id: "transcripts-2", kind: "text", key: [] },
    ]);
    expect(boundary.connect.stores.get("transcripts")).toMatchObject({ glob: join(transcripts, "*.jsonl") });
    expect(yaml).not.toContain(SECRET);
  });
});

const LANGGRAPH_SQL = `
  CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
  CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
    idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
`;
const MEM0_SQL = `
  CREATE TABLE memory_history (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL, previous_value TEXT, new_value TEXT,
    action TEXT NOT NULL, created_at TEXT, updated_at TEXT, is_deleted INTEGER DEFAULT 0);
  CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at TEXT);
`;

describe("known layouts", () => {
  it("recognises langgraph-sqlite and expands it under the entry's name", async () => {
    const { boundary, yaml, notes } = await draft(database("graph.db", LANGGRAPH_SQL));
    expect(yaml).toContain("preset: langgraph-sqlite");
    expect(boundary.surfaces.map(({ id }) => String(id))).toEqual(["graph.checkpoints", "graph.writes"]);
    expect(surface(boundary, "graph.checkpoints")).toMatchObject({
      key: ["thread_id", "checkpoint_ns", "checkpoint_id"],
      subject: [{ column: "thread_id", type: "thread" }],
    });
    expect(boundary.identifiers).toEqual(["thread"]);
    expect(notes.length).toBeGreaterThan(0);
  });

  it("recognises mem0's history, in both of its spellings", async () => {
    const { boundary } = await draft(database("mem0.db", MEM0_SQL));
    expect(boundary.surfaces.map(({ table }) => table)).toEqual(["memory_history", "messages"]);
    const python = MEM0_SQL.replace("memory_history", "history")
      .replace("previous_value", "old_memory")
      .replace("new_value", "new_memory");
    const { yaml } = await draft(database("py.db", python));
    expect(yaml).toContain("preset: mem0-python");
  });

  it("recognises the MCP memory server's file", async () => {
    const file = join(folder, "memory.jsonl");
    writeFileSync(
      file,
      [
        { type: "entity", name: SECRET, entityType: "person", observations: ["likes tea"] },
        { type: "relation", from: SECRET, to: "Tea", relationType: "likes" },
      ]
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
    const { boundary, yaml } = await draft(file);
    expect(yaml).toContain("preset: mcp-memory");
    expect(yaml).not.toContain(SECRET);
    expect(surface(boundary, "memory.graph").subject).toEqual([
      { field: "name", type: "entity" },
      { field: "from", type: "entity" },
      { field: "to", type: "entity" },
    ]);
  });

  it("puts the entry's own store, type, source and policies over a preset", () => {
    const text = `deleatur: 1
boundary: a
identifiers: [scope, account]
surfaces:
  memories: { kind: sqlite, role: primary, store: vec, table: vectors, key: id, subject: { json: payload.userId, type: account }, content: [{ column: payload, as: json }] }
  mem0: { preset: mem0, store: hist, type: scope, source: memories, writers: sdk }
connect: { hist: { file: h.db }, vec: { file: v.db } }
`;
    const boundary = parseBoundary(text, { file: "/d.yaml", env: {} });
    expect(surface(boundary, "mem0.history")).toMatchObject({
      writers: "sdk",
      derivedFrom: [{ surface: "memories", column: "memory_id" }],
    });
    expect(surface(boundary, "mem0.messages").subject).toEqual([{ column: "session_scope", type: "scope" }]);
  });
});

describe("bad input", () => {
  it("is named: no such path, no store, a file that is none, a damaged database", async () => {
    await expect(draft(join(folder, "none"))).rejects.toThrow(UsageError);
    await expect(draft(folder)).rejects.toThrow(UsageError);
    writeFileSync(join(folder, "x.bin"), "nothing");
    await expect(draft(join(folder, "x.bin"))).rejects.toThrow(UsageError);
    writeFileSync(join(folder, "broken.db"), `SQLite format 3\0${"x".repeat(4096)}`);
    await expect(draft(join(folder, "broken.db"))).rejects.toThrow(StoreError);
  });
});
