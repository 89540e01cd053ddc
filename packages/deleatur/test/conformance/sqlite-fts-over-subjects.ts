// The benches of kind `sqlite-fts` over a table of the application: external content and contentless, written by the application beside its table. Index and table are erased in the engine's order, the index first.
import type Database from "better-sqlite3";
import { sqliteFts, sqliteTable } from "../../src/adapters/sqlite/index.ts";
import { type BenchRecord, type ConformanceSubject, impossible, type Wrote } from "../../src/conformance/index.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import type { SurfaceDeclaration } from "../../src/model/declaration.ts";
import { surfaceId } from "../../src/model/ids.ts";
import type { Surface, SurfaceKind } from "../../src/surface.ts";
import { laySqlite, orRefused } from "./sqlite-bench.ts";
import { ftsShadows, ONLY_NUMBERS, ROWID, sqliteFtsSubject } from "./sqlite-index-subjects.ts";

/** What FTS5 keeps of a row's text beside its terms: the table's, nothing, nothing but that a row can be deleted without its text. */
type Content = "external" | "contentless" | "contentless-delete";

const BASE = surfaceId("docs");
const BASE_OF = { records: "docs", records2: "docs2" } as const;
type Table = keyof typeof BASE_OF;

const COLUMNS: Readonly<Record<Content, readonly string[]>> = {
  external: ["text", "account", "source"],
  contentless: ["text"],
  "contentless-delete": ["text"],
};

function createIndex(table: Table, content: Content): string {
  const base = BASE_OF[table];
  const index = {
    external: `text, account UNINDEXED, source UNINDEXED, content='${base}', content_rowid='id'`,
    contentless: "text, content=''",
    "contentless-delete": "text, content='', contentless_delete=1",
  };
  return `CREATE TABLE ${base} (id INTEGER PRIMARY KEY, text TEXT, account TEXT, source TEXT);
    CREATE VIRTUAL TABLE ${table} USING fts5(${index[content]});`;
}

/** As an application keeps such an index: what it held of the old row is taken out with the old text. */
function insertBoth(app: Database.Database, table: Table, content: Content, records: readonly BenchRecord[]): Wrote {
  if (records.some(({ key }) => key !== undefined && !ROWID.test(key))) return impossible(ONLY_NUMBERS);
  const base = BASE_OF[table];
  const columns = COLUMNS[content].join(", ");
  const places = COLUMNS[content].map(() => "?").join(", ");
  const old = app
    .prepare<[bigint], unknown[]>(
      `SELECT ${columns} FROM ${base} WHERE id = ? AND EXISTS (SELECT 1 FROM ${table}_docsize AS d WHERE d.id = ${base}.id)`,
    )
    .raw(true);
  const take = app.prepare(
    content === "contentless-delete"
      ? `DELETE FROM ${table} WHERE rowid = ?`
      : `INSERT INTO ${table} (${table}, rowid, ${columns}) VALUES ('delete', ?, ${places})`,
  );
  const row = app.prepare(`INSERT OR REPLACE INTO ${base} (id, text, account, source) VALUES (?, ?, ?, ?)`);
  const put = app.prepare(`INSERT INTO ${table} (rowid, ${columns}) VALUES (?, ${places})`);
  return orRefused(
    app.transaction(() =>
      records.map(({ key, text, accounts, sources }) => {
        const values = [text, accounts[0] ?? null, sources[0] ?? null];
        const given = key === undefined ? null : BigInt(key);
        const before = given === null ? undefined : old.get(given);
        if (before !== undefined) take.run(given, ...(content === "contentless-delete" ? [] : before));
        const id = row.run(given, ...values).lastInsertRowid;
        put.run(id, ...values.slice(0, COLUMNS[content].length));
        return String(id);
      }),
    ),
  );
}

/** An index and the table that it is over, in the order in which the engine acts on them; its eyes are the index's. */
const indexAndTable: SurfaceKind<unknown> = {
  ...sqliteFts,
  parse(entry) {
    const declaration = entry.boundary.surfaces.find(({ id }) => id === BASE);
    if (declaration === undefined) throw new Error("the table of the index is not declared");
    return { index: sqliteFts.parse(entry), table: sqliteTable.parse({ ...entry, declaration }) };
  },
  async open(options) {
    const { index, table } = optionsOf(options);
    return both(await sqliteFts.open(index), await sqliteTable.open(table));
  },
  probes: (options) => sqliteFts.probes(optionsOf(options).index),
  containerProbes: (options, container) => sqliteFts.containerProbes(optionsOf(options).index, container),
};

