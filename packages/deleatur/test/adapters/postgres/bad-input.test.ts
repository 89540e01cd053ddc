// A PostgreSQL that is down, refuses, changed under us, lacks a right or is in the way of a purge: never a success, and the answer says which.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { findPostgres } from "../../servers/find-postgres.ts";
import { freePort } from "../../servers/free-port.ts";
import { startPostgres } from "../../servers/postgres-server.ts";
import {
  all,
  declare,
  filesWith,
  keys,
  newStore,
  openSurface,
  signal,
  text,
  useServer,
  type Store,
} from "./postgres-fixture.ts";

const installation = findPostgres();
const TABLE =
  "CREATE TABLE episodes (id int PRIMARY KEY, body text); INSERT INTO episodes SELECT n, 'row ' || n FROM generate_series(1, 20) n;";
const episodes = declare({ content: [text("body")] });

async function role(store: Store, grants: string): Promise<string> {
  const name = `role_${store.database}`;
  await store.query(`CREATE ROLE ${name} LOGIN; ${grants.replaceAll("$role", name)}`);
  return store.server.url(store.database, name);
}

const WAITING =
  "SELECT 1 FROM pg_stat_activity WHERE application_name = 'deleatur' AND wait_event_type = 'Lock' AND datname = current_database()";

