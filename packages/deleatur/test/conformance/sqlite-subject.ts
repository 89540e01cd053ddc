// The bench of kind `sqlite` for the kit: one table with owners in a join, sources as JSON, text and a float32 column, written by an application's own connection.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sqliteTable } from "../../src/adapters/sqlite/index.ts";
import {
  type Bench,
  type BenchOrder,
  type BenchRecord,
  type ConformanceSubject,
  impossible,
  noProcess,
  type Wrote,
} from "../../src/conformance/index.ts";

const KEY_COLUMNS = {
  plain: "id TEXT PRIMARY KEY",
  "made-up": "id INTEGER PRIMARY KEY AUTOINCREMENT",
  reused: "id INTEGER PRIMARY KEY",
  composite: "space TEXT, id TEXT, PRIMARY KEY (space, id)",
} as const;

type Layout = keyof typeof KEY_COLUMNS;

function schema(table: string, layout: Layout): string {
  // A constraint on the table stands behind its columns.
  return `CREATE TABLE ${table} (text TEXT, sources TEXT, vec BLOB, ${KEY_COLUMNS[layout]});`;
}

/** The application's own connection: WAL, as it opens it. */
function open(file: string): Database.Database {
  const app = new Database(file);
  app.pragma("journal_mode = WAL");
  return app;
}

/** One transaction, all or none; the key as a scan reads it. */
function insert(app: Database.Database, table: string, layout: Layout, records: readonly BenchRecord[]): Wrote {
  const owners = app.prepare("INSERT INTO owners (record, account) VALUES (?, ?)");
  const columns = layout === "composite" ? ["space", "id"] : ["id"];
  const row = app.prepare<unknown[], { id: number | string }>(
    `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}, text, sources, vec) VALUES (${[...columns, 1, 2, 3].map(() => "?").join(", ")}) RETURNING id`,
  );
  const random = app.prepare<[], string>("SELECT hex(randomblob(8))").pluck();
  const keys: string[] = [];
  try {
    app.transaction(() => {
      for (const [place, { key, accounts, sources, text, vector }] of records.entries()) {
        const parts = keyParts(layout, key, `record-${place}-${String(random.get())}`);
        const blob = vector === undefined ? null : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
        const { id } = row.get(...parts, text, JSON.stringify(sources), blob) ?? { id: "" };
        keys.push(layout === "composite" ? JSON.stringify(parts) : String(id));
        app.prepare("DELETE FROM owners WHERE record = ?").run(id);
        for (const account of accounts) owners.run(id, account);
      }
    })();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("deleatur: FENCED"))
      return { outcome: "refused", why: cause.message };
    throw cause;
  }
  return { outcome: "written", keys };
}

function keyParts(layout: Layout, key: string | undefined, made: string): readonly (string | number | null)[] {
  if (layout === "composite") return key === undefined ? ["space", made] : (JSON.parse(key) as string[]);
  if (layout === "plain") return [key ?? made];
  return [key === undefined ? null : Number(key)];
}

export const sqliteSubject: ConformanceSubject = {
  name: "sqlite",
  kind: sqliteTable,
  cannot: { expiry: "rows of a table do not expire" },
  async lay({ keys, reuse, replicas, folder, origins }: BenchOrder): Promise<Bench> {
    const layout: Layout = reuse ? "reused" : keys;
    const names = ["memory", ...Array.from({ length: replicas }, (_, place) => `copy${place + 1}`)];
    const file = (name: string): string => join(folder, `${name}.db`);
    const apps = names.map((name) => open(file(name)));
    const [own] = apps;
    if (own === undefined) throw new Error("there is a store of its own");
    for (const app of apps)
      app.exec(
        `${schema("records", layout)} ${schema("records2", layout)} CREATE TABLE owners (record, account TEXT);`,
      );
    const isComposite = layout === "composite";
    return {
      outcome: "laid",
      declaration: {
        table: "records",
        key: isComposite ? ["space", "id"] : ["id"],
        subject: isComposite ? [] : [{ type: "account", via: "owners", on: "record", column: "account" }],
        content: [{ column: "text", as: "text" }],
        vector: "vec",
        derivedFrom: [{ surface: origins, column: "sources", as: "json" }],
      },
      connections: names.map((name) => ({ type: "sqlite", name, file: file(name) })),
      others: [],
      participation: noProcess,
      // A join is over one column, so a row of two key columns has no owners here.
      holds: { accounts: isComposite ? "none" : "many", sources: "many", text: true, vectors: true, expiry: false },
      containers: names.flatMap((name) => [`${name}.records`, `${name}.records2`, `${name}.owners`]),
      async write(records) {
        const wrote = insert(own, "records", layout, records);
        if (wrote.outcome !== "written") return wrote;
        // A replica holds the same rows under the same keys.
        const copies = records.map((record, place) => ({ ...record, key: wrote.keys[place] ?? "" }));
        for (const app of apps.slice(1)) insert(app, "records", layout, copies);
        return wrote;
      },
      async writeToReplica(records) {
        const [, replica] = apps;
        return replica === undefined ? impossible("no replica was laid") : insert(replica, "records", layout, records);
      },
      writeBeside: async (records) => insert(own, "records2", layout, records),
      readBeside: async () => own.prepare<[], string>("SELECT text FROM records2").pluck().all(),
      async addContainer(text) {
        own.exec("CREATE TABLE stray (note TEXT)");
        own.prepare("INSERT INTO stray VALUES (?)").run(text);
        return { outcome: "added", name: "memory.stray" };
      },
      files: async () => ({ outcome: "files", paths: readdirSync(folder).map((name) => join(folder, name)) }),
      async takeAway() {
        for (const app of apps) app.close();
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        return { outcome: "gone" };
      },
      async close() {
        for (const app of apps) app.close();
      },
    };
  },
};
