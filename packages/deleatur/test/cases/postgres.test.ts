// Forgetting a person from a memory in PostgreSQL with pgvector, from the write to a receipt that another's verifier accepts; and what must not pass for it.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findVectorPostgres } from "../servers/find-postgres.ts";
import { openPostgresScene, type PostgresScene, type PostgresSetup } from "./postgres-scene.ts";
import { codes, expectErasure, S, S_SAYS, T, T_SAYS } from "./scene.ts";

const installation = findVectorPostgres();

const SQL = `
CREATE EXTENSION vector;
CREATE TABLE episodes (id bigint PRIMARY KEY, payload jsonb, body text NOT NULL, words tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED);
CREATE TABLE episode_vectors (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), episode bigint REFERENCES episodes, embedding vector(24));
CREATE TABLE summaries (id text PRIMARY KEY, source_ids bigint[], body text NOT NULL);
CREATE INDEX ON episodes USING gin (words);
CREATE INDEX ON episode_vectors USING hnsw (embedding vector_l2_ops);`;

const EPISODES = {
  kind: "postgres",
  role: "primary",
  store: "memory",
  table: "episodes",
  key: "id",
  subject: { json: "payload.user.id", type: "account" },
  content: ["body"],
} as const;

const VECTORS = {
  kind: "postgres",
  role: "index",
  store: "memory",
  table: "episode_vectors",
  key: "id",
  vector: "embedding",
  derivedFrom: { surface: "episodes", column: "episode" },
} as const;

const SUMMARIES = {
  kind: "postgres",
  role: "derived",
  store: "memory",
  table: "summaries",
  key: "id",
  content: ["body"],
  derivedFrom: { surface: "episodes", column: "source_ids" },
} as const;

const value = (person: string): string => person.slice(person.indexOf(":") + 1);

async function say(scene: PostgresScene, key: number, person: string, text: string): Promise<void> {
  await scene.memory.record("episodes", { key: String(key), subjects: [person], content: { text } }, async () => {
    await scene.query("INSERT INTO episodes (id, payload, body) VALUES ($1, $2, $3)", [
      key,
      JSON.stringify({ user: { id: value(person) } }),
      text,
    ]);
  });
  const embedding = Array.from({ length: 24 }, (_, place) => Math.sin(key * 12.9898 + place * place * 78.233));
  const id = `00000000-0000-4000-8000-${String(key).padStart(12, "0")}`;
  await scene.memory.derive(
    "vectors",
    { key: id, sources: [`episodes/${key}`], content: { embedding: Float32Array.from(embedding) } },
    async () => {
      await scene.query("INSERT INTO episode_vectors VALUES ($1, $2, $3)", [id, key, `[${embedding.join(",")}]`]);
    },
  );
}

async function summarise(scene: PostgresScene, key: string, sources: readonly number[], text: string): Promise<void> {
  await scene.memory.derive(
    "summaries",
    { key, sources: sources.map((source) => `episodes/${source}`), content: { text } },
    async () => {
      await scene.query("INSERT INTO summaries VALUES ($1, $2, $3)", [key, sources, text]);
    },
  );
}

async function fill(scene: PostgresScene): Promise<void> {
  for (const [place, text] of S_SAYS.entries()) await say(scene, place + 1, S, text);
  for (const [place, text] of T_SAYS.entries()) await say(scene, place + 11, T, text);
}

