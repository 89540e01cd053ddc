// What `check` and a dry run promise over a real server is what `forget` then gives: by the rights of the role, reason by reason, and never more.
import { describe, expect, it } from "vitest";
import type { BestOutcome } from "../../src/attest/best-outcome.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import type { Deleatur } from "../../src/open-deleatur.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { isRedisMissing, startRedis } from "../servers/redis-server.ts";
import { openPostgresScene, type PostgresScene, type PostgresSetup } from "./postgres-scene.ts";
import { EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T_SAYS } from "./scene.ts";

/** What is promised, or given: the attestation, the verdict, and every reason with its surface. */
function gist({ attestation, verdict, reasons }: BestOutcome | RequestOutcome): readonly unknown[] {
  const kind = typeof attestation === "string" ? attestation : attestation.kind;
  return [kind, verdict, [...new Set(reasons.map(({ code, surface }) => `${code} ${surface ?? ""}`))].toSorted()];
}

/** The promises, then what came of it. */
async function promisedAndGiven(memory: Deleatur): Promise<readonly (readonly unknown[])[]> {
  const { best } = await memory.check();
  const dry = await memory.dryRun({ subject: [S] });
  const outcome = await memory.forget({ subject: [S], now: true, allowTombstone: true });
  return [gist(best), gist(dry.best), gist(outcome)];
}

const OWNER = "ALTER TABLE episodes OWNER TO $role; GRANT CREATE, USAGE ON SCHEMA public TO $role;";
/** Not pg_monitor, which is told where the files are as well. */
const LOG = "GRANT pg_checkpoint TO $role; GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO $role;";
const LIST = "GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean), pg_stat_file(text, boolean) TO $role;";
const READ = "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO $role;";

const ROLES: Readonly<
  Record<string, { readonly grants: string; readonly best: BestOutcome["attestation"]; readonly isFar?: boolean }>
> = {
  "may only read": { grants: "GRANT SELECT ON episodes TO $role;", best: "withheld" },
  "may change rows and nothing else": {
    grants: "GRANT SELECT, INSERT, UPDATE, DELETE ON episodes TO $role;",
    best: "withheld",
  },
  "may change rows, and its server is far": {
    grants: "GRANT SELECT, INSERT, UPDATE, DELETE ON episodes TO $role;",
    best: "withheld",
    isFar: true,
  },
  "owns the table": { grants: OWNER, best: "withheld" },
  "owns the database and the table": { grants: `${OWNER} ALTER DATABASE $database OWNER TO $role;`, best: "withheld" },
  "owns the database alone, with the log": {
    grants: `GRANT ALL ON episodes TO $role; ALTER DATABASE $database OWNER TO $role; ${LOG}`,
    best: "erasure",
  },
  "owns both, with the log, and its server is far": {
    grants: `${OWNER} ALTER DATABASE $database OWNER TO $role; ${LOG}`,
    best: "withheld",
    isFar: true,
  },
  "owns both, with the log and the files": {
    grants: `${OWNER} ALTER DATABASE $database OWNER TO $role; ${LOG} ${LIST} ${READ}`,
    best: "erasure",
    isFar: true,
  },
  "owns both, may list files and not read them": {
    grants: `${OWNER} ALTER DATABASE $database OWNER TO $role; ${LOG} ${LIST}`,
    best: "withheld",
    isFar: true,
  },
  "owns the table, a view over it is another's": {
    grants: `${OWNER} ALTER DATABASE $database OWNER TO $role; ${LOG} CREATE MATERIALIZED VIEW shown AS SELECT * FROM episodes; GRANT SELECT ON shown TO $role;`,
    best: "withheld",
  },
  "is a superuser": { grants: "ALTER ROLE $role SUPERUSER;", best: "erasure", isFar: true },
};

async function fill(scene: PostgresScene): Promise<void> {
  for (const [account, texts] of [
    ["s-4471", S_SAYS],
    ["t-0815", T_SAYS],
  ] as const)
    for (const [place, text] of texts.entries()) {
      const key = `${account.slice(0, 1)}${place + 1}`;
      await scene.memory.record("episodes", { key, subjects: [`account:${account}`], content: { text } }, async () => {
        await scene.query("INSERT INTO episodes VALUES ($1, $2, $3)", [key, account, text]);
      });
    }
}

const installation = findPostgres();

