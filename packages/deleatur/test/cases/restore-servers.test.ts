// Real restores of servers: a dump of PostgreSQL, a base backup that takes the server's place, a snapshot put back under Redis. Without a replay it is RESURRECTED; a replay erases again.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Deleatur } from "../../src/open-deleatur.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { isRedisMissing, startRedis } from "../servers/redis-server.ts";
import { openPostgresScene, type PostgresScene } from "./postgres-scene.ts";
import { expectErasure, openScene, S, S_SAYS, type Scene, T, T_SAYS, violations } from "./scene.ts";

const SQL = `CREATE TABLE episodes (id text PRIMARY KEY, account text, body text NOT NULL);
  CREATE TABLE summaries (id text PRIMARY KEY, source_ids text[], body text NOT NULL);`;

const SURFACES = {
  episodes: {
    kind: "postgres",
    role: "primary",
    store: "memory",
    table: "episodes",
    key: "id",
    subject: { column: "account", type: "account" },
    content: ["body"],
  },
  summaries: {
    kind: "postgres",
    role: "derived",
    store: "memory",
    table: "summaries",
    key: "id",
    content: ["body"],
    derivedFrom: { surface: "episodes", column: "source_ids" },
    shared: "destroy",
  },
} as const;

/** What everybody said, each under a key of its own. */
const SAID = [
  ...S_SAYS.map((text, place) => ({ key: `s${place + 1}`, person: S, text })),
  ...T_SAYS.map((text, place) => ({ key: `t${place + 1}`, person: T, text })),
];

const accountOf = (person: string): string => person.slice("account:".length);

async function fill(scene: PostgresScene): Promise<void> {
  for (const { key, person, text } of SAID) {
    await scene.memory.record("episodes", { key, subjects: [person], content: { text } }, async () => {
      await scene.query("INSERT INTO episodes VALUES ($1, $2, $3)", [key, accountOf(person), text]);
    });
    const summary = { key: `m-${key}`, sources: [`episodes/${key}`], content: { text: `It was noted: ${text}.` } };
    await scene.memory.derive("summaries", summary, async () => {
      await scene.query("INSERT INTO summaries VALUES ($1, $2, $3)", [summary.key, [key], summary.content.text]);
    });
  }
}

interface Restored {
  readonly scene: Pick<Scene, "verify">;
  /** The memory over the restored store. */
  readonly memory: Deleatur;
  readonly ticket: Awaited<ReturnType<Deleatur["prepareAudit"]>>;
  /** How much came back into each surface. */
  readonly back: Readonly<Record<string, number>>;
}

/** Nothing notices by itself; the next audit and the next watch do, a replay of the one surface erases all of it and is proven, and what is whole stays so. */
async function expectReplay({ scene, memory, ticket, back }: Restored): Promise<void> {
  const claim = { subject: S, surfacesReached: Object.keys(back), tombstoneWritten: true };
  const audit = await memory.audit({ ticket, claim });
  expect(audit.error).toMatchObject({ class: "ErasureAuditError", code: "RESURRECTED" });
  for await (const look of memory.watch({ once: true })) expect(look.outcome).toBe("back");
  const outcome = await memory.replay({ now: true });
  expect(Object.fromEntries(outcome.surfaces.map((one) => [one.surface, one.back]))).toEqual(back);
  expect(outcome.surfaces.map(({ left, held }) => [left, held])).toEqual(Object.keys(back).map(() => [0, 0]));
  expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
  expect(outcome.requests).toHaveLength(1);
  for (const one of outcome.requests) expectErasure(scene, one);
  expect(violations(memory)).toContain("RESURRECTED");
  for await (const look of memory.watch({ once: true })) expect(look.outcome).toBe("clean");
  const again = await memory.replay({ now: true });
  expect([again.state, again.exitCode, again.requests]).toEqual(["whole", 0, []]);
}

/** What stands of fences in the store itself. */
async function fences(scene: PostgresScene): Promise<readonly unknown[]> {
  return scene.query(`SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('deleatur') AND relkind = 'r' ORDER BY 1`);
}

const installation = findPostgres();

