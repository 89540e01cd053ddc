// Memories that LangGraph and mem0 laid in a real PostgreSQL, declared by a preset: a thread, a namespace and a user are forgotten whole, and nobody beside them.
import { describe, expect, it } from "vitest";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findVectorPostgres } from "../servers/find-postgres.ts";
import { embed, LANGGRAPH_SAVER, LANGGRAPH_STORE, mem0Table } from "./postgres-layouts.ts";
import { openPostgresScene, type PostgresScene } from "./postgres-scene.ts";
import { expectErasure, S_SAYS, T_SAYS } from "./scene.ts";

const installation = findVectorPostgres();

describe.skipIf(installation === undefined)("a memory that a library laid in PostgreSQL", () => {
  const server = useServer(installation);

  it("LINEAGE-5 FORGET-2: a thread of LangGraph goes with its states, the values of its channels and what it was about to write", async () => {
    const scene = await openPostgresScene(server(), {
      sql: LANGGRAPH_SAVER,
      surfaces: { agent: { preset: "langgraph-postgres", store: "memory" } },
      identifiers: ["thread"],
    });
    await talk(scene, "thread-1", S_SAYS);
    await talk(scene, "thread-11", T_SAYS);
    const outcome = await scene.memory.forget({ subject: ["thread:thread-1"], now: true });
    expectErasure(scene, outcome, { identifiers: [{ type: "thread", identifier: "thread-1" }] });
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
      expect(await scene.query(`SELECT DISTINCT thread_id AS id FROM ${table}`)).toEqual([{ id: "thread-11" }]);
  });

  it("C14: a namespace of LangGraph's store goes whole, with its vectors; those that only begin like it, or are cut elsewhere, stay", async () => {
    const scene = await openPostgresScene(server(), {
      sql: LANGGRAPH_STORE,
      surfaces: { agent: { preset: "langgraph-postgres-store", store: "memory" } },
      identifiers: ["namespace"],
    });
    await remember(scene, "a:b", "c", S_SAYS[0], 1);
    await remember(scene, "a:b", "d", S_SAYS[1], 2);
    await remember(scene, "a", "b:c", T_SAYS[0], 3);
    await remember(scene, "a:b:c", "d", T_SAYS[1], 4);
    await remember(scene, "a.b", "c", T_SAYS[2], 5);
    const outcome = await scene.memory.forget({ subject: ["namespace:a:b"], now: true });
    expectErasure(scene, outcome, { identifiers: [{ type: "namespace", identifier: "a:b" }] });
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    const left = [{ at: "a" }, { at: "a.b" }, { at: "a:b:c" }];
    for (const table of ["store", "store_vectors"])
      expect(
        await scene.query(`SELECT namespace_path AS at FROM ${table} ORDER BY namespace_path COLLATE "C"`),
      ).toEqual(left);
  });

  it("FORGET-2: a user of mem0 goes from a collection of any name; who is an agent of the same name stays", async () => {
    const scene = await openPostgresScene(server(), {
      sql: mem0Table("house_memories"),
      surfaces: { memories: { preset: "mem0-pgvector", store: "memory", table: "house_memories" } },
    });
    for (const [place, text] of S_SAYS.entries())
      await add(scene, "house_memories", place + 1, { user_id: "s-4471", agent_id: "butler", data: text });
    for (const [place, text] of T_SAYS.entries())
      await add(scene, "house_memories", place + 11, { user_id: "t-0815", agent_id: "s-4471", data: text });
    const outcome = await scene.memory.forget({ subject: ["account:s-4471"], now: true });
    expectErasure(scene, outcome);
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    expect(await scene.query("SELECT DISTINCT payload->>'user_id' AS id FROM house_memories")).toEqual([
      { id: "t-0815" },
    ]);
  });

  it("an entry may name a table only where the layout leaves it to its operator", () => {
    expect(() => declare("langgraph-postgres")).toThrow(/table.*is fixed by the preset's layout/);
    expect(() => declare("mem0-pgvector")).not.toThrow();
  });
});

const message = (text: string | undefined): string => JSON.stringify([{ type: "human", content: text }]);

const declare = (preset: string): unknown =>
  defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/postgres",
      identifiers: ["thread", "account"],
      surfaces: { agent: { preset, store: "memory", table: "elsewhere" } },
      connect: { memory: { url: "postgres://127.0.0.1/memory" } },
    },
    { directory: "/nowhere", env: {} },
  );

async function talk(scene: PostgresScene, thread: string, [first, second, third]: readonly string[]): Promise<void> {
  const identity = { subjects: [`thread:${thread}`] };
  const checkpoint = JSON.stringify({ v: 4, id: `c-${thread}`, channel_values: { topic: first } });
  await scene.memory.record(
    "agent.checkpoints",
    { ...identity, key: JSON.stringify([thread, "", "c1"]), content: { checkpoint, metadata: "{}" } },
    async () => {
      await scene.query("INSERT INTO checkpoints VALUES ($1, '', 'c1', NULL, 'json', $2, '{}')", [thread, checkpoint]);
    },
  );
  await scene.memory.record(
    "agent.blobs",
    { ...identity, key: JSON.stringify([thread, "", "messages", "1"]), content: { blob: message(second) } },
    async () => {
      await scene.query("INSERT INTO checkpoint_blobs VALUES ($1, '', 'messages', '1', 'json', $2)", [
        thread,
        Buffer.from(message(second)),
      ]);
    },
  );
  await scene.memory.record(
    "agent.writes",
    { ...identity, key: JSON.stringify([thread, "", "c1", "t1", "0"]), content: { blob: message(third) } },
    async () => {
      await scene.query("INSERT INTO checkpoint_writes VALUES ($1, '', 'c1', 't1', 0, 'messages', 'json', $2)", [
        thread,
        Buffer.from(message(third)),
      ]);
    },
  );
}

async function remember(scene: PostgresScene, at: string, key: string, text: string, seed: number): Promise<void> {
  const value = JSON.stringify({ memory: text });
  const subjects = [`namespace:${at}`];
  await scene.memory.record(
    "agent.items",
    { key: JSON.stringify([at, key]), subjects, content: { value } },
    async () => {
      await scene.query("INSERT INTO store (namespace_path, key, value) VALUES ($1, $2, $3)", [at, key, value]);
    },
  );
  await scene.memory.record(
    "agent.vectors",
    { key: JSON.stringify([at, key, "memory"]), subjects, content: { text } },
    async () => {
      await scene.query(
        "INSERT INTO store_vectors (namespace_path, key, field_path, text_content, embedding) VALUES ($1, $2, 'memory', $3, $4)",
        [at, key, text, embed(seed)],
      );
    },
  );
}

async function add(
  scene: PostgresScene,
  table: string,
  number: number,
  payload: { readonly user_id: string; readonly agent_id: string; readonly data: string },
): Promise<void> {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const text = JSON.stringify(payload);
  const write = { key: id, subjects: [`account:${payload.user_id}`], content: { payload: text } };
  await scene.memory.record("memories.memories", write, async () => {
    await scene.query(`INSERT INTO ${table} VALUES ($1, $2, $3)`, [id, embed(number), text]);
  });
}