describe.skipIf(installation === undefined)("ATTEST-4 VERDICT-4: a PostgreSQL whose role", () => {
  const server = useServer(installation);
  const surfaces = { episodes: { ...EPISODES, kind: "postgres", key: "id" } } as const;
  it("and whose log is held by a slot that nobody reads is told so, and gets no more", async () => {
    const scene = await openPostgresScene(server(), { sql: EPISODES_SQL, surfaces });
    await fill(scene);
    await scene.query("SELECT pg_create_physical_replication_slot('unread', true)");
    try {
      const [checked, dry, given] = await promisedAndGiven(scene.memory);
      expect(checked).toEqual(["withheld", "PARTIAL", ["PURGE_PENDING episodes"]]);
      expect([dry, given]).toEqual([checked, checked]);
    } finally {
      await scene.query("SELECT pg_drop_replication_slot('unread')");
    }
  });

  it("is told beforehand what a purge locks, how, about how long and how much room it takes", async () => {
    const scene = await openPostgresScene(server(), {
      sql: `${EPISODES_SQL} CREATE TABLE filling AS SELECT n, repeat(md5(n::text), 20) AS body FROM generate_series(1, 20000) n;
        CREATE MATERIALIZED VIEW shown AS SELECT * FROM episodes;`,
      surfaces,
      census: { include: ["memory.*"], quiet: ["memory.filling"] },
    });
    await fill(scene);
    const before = await scene.query("SELECT relname, relfilenode FROM pg_class ORDER BY oid");
    const { purges, hindered } = await scene.memory.check();
    expect(hindered).toEqual([]);
    const [one] = purges;
    expect(one?.surfaces).toEqual(["episodes"]);
    expect(one?.hindrance).toBeUndefined();
    const locks = new Map(one?.locks.map((lock) => [lock.container, lock]));
    expect([...locks.keys()]).toEqual(["memory.episodes", "memory.shown", "memory.pg_catalog.pg_statistic"]);
    expect(locks.get("memory.episodes")).toMatchObject({ mode: "ACCESS EXCLUSIVE", keepsOut: "readers and writers" });
    const [sizes] = await scene.query("SELECT pg_total_relation_size('episodes')::int AS n");
    expect(locks.get("memory.episodes")?.bytes).toBe(sizes?.["n"]);
    expect(one?.spareBytes).toBeGreaterThanOrEqual(Math.max(...[...locks.values()].map(({ bytes }) => bytes)));
    expect(one?.basis).toContain("pg_class");
    // Another table's size is none of its business, and nothing was written by asking.
    await scene.query("INSERT INTO filling SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 20000) n");
    expect((await scene.memory.check()).purges[0]?.spareBytes).toBe(one?.spareBytes);
    expect(await scene.query("SELECT relname, relfilenode FROM pg_class ORDER BY oid")).toEqual(before);
    // What is declared to lock nobody out says so.
    const gentle = await scene.reopen({
      surfaces: { episodes: { ...surfaces.episodes, purge: { method: "checkpoint" } } },
    });
    const [other] = (await gentle.check()).purges;
    expect(other?.locks.find(({ container }) => container === "memory.episodes")).toMatchObject({
      mode: "SHARE UPDATE EXCLUSIVE",
      keepsOut: "nobody",
    });
  });

  const openAs = async (grants: string, change: Partial<PostgresSetup> = {}): Promise<Deleatur> => {
    const scene = await openPostgresScene(server(), { sql: EPISODES_SQL, surfaces });
    await fill(scene);
    const role = `role_${scene.database}`;
    await scene.query(
      `CREATE ROLE ${role} LOGIN; ${grants.replaceAll("$role", role).replaceAll("$database", scene.database)}`,
    );
    return scene.reopen({ ...change, user: role });
  };

  it.each(Object.entries(ROLES))("%s is promised what it gets", async (_, { grants, best, isFar }) => {
    const memory = await openAs(grants, { isFar: isFar === true });
    const [checked, dry, given] = await promisedAndGiven(memory);
    expect(checked).toEqual(given);
    expect(dry).toEqual(given);
    expect(given?.[0]).toBe(best);
  });
});

const USERS: Readonly<
  Record<
    string,
    {
      readonly rules: readonly string[];
      readonly best: BestOutcome["attestation"];
      readonly args?: readonly string[];
    }
  >
> = {
  "may do all": { rules: ["+@all"], best: "erasure" },
  "may not write files anew": { rules: ["+@all", "-bgrewriteaof", "-bgsave"], best: "withheld" },
  "may not ask for the configuration": { rules: ["+@all", "-config"], best: "withheld" },
  "may neither, as at a managed service": { rules: ["+@all", "-config", "-bgrewriteaof", "-bgsave"], best: "withheld" },
  "meets commands that were taken away": {
    rules: ["+@all"],
    args: ["--rename-command", "BGREWRITEAOF", "", "--rename-command", "BGSAVE", ""],
    best: "withheld",
  },
  "may only read": {
    rules: ["+@read", "+info", "+ping", "+select", "+hello", "+client", "+multi", "+discard"],
    best: "withheld",
  },
  "may change other keys alone": { rules: ["+@all", "resetkeys", "%R~*", "%W~other:*"], best: "withheld" },
};

describe.skipIf(isRedisMissing)("ATTEST-4 VERDICT-4: a Redis whose user", () => {
  it.each(Object.entries(USERS))("%s is promised what it gets", async (_, { rules, args = [], best }) => {
    const redis = await startRedis({ persistence: "both", args });
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
    for (const [account, texts] of [
      ["s-4471", S_SAYS],
      ["t-0815", T_SAYS],
    ] as const)
      for (const [place, text] of texts.entries()) {
        const key = `fact:${account.slice(0, 1)}${place + 1}`;
        await scene.memory.record("facts", { key, subjects: [`account:${account}`], content: { text } }, async () => {
          await redis.send("HSET", key, "account", account, "body", text);
        });
      }
    await redis.send("ACL", "SETUSER", "default", "-@all", ...rules);
    const [checked, dry, given] = await promisedAndGiven(scene.memory);
    expect(checked).toEqual(given);
    expect(dry).toEqual(given);
    expect(given?.[0]).toBe(best);
  });
});
