// Drafting a boundary from a live PostgreSQL: layouts of libraries are recognised, the rest is guessed, no value and no credential is written, and what is drafted forgets.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { inspectServer } from "../../src/adapters/postgres/inspect-layout.ts";
import { inspectKeys } from "../../src/adapters/redis/inspect-layout.ts";
import { inspectSqliteLayout } from "../../src/adapters/sqlite/inspect-layout.ts";
import { type DraftedBoundary, draftBoundary } from "../../src/boundary/draft-boundary.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { signal, useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findVectorPostgres } from "../servers/find-postgres.ts";
import { embed, inSchema, LANGGRAPH_ITEMS, LANGGRAPH_SAVER, LANGGRAPH_STORE, mem0Tables } from "./postgres-layouts.ts";
import { codes, S_SAYS, T_SAYS, tempFolder } from "./scene.ts";

const installation = findVectorPostgres();

const OWN = `CREATE SCHEMA app; CREATE TABLE app.episodes (id bigint PRIMARY KEY, user_id text, body text NOT NULL);
  CREATE TABLE app.summaries (id uuid PRIMARY KEY, episode_ids bigint[], body text, embedding vector(24));
  CREATE TABLE app.keyless (note text); CREATE TABLE app.counters (id int PRIMARY KEY, seen bigint);`;

const BLOB_KEY = "thread_id,checkpoint_ns,channel,version";
const WRITE_KEY = "thread_id,checkpoint_ns,checkpoint_id,task_id,idx";

const draft = (url: string, directory: string): Promise<DraftedBoundary> =>
  draftBoundary(
    ["${PG_URL}"],
    {
      directory,
      inspectSqlite: inspectSqliteLayout,
      inspectKeys,
      inspectServer,
      environment: { PG_URL: url },
    },
    signal,
  );

describe.skipIf(installation === undefined)("init over a live PostgreSQL", () => {
  const server = useServer(installation);

  it("PRIVACY-1: knows LangGraph's saver and store and mem0's collections in one database, drafts the rest, and writes no value and no address", async () => {
    const database = await server().createDatabase();
    const elsewhere = inSchema("agent_mem", `${LANGGRAPH_SAVER} ${LANGGRAPH_ITEMS}`);
    const sql = `${LANGGRAPH_SAVER} ${LANGGRAPH_STORE} ${mem0Tables("memories")} ${mem0Tables("house")} ${elsewhere} ${OWN}`;
    await server().query(database, sql);
    await server().query(database, "INSERT INTO app.episodes VALUES (1, 's-4471', $1), (2, 't-0815', $2)", [
      S_SAYS[0],
      T_SAYS[0],
    ]);
    await server().query(
      database,
      "INSERT INTO app.summaries VALUES ('00000000-0000-4000-8000-000000000001', '{1,2}', $1, $2)",
      [S_SAYS[1], embed(1)],
    );
    const secret = randomBytes(12).toString("hex");
    await server().query(database, `CREATE ROLE keeper SUPERUSER LOGIN PASSWORD '${secret}'`);
    const directory = tempFolder();
    const url = server().url(database, "keeper", secret);
    const { yaml, notes } = await draft(url, directory);
    expect(yaml).toContain("${PG_URL}");
    expect(yaml).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1|4471|accordion|cardiologist|greenhouse`));
    expect(notes.join("\n")).toMatch(/app\.keyless has no primary key/);
    const boundary = parseBoundary(yaml, { file: join(directory, "deleatur.yaml"), env: { PG_URL: url } });
    const surfaces = boundary.surfaces.map(({ id, kind, role, table, key }) => [id, kind, role, table, key.join()]);
    expect(surfaces.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual([
      ["agent_mem-2.items", "postgres", "primary", "agent_mem.store", "namespace_path,key"],
      ["agent_mem.blobs", "postgres", "primary", "agent_mem.checkpoint_blobs", BLOB_KEY],
      [
        "agent_mem.checkpoints",
        "postgres",
        "primary",
        "agent_mem.checkpoints",
        "thread_id,checkpoint_ns,checkpoint_id",
      ],
      ["agent_mem.writes", "postgres", "transcript", "agent_mem.checkpoint_writes", WRITE_KEY],
      ["app.episodes", "postgres", "primary", "app.episodes", "id"],
      ["app.summaries", "postgres", "derived", "app.summaries", "id"],
      ["house.memories", "postgres", "primary", "house", "id"],
      ["house_entities.entities", "postgres", "primary", "house_entities", "id"],
      ["memories_entities.entities", "postgres", "primary", "memories_entities", "id"],
      ["memory-2.items", "postgres", "primary", "store", "namespace_path,key"],
      ["memory-2.vectors", "postgres", "primary", "store_vectors", "namespace_path,key,field_path"],
      ["memory-3.memories", "postgres", "primary", "memories", "id"],
      ["memory.blobs", "postgres", "primary", "checkpoint_blobs", BLOB_KEY],
      ["memory.checkpoints", "postgres", "primary", "checkpoints", "thread_id,checkpoint_ns,checkpoint_id"],
      ["memory.writes", "postgres", "transcript", "checkpoint_writes", WRITE_KEY],
    ]);
    expect(boundary.census.quiet).toEqual(["memory.memory_migrations"]);
    expect(boundary.surfaces.find(({ id }) => id === "app.summaries")).toMatchObject({
      vector: "embedding",
      derivedFrom: [{ surface: "app.episodes", column: "episode_ids" }],
    });
    expect(boundary.identifiers.toSorted()).toEqual(["account", "namespace", "thread"]);
  });

  it("ATTEST-5 FORGET-2: check reads the draft, and a thread is erased under it, with a verdict that says what triggers leave open", async () => {
    const database = await server().createDatabase();
    await server().query(database, LANGGRAPH_SAVER);
    for (const [thread, text] of [
      ["thread-1", S_SAYS[0]],
      ["thread-2", T_SAYS[0]],
    ] as const) {
      const state = JSON.stringify({ v: 4, channel_values: { said: text } });
      await server().query(database, "INSERT INTO checkpoints VALUES ($1, '', 'c1', NULL, 'json', $2, '{}')", [
        thread,
        state,
      ]);
    }
    const directory = tempFolder();
    const url = server().url(database);
    const { yaml } = await draft(url, directory);
    const file = join(directory, "deleatur.yaml");
    const memory = await openDeleatur(parseBoundary(yaml, { file, env: { PG_URL: url } }), { environment: {} });
    onTestFinished(() => memory.close());
    const check = await memory.check();
    expect(check.best.reasons.map(({ code }) => code)).toEqual(expect.arrayContaining(["RESURRECTABLE"]));
    const outcome = await memory.forget({ subject: ["thread:thread-1"], now: true });
    expect(await server().query(database, "SELECT thread_id AS id FROM checkpoints")).toEqual([{ id: "thread-2" }]);
    expect([outcome.verdict, ...codes(outcome)]).toEqual(["UNCONFIRMED", "RESURRECTABLE"]);
    expect(outcome.survivors).toEqual([]);
  });
});
