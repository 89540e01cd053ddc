// Where a PostgreSQL can keep a person's words so that a look at its declared tables does not show them: none of these may pass for an erasure.
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { filesWith, useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { startPostgres } from "../servers/postgres-server.ts";
import { openPostgresScene, type PostgresScene, type PostgresSetup } from "./postgres-scene.ts";
import { codes, S, S_SAYS, T, T_SAYS } from "./scene.ts";

const installation = findPostgres();

const EPISODES = {
  kind: "postgres",
  role: "primary",
  store: "memory",
  table: "episodes",
  key: "id",
  subject: { column: "person", type: "account" },
  content: ["body"],
} as const;

const COLUMNS = "(id bigint PRIMARY KEY, person text, body text)";
const value = (person: string): string => person.slice(person.indexOf(":") + 1);

/** How often the probes met it in a container that no surface names; no erasure may be signed beside that. */
const foundIn = (outcome: RequestOutcome, container: string): number => {
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.attestation.kind).not.toBe("erasure");
  const found = outcome.reasons.find(({ code, surface }) => code === "UNDECLARED_CONTAINER" && surface === container);
  return found?.count ?? 0;
};

describe.skipIf(installation === undefined)("a copy in a PostgreSQL", () => {
  const server = useServer(installation);

  const openMemory = async (change: Partial<PostgresSetup> = {}): Promise<PostgresScene> => {
    const scene = await openPostgresScene(server(), {
      sql: `CREATE TABLE episodes ${COLUMNS}`,
      surfaces: { episodes: EPISODES },
      ...change,
    });
    const said = [S_SAYS.map((text) => [S, text] as const), T_SAYS.map((text) => [T, text] as const)].flat();
    for (const [place, [person, text]] of said.entries()) {
      const key = place + 1;
      await scene.memory.record("episodes", { key: `${key}`, subjects: [person], content: { text } }, async () => {
        await scene.query("INSERT INTO episodes (id, person, body) VALUES ($1, $2, $3)", [key, value(person), text]);
      });
    }
    return scene;
  };

  it.each([
    ["a domain over a domain", "CREATE DOMAIN inner_ AS text; CREATE DOMAIN note AS inner_;", "note", "$1::text"],
    ["an array of a domain", "CREATE DOMAIN note AS text;", "note[]", "ARRAY[$1::text]"],
    ["a composite", "CREATE TYPE turn AS (who int, said text);", "turn", "ROW(1, $1::text)::turn"],
    ["an array of composites", "CREATE TYPE turn AS (who int, said text);", "turn[]", "ARRAY[ROW(1, $1::text)::turn]"],
    ["a range", "CREATE TYPE span AS RANGE (subtype = text);", "span", "span($1::text, NULL)"],
    ["a type of an extension", "CREATE EXTENSION hstore;", "hstore", "hstore('said', $1::text)"],
  ])(
    "C08: in a column of %s keeps the verdict open where no surface names its table",
    async (_, types, type, written) => {
      const scene = await openMemory({
        sql: `CREATE TABLE episodes ${COLUMNS}; ${types} CREATE TABLE copies (id int, note ${type})`,
      });
      await scene.query(`INSERT INTO copies VALUES (1, ${written})`, [S_SAYS[0]]);
      expect(foundIn(await scene.memory.forget({ subject: [S], now: true }), "memory.copies")).toBeGreaterThan(0);
    },
  );

  it("C08 ATTEST-6: a bit string as long as a quantized embedding is one, a handful of flags is none", async () => {
    const scene = await openMemory({
      sql: `CREATE TABLE episodes ${COLUMNS}; CREATE DOMAIN code AS bit(128);
        CREATE TABLE codes (id int, code code); CREATE TABLE loose (id int, code bit varying); CREATE TABLE flags (id int, one bit, few bit(8))`,
    });
    expect((await scene.memory.check()).undeclared).toEqual(["memory.codes", "memory.loose"]);
  });

  it("C08: in the search vector of a quiet table is read in the order of its places, and makes it undeclared again", async () => {
    const scene = await openMemory({
      sql: `CREATE TABLE episodes ${COLUMNS}; CREATE TABLE found (id int PRIMARY KEY, words tsvector)`,
      census: { include: ["memory.*"], quiet: ["memory.found"] },
    });
    await scene.query("INSERT INTO found VALUES (1, to_tsvector('simple', $1))", [S_SAYS[0]]);
    expect(foundIn(await scene.memory.forget({ subject: [S], now: true }), "memory.found")).toBeGreaterThan(0);
  });

  it("C08 C14: in a table that only looks like the declared one, in another session's own table and in its last statement", async () => {
    const scene = await openMemory({
      sql: `CREATE SCHEMA app; CREATE TABLE app.episodes ${COLUMNS}; CREATE VIEW episodes AS SELECT * FROM app.episodes; CREATE TABLE "app.episodes" (note text)`,
      surfaces: { episodes: { ...EPISODES, table: "app.episodes" } },
    });
    expect((await scene.memory.check()).undeclared).toEqual(['memory."app.episodes"']);
    await scene.query(`INSERT INTO "app.episodes" VALUES ($1)`, [S_SAYS[0]]);
    const session = new Client({ connectionString: server().url(scene.database) });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query("CREATE TEMP TABLE copies AS SELECT * FROM episodes");
    await session.query(`SELECT '${S_SAYS[1]}'`);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(foundIn(outcome, 'memory."app.episodes"')).toBeGreaterThan(0);
    const undeclared = outcome.reasons.filter(({ code }) => code === "UNDECLARED_CONTAINER");
    expect(undeclared.some(({ surface }) => /^memory\.pg_temp_\d+\.copies$/.test(surface ?? ""))).toBe(true);
    expect(outcome.survivors.map(({ container }) => container)).toContain("memory.[sessions]");
  });

  it("C08: in a column that only an inheriting table has is seen beside the declared one", async () => {
    const scene = await openMemory({
      sql: `CREATE TABLE episodes ${COLUMNS}; CREATE TABLE more (note text) INHERITS (episodes)`,
    });
    await scene.query("INSERT INTO more VALUES (21, $1, $2, $3)", [value(T), "Nothing of the kind at all", S_SAYS[0]]);
    expect(foundIn(await scene.memory.forget({ subject: [S], now: true }), "memory.more")).toBeGreaterThan(0);
  });

  it("C08: in a table that an extension took over is looked for like in any other", async () => {
    const scene = await openMemory({
      sql: `CREATE TABLE episodes ${COLUMNS}; CREATE EXTENSION citext; CREATE TABLE queue (id int, message jsonb);
        ALTER EXTENSION citext ADD TABLE queue`,
    });
    await scene.query("INSERT INTO queue VALUES (1, jsonb_build_object('text', $1::text))", [S_SAYS[0]]);
    expect(foundIn(await scene.memory.forget({ subject: [S], now: true }), "memory.queue")).toBeGreaterThan(0);
  });

  it("C08: in a partition whose detaching was broken off, which its table does not show any more, is seen", async () => {
    const scene = await openMemory({
      sql: `CREATE TABLE episodes ${COLUMNS} PARTITION BY RANGE (id); CREATE TABLE early PARTITION OF episodes FOR VALUES FROM (0) TO (1000);
        CREATE TABLE late PARTITION OF episodes FOR VALUES FROM (1000) TO (2000)`,
    });
    await scene.query("INSERT INTO episodes VALUES (1001, $1, $2)", [value(S), S_SAYS[0]]);
    const [reader, detacher] = [1, 2].map(() => new Client({ connectionString: server().url(scene.database) }));
    if (reader === undefined || detacher === undefined) throw new Error("no clients");
    await reader.connect();
    await detacher.connect();
    await reader.query("BEGIN; SELECT * FROM episodes");
    await detacher.query("SET lock_timeout = '200ms'");
    await expect(detacher.query("ALTER TABLE episodes DETACH PARTITION late CONCURRENTLY")).rejects.toThrow("lock");
    await detacher.end();
    await reader.end();
    expect(await scene.query("SELECT 1 FROM episodes WHERE id = 1001")).toEqual([]);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(await scene.query("SELECT id::int FROM late")).toEqual([{ id: 1001 }]);
    expect(foundIn(outcome, "memory.late")).toBeGreaterThan(0);
    expect(codes(outcome)).not.toEqual([]);
  });

  it.each([
    ["citext", "CREATE EXTENSION citext;", "citext", "S-4471"],
    [
      "a collation that ignores case",
      "CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false);",
      "text COLLATE alike",
      "S-4471",
    ],
    [
      "a collation that ignores accents",
      "CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false);",
      "text COLLATE alike",
      "Ś-4471",
    ],
  ])(
    "LINEAGE-7 C16: under another spelling that a column of %s takes for the same goes with the person",
    async (_, sql, type, spelling) => {
      const scene = await openMemory({
        sql: `${sql} CREATE TABLE episodes (id bigint PRIMARY KEY, person ${type}, body text)`,
      });
      const said = "A crimson gramophone played Bulgarian lullabies beneath the frozen waterfall";
      await scene.memory.record(
        "episodes",
        { key: "21", subjects: [`account:${spelling}`], content: { text: said } },
        async () => {
          await scene.query("INSERT INTO episodes VALUES (21, $1, $2)", [spelling, said]);
        },
      );
      expect(await scene.query("SELECT count(*)::int AS n FROM episodes WHERE person = $1", [value(S)])).toEqual([
        { n: 4 },
      ]);
      const outcome = await scene.memory.forget({ subject: [S], now: true });
      expect(await scene.query("SELECT id::int FROM episodes ORDER BY id")).toEqual([{ id: 4 }, { id: 5 }, { id: 6 }]);
      expect([outcome.verdict, ...codes(outcome)]).toEqual(["COMPLIANT"]);
    },
  );

  it.each(["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc999c0b4ef8bb6d6bb9bd380a11}"])(
    "LINEAGE-7 C16: under a UUID goes with the person, whichever way that was written elsewhere (%s)",
    async (written) => {
      const scene = await openMemory({
        sql: `CREATE TABLE episodes ${COLUMNS}; CREATE TABLE facts (id bigint PRIMARY KEY, person uuid, body text)`,
        surfaces: { episodes: EPISODES, facts: { ...EPISODES, table: "facts" } },
      });
      for (const [table, said] of [
        ["episodes", "A crimson gramophone played Bulgarian lullabies"],
        ["facts", "The pink flamingo danced on a grand piano in Bremen"],
      ] as const)
        await scene.memory.record(
          table,
          { key: "21", subjects: [`account:${written}`], content: { text: said } },
          async () => {
            await scene.query(`INSERT INTO ${table} VALUES (21, $1, $2)`, [written, said]);
          },
        );
      const outcome = await scene.memory.forget({ subject: [`account:${written}`], now: true });
      expect(await scene.query("SELECT 1 FROM facts")).toEqual([]);
      expect([outcome.verdict, ...codes(outcome)]).toEqual(["COMPLIANT"]);
    },
  );

  it.each([
    [
      "a table that inherits",
      "CREATE TABLE more () INHERITS (episodes);",
      "INSERT INTO more VALUES (21, 's-4471', 'A crimson gramophone played Bulgarian lullabies');",
    ],
    [
      "what the planner sampled of a materialized view",
      "CREATE MATERIALIZED VIEW shown AS SELECT * FROM episodes;",
      "INSERT INTO episodes VALUES (21, 's-4471', 'A crimson gramophone played Bulgarian lullabies'); REFRESH MATERIALIZED VIEW shown; ANALYZE shown;",
    ],
  ])("ATTEST-4: in %s is out of the server's files after the purge", async (_, sql, after) => {
    const scene = await openMemory({ sql: `CREATE TABLE episodes ${COLUMNS}; ${sql}` });
    await scene.query(
      "INSERT INTO episodes SELECT 1000 + n, 'other', 'plain talk ' || md5(n::text) FROM generate_series(1, 50) n",
    );
    await scene.query(`${after} CHECKPOINT`);
    expect(filesWith(server().data, "crimson gramophone").length).toBeGreaterThan(0);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(filesWith(server().data, "crimson gramophone")).toEqual([]);
    expect(codes(outcome)).not.toContain("PURGE_PENDING");
    expect(outcome.survivors).toEqual([]);
  });

  it("C08: in the text of a function is a survivor like any other", async () => {
    const scene = await openMemory();
    await scene.query(`CREATE FUNCTION greeting() RETURNS text LANGUAGE sql AS $$ SELECT '${S_SAYS[0]}'::text $$`);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    expect(outcome.survivors.length).toBeGreaterThan(0);
  });
});