describe.skipIf(installation === undefined)("a memory in PostgreSQL", () => {
  const server = useServer(installation);

  const openMemory = async (change: Partial<PostgresSetup> = {}): Promise<PostgresScene> => {
    const scene = await openPostgresScene(server(), {
      sql: SQL,
      surfaces: { episodes: EPISODES, vectors: VECTORS, summaries: { ...SUMMARIES, shared: "destroy" } },
      ...change,
    });
    return scene;
  };

  it("C16: forgets a person to a COMPLIANT erasure that a verifier accepts, and takes nothing from another", async () => {
    const scene = await openMemory();
    await fill(scene);
    await summarise(scene, "m1", [1], `It was noted: ${S_SAYS[0]}.`);
    await summarise(scene, "m2", [11], `It was noted: ${T_SAYS[0]}.`);
    const asked = await scene.memory.forget({ subject: [S] });
    expect(asked).toMatchObject({ state: "waiting", why: "purge-lock" });
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expectErasure(scene, outcome);
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    expect(await scene.query("SELECT id::int FROM episodes ORDER BY id")).toEqual([{ id: 11 }, { id: 12 }, { id: 13 }]);
    expect(await scene.query("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
    expect(await scene.query("SELECT count(*)::int AS n FROM episode_vectors")).toEqual([{ n: 3 }]);
  });

  it("C03 LINEAGE-5: rederives a summary of two people from the other's episode alone", async () => {
    const scene = await openMemory({
      surfaces: {
        episodes: EPISODES,
        vectors: VECTORS,
        summaries: { ...SUMMARIES, shared: "rederive", rederive: "summarise" },
      },
    });
    await fill(scene);
    await summarise(scene, "m1", [1, 11], `${S_SAYS[0]}. ${T_SAYS[0]}.`);
    scene.memory.registerRederive("summarise", (sources) =>
      Promise.resolve(
        `From those who stay: ${sources.flatMap(({ content }) => content.flatMap((field) => ("text" in field ? [field.text] : []))).join(" ")}`,
      ),
    );
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    expect(await scene.query("SELECT id, source_ids::text, body FROM summaries")).toEqual([
      { id: "m1", source_ids: "{11}", body: `From those who stay: ${T_SAYS[0]}` },
    ]);
  });

  it("C07 C14 C16: takes a person out of what two own, and confuses no namespace and no number with another", async () => {
    const scene = await openPostgresScene(server(), {
      sql: `CREATE TABLE entities (space text, name text, body text, PRIMARY KEY (space, name));
        CREATE TABLE owned (id int PRIMARY KEY, body text); CREATE TABLE owners (owned int, person text);`,
      surfaces: {
        entities: {
          kind: "postgres",
          role: "primary",
          store: "memory",
          table: "entities",
          key: ["space", "name"],
          subject: { column: "space", type: "account" },
          content: ["body"],
        },
        owned: {
          kind: "postgres",
          role: "primary",
          store: "memory",
          table: "owned",
          key: "id",
          subject: { via: "owners", on: "owned", column: "person", type: "account" },
          content: ["body"],
          shared: "redact",
        },
      },
      writers: "trigger",
      census: { include: ["memory.*"], quiet: ["memory.owners"] },
    });
    await scene.query("INSERT INTO entities VALUES ('a:b', 'c', $1), ('a', 'b:c', $2)", [S_SAYS[0], T_SAYS[0]]);
    await scene.query("INSERT INTO owned VALUES (42, $1), (421, $2)", [T_SAYS[1], T_SAYS[2]]);
    await scene.query("INSERT INTO owners VALUES (42, 'a:b'), (42, 'a'), (421, 'a')");
    const outcome = await scene.memory.forget({ subject: ["account:a:b"], now: true });
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    expect(outcome.survivors).toEqual([]);
    expect(await scene.query("SELECT space, name FROM entities")).toEqual([{ space: "a", name: "b:c" }]);
    expect(await scene.query("SELECT owned, person FROM owners ORDER BY owned")).toEqual([
      { owned: 42, person: "a" },
      { owned: 421, person: "a" },
    ]);
  });

  it("C08: vectors in a table that nobody declared keep the verdict open, and declared both are cleared", async () => {
    const scene = await openMemory({
      sql: `${SQL} CREATE TABLE memory_observations_384 (id bigint PRIMARY KEY, episode bigint, note text);`,
    });
    await fill(scene);
    await scene.query("INSERT INTO memory_observations_384 VALUES (1, 1, $1)", [S_SAYS[0]]);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    const undeclared = outcome.reasons.find(({ code }) => code === "UNDECLARED_CONTAINER");
    expect(undeclared).toMatchObject({ surface: "memory.memory_observations_384" });
    expect(undeclared?.count).toBeGreaterThan(0);
    const memory = await scene.reopen({
      surfaces: {
        episodes: EPISODES,
        vectors: VECTORS,
        summaries: { ...SUMMARIES, shared: "destroy" },
        observations: {
          kind: "postgres",
          role: "index",
          store: "memory",
          table: "memory_observations_384",
          key: "id",
          content: ["note"],
          derivedFrom: { surface: "episodes", column: "episode" },
        },
      },
    });
    const again = await memory.resume(outcome.request, { now: true });
    expect(await scene.query("SELECT 1 FROM memory_observations_384")).toEqual([]);
    expect([again.verdict, ...codes(again)]).toEqual(["COMPLIANT"]);
  });

  it("C12 CLAIM-5: a delete that the store swallows ends as failed, never erased, and a resume erases it", async () => {
    const scene = await openMemory();
    await fill(scene);
    await scene.query(`CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER swallow BEFORE DELETE ON episodes FOR EACH ROW EXECUTE FUNCTION swallow();`);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    expect(outcome.surfaces.find(({ surface }) => surface === "episodes")).toMatchObject({ erased: 0, failed: 3 });
    await scene.query("DROP TRIGGER swallow ON episodes");
    const again = await scene.memory.resume(outcome.request, { now: true });
    expect([again.verdict, ...codes(again)]).toEqual(["COMPLIANT"]);
  });

  it("C15: a foreign tool's delete that was never committed is PRIMARY_STILL_HOLDS", async () => {
    const scene = await openMemory();
    await fill(scene);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    await scene.query("BEGIN; DELETE FROM episode_vectors; DELETE FROM episodes; ROLLBACK");
    const claim = { subject: S, surfacesReached: ["episodes", "vectors", "summaries"], tombstoneWritten: true };
    const audit = await scene.memory.audit({ ticket, claim });
    expect(audit.error).toMatchObject({ code: "PRIMARY_STILL_HOLDS" });
  });

  it("C21 LINEAGE-7: rows under an identifier that nobody gave are IDENTIFIER_UNKNOWN, given both are cleared", async () => {
    const scene = await openMemory({
      sql: `${SQL} CREATE TABLE answers (id int PRIMARY KEY, mail text, body text);`,
      identifiers: ["account", "email"],
      surfaces: {
        episodes: EPISODES,
        vectors: VECTORS,
        summaries: { ...SUMMARIES, shared: "destroy" },
        answers: {
          kind: "postgres",
          role: "transcript",
          store: "memory",
          table: "answers",
          key: "id",
          subject: { column: "mail", type: "email" },
          content: ["body"],
        },
      },
    });
    await fill(scene);
    await scene.memory.record(
      "answers",
      { key: "1", subjects: ["email:sabine@example.org"], content: { text: S_SAYS[1] } },
      async () => {
        await scene.query("INSERT INTO answers VALUES (1, 'sabine@example.org', $1)", [`To this: ${S_SAYS[1]}`]);
      },
    );
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(codes(outcome)).toContain("IDENTIFIER_UNKNOWN");
    const given = await scene.memory.forget({ subject: [S, "email:sabine@example.org"], now: true });
    expect([given.verdict, ...codes(given)]).toEqual(["COMPLIANT"]);
    expect(await scene.query("SELECT 1 FROM answers")).toEqual([]);
  });

  it.each([
    ["erases", "DELETE FROM", "SELECT 1 FROM episodes WHERE id = 1 FOR UPDATE"],
    ["purges", "VACUUM (FULL", "SELECT 1 FROM episodes"],
  ])(
    "FORGET-2: killed with -9 while it %s, the server is no success, and a resume ends it",
    async (_, statement, lock) => {
      const scene = await openMemory();
      await fill(scene);
      const holder = new Client({ connectionString: server().url(scene.database) });
      holder.on("error", () => undefined);
      await holder.connect();
      await holder.query(`BEGIN; ${lock}`);
      const forgetting = scene.memory.forget({ subject: [S], now: true });
      // Its statement stands before the lock: there the server ends, in the midst of it.
      const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '${statement}%'`;
      while ((await scene.query(isWaiting)).length === 0) await pause(10);
      await server().kill();
      const outcome = await forgetting;
      expect(outcome.verdict).not.toBe("COMPLIANT");
      expect(outcome.attestation.kind).not.toBe("erasure");
      expect(outcome.exitCode).not.toBe(0);
      await holder.end();
      await server().start();
      const again = await scene.memory.resume(outcome.request, { now: true });
      expectErasure(scene, again);
      expect(await scene.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 3 }]);
    },
  );

  it("GUARD-4 C09: what a restored dump brought back is erased again by replay", async () => {
    const scene = await openMemory();
    await fill(scene);
    const rows = await scene.query("SELECT id, payload::text, body FROM episodes WHERE id < 10");
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    for (const { id, payload, body } of rows)
      await scene.query("INSERT INTO episodes (id, payload, body) VALUES ($1, $2, $3)", [id, payload, body]);
    const replayed = await scene.memory.replay({ surfaces: ["episodes"], now: true });
    expect(await scene.query("SELECT id::int FROM episodes ORDER BY id")).toEqual([{ id: 11 }, { id: 12 }, { id: 13 }]);
    expect(replayed).toMatchObject({ state: "whole" });
  });
});
