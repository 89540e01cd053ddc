// The benches of kinds `sqlite-fts` and `sqlite-vec` for the kit: an index that the application writes itself, with its person and source beside the words or the vector.
import type Database from "better-sqlite3";
import { sqliteFts, sqliteVec } from "../../src/adapters/sqlite/index.ts";
import { type BenchRecord, type ConformanceSubject, impossible, type Wrote } from "../../src/conformance/index.ts";
import { blobOf, laySqlite, makeKey, orRefused } from "./sqlite-bench.ts";

const LEASED = "an index takes no triggers, so that its fence is leased";
const ONE_ROW = "a row of the index has one person and one source";

const LEASED_CASES = {
  "fence-exact": LEASED,
  "fence-sources": LEASED,
  "fence-keys": LEASED,
  "fence-adds": LEASED,
};

const NO_NEIGHBOURS = "an index of words holds no vectors";

const ONE_CASES = {
  "several-persons": ONE_ROW,
  "several-sources": ONE_ROW,
  "rewrite-persons": ONE_ROW,
  "rewrite-sources": ONE_ROW,
};

export const ONLY_NUMBERS = "the key of a row of an FTS5 index is its rowid, a number that SQLite gives";

/** A rowid as it is spelled. */
export const ROWID = /^[1-9]\d{0,15}$/;

function insertWords(app: Database.Database, table: string, records: readonly BenchRecord[]): Wrote {
  if (records.some(({ key }) => key !== undefined && !ROWID.test(key))) return impossible(ONLY_NUMBERS);
  const row = app.prepare(`INSERT OR REPLACE INTO ${table} (rowid, text, account, source) VALUES (?, ?, ?, ?)`);
  return orRefused(
    app.transaction(() =>
      records.map(({ key, text, accounts, sources }) => {
        const given = key === undefined ? null : BigInt(key);
        return String(row.run(given, text, accounts[0] ?? null, sources[0] ?? null).lastInsertRowid);
      }),
    ),
  );
}

export const ftsShadows = (table: string): readonly string[] =>
  ["", "_data", "_idx", "_content", "_docsize", "_config"].map((ending) => table + ending);

export const sqliteFtsSubject: ConformanceSubject = {
  name: "sqlite-fts",
  kind: sqliteFts,
  cannot: {
    ...LEASED_CASES,
    ...ONE_CASES,
    expiry: "rows of an index do not expire",
    vectors: NO_NEIGHBOURS,
    "scan-order-unicode": ONLY_NUMBERS,
    "keys-unicode": ONLY_NUMBERS,
    "keys-quotes": ONLY_NUMBERS,
    "keys-nul": ONLY_NUMBERS,
    "keys-long": ONLY_NUMBERS,
    "keys-empty": ONLY_NUMBERS,
    "similar-keys": ONLY_NUMBERS,
    "colliding-namespaces": ONLY_NUMBERS,
  },
  async lay(order) {
    if (order.keys === "composite") return impossible(ONLY_NUMBERS);
    return laySqlite(order, {
      sql: ["records", "records2"]
        .map((table) => `CREATE VIRTUAL TABLE ${table} USING fts5(text, account UNINDEXED, source UNINDEXED);`)
        .join(" "),
      declaration: {
        role: "index",
        key: ["rowid"],
        keys: "reusable",
        subject: [{ type: "account", column: "account" }],
        content: [{ column: "text", as: "text" }],
        derivedFrom: [{ surface: order.origins, column: "source" }],
      },
      textsBeside: "records2",
      holds: { accounts: "one", sources: "one", text: true, vectors: false, expiry: false },
      tables: [...ftsShadows("records"), ...ftsShadows("records2")],
      insert: insertWords,
    });
  },
};

const VEC_COLUMNS = "embedding float[64], account text, +source text, +text text";

function insertVectors(
  app: Database.Database,
  table: string,
  isNumbered: boolean,
  records: readonly BenchRecord[],
): Wrote {
  if (isNumbered && records.some(({ key }) => key !== undefined && !ROWID.test(key)))
    return impossible("the rows are numbered here");
  const clear = app.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const named = app.prepare(`INSERT INTO ${table} (id, embedding, account, source, text) VALUES (?, ?, ?, ?, ?)`);
  const unnamed = app.prepare(`INSERT INTO ${table} (embedding, account, source, text) VALUES (?, ?, ?, ?)`);
  return orRefused(
    app.transaction(() =>
      records.map(({ key, text, accounts, sources, vector }) => {
        // A metadata column of sqlite-vec takes no NULL.
        const values = [blobOf(vector), accounts[0] ?? "", sources[0] ?? null, text];
        if (isNumbered && key === undefined) return String(unnamed.run(...values).lastInsertRowid);
        const id = key ?? makeKey(app);
        const bound = isNumbered ? BigInt(id) : id;
        clear.run(bound);
        named.run(bound, ...values);
        return id;
      }),
    ),
  );
}

export const sqliteVecSubject: ConformanceSubject = {
  name: "sqlite-vec",
  kind: sqliteVec,
  cannot: {
    ...LEASED_CASES,
    ...ONE_CASES,
    expiry: "rows of an index do not expire",
    "colliding-namespaces": "the key of a vec0 table is one column",
    "reused-ids": "sqlite-vec numbers its rows with AUTOINCREMENT, and a key that the application gives is its own",
  },
  async lay(order) {
    if (order.keys === "composite") return impossible("the key of a vec0 table is one column");
    const isNumbered = order.keys === "made-up";
    const key = isNumbered ? "id integer primary key" : "id text primary key";
    return laySqlite(order, {
      sql: ["records", "records2"]
        .map((table) => `CREATE VIRTUAL TABLE ${table} USING vec0(${key}, ${VEC_COLUMNS});`)
        .join(" "),
      declaration: {
        role: "index",
        key: ["id"],
        subject: [{ type: "account", column: "account" }],
        content: [{ column: "text", as: "text" }],
        vector: "embedding",
        derivedFrom: [{ surface: order.origins, column: "source" }],
      },
      textsBeside: "records2",
      holds: { accounts: "one", sources: "one", text: true, vectors: true, expiry: false },
      tables: ["records", "records2"].flatMap((table) =>
        ["", "_chunks", "_rowids", "_vector_chunks00", "_auxiliary"].map((ending) => table + ending),
      ),
      insert: (app, table, records) => insertVectors(app, table, isNumbered, records),
    });
  },
};
