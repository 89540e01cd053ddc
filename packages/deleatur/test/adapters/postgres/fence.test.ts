// Raises fences in a real PostgreSQL and writes past them in every way that a server knows; none may get in, and none may leave a byte.
import { Client } from "pg";
import { afterEach, describe, expect, it } from "vitest";
import type { Artifact } from "../../../src/model/artifact.ts";
import { artifactKey, requestId, surfaceId } from "../../../src/model/ids.ts";
import type { FenceOrder } from "../../../src/surface.ts";
import { findPostgres } from "../../servers/find-postgres.ts";
import {
  declare,
  filesWith,
  keys,
  newStore,
  openSurface,
  REQUEST,
  signal,
  text,
  useServer,
} from "./postgres-fixture.ts";

const installation = findPostgres();
const order: FenceOrder = {
  request: REQUEST,
  identifiers: [
    { type: "account", value: "42" },
    { type: "email", value: "ann@example.org" },
  ],
  keys: keys("7"),
  sources: new Map([["raw", keys("r1", "12345678901234567890")]]),
};

const TABLE = `
CREATE TABLE episodes (id int PRIMARY KEY, person bigint, mail text, who jsonb, tags text[], made_from jsonb, body text, meta json, doc text);
CREATE TABLE owners (episode int, person text);
INSERT INTO episodes (id, person, body) VALUES (1, 42, 'of the person'), (2, 421, 'of another');`;

const episodes = declare({
  subject: [
    { column: "person", type: "account" },
    { column: "mail", type: "email" },
    { json: "who.id", type: "account" },
    { json: "meta.of.id", type: "account" },
    { json: "doc.of.0", type: "account" },
    { column: "tags", type: "account" },
    { via: "owners", on: "episode", column: "person", type: "account" },
  ],
  derivedFrom: [{ surface: surfaceId("raw"), column: "made_from", as: "json" }],
  content: [text("body")],
});

