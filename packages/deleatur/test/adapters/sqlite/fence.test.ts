// The fence: writes about a fenced person, under a fenced key or from a fenced source are refused in the write's own transaction, exactly, and it leaves no trace.
import type Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { artifactKey, requestId, surfaceId } from "../../../src/model/ids.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import type { FenceOrder } from "../../../src/surface.ts";
import {
  countBytes,
  declare,
  findings,
  keys,
  needleOf,
  newStore,
  openSurface,
  REQUEST,
  scan,
  signal,
  text,
} from "./sqlite-fixture.ts";

const episodes = surfaceId("episodes");

function order(given: Partial<FenceOrder>): FenceOrder {
  return { request: REQUEST, identifiers: [], keys: [], sources: new Map(), ...given };
}

/** Whether the application may run a statement. */
function may(app: Database.Database, sql: string): boolean {
  try {
    app.exec(sql);
    return true;
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("deleatur: FENCED")) return false;
    throw cause;
  }
}

describe("C16: comparisons are exact and typed", () => {
  test.each(["TEXT", "INTEGER", "NUMERIC", "BLOB", "REAL"])("for a subject column of type %s", async (type) => {
    const { file, app } = newStore(`CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id ${type}, body TEXT)`);
    const opened = await openSurface(
      declare("sqlite", { table: "notes", subject: [{ type: "account", column: "user_id" }] }),
      file,
    );
    const strength = await opened.surface.fence(order({ identifiers: [{ type: "account", value: "42" }] }), signal);
    expect(strength).toBe("strong");
    expect(may(app, "INSERT INTO notes (user_id) VALUES (42)")).toBe(false);
    expect(may(app, "INSERT INTO notes (user_id) VALUES ('42')")).toBe(false);
    expect(may(app, "INSERT INTO notes (user_id) VALUES (421)")).toBe(true);
    expect(may(app, "INSERT INTO notes (user_id) VALUES ('4'), (NULL), (-42)")).toBe(true);
    expect(may(app, "INSERT OR IGNORE INTO notes (user_id) VALUES (42)")).toBe(false);
    expect(may(app, "INSERT OR REPLACE INTO notes (id, user_id) VALUES (1, 42)")).toBe(false);
    expect(may(app, "UPDATE notes SET user_id = 42 WHERE user_id = 421")).toBe(false);
    expect(may(app, "INSERT INTO notes (id, user_id) VALUES (1, 5) ON CONFLICT DO UPDATE SET user_id = 42")).toBe(
      false,
    );
  });

  test("a text that only looks like the number is another person", async () => {
    const { file, app } = newStore("CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT)");
    const opened = await openSurface(
      declare("sqlite", { table: "notes", subject: [{ type: "account", column: "user_id" }] }),
      file,
    );
    await opened.surface.fence(
      order({
        identifiers: [
          { type: "account", value: "42" },
          { type: "other", value: "7" },
        ],
      }),
      signal,
    );
    expect(may(app, "INSERT INTO notes (user_id) VALUES ('042'), ('42 '), ('42.0'), ('7')")).toBe(true);
  });
});

test.each([
  ["a name", "who.id", '{"who":{"id":"t"}}', '{"who":{"id":"s"}}'],
  ["a name that is a number", "who.0", '{"who":{"0":"t"}}', '{"who":{"0":"s"}}'],
  ["a place in a list", "who.0", '{"who":["t","s"]}', '{"who":["s","t"]}'],
  ["a list at its end", "who", '{"who":["t",7]}', '{"who":["t","s"]}'],
  ["the first of two members", "who.id", '{"who":{"id":"t"},"who":{"id":"u"}}', '{"who":{"id":"s"},"who":{"id":"t"}}'],
  ["the last of two members", "who.id", '{"who":{"id":"u"},"who":{"id":"t"}}', '{"who":{"id":"t"},"who":{"id":"s"}}'],
  ["the last of two at the end", "who.id", '{"who":{"id":"t","id":"u"}}', '{"who":{"id":"t","id":"s"}}'],
  ["a name that is spelled by escapes", "who.id", '{"who":{"\\u0069d":"t"}}', '{"who":{"\\u0069d":"s"}}'],
])("LINEAGE-7: a person in JSON is seen at %s", async (_what, json, other, own) => {
  const { file, app } = newStore("CREATE TABLE notes (id INTEGER PRIMARY KEY, meta TEXT)");
  const opened = await openSurface(
    declare("sqlite", { table: "notes", subject: [{ type: "user", json: `meta.${json}` }] }),
    file,
  );
  await opened.surface.fence(order({ identifiers: [{ type: "user", value: "s" }] }), signal);
  expect(may(app, `INSERT INTO notes (meta) VALUES ('${own}')`)).toBe(false);
  expect(
    may(
      app,
      `INSERT INTO notes (meta) VALUES ('${other}'), (NULL), (''), ('no JSON'), ('"s"'), ('{"who":"s"}'), ('[]')`,
    ),
  ).toBe(json !== "who");
});

