// Memories that LangGraph and mem0 laid in a real PostgreSQL, declared by a preset: a thread, a namespace and a user are forgotten whole, and nobody beside them.
import { describe, expect, it, onTestFinished } from "vitest";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findVectorPostgres } from "../servers/find-postgres.ts";
import { embed, inSchema, LANGGRAPH_ITEMS, LANGGRAPH_SAVER, LANGGRAPH_STORE, mem0Tables } from "./postgres-layouts.ts";
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
      sql: mem0Tables("house_memories"),
      surfaces: {
        memories: { preset: "mem0-pgvector", store: "memory", table: "house_memories" },
        names: { preset: "mem0-pgvector", store: "memory", table: "house_memories_entities" },
      },
      census: { quiet: ["memory.memory_migrations"] },
    });
    for (const [place, text] of S_SAYS.entries())
      await add(scene, "house_memories", place + 1, { user_id: "s-4471", agent_id: "butler", data: text });
    for (const [place, text] of T_SAYS.entries())
      await add(scene, "house_memories", place + 11, { user_id: "t-0815", agent_id: "s-4471", data: text });
    // The same doctor is a name in a memory of each.
    await addName(scene, 21, "s-4471", "Doctor Ottenwald");
    await addName(scene, 22, "t-0815", "Doctor Ottenwald");
    const outcome = await scene.memory.forget({ subject: ["account:s-4471"], now: true });
    expectErasure(scene, outcome);
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    for (const table of ["house_memories", "house_memories_entities"])
      expect(await scene.query(`SELECT DISTINCT payload->>'user_id' AS id FROM ${table}`)).toEqual([{ id: "t-0815" }]);
  });

  it("VERDICT-1: a question that LangGraph put to both of two persons, and keeps as a pending write alone, makes no record a survivor of the other", async () => {
    const scene = await openPostgresScene(server(), {
      sql: LANGGRAPH_SAVER,
      surfaces: { agent: { preset: "langgraph-postgres", store: "memory" } },
      identifiers: ["thread"],
    });
    for (const [thread, texts] of [
      ["thread-1", S_SAYS],
      ["thread-11", T_SAYS],
    ] as const) {
      await talk(scene, thread, texts);
      await ask(scene, thread, "May I send the letter as it is drafted to the landlord and to nobody else today?");
    }
    const outcome = await scene.memory.forget({ subject: ["thread:thread-1"], now: true });
    expectErasure(scene, outcome, { identifiers: [{ type: "thread", identifier: "thread-1" }] });
    expect(await scene.query("SELECT DISTINCT thread_id AS id FROM checkpoint_writes")).toEqual([{ id: "thread-11" }]);
  });

  it("FORGET-2: LangGraph in a schema of its own, and a store without an index, are declared like the others", async () => {
    const scene = await openPostgresScene(server(), {
      sql: inSchema("agent_mem", `${LANGGRAPH_SAVER} ${LANGGRAPH_ITEMS}`),
      surfaces: {
        agent: { preset: "langgraph-postgres", store: "memory", schema: "agent_mem" },
        notes: { preset: "langgraph-postgres-items", store: "memory", schema: "agent_mem" },
      },
      identifiers: ["thread", "namespace"],
    });
    await scene.query("ALTER ROLE deleatur SET search_path = agent_mem, public");
    onTestFinished(async () => void (await scene.query("ALTER ROLE deleatur RESET search_path")));
    await talk(scene, "thread-1", S_SAYS);
    await talk(scene, "thread-11", T_SAYS);
    for (const [at, text] of [
      ["notes:s-4471", S_SAYS[1]],
      ["notes:t-0815", T_SAYS[1]],
    ] as const)
      await rememberItem(scene, "notes.items", at, "m1", text);
    const subject = ["thread:thread-1", "namespace:notes:s-4471"];
    const outcome = await scene.memory.forget({ subject, now: true });
    const identifiers = [
      { type: "thread", identifier: "thread-1" },
      { type: "namespace", identifier: "notes:s-4471" },
    ];
    expectErasure(scene, outcome, { identifiers });
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
      expect(await scene.query(`SELECT DISTINCT thread_id AS id FROM agent_mem.${table}`)).toEqual([
        { id: "thread-11" },
      ]);
    expect(await scene.query("SELECT namespace_path AS at FROM agent_mem.store")).toEqual([{ at: "notes:t-0815" }]);
  });

  it("an entry may name a table or a schema only where the layout leaves it to its operator", () => {
    expect(() => declare("langgraph-postgres", "table")).toThrow(/table.*is fixed by the preset's layout/);
    expect(() => declare("mem0-pgvector", "schema")).toThrow(/schema.*is fixed by the preset's layout/);
    expect(() => declare("mem0-pgvector", "table")).not.toThrow();
    expect(() => declare("langgraph-postgres-store", "schema")).not.toThrow();
  });
});

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const message = (text: string | undefined): string => JSON.stringify([{ type: "human", content: text }]);

const declare = (preset: string, place: "table" | "schema"): unknown =>
  defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/postgres",
      identifiers: ["thread", "account", "namespace"],
      surfaces: { agent: { preset, store: "memory", [place]: "elsewhere" } },
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

/** What `interrupt()` leaves: one pending write, its place below zero, that no channel ever takes. */
async function ask(scene: PostgresScene, thread: string, question: string): Promise<void> {
  const text = JSON.stringify([{ id: `ede9a1c9${thread}`, value: { question } }]);
  const key = JSON.stringify([thread, "", "c1", "t2", "-3"]);
  const write = { key, subjects: [`thread:${thread}`], content: { blob: text } };
  await scene.memory.record("agent.writes", write, async () => {
    await scene.query("INSERT INTO checkpoint_writes VALUES ($1, '', 'c1', 't2', -3, '__interrupt__', 'json', $2)", [
      thread,
      Buffer.from(text),
    ]);
  });
}

async function rememberItem(
  scene: PostgresScene,
  surface: string,
  at: string,
  key: string,
  text: string,
): Promise<void> {
  const value = JSON.stringify({ memory: text });
  const write = { key: JSON.stringify([at, key]), subjects: [`namespace:${at}`], content: { value } };
  await scene.memory.record(surface, write, async () => {
    await scene.query("INSERT INTO store (namespace_path, key, value) VALUES ($1, $2, $3)", [at, key, value]);
  });
}

async function remember(scene: PostgresScene, at: string, key: string, text: string, seed: number): Promise<void> {
  await rememberItem(scene, "agent.items", at, key, text);
  await scene.memory.record(
    "agent.vectors",
    { key: JSON.stringify([at, key, "memory"]), subjects: [`namespace:${at}`], content: { text } },
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
  const id = idOf(number);
  const text = JSON.stringify(payload);
  const write = { key: id, subjects: [`account:${payload.user_id}`], content: { payload: text } };
  await scene.memory.record("memories.memories", write, async () => {
    await scene.query(`INSERT INTO ${table} VALUES ($1, $2, $3)`, [id, embed(number), text]);
  });
}

/** A name that mem0 took out of a memory of the same user. */
async function addName(scene: PostgresScene, number: number, user: string, name: string): Promise<void> {
  const id = idOf(number);
  const linkedMemoryIds = [idOf(user === "s-4471" ? 2 : 11)];
  const text = JSON.stringify({ data: name, user_id: user, entityType: "PROPER", linkedMemoryIds });
  await scene.memory.record(
    "names.entities",
    { key: id, subjects: [`account:${user}`], content: { payload: text } },
    async () => {
      await scene.query("INSERT INTO house_memories_entities VALUES ($1, $2, $3)", [id, embed(number), text]);
    },
  );
}