interface Both {
  readonly index: Parameters<typeof sqliteFts.open>[0];
  readonly table: Parameters<typeof sqliteTable.open>[0];
}

/** What `parse` above made. */
function optionsOf(options: unknown): Both {
  return options as Both;
}

function both(index: Surface, table: Surface): Surface {
  return {
    ...index,
    async erase(keys, signal) {
      const first = await index.erase(keys, signal);
      const second = await table.erase(keys, signal);
      return first.map((answer, place) => {
        const other = second[place];
        return other === undefined || answer.outcome === "failed" || other.outcome === "absent"
          ? answer
          : { ...other, surface: answer.surface };
      });
    },
    async rewrite(replacements, signal) {
      const first = await index.rewrite(replacements, signal);
      // The table's row is given its new text by a request of its own kind; its person and source stay.
      const contents = new Map(replacements.map(({ key, content }) => [key, content]));
      const rows: Artifact[] = [];
      for await (const row of table.read([...contents.keys()], signal))
        rows.push({ ...row, content: contents.get(row.key) ?? row.content });
      const second = new Map((await table.rewrite(rows, signal)).map((answer) => [answer.key, answer]));
      return first.map((answer) => {
        const other = second.get(answer.key);
        return answer.outcome === "rewritten" && other?.outcome === "failed"
          ? { ...answer, outcome: "failed", why: other.why }
          : answer;
      });
    },
    async plant(canary, signal) {
      const planted = await table.plant({ ...canary, surface: BASE }, signal);
      const content = canary.content.filter(({ type }) => type === "text");
      return planted.outcome === "planted" ? index.plant({ ...canary, key: planted.key, content }, signal) : planted;
    },
  };
}

function declareTable({ origins }: { readonly origins: SurfaceDeclaration["id"] }): SurfaceDeclaration {
  return {
    id: BASE,
    kind: "sqlite",
    role: "primary",
    label: "docs",
    store: "memory",
    table: "docs",
    key: ["id"],
    keys: "reusable",
    subject: [{ type: "account", column: "account" }],
    content: [{ column: "text", as: "text" }],
    derivedFrom: [{ surface: origins, column: "source" }],
    maps: [],
    writers: "foreign",
    purge: { method: "auto" },
    replicas: [],
  };
}

function ftsOver(content: Content, cannot: ConformanceSubject["cannot"]): ConformanceSubject {
  const isExternal = content === "external";
  return {
    name: `sqlite-fts ${content}`,
    kind: indexAndTable,
    cannot: { ...sqliteFtsSubject.cannot, ...cannot },
    async lay(order) {
      if (order.keys === "composite") return impossible(ONLY_NUMBERS);
      const base = declareTable(order);
      return laySqlite(order, {
        sql: `${createIndex("records", content)} ${createIndex("records2", content)}`,
        declaration: {
          role: "index",
          key: ["rowid"],
          keys: "reusable",
          subject: isExternal ? [{ type: "account", column: "account" }] : [],
          content: [{ column: "text", as: "text" }],
          derivedFrom: [
            ...(isExternal ? [{ surface: order.origins, column: "source" }] : []),
            { surface: BASE, column: "rowid" },
          ],
        },
        others: [{ ...base, replicas: order.replicas === 0 ? [] : ["copy1"] }],
        holds: {
          accounts: isExternal ? "one" : "none",
          sources: isExternal ? "one" : "none",
          text: true,
          vectors: false,
          expiry: false,
        },
        textsBeside: "docs2",
        tables: Object.entries(BASE_OF).flatMap(([table, name]) => [
          name,
          ...ftsShadows(table).filter((shadow) => !shadow.endsWith("_content")),
        ]),
        insert: (app, table, records) => insertBoth(app, table, content, records),
      });
    },
  };
}

const NO_FIELDS = "a contentless index keeps neither a row's person nor its source: they stand in its table";

const NO_FIELDS_CASES = {
  "several-persons": NO_FIELDS,
  "several-sources": NO_FIELDS,
  "rewrite-persons": NO_FIELDS,
  "rewrite-sources": NO_FIELDS,
  "similar-persons": NO_FIELDS,
};

export const sqliteFtsOverSubjects: readonly ConformanceSubject[] = [
  ftsOver("external", {}),
  ftsOver("contentless", NO_FIELDS_CASES),
  ftsOver("contentless-delete", NO_FIELDS_CASES),
];