test("a write about a fenced person is refused wherever the row names the person", async () => {
  const { file, app } = newStore(`
    CREATE TABLE notes (id TEXT PRIMARY KEY, meta TEXT, thread_id TEXT);
    CREATE TABLE owners (note TEXT, user_id INTEGER);
    CREATE TABLE threads (thread_id TEXT PRIMARY KEY, user_id TEXT);
    INSERT INTO threads VALUES ('t9', 'u9'), ('t8', 'u8');`);
  const opened = await openSurface(
    declare("sqlite", {
      table: "notes",
      subject: [
        { type: "email", json: "meta.who.email" },
        { type: "user", segment: 0, of: "key", sep: ":" },
        { type: "account", via: "owners", on: "note", column: "user_id" },
        { type: "user", via: "threads", on: "thread_id", column: "user_id" },
      ],
    }),
    file,
  );
  const strength = await opened.surface.fence(
    order({
      identifiers: [
        { type: "email", value: "s@x.org" },
        { type: "user", value: "u9" },
        { type: "account", value: "42" },
      ],
    }),
    signal,
  );
  expect(strength).toBe("strong");
  const insert = (id: string, meta: string, thread: string): boolean =>
    may(app, `INSERT INTO notes VALUES ('${id}', '${meta}', '${thread}')`);
  expect(insert("u1:a", '{"who":{"email":"t@x.org"}}', "t8")).toBe(true);
  expect(insert("u1:b", '{"who":{"email":" S@X.org"}}', "t8")).toBe(false);
  expect(insert("u1:c", '{"who":{"email":["t@x.org","s@x.org"]}}', "t8")).toBe(false);
  expect(insert("u1:d", "no json s@x.org", "t8")).toBe(true);
  expect(insert("u9:e", "{}", "t8")).toBe(false);
  expect(insert("u99:e", "{}", "t8")).toBe(true);
  expect(insert('u1":"u9:e', "{}", "t8")).toBe(true);
  expect(insert("u1:f", "{}", "t9")).toBe(false);
  expect(may(app, "INSERT INTO owners VALUES ('u1:a', 42)")).toBe(false);
  expect(may(app, "INSERT INTO owners VALUES ('u1:a', 421)")).toBe(true);
  expect(may(app, "INSERT INTO threads VALUES ('t7', 'u9')")).toBe(false);
});

test("LINEAGE-6: a derivation from a fenced source is refused, in a column, a JSON array or a join", async () => {
  const { file, app } = newStore(`
    CREATE TABLE summaries (id INTEGER PRIMARY KEY, episode INTEGER, source_ids TEXT);
    CREATE TABLE links (summary INTEGER, other TEXT);`);
  const opened = await openSurface(
    declare("sqlite", {
      table: "summaries",
      derivedFrom: [
        { surface: episodes, column: "episode" },
        { surface: episodes, column: "source_ids", as: "json" },
        { surface: episodes, via: "links", on: "summary", column: "other" },
      ],
    }),
    file,
  );
  await opened.surface.fence(order({ sources: new Map([[episodes, keys(7, '["a","1"]')]]) }), signal);
  expect(may(app, "INSERT INTO summaries (episode) VALUES (7)")).toBe(false);
  expect(may(app, "INSERT INTO summaries (episode) VALUES (77)")).toBe(true);
  expect(may(app, `INSERT INTO summaries (source_ids) VALUES ('[1,"7"]')`)).toBe(false);
  expect(may(app, `INSERT INTO summaries (source_ids) VALUES ('[1, 7]')`)).toBe(false);
  expect(may(app, `INSERT INTO summaries (source_ids) VALUES ('[["a", 1]]')`)).toBe(false);
  expect(may(app, `INSERT INTO summaries (source_ids) VALUES ('[["a", 11], 70]')`)).toBe(true);
  expect(may(app, "INSERT INTO links VALUES (1, '7')")).toBe(false);
  expect(may(app, "UPDATE summaries SET source_ids = '[7]' WHERE episode = 77")).toBe(false);
});