describe.skipIf(installation === undefined)("a PostgreSQL of last week", () => {
  const server = useServer(installation);
  const openMemory = async (): Promise<PostgresScene> => {
    const scene = await openPostgresScene(server(), { sql: SQL, surfaces: SURFACES });
    await fill(scene);
    return scene;
  };
  const left = [{ id: "t1" }, { id: "t2" }, { id: "t3" }];

  it("GUARD-4 C09: a dump that pg_restore puts back over the living tables", async () => {
    const scene = await openMemory();
    const { database } = scene;
    const dump = server().runClient("pg_dump", ["-Fc", "-d", database]);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    server().runClient("pg_restore", ["--clean", "--if-exists", "-d", database], dump);
    expect(await scene.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 6 }]);
    await expectReplay({ scene, memory: scene.memory, ticket, back: { episodes: 3, summaries: 3 } });
    expect(await scene.query("SELECT id FROM episodes ORDER BY id")).toEqual(left);
  });

  it("GUARD-4 C09: a plain dump that psql reads into a database made anew", async () => {
    const scene = await openMemory();
    const { database } = scene;
    const dump = server().runClient("pg_dump", ["-d", database]);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await scene.memory.close();
    await server().query("postgres", `DROP DATABASE ${database} WITH (FORCE)`);
    await server().query("postgres", `CREATE DATABASE ${database} TEMPLATE template0`);
    server().runClient("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", database], dump);
    const memory = await scene.reopen();
    await expectReplay({ scene, memory, ticket, back: { episodes: 3, summaries: 3 } });
    expect(await scene.query("SELECT id FROM episodes ORDER BY id")).toEqual(left);
  });

  it("GUARD-4 C09: one table of a dump alone: what derives from what is gone is known by its source", async () => {
    const scene = await openMemory();
    const { database } = scene;
    const dump = server().runClient("pg_dump", ["-Fc", "-d", database]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    server().runClient("pg_restore", ["--clean", "--if-exists", "-t", "summaries", "-d", database], dump);
    const outcome = await scene.memory.replay({ surfaces: ["summaries"], now: true });
    expect(outcome.surfaces).toMatchObject([{ surface: "summaries", back: 3, left: 0 }]);
    expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
    expect(await scene.query("SELECT id FROM summaries ORDER BY id")).toEqual(
      left.map(({ id }) => ({ id: `m-${id}` })),
    );
  });

  it("GUARD-4: a dump of the moment in which a request waited: the fence that it brings back does not stay", async () => {
    const scene = await openMemory();
    const { database } = scene;
    const clean = await fences(scene);
    expect(await scene.memory.forget({ subject: [S] })).toMatchObject({ state: "waiting", why: "purge-lock" });
    expect(await fences(scene)).not.toEqual(clean);
    const dump = server().runClient("pg_dump", ["-Fc", "-d", database]);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    expect(await fences(scene)).toEqual(clean);
    server().runClient("pg_restore", ["--clean", "--if-exists", "-d", database], dump);
    const outcome = await scene.memory.replay({ now: true });
    expect([outcome.state, outcome.exitCode]).toEqual(["whole", 0]);
    expect(await fences(scene)).toEqual(clean);
  });

  it("GUARD-4 C09: a base backup that takes the server's place", async () => {
    const scene = await openMemory();
    const start = server().takeBaseBackup();
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await scene.memory.close();
    const copy = await start();
    const memory = await scene.reopen({ server: copy });
    await expectReplay({ scene, memory, ticket, back: { episodes: 3, summaries: 3 } });
    expect(await copy.query(scene.database, "SELECT id FROM episodes ORDER BY id")).toEqual(left);
  });
});

describe.skipIf(isRedisMissing)("a Redis of last week", () => {
  it("GUARD-4 C09: a snapshot that is put back under the server", async () => {
    const redis = await startRedis({ persistence: "rdb" });
    const scene = await openScene({
      surfaces: {
        facts: {
          kind: "redis",
          role: "primary",
          store: "facts",
          prefix: "fact:",
          subject: { field: "account", type: "account" },
          content: ["body"],
        },
      },
      connect: { facts: { url: redis.url } },
    });
    for (const { key, person, text } of SAID)
      await scene.memory.record("facts", { key: `fact:${key}`, subjects: [person], content: { text } }, async () => {
        await redis.send("HSET", `fact:${key}`, "account", accountOf(person), "body", text);
      });
    await redis.send("SAVE");
    const [snapshot, kept] = [join(redis.directory, "dump.rdb"), join(scene.directory, "dump.rdb.kept")];
    copyFileSync(snapshot, kept);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    await scene.memory.close();
    await redis.kill9();
    copyFileSync(kept, snapshot);
    await redis.start();
    const memory = await scene.reopen();
    await expectReplay({ scene, memory, ticket, back: { facts: 3 } });
    expect(String(await redis.send("KEYS", "fact:s*"))).toBe("");
    expect(S_SAYS.map((text) => redis.count(text.slice(0, 30)))).toEqual([0, 0, 0]);
  });
});
