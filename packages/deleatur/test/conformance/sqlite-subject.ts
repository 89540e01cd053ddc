// The bench of kind `sqlite` for the kit: one table with owners in a join, sources as JSON, text and a float32 column, written by an application's own connection.
import type Database from "better-sqlite3";
import { sqliteTable } from "../../src/adapters/sqlite/index.ts";
import type { BenchRecord, ConformanceSubject, Wrote } from "../../src/conformance/index.ts";
import { blobOf, laySqlite, makeKey, orRefused } from "./sqlite-bench.ts";

const KEY_COLUMNS = {
  plain: "id TEXT PRIMARY KEY",
  "made-up": "id INTEGER PRIMARY KEY AUTOINCREMENT",
  reused: "id INTEGER PRIMARY KEY",
  composite: "space TEXT, id TEXT, PRIMARY KEY (space, id)",
} as const;

type Keys = keyof typeof KEY_COLUMNS;

/** A constraint on the table stands behind its columns. */
const schema = (table: string, keys: Keys): string =>
  `CREATE TABLE ${table} (text TEXT, sources TEXT, vec BLOB, ${KEY_COLUMNS[keys]});`;

function insert(app: Database.Database, table: string, keys: Keys, records: readonly BenchRecord[]): Wrote {
  const columns = keys === "composite" ? ["space", "id"] : ["id"];
  const row = app.prepare<unknown[], { id: number | string }>(
    `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}, text, sources, vec) VALUES (${columns.map(() => "?").join(", ")}, ?, ?, ?) RETURNING id`,
  );
  const disown = app.prepare("DELETE FROM owners WHERE record = ?");
  const own = app.prepare("INSERT INTO owners (record, account) VALUES (?, ?)");
  const write = app.transaction(() =>
    records.map(({ key, accounts, sources, text, vector }) => {
      const parts = partsOf(keys, key, app);
      const { id = "" } = row.get(...parts, text, JSON.stringify(sources), blobOf(vector)) ?? {};
      if (keys === "composite") return JSON.stringify(parts);
      disown.run(id);
      for (const account of accounts) own.run(id, account);
      return String(id);
    }),
  );
  return orRefused(write);
}

function partsOf(keys: Keys, key: string | undefined, app: Database.Database): readonly (string | number | null)[] {
  // The kit gives a composite key as the JSON array of its parts.
  if (keys === "composite") return key === undefined ? ["space", makeKey(app)] : (JSON.parse(key) as string[]);
  if (keys === "plain") return [key ?? makeKey(app)];
  return [key === undefined ? null : Number(key)];
}

export const sqliteSubject: ConformanceSubject = {
  name: "sqlite",
  kind: sqliteTable,
  cannot: { expiry: "rows of a table do not expire" },
  async lay(order) {
    const keys: Keys = order.reuse ? "reused" : order.keys;
    const isComposite = keys === "composite";
    return laySqlite(order, {
      sql: `${schema("records", keys)} ${schema("records2", keys)} CREATE TABLE owners (record, account TEXT);`,
      declaration: {
        key: isComposite ? ["space", "id"] : ["id"],
        subject: isComposite ? [] : [{ type: "account", via: "owners", on: "record", column: "account" }],
        content: [{ column: "text", as: "text" }],
        vector: "vec",
        derivedFrom: [{ surface: order.origins, column: "sources", as: "json" }],
      },
      // A join is over one column, so a row of two key columns has no owners here.
      textsBeside: "records2",
      holds: { accounts: isComposite ? "none" : "many", sources: "many", text: true, vectors: true, expiry: false },
      tables: ["records", "records2", "owners"],
      insert: (app, table, records) => insert(app, table, keys, records),
    });
  },
};
