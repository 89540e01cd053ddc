// What a first project of somebody else's ran into: short names under a number that is key and person at once, and a refused request's traces.
import { expect, it } from "vitest";
import { placeHolds, releaseHolds } from "../../src/audit/hold-records.ts";
import { codes, EPISODES, EPISODES_SQL, expectErasure, openScene, recordBoth, S } from "./scene.ts";

it("VERDICT-1: people with short names under an INTEGER PRIMARY KEY that is the person too get a canary, and an erasure", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob')",
    surfaces: {
      users: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "users",
        key: "id",
        keys: "reusable",
        subject: { column: "id", type: "account" },
        content: ["name"],
      },
    },
  });
  const outcome = await scene.memory.forget({ subject: ["account:1"], now: true });
  expect(codes(outcome)).toEqual([]);
  expectErasure(scene, outcome, { identifiers: [{ type: "account", identifier: "1" }] });
  expect(scene.rows("SELECT id, name FROM users")).toEqual([{ id: 2, name: "Bob" }]);
});

it("VERDICT-1: where an application writes an index over its table and nobody is left, the canary takes an erased row's number in both", async () => {
  const text = "The heron keeps a marzipan umbrella beside seven quiet lanterns of brass";
  const scene = await openScene({
    sql: `CREATE TABLE messages (id INTEGER PRIMARY KEY, account TEXT, body TEXT);
      CREATE VIRTUAL TABLE messages_fts USING fts5(body, content='messages', content_rowid='id');
      INSERT INTO messages VALUES (1, 's-4471', '${text}'); INSERT INTO messages_fts (rowid, body) VALUES (1, '${text}');`,
    surfaces: {
      messages: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "messages",
        key: "id",
        keys: "reusable",
        subject: { column: "account", type: "account" },
        content: ["body"],
      },
      search: {
        kind: "sqlite-fts",
        role: "index",
        store: "memory",
        table: "messages_fts",
        derivedFrom: { surface: "messages", column: "rowid" },
      },
    },
  });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(codes(outcome)).toEqual([]);
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM messages")).toEqual([]);
  expect(scene.rows("SELECT id FROM messages_fts_docsize")).toEqual([]);
});

it("FORGET-1: --require erasure that is refused leaves no fence and no open request", async () => {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT); INSERT INTO notes VALUES ('n', 'Something that nobody declared')`,
    surfaces: { episodes: EPISODES },
  });
  await recordBoth(scene);
  await expect(scene.memory.forget({ subject: [S], now: true, require: "erasure" })).rejects.toMatchObject({
    code: "DOMAIN_NOT_COVERED",
  });
  expect(scene.memory.engine.ledger.requests().map(({ state }) => state)).toEqual(["closed"]);
  scene.app.prepare("INSERT INTO episodes VALUES ('later', 's-4471', 'written after the refusal')").run();
  expect(scene.rows("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'")).toEqual([{ n: 0 }]);
});

it("ATTEST-7 FORGET-2: a held record keeps its entry in an external-content index; a tombstone until the release, then an erasure", async () => {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, body TEXT NOT NULL);
      CREATE VIRTUAL TABLE messages_fts USING fts5(body, content='messages', content_rowid='id');
      INSERT INTO messages (account, body) VALUES
        ('s-4471', 'The invoice for the harpsichord tuning must be kept for the tax office'),
        ('s-4471', 'My neighbour lent me a ladder with a cracked third rung'),
        ('t-0815', 'We repaired the greenhouse roof with salvaged polycarbonate sheets');
      INSERT INTO messages_fts(messages_fts) VALUES ('rebuild');`,
    surfaces: {
      episodes: EPISODES,
      messages: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "messages",
        key: "id",
        subject: { column: "account", type: "account" },
        content: ["body"],
      },
      search: {
        kind: "sqlite-fts",
        role: "index",
        store: "memory",
        table: "messages_fts",
        derivedFrom: { surface: "messages", column: "rowid" },
      },
    },
  });
  await placeHolds(
    scene.memory.engine,
    { records: ["messages/1"], ground: "tax-law", until: "2040-01-01" },
    new AbortController().signal,
  );
  const kept = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect([kept.verdict, kept.attestation.kind, [...new Set(codes(kept))]]).toEqual(["PARTIAL", "tombstone", ["KEPT"]]);
  expect(scene.rows("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'harpsichord'")).toEqual([{ rowid: 1 }]);
  releaseHolds(scene.memory.engine, ["messages/1"]);
  expectErasure(scene, await scene.memory.resume(kept.request, { now: true }));
  expect(scene.rows("SELECT id FROM messages")).toEqual([{ id: 3 }]);
});

it("ATTEST-2: where everything that is declared is kept, even the named downgrade is withheld", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const { engine } = scene.memory;
  const [first] = scene.rows("SELECT id FROM episodes WHERE account = 's-4471'");
  const hold = { records: [`episodes/${String(first?.["id"])}`], ground: "tax-law", until: "2040-01-01" };
  await placeHolds(engine, hold, new AbortController().signal);
  const kept = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect([kept.verdict, kept.attestation.kind]).toEqual(["PARTIAL", "withheld"]);
});