describe.skipIf(installation === undefined)("a copy on a server beside", () => {
  it("CLAIM-6: a standby that nobody declared keeps the verdict open, and declared it is looked at", async () => {
    if (installation === undefined) return;
    const primary = await startPostgres(installation);
    onTestFinished(() => primary.stop());
    const scene = await openPostgresScene(primary, {
      sql: `CREATE TABLE episodes ${COLUMNS}`,
      surfaces: { episodes: EPISODES },
    });
    await scene.memory.record("episodes", { key: "1", subjects: [S], content: { text: S_SAYS[0] } }, async () => {
      await scene.query("INSERT INTO episodes VALUES (1, $1, $2)", [value(S), S_SAYS[0]]);
    });
    const standby = await primary.startStandby();
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(codes(outcome)).toContain("UNDECLARED_CONTAINER");
    expect(outcome.reasons.map(({ surface }) => surface)).toContain("memory.[follower 1]");
    await scene.reopen({
      surfaces: { episodes: { ...EPISODES, replicas: ["copy"] } },
      replicas: { copy: standby },
    });
    const again = await scene.memory.resume(outcome.request, { now: true });
    expect([again.verdict, ...codes(again)]).toEqual(["COMPLIANT"]);
  });

  it("CLAIM-6: a server that this one subscribes to still has what it sent, and keeps the verdict open", async () => {
    if (installation === undefined) return;
    const subscriber = await startPostgres(installation);
    onTestFinished(() => subscriber.stop());
    const scene = await openPostgresScene(subscriber, {
      sql: `CREATE TABLE episodes ${COLUMNS}`,
      surfaces: { episodes: EPISODES },
    });
    await scene.query(
      "CREATE SUBSCRIPTION from_afar CONNECTION 'dbname=afar' PUBLICATION all_rows WITH (connect = false)",
    );
    const { best } = await scene.memory.check();
    expect(best.reasons.map(({ code, surface }) => [code, surface])).toContainEqual([
      "UNDECLARED_CONTAINER",
      "memory.[publisher 1]",
    ]);
  });
});
