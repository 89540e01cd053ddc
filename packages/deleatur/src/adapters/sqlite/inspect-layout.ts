// Looks into a SQLite file for `init`, read-only: tables, keys, virtual tables and what kind of values columns hold. It carries no value out.
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import type { ColumnLayout, ForeignKey, SqliteLayout, TableLayout } from "../../boundary/store-layout.ts";
import { countFacts } from "../../boundary/value-facts.ts";
import { StoreError } from "../../model/errors.ts";
import { parseFts } from "./hands/fts-facts.ts";
import { parseVec } from "./hands/vec-facts.ts";
import { quoteName } from "./options.ts";
import { storeError } from "./store-errors.ts";

type Db = Database.Database;

/** So many rows of each table are looked at, and so many characters or bytes of each value. */
const SAMPLE_ROWS = 200;
const SAMPLE_CHARS = 65_536;
const SAMPLE_IDS = 50;

interface SchemaRow {
  readonly name: string;
  readonly type: "table" | "view";
  readonly sql: string | null;
  readonly isShadow: number;
}

/** The layout of one SQLite file. @throws StoreError where it is missing, locked, damaged or no database */
export async function inspectSqliteLayout(file: string, signal: AbortSignal): Promise<SqliteLayout> {
  signal.throwIfAborted();
  if (!existsSync(file))
    throw new StoreError("STORE_MISSING", `the file ${file} does not exist, mend its path`, { place: { file } });
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    loadVec(db);
    return { type: "sqlite", tables: readTables(db) };
  } catch (cause) {
    throw storeError(cause, file);
  } finally {
    db?.close();
  }
}

function readTables(db: Db): readonly TableLayout[] {
  const rows = db
    .prepare<[], SchemaRow>(
      String.raw`SELECT name, type, sql, EXISTS (SELECT 1 FROM pragma_table_list AS l WHERE l.schema = 'main' AND l.name = sqlite_schema.name AND l.type = 'shadow') AS isShadow FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'deleatur\_%' ESCAPE '\' ORDER BY name`,
    )
    .all();
  const virtual = rows.filter(isVirtual).map((row) => row.name);
  return withIdHolders(
    db,
    rows.map((row) => readTable(db, row, virtual)),
  );
}

/** The virtual table of which this is a part; sqlite-vec does not mark all of its own, so their names tell. */
function shadowOwner(name: string, isMarked: boolean, virtual: readonly string[]): string | undefined {
  const isVecPart = /_(?:vector_chunks|metadatachunks|metadatatext)\d+$/.test(name);
  if (!isMarked && !isVecPart) return undefined;
  return virtual.filter((owner) => name.startsWith(`${owner}_`)).toSorted((a, b) => b.length - a.length)[0];
}

function isVirtual(row: SchemaRow): boolean {
  return /^\s*create\s+virtual\s+table/i.test(row.sql ?? "");
}

function readTable(db: Db, row: SchemaRow, virtual: readonly string[]): TableLayout {
  const { name } = row;
  const sql = row.sql ?? "";
  if (row.type === "view") return { kind: "view", name, columns: [] };
  if (isVirtual(row)) return readVirtual(name, sql);
  const owner = shadowOwner(name, row.isShadow === 1, virtual);
  if (owner !== undefined) return { kind: "shadow", name, columns: [], owner };
  const info = db
    .prepare<[string], { name: string; type: string; pk: number }>(
      "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1",
    )
    .all(name);
  const primaryKey = info
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map((column) => column.name);
  const aliasesRowid =
    primaryKey.length === 1 &&
    info.some(({ pk, type }) => pk === 1 && /^integer$/i.test(type)) &&
    !/without\s+rowid/i.test(sql);
  return {
    kind: "table",
    name,
    columns: sampleColumns(db, name, info),
    primaryKey,
    reusesKeys: primaryKey.length === 0 || (aliasesRowid && !/\bautoincrement\b/i.test(sql)),
    foreignKeys: readForeignKeys(db, name),
  };
}

