// The census: every container of a store with its owner and what it holds, so that an undeclared one cannot hide (C08).
import { expect, test } from "vitest";
import { artifactKey } from "../../../src/model/ids.ts";
import { blobOf, declare, newStore, openSurface, REQUEST, signal, vectorOf } from "./sqlite-fixture.ts";

test("names tables, views, indexes and shadow tables, with owners and holdings by type and by sample", async () => {
  const { file, app } = newStore(`
    CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TABLE counters (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER);
    CREATE TABLE untyped (id INTEGER PRIMARY KEY, anything);
    CREATE TABLE raw (id INTEGER PRIMARY KEY, data BLOB);
    CREATE VIEW latest AS SELECT text FROM episodes;
    CREATE VIRTUAL TABLE fts USING fts5(text, content='episodes', content_rowid='id');
    CREATE VIRTUAL TABLE memory_messages_384 USING vec0(embedding float[64], +note text);
    CREATE TABLE fts_notes (id INTEGER PRIMARY KEY, note TEXT);
    INSERT INTO counters (n) VALUES (1);`);
  app.prepare("INSERT INTO untyped VALUES (1, ?)").run(blobOf(vectorOf(1)));
  const opened = await openSurface(declare("sqlite", {}), file);
  await opened.surface.fence(
    { request: REQUEST, identifiers: [], keys: [artifactKey("1")], sources: new Map() },
    signal,
  );
  const census = new Map((await opened.surface.census(signal)).map((container) => [container.name, container]));
  expect(census.get("memory.episodes")).toEqual({ name: "memory.episodes", kind: "table", holds: ["text"] });
  expect(census.get("memory.counters")).toEqual({ name: "memory.counters", kind: "table", holds: [] });
  expect(census.get("memory.untyped")).toMatchObject({ kind: "table", holds: ["vector"] });
  expect(census.get("memory.raw")).toMatchObject({ kind: "table", holds: ["blob"] });
  expect(census.get("memory.latest")).toMatchObject({ kind: "view" });
  expect(census.get("memory.fts")).toMatchObject({ kind: "fts", holds: ["text"] });
  expect(census.get("memory.fts_data")).toMatchObject({ kind: "shadow", owner: "memory.fts" });
  expect(census.get("memory.fts_notes")).toMatchObject({ kind: "table", holds: ["text"] });
  expect(census.get("memory.memory_messages_384")).toMatchObject({
    kind: "vec",
    holds: expect.arrayContaining(["vector"]),
  });
  for (const part of ["_chunks", "_rowids", "_info", "_vector_chunks00", "_auxiliary"])
    expect(census.get(`memory.memory_messages_384${part}`)).toMatchObject({
      kind: "shadow",
      owner: "memory.memory_messages_384",
    });
  expect(census.get("memory.deleatur_fence")).toMatchObject({ kind: "shadow", owner: "deleatur" });
  expect([...census.keys()].some((name) => name.includes("sqlite_"))).toBe(false);
});

test("lists the samples of ANALYZE, and every replica's containers under its own name", async () => {
  const { file, app } = newStore(
    "CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX t ON episodes(text); INSERT INTO episodes VALUES (1, 'x'); ANALYZE;",
  );
  const other = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT)");
  expect(app.prepare("SELECT count(*) AS n FROM sqlite_stat4").get()).toEqual({ n: 1 });
  const opened = await openSurface(declare("sqlite", { replicas: ["copy1"] }), [file, other.file]);
  const names = (await opened.surface.census(signal)).map(({ name }) => name);
  expect(names).toContain("memory.sqlite_stat4");
  expect(names).toContain("copy1.episodes");
});