test("a fenced key is refused, single, composite and of bytes; a number that the store gives itself is not (C22)", async () => {
  const { file, app } = newStore(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT);
    CREATE TABLE pairs (a TEXT, b INTEGER, PRIMARY KEY (a, b));
    CREATE TABLE blobs (id BLOB PRIMARY KEY);
    INSERT INTO notes VALUES (7, 'x');`);
  const notes = await openSurface(
    declare("sqlite", { table: "notes", content: [text("body")], keys: "reusable" }),
    file,
  );
  const pairs = await openSurface(declare("sqlite", { table: "pairs", key: ["a", "b"] }), file);
  const blobs = await openSurface(declare("sqlite", { table: "blobs" }), file);
  await notes.surface.fence(order({ keys: keys(7) }), signal);
  await pairs.surface.fence(order({ keys: keys('["x\\n","3"]') }), signal);
  await blobs.surface.fence(order({ keys: keys("AP8") }), signal);
  expect(may(app, "UPDATE notes SET body = 'y' WHERE id = 7")).toBe(false);
  await notes.surface.erase(keys(7), signal);
  expect(may(app, "INSERT INTO notes VALUES (7, 'again')")).toBe(false);
  expect(may(app, "INSERT INTO notes (body) VALUES ('another row')")).toBe(true);
  expect(may(app, "INSERT INTO pairs VALUES ('x' || char(10), 3)")).toBe(false);
  expect(may(app, "INSERT INTO pairs VALUES ('x', 3)")).toBe(true);
  expect(may(app, "INSERT INTO blobs VALUES (x'00ff')")).toBe(false);
  expect(may(app, "INSERT INTO blobs VALUES ('AP9')")).toBe(true);
});

test("our own erase and rewrite pass the fence, and nobody sees the door open", async () => {
  const { file, app } = newStore(`CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT, body TEXT);
    INSERT INTO notes VALUES (1, 's', 'both'), (2, 's', 'mine');`);
  const opened = await openSurface(
    declare("sqlite", { table: "notes", subject: [{ type: "account", column: "user_id" }], content: [text("body")] }),
    file,
  );
  await opened.surface.fence(order({ identifiers: [{ type: "account", value: "s" }], keys: keys(1, 2) }), signal);
  const [one] = await scan(opened);
  if (one === undefined) throw new Error("nothing scanned");
  const wanted = { ...one, content: [{ type: "text", name: "body", text: "redacted" }] as const };
  expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
  expect(await opened.surface.erase(keys(2), signal)).toMatchObject([{ outcome: "erased" }]);
  expect(app.prepare("SELECT count(*) AS n FROM deleatur_fence WHERE kind = 'open'").get()).toEqual({ n: 0 });
  expect(may(app, "INSERT INTO notes (user_id) VALUES ('s')")).toBe(false);
});

const offered = (account: string): Artifact => ({
  surface: surfaceId("notes"),
  key: artifactKey("a-new-key"),
  subjects: [{ type: "account", value: account }],
  sources: [],
  content: [{ type: "text", name: "body", text: "offered words that nobody may find again" }],
});

test("GUARD-1: the dry run is refused by the fence, accepted without it, and leaves nothing behind", async () => {
  const { file, app } = newStore(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, body TEXT, n INTEGER NOT NULL)",
  );
  const opened = await openSurface(
    declare("sqlite", { table: "notes", subject: [{ type: "account", column: "user_id" }], content: [text("body")] }),
    file,
  );
  await opened.surface.fence(order({ identifiers: [{ type: "account", value: "s" }] }), signal);
  expect(await opened.surface.offer(offered("s"), signal)).toEqual({ outcome: "refused", by: "fence" });
  expect(await opened.surface.offer(offered("t"), signal)).toEqual({ outcome: "accepted" });
  app.exec("CREATE TRIGGER shut BEFORE INSERT ON notes WHEN NEW.user_id = 'u' BEGIN SELECT RAISE(ABORT, 'no'); END");
  expect(await opened.surface.offer(offered("u"), signal)).toEqual({ outcome: "refused", by: "store" });
  app.exec("CREATE UNIQUE INDEX one_n ON notes(n); INSERT INTO notes VALUES (1, 'x', 'y', 0)");
  expect(await opened.surface.offer(offered("t"), signal)).toMatchObject({ outcome: "failed" });
  expect(app.prepare("SELECT count(*) AS n FROM notes").get()).toEqual({ n: 1 });
  expect(countBytes(file, "offered words")).toBe(0);
});

test("a canary is planted, found again by its key and erased", async () => {
  const { file } = newStore("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)");
  const opened = await openSurface(declare("sqlite", { table: "notes", content: [text("body")] }), file);
  const planted = await opened.surface.plant(
    {
      surface: surfaceId("notes"),
      key: artifactKey("canary"),
      subjects: [],
      sources: [],
      content: [{ type: "text", name: "body", text: "a canary about nobody" }],
    },
    signal,
  );
  expect(planted).toMatchObject({ outcome: "planted", key: "1" });
  expect(await opened.surface.erase([planted.key], signal)).toMatchObject([{ outcome: "erased" }]);
});

test("two requests share a fence; each ends alone, and with the last no table, trigger or byte is left", async () => {
  const { file, app } = newStore(`CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT);
    CREATE TABLE "notes-2" (id INTEGER PRIMARY KEY, user_id TEXT);`);
  const other = requestId("ffffffffffffffffffffffffffffffff");
  const subject = [{ type: "account", column: "user_id" }];
  const one = declare("sqlite", { table: "notes", subject });
  const two = declare("sqlite", { id: "notes-2", table: "notes-2", subject });
  const first = await openSurface(one, file, [two]);
  const second = await openSurface(two, file, [one]);
  for (const { surface } of [first, second]) {
    await surface.fence(order({ identifiers: [{ type: "account", value: "person-one" }] }), signal);
    await surface.fence(order({ request: other, identifiers: [{ type: "account", value: "person-two" }] }), signal);
  }
  await first.surface.unfence([REQUEST], signal);
  expect(may(app, "INSERT INTO notes (user_id) VALUES ('person-one')")).toBe(true);
  expect(may(app, "INSERT INTO notes (user_id) VALUES ('person-two')")).toBe(false);
  await first.surface.unfence([other], signal);
  expect(may(app, `INSERT INTO "notes-2" (user_id) VALUES ('person-one')`)).toBe(false);
  await second.surface.unfence([REQUEST], signal);
  await second.surface.unfence([other], signal);
  await second.surface.unfence([other], signal);
  expect(app.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'deleatur%'").all()).toEqual([]);
  app.exec("DELETE FROM notes; VACUUM");
  app.pragma("wal_checkpoint(TRUNCATE)");
  expect(countBytes(file, "person-two") + countBytes(file, "person-one")).toBe(0);
});

test("what stands in the fence while probes run is no finding", async () => {
  const { file } = newStore(`CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT, mail TEXT);
    INSERT INTO notes VALUES (1, 's', 'somebody@example.org'), (2, 't', 'a longer text that stays where it is');`);
  const opened = await openSurface(
    declare("sqlite", { table: "notes", subject: [{ type: "email", column: "mail" }], content: [text("mail")] }),
    file,
  );
  const [gone] = await scan(opened);
  if (gone === undefined) throw new Error("nothing scanned");
  await opened.surface.fence(order({ identifiers: [{ type: "email", value: "somebody@example.org" }] }), signal);
  await opened.surface.erase(keys(1), signal);
  await opened.surface.purge(signal);
  expect(await findings(opened, "bytes", [needleOf(gone, 0)])).toEqual([]);
  await opened.surface.unfence([REQUEST], signal);
  expect(countBytes(file, "somebody@example.org")).toBe(0);
});

test("unfence alone leaves no identifier in the files", async () => {
  for (const journal of ["WAL", "DELETE"] as const) {
    const { file } = newStore("CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id TEXT)", { journal });
    const opened = await openSurface(
      declare("sqlite", { table: "notes", subject: [{ type: "account", column: "user_id" }] }),
      file,
    );
    const identifiers = Array.from({ length: 300 }, (_, at) => ({ type: "account", value: `person-${at}-of-many` }));
    await opened.surface.fence(order({ identifiers }), signal);
    expect(countBytes(file, "of-many")).toBeGreaterThan(0);
    await opened.surface.unfence([REQUEST], signal);
    expect(countBytes(file, "of-many")).toBe(0);
  }
});

describe("indexes take no triggers", () => {
  const table = declare("sqlite", { content: [text("text")] });
  const index = declare("sqlite-fts", {
    table: "fts",
    key: ["rowid"],
    derivedFrom: [{ surface: episodes, column: "rowid" }],
  });
  const sql = `CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT); CREATE VIRTUAL TABLE fts USING fts5(text, content='episodes', content_rowid='id');`;
  const artifact = { surface: surfaceId("fts"), key: artifactKey("5"), subjects: [], sources: [], content: [] };

  test("one that the application writes itself is leased and has an insert path", async () => {
    const { file } = newStore(sql);
    const opened = await openSurface(index, file, [table]);
    expect(await opened.surface.fence(order({ keys: keys(1) }), signal)).toBe("leased");
    expect(await opened.surface.offer(artifact, signal)).toEqual({ outcome: "accepted" });
  });

  test("one that triggers of a declared table write stands behind that table's fence", async () => {
    const { file } = newStore(
      `${sql} CREATE TRIGGER ai AFTER INSERT ON episodes BEGIN INSERT INTO fts(rowid, text) VALUES (new.id, new.text); END;`,
    );
    const opened = await openSurface(index, file, [table]);
    expect(await opened.surface.fence(order({ keys: keys(1) }), signal)).toBe("strong");
    expect(await opened.surface.offer(artifact, signal)).toMatchObject({ outcome: "no-insert-path" });
  });

  test("no trigger stands on a shadow table: it would make the file unreadable to careful connections", async () => {
    const { file, app } = newStore(sql);
    const opened = await openSurface(index, file, [table]);
    await opened.surface.fence(order({ keys: keys(1) }), signal);
    expect(app.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'").get()).toEqual({ n: 0 });
  });
});