describe.skipIf(installation === undefined)("a PostgreSQL in trouble", () => {
  const server = useServer(installation, { max_prepared_transactions: "2" });
  const clients: Client[] = [];
  const connect = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });

  it("that does not answer, or refuses the password or the database, is told apart, and no address is repeated", async () => {
    const port = await freePort();
    const store = await newStore(
      server(),
      `${TABLE} DO $$ BEGIN CREATE ROLE keyed LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`,
    );
    const urls = {
      STORE_UNREACHABLE: `postgres://deleatur@127.0.0.1:${port}/nothing`,
      STORE_REFUSED: store.server.url(store.database, "keyed", "wrong-secret"),
      STORE_MISSING: store.server.url("no_such_database"),
    };
    for (const [code, url] of Object.entries(urls)) {
      const error: unknown = await openSurface(episodes, { url }).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code });
      expect(JSON.stringify([error, error instanceof Error ? error.message : ""])).not.toMatch(
        /wrong-secret|127\.0\.0\.1/,
      );
    }
  });

  it("whose table was renamed under us, or hides rows from the role, answers an error and no empty scan", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    await store.query("ALTER TABLE episodes RENAME TO other");
    await expect(all(surface.scan(signal))).rejects.toMatchObject({ code: "TABLE_MISSING" });
    await expect(surface.erase(keys("1"), signal)).rejects.toMatchObject({ code: "TABLE_MISSING" });
    await store.query("ALTER TABLE other RENAME TO episodes; ALTER TABLE episodes ENABLE ROW LEVEL SECURITY");
    await store.query("CREATE POLICY none ON episodes USING (id < 0)");
    const reader = await openSurface(episodes, { url: await role(store, "GRANT ALL ON episodes TO $role") });
    await expect(all(reader.surface.scan(signal))).rejects.toMatchObject({ code: "STORE_FORBIDDEN" });
    await expect(reader.surface.erase(keys("1"), signal)).rejects.toMatchObject({ code: "STORE_FORBIDDEN" });
  });

  it("whose role may not enter the schema with another role's marker rewrites and erases all the same", async () => {
    const store = await newStore(server(), TABLE);
    const owner = await openSurface(episodes, store);
    expect(await owner.surface.mark("0".repeat(32), signal)).toBe("marked");
    const { surface } = await openSurface(episodes, { url: await role(store, "GRANT ALL ON episodes TO $role") });
    const [first] = await all(surface.scan(signal));
    if (first === undefined) throw new Error("no row");
    const anew = { ...first, content: [{ type: "text" as const, name: "body", text: "written anew" }] };
    expect(await surface.rewrite([anew], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(await surface.erase([first.key], signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("whose table is published and has no replica identity says what a delete needs", async () => {
    const store = await newStore(
      server(),
      "CREATE TABLE episodes (id int, body text); INSERT INTO episodes VALUES (1, 'one'); CREATE PUBLICATION ours FOR TABLE episodes",
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    await expect(surface.erase(keys("1"), signal)).rejects.toMatchObject({
      code: "STORE_FAILED",
      cure: expect.stringContaining("REPLICA IDENTITY") as string,
    });
    await store.query("ALTER TABLE episodes REPLICA IDENTITY FULL");
    expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("where a declared table is a view answers so at the start", async () => {
    const store = await newStore(server(), `${TABLE} CREATE VIEW shown AS SELECT * FROM episodes`);
    await expect(openSurface(declare({ table: "shown" }), store)).rejects.toMatchObject({ code: "TABLE_UNFIT" });
    await expect(openSurface(declare({ table: "nothing" }), store)).rejects.toMatchObject({ code: "TABLE_MISSING" });
    await expect(openSurface(declare({ key: ["nothing"] }), store)).rejects.toMatchObject({ code: "COLUMN_MISSING" });
  });

  it("FORGET-2 ATTEST-4: a purge without its rights is unsupported and names them", async () => {
    const store = await newStore(server(), TABLE);
    const url = await role(store, "GRANT ALL ON episodes TO $role");
    const { surface } = await openSurface(episodes, { url });
    const purged = await surface.purge(signal);
    expect(purged).toMatchObject({ outcome: "unsupported" });
    expect("why" in purged ? purged.why : "").toMatch(/rewrite a table.*write-ahead log/s);
    // The owner of the tables alone may rewrite them, but not the statistics and the log.
    await store.query(`ALTER TABLE episodes OWNER TO role_${store.database}`);
    await surface.erase(keys("1"), signal);
    const owned = await surface.purge(signal);
    expect("why" in owned ? owned.why : "").not.toContain("rewrite a table");
    expect(owned).toMatchObject({ outcome: "unsupported" });
  });

  it("FORGET-2: a purge of a table that has a part on another server is unsupported, and foreseen to be", async () => {
    const far = await newStore(server(), "CREATE TABLE late (id int, body text)");
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int, body text) PARTITION BY RANGE (id); CREATE TABLE early PARTITION OF episodes FOR VALUES FROM (0) TO (1000);
       CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${server().port}', dbname '${far.database}');
       CREATE USER MAPPING FOR deleatur SERVER far OPTIONS (user 'deleatur', password_required 'false');
       CREATE FOREIGN TABLE late PARTITION OF episodes FOR VALUES FROM (1000) TO (2000) SERVER far;
       INSERT INTO episodes VALUES (1, 'here'), (1001, 'The violet accordion in the cellar smells of cardamom');`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    const unsupported = { outcome: "unsupported", why: expect.stringContaining("foreign table late") as string };
    expect((await surface.foresee(signal)).hindrance).toMatchObject(unsupported);
    expect(await surface.erase(keys("1001"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await surface.purge(signal)).toMatchObject(unsupported);
    const [path] = await far.query("SELECT pg_relation_filepath('late') AS path FROM (SELECT 1) AS one");
    await far.query("CHECKPOINT");
    expect(filesWith(server().data, "The violet accordion in the cellar smells of cardamom")).toContain(path?.["path"]);
    await store.query("ALTER TABLE episodes DETACH PARTITION late");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
  });

  it("that may only be read foresees that an erase is refused, and refuses it", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    expect((await surface.foresee(signal)).refused).toEqual([]);
    await store.query(`ALTER DATABASE ${store.database} SET default_transaction_read_only = on`);
    expect((await surface.foresee(signal)).refused.map(({ act }) => act)).toContain("erase");
    await expect(surface.erase(keys("1"), signal)).rejects.toMatchObject({ code: "STORE_READONLY" });
  });

  it("a statement timeout in the purge is a failure", async () => {
    const store = await newStore(
      server(),
      `${TABLE} INSERT INTO episodes SELECT n, repeat(md5(n::text), 40) FROM generate_series(21, 20000) n`,
    );
    const { surface } = await openSurface(episodes, store);
    await store.query(`ALTER DATABASE ${store.database} SET statement_timeout = '5ms'`);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "failed" });
    await store.query(`ALTER DATABASE ${store.database} RESET statement_timeout`);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
  });

  it("a table in use, and a reader with an older snapshot, make the purge pending", async () => {
    const store = await newStore(server(), `${TABLE} CREATE TABLE aside (id int)`);
    const { surface } = await openSurface(episodes, store);
    const user = await connect(store.url);
    await user.query("BEGIN; SELECT * FROM episodes");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "pending" });
    await user.query("ROLLBACK");
    // It never touched the table, and VACUUM FULL copies all the same what it might yet ask for.
    await user.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM aside");
    await surface.erase(keys("2"), signal);
    const held = await surface.purge(signal);
    expect(held).toMatchObject({ outcome: "pending" });
    expect("why" in held ? held.why : "").toContain("older transaction");
    await user.query("ROLLBACK");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
  });

  it("FORGET-2: a purge that locks nobody out, broken off beside a prepared transaction, leaves no index full of words behind in the end", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE INDEX words ON episodes USING gin (to_tsvector('simple', body));
       CREATE UNIQUE INDEX own ON episodes (body); INSERT INTO episodes SELECT n, 'plain talk ' || n FROM generate_series(1, 20) n;
       INSERT INTO episodes VALUES (21, 'the violet accordion'); CHECKPOINT;`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")], purge: { method: "checkpoint" } }), store);
    const user = await connect(store.url);
    await user.query("BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO episodes VALUES (30, 'said meanwhile')");
    await user.query(`PREPARE TRANSACTION 'held'`);
    const invalid = async (): Promise<readonly unknown[]> =>
      (
        await store.query("SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid ORDER BY 1")
      ).map(({ name }) => name);
    const reader = await connect(store.url);
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class");
    expect(await surface.erase(keys("21"), signal)).toMatchObject([{ outcome: "erased" }]);
    const held = await surface.purge(signal);
    expect(held).toMatchObject({ outcome: "pending", why: expect.stringContaining("pg_prepared_xacts") as string });
    await user.query("ROLLBACK PREPARED 'held'");
    expect((await invalid()).join()).toMatch(/toast.*_ccnew.*words_ccnew/);
    await store.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'own'::regclass");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "pending" });
    await reader.query("ROLLBACK");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await invalid()).toEqual([]);
    // Its word stands in no index: what this kind of purge leaves stands in gaps of the table's own pages.
    const [{ path } = {}] = await store.query("SELECT pg_relation_filepath('episodes') AS path");
    const folder = String(path).replace(/\d+$/, "");
    const left = filesWith(server().data, "accordion").filter((file) => file.startsWith(folder));
    expect(left.filter((file) => file !== path)).toEqual([]);
  });

  it("FORGET-2: a replication slot, and an archive that nobody declared, are said and are no success", async () => {
    if (installation === undefined) return;
    const archiving = await startPostgres(installation, {
      archive_mode: "on",
      archive_command: "true",
      wal_keep_size: "4MB",
    });
    try {
      const store = await newStore(archiving, TABLE);
      const { surface } = await openSurface(episodes, store);
      await store.query("SELECT pg_create_physical_replication_slot('held', true)");
      const held = await surface.purge(signal);
      expect(held).toMatchObject({ outcome: "pending" });
      expect("why" in held ? held.why : "").toContain("replication slot");
      await store.query("SELECT pg_drop_replication_slot('held')");
      const archived = await surface.purge(signal);
      expect(archived).toMatchObject({ outcome: "unsupported" });
      expect("why" in archived ? archived.why : "").toContain("role backup");
      const backup = {
        ...declare({ id: "archive" }),
        role: "backup",
        kind: "backup",
        of: ["memory"],
        store: undefined,
      };
      // Only the role counts here.
      const declared = await openSurface(episodes, store, [backup as never]);
      expect(await declared.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    } finally {
      await archiving.stop();
    }
  });

  it("begins a transaction anew that the server refused beside another", async () => {
    const store = await newStore(server(), TABLE);
    await store.query(`ALTER DATABASE ${store.database} SET default_transaction_isolation = 'serializable'`);
    const { surface } = await openSurface(episodes, store);
    const other = await connect(store.url);
    await other.query("BEGIN; SELECT * FROM episodes WHERE id = 3 FOR UPDATE");
    await other.query("UPDATE episodes SET body = 'changed' WHERE id = 3");
    const erasing = surface.erase(keys("3"), signal);
    await other.query("COMMIT");
    expect(await erasing).toMatchObject([{ outcome: "erased" }]);
  });

  it("an abort ends what runs on the server", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    const holder = await connect(store.url);
    await holder.query("BEGIN; LOCK TABLE episodes");
    const stop = new AbortController();
    const erasing = surface.erase(keys("4"), stop.signal);
    while ((await store.query(WAITING)).length === 0) await pause(10);
    stop.abort();
    await expect(erasing).rejects.toMatchObject({ name: "AbortError" });
    expect(await store.query(WAITING)).toEqual([]);
    await holder.query("ROLLBACK");
    expect(await store.query("SELECT id FROM episodes WHERE id = 4")).toEqual([{ id: 4 }]);
  });
});