describe.skipIf(installation === undefined)("a fence in PostgreSQL", () => {
  const server = useServer(installation);
  const clients: Client[] = [];
  const connect = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });

  it.each([
    ["a column", "INSERT INTO episodes (id, person) VALUES (9, 42)"],
    ["an address in other case", "INSERT INTO episodes (id, mail) VALUES (9, ' Ann@Example.ORG ')"],
    ["JSON", `INSERT INTO episodes (id, who) VALUES (9, '{"id": 42}')`],
    ["a list in JSON", `INSERT INTO episodes (id, who) VALUES (9, '{"id": ["x", "42"]}')`],
    ["the first of two members", `INSERT INTO episodes (id, meta) VALUES (9, '{"of": {"id": 42}, "of": {"id": 1}}')`],
    ["the last of two members", `INSERT INTO episodes (id, meta) VALUES (9, '{"of": {"id": 1}, "of": {"id": 42}}')`],
    [
      "the first of two members at the end",
      `INSERT INTO episodes (id, meta) VALUES (9, '{"of": {"id": 42, "id": 1}}')`,
    ],
    ["a place in a list, in text", `INSERT INTO episodes (id, doc) VALUES (9, '{"of": [[1, "42"], 1]}')`],
    [
      "a name of digits, in text, the first of two",
      `INSERT INTO episodes (id, doc) VALUES (9, '{"of": {"0": 42, "0": 1}}')`,
    ],
    ["an array", "INSERT INTO episodes (id, tags) VALUES (9, '{x,42}')"],
    ["a fenced source", `INSERT INTO episodes (id, made_from) VALUES (9, '["r0", "r1"]')`],
    ["a source of twenty digits", "INSERT INTO episodes (id, made_from) VALUES (9, '[12345678901234567890]')"],
    ["a fenced key", "INSERT INTO episodes (id) VALUES (7)"],
    ["a join row", "INSERT INTO owners VALUES (2, '42')"],
    ["a conflict that updates", "INSERT INTO episodes (id) VALUES (2) ON CONFLICT (id) DO UPDATE SET person = 42"],
    ["an update of another's row", "UPDATE episodes SET person = 42 WHERE id = 2"],
    ["an update that would rename the fenced row", "UPDATE episodes SET person = 1, id = 99 WHERE id = 1"],
  ])("refuses what names the person by %s, and lets others in", async (_, sql) => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    expect(await surface.fence(order, signal)).toBe("strong");
    await expect(store.query(sql)).rejects.toThrow("deleatur: FENCED");
    await store.query(
      `INSERT INTO episodes VALUES (421, 421, 'other@example.org', '{"id": 420}', '{421}', '["r11"]', 'x', '{"of": 42, "id": 42}', '{"of": 42}'),
       (422, 422, NULL, '{}', NULL, NULL, 'x', '{"of": [{"id": 42}]}', 'no JSON'), (423, 423, NULL, NULL, NULL, NULL, 'x', '[]', '')`,
    );
    await store.query("INSERT INTO owners VALUES (421, '421')");
    // Asked again it adds; with the last request of the last surface nothing of ours is left.
    expect(await surface.fence({ ...order, keys: keys("8") }, signal)).toBe("strong");
    await expect(store.query("INSERT INTO episodes (id) VALUES (8)")).rejects.toThrow("deleatur: FENCED");
    expect(await surface.unfence([REQUEST], signal)).toBe("ended");
    await store.query("INSERT INTO episodes (id, person) VALUES (7, 42)");
    expect(await store.query("SELECT 1 FROM pg_namespace WHERE nspname = 'deleatur'")).toEqual([]);
    expect(await store.query("SELECT 1 FROM pg_trigger WHERE tgname LIKE 'deleatur%'")).toEqual([]);
  });

  it("C16: refuses every spelling that a column takes for the person, and is leased where the server cannot tell which", async () => {
    const store = await newStore(
      server(),
      `CREATE EXTENSION citext; CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
       CREATE TABLE letters (id int PRIMARY KEY, person citext, body text); CREATE TABLE notes (id int PRIMARY KEY, person text COLLATE alike, body text);
       CREATE TABLE visits (id int PRIMARY KEY, person uuid, body text);`,
    );
    const subject = [{ column: "person", type: "account" }] as const;
    const [letters, notes] = await Promise.all(
      ["letters", "notes"].map((table) => openSurface(declare({ table, subject, content: [text("body")] }), store)),
    );
    const fence = { request: REQUEST, identifiers: [{ type: "account", value: "Ann" }], keys: [], sources: new Map() };
    expect(await letters?.surface.fence(fence, signal)).toBe("strong");
    expect(await notes?.surface.fence(fence, signal)).toBe("leased");
    for (const spelling of ["Ann", "ann", "ANN"])
      await expect(store.query("INSERT INTO letters VALUES (1, $1)", [spelling])).rejects.toThrow("FENCED");
    const visits = await openSurface(declare({ table: "visits", subject, content: [text("body")] }), store);
    const uuid = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";
    expect(await visits.surface.fence({ ...fence, identifiers: [{ type: "account", value: uuid }] }, signal)).toBe(
      "strong",
    );
    for (const spelling of [uuid, uuid.toLowerCase(), uuid.replaceAll("-", "")])
      await expect(store.query("INSERT INTO visits VALUES (1, $1)", [spelling])).rejects.toThrow("FENCED");
    await store.query("INSERT INTO letters VALUES (2, 'Anna')");
    await expect(store.query("UPDATE letters SET person = 'aNN' WHERE id = 2")).rejects.toThrow("FENCED");
  });

  it("refuses COPY, a writer without rights on anything of ours, and one that replays another server's changes", async () => {
    const store = await newStore(server(), `${TABLE} CREATE ROLE writer_${Date.now()} LOGIN; `);
    const [role] = await store.query(
      "SELECT rolname FROM pg_roles WHERE rolname LIKE 'writer\\_%' ORDER BY 1 DESC LIMIT 1",
    );
    const name = String(role?.["rolname"]);
    await store.query(`GRANT ALL ON episodes TO ${name}`);
    const { surface } = await openSurface(episodes, store);
    await surface.fence(order, signal);
    const writer = await connect(store.server.url(store.database, name));
    await expect(writer.query("INSERT INTO episodes (id, person) VALUES (9, 42)")).rejects.toThrow("deleatur: FENCED");
    await writer.query("INSERT INTO episodes (id, person) VALUES (9, 43)");
    const replaying = await connect(store.url);
    await replaying.query("SET session_replication_role = replica");
    await expect(replaying.query("INSERT INTO episodes (id, person) VALUES (10, 42)")).rejects.toThrow("FENCED");
    await expect(
      store.query("COPY episodes (id, person) FROM PROGRAM 'printf \"11\\t43\\n12\\t42\\n\"'"),
    ).rejects.toThrow("FENCED");
    expect(await store.query("SELECT count(*)::int AS n FROM episodes WHERE id > 9")).toEqual([{ n: 0 }]);
  });

  it("GUARD-4: switches a trigger on again that somebody switched off, before it says that it is strong", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    await surface.fence(order, signal);
    await store.query("ALTER TABLE episodes DISABLE TRIGGER ALL");
    await store.query("INSERT INTO episodes (id, person) VALUES (9, 42)");
    const again = { ...order, request: requestId("fedcba9876543210fedcba9876543210") };
    expect(await surface.fence(again, signal)).toBe("strong");
    await expect(store.query("INSERT INTO episodes (id, person) VALUES (10, 42)")).rejects.toThrow("FENCED");
    const replaying = await connect(store.url);
    await replaying.query("SET session_replication_role = replica");
    await expect(replaying.query("INSERT INTO episodes (id, person) VALUES (10, 42)")).rejects.toThrow("FENCED");
  });

  it("GUARD-4: is strong where all tables are published, our own with them", async () => {
    const store = await newStore(
      server(),
      `${TABLE} ALTER TABLE owners REPLICA IDENTITY FULL; CREATE PUBLICATION everything FOR ALL TABLES`,
    );
    const { surface } = await openSurface(episodes, store);
    expect(await surface.fence(order, signal)).toBe("strong");
    await expect(store.query("INSERT INTO episodes (id, person) VALUES (10, 42)")).rejects.toThrow("FENCED");
    expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await surface.unfence([REQUEST], signal)).toBe("ended");
    expect(await store.query("SELECT 1 FROM pg_namespace WHERE nspname = 'deleatur'")).toEqual([]);
  });

  it("refuses what another trigger put in after ours had looked", async () => {
    const store = await newStore(
      server(),
      `${TABLE} CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.person := 42; RETURN NEW; END $$;
       CREATE TRIGGER zz_late BEFORE INSERT ON episodes FOR EACH ROW EXECUTE FUNCTION late();`,
    );
    const { surface } = await openSurface(episodes, store);
    await surface.fence(order, signal);
    await expect(store.query("INSERT INTO episodes (id) VALUES (9)")).rejects.toThrow("deleatur: FENCED");
  });

  it("waits for a writer that began before it, and refuses one whose snapshot is older", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    const before = await connect(store.url);
    await before.query("BEGIN");
    await before.query("INSERT INTO episodes (id, person) VALUES (30, 42)");
    const old = await connect(store.url);
    await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await old.query("SELECT 1");
    const raised = surface.fence(order, signal);
    await before.query("COMMIT");
    expect(await raised).toBe("strong");
    await expect(old.query("INSERT INTO episodes (id, person) VALUES (31, 42)")).rejects.toMatchObject({
      code: "40001",
    });
    // Whoever holds a lock for longer is not waited for without end; the answer is honest then.
    const holding = await connect(store.url);
    await holding.query("BEGIN; LOCK TABLE episodes IN ROW EXCLUSIVE MODE");
    expect(await surface.fence({ ...order, keys: keys("77") }, signal)).toBe("leased");
  });

  it("answers leased without the right to it, and on a server that takes no writes", async () => {
    const store = await newStore(server(), `${TABLE} CREATE ROLE reader_${Date.now()} LOGIN`);
    const [role] = await store.query(
      "SELECT rolname FROM pg_roles WHERE rolname LIKE 'reader\\_%' ORDER BY 1 DESC LIMIT 1",
    );
    const name = String(role?.["rolname"]);
    await store.query(`GRANT SELECT ON episodes, owners TO ${name}`);
    const { surface } = await openSurface(episodes, { url: store.server.url(store.database, name) });
    expect(await surface.fence(order, signal)).toBe("leased");
    expect(await surface.mark("ledger", signal)).toBe("unmarked");
    await store.query(`ALTER DATABASE ${store.database} SET default_transaction_read_only = on`);
    const readonly = await openSurface(episodes, store);
    expect(await readonly.surface.fence(order, signal)).toBe("leased");
    await expect(readonly.surface.erase(keys("1"), signal)).rejects.toMatchObject({ code: "STORE_READONLY" });
  });

  it("tries the insert path without a byte of it being written, and leaves no trigger behind", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    const offered: Artifact = {
      surface: surfaceId("episodes"),
      key: artifactKey("deleatur-probe-1"),
      subjects: [{ type: "account", value: "42" }],
      sources: [],
      content: [{ type: "text", name: "body", text: "a text that nobody may find in a file of this server" }],
    };
    const byJoin: Artifact = { ...offered, subjects: [{ type: "email", value: "ann@example.org" }] };
    const nobody: Artifact = { ...offered, subjects: [{ type: "account", value: "canary" }] };
    expect(await surface.offer(offered, signal)).toEqual({ outcome: "accepted" });
    await surface.fence(order, signal);
    expect(await surface.offer(offered, signal)).toEqual({ outcome: "refused", by: "fence" });
    expect(await surface.offer(byJoin, signal)).toEqual({ outcome: "refused", by: "fence" });
    expect(await surface.offer(nobody, signal)).toEqual({ outcome: "accepted" });
    await store.query("CHECKPOINT");
    expect(filesWith(server().data, "a text that nobody may find in a file of this server")).toEqual([]);
    expect(await store.query("SELECT 1 FROM pg_trigger WHERE tgname = '~deleatur_stop'")).toEqual([]);
    expect(await store.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 2 }]);
  });

  it("lets our own rewrite through, and stores no identifier anywhere", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    await surface.fence(
      { ...order, identifiers: [{ type: "email", value: "a-very-rare-address@example.org" }] },
      signal,
    );
    await surface.fence(order, signal);
    const wanted: Artifact = {
      surface: surfaceId("episodes"),
      key: artifactKey("1"),
      subjects: [],
      sources: [],
      content: [{ type: "text", name: "body", text: "of nobody" }],
    };
    expect(await surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    await store.query("CHECKPOINT");
    expect(filesWith(server().data, "a-very-rare-address")).toEqual([]);
  });
});