/** Says, for columns of ids, in which tables' keys those ids really stand. */
function withIdHolders(db: Db, tables: readonly TableLayout[]): readonly TableLayout[] {
  const keyed = tables.flatMap((table) => {
    const [key, ...more] = table.kind === "table" ? table.primaryKey : [];
    return key === undefined || more.length > 0 ? [] : [{ table: table.name, key }];
  });
  return tables.map((table): TableLayout => {
    if (table.kind !== "table") return table;
    const columns = table.columns.map((column) => {
      const isIds = column.facts.idArrays > 0 || /(?:_id|Id)$/.test(column.name);
      if (!isIds || column.facts.seen === 0) return column;
      const ids = sampleIds(db, table.name, column.name);
      const holders = keyed.filter((other) => other.table !== table.name && holdsAll(db, other, ids));
      return { ...column, idsOf: ids.length === 0 ? [] : holders.map((holder) => holder.table) };
    });
    return { ...table, columns };
  });
}

function sampleIds(db: Db, table: string, column: string): readonly (string | number)[] {
  const values = db
    .prepare<[]>(
      `SELECT ${quoteName(column)} FROM ${quoteName(table)} WHERE ${quoteName(column)} IS NOT NULL LIMIT ${SAMPLE_IDS}`,
    )
    .pluck()
    .all();
  return values.flatMap(idsIn).slice(0, SAMPLE_IDS);
}

function idsIn(value: unknown): readonly (string | number)[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "string") return [];
  if (!value.startsWith("[")) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.filter((id) => typeof id === "string" || typeof id === "number") : [];
  } catch {
    // Text that only begins like an array is an id as it stands.
    return [value];
  }
}

function holdsAll(
  db: Db,
  other: { readonly table: string; readonly key: string },
  ids: readonly (string | number)[],
): boolean {
  const find = db.prepare<[string | number]>(
    `SELECT 1 FROM ${quoteName(other.table)} WHERE ${quoteName(other.key)} = ?`,
  );
  return ids.every((id) => find.get(id) !== undefined);
}

const NOTHING_SEEN = countFacts([]);

function plainColumns(names: readonly string[]): readonly ColumnLayout[] {
  return names.map((name) => ({ name, declaredType: "", facts: NOTHING_SEEN }));
}

function readVirtual(name: string, sql: string): TableLayout {
  const fts = parseFts(name, sql);
  if (fts !== undefined) {
    const { mode, contentTable, contentRowid } = fts;
    const content =
      mode === "external"
        ? ({ mode, table: contentTable ?? "", rowid: contentRowid ?? "rowid" } as const)
        : ({ mode } as const);
    return { kind: "fts5", name, columns: plainColumns(fts.columns), content };
  }
  const vecBody = /using\s+vec0\s*\(([\s\S]*)\)\s*;?\s*$/i.exec(sql)?.[1];
  if (vecBody === undefined) return { kind: "virtual", name, columns: [] };
  const vec = parseVec(vecBody);
  const others = [...vecBody.matchAll(/(?:^|,)\s*\+?\s*"?(\w+)"?\s+(?:text|integer|float|boolean)\b(?!\s*\[)/gi)].map(
    (match) => match[1] ?? "",
  );
  return {
    kind: "vec0",
    name,
    columns: plainColumns([...new Set([vec.key.name, ...vec.vectors, ...others])]),
    vectors: vec.vectors,
    key: vec.key.name,
  };
}

function sampleColumns(
  db: Db,
  table: string,
  info: readonly { readonly name: string; readonly type: string }[],
): readonly ColumnLayout[] {
  return info.map(({ name, type }) => {
    const column = quoteName(name);
    const values = db
      .prepare<[]>(
        `SELECT CASE typeof(${column}) WHEN 'text' THEN substr(${column}, 1, ${SAMPLE_CHARS}) ELSE ${column} END FROM ${quoteName(table)} WHERE ${column} IS NOT NULL LIMIT ${SAMPLE_ROWS}`,
      )
      .pluck()
      .all();
    return { name, declaredType: type, facts: countFacts(values) };
  });
}

function readForeignKeys(db: Db, table: string): readonly ForeignKey[] {
  const rows = db
    .prepare<[string], { id: number; seq: number; table: string; from: string; to: string | null }>(
      'SELECT id, seq, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table);
  const ids = [...new Set(rows.map((row) => row.id))];
  return ids.map((id) => {
    const group = rows.filter((row) => row.id === id);
    return {
      columns: group.map((row) => row.from),
      table: group[0]?.table ?? "",
      to: group.flatMap((row) => (row.to === null ? [] : [row.to])),
    };
  });
}
