// Looks into one database of a server for `init`, read-only: tables, keys, references and what kind of values columns hold. It carries no value out.
import type { ColumnLayout, ForeignKey, InspectServer, ServerLayout } from "../../boundary/store-layout.ts";
import { countFacts } from "../../boundary/value-facts.ts";
import { type Db, rowsOf, withConnection } from "./hands/connect.ts";
import { quoteName, quoteTable, spellTable, type TableName } from "./options.ts";

/** So many rows of each table are looked at, and so many characters or bytes of each value. */
const SAMPLE_ROWS = 200;
const SAMPLE_LENGTH = 65_536;

const TABLES = String.raw`SELECT c.oid::text, n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'deleatur')
  AND n.nspname !~ '^pg_' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** The base type's name and the category tell what can be read as text; generated columns repeat what others say. */
const COLUMNS = `SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), t.typname, t.typcategory::text
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum`;

const PRIMARY_KEY = `SELECT a.attname FROM pg_catalog.pg_index i CROSS JOIN pg_catalog.unnest(i.indkey) WITH ORDINALITY AS k(number, place)
  JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE i.indrelid = $1::oid AND i.indisprimary ORDER BY k.place`;

const FOREIGN_KEYS = `SELECT c.conname, n.nspname, r.relname, own.attname, far.attname FROM pg_catalog.pg_constraint c
  JOIN pg_catalog.pg_class r ON r.oid = c.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(c.conkey), pg_catalog.unnest(c.confkey)) WITH ORDINALITY AS k(own, far, place)
  JOIN pg_catalog.pg_attribute own ON own.attrelid = c.conrelid AND own.attnum = k.own
  JOIN pg_catalog.pg_attribute far ON far.attrelid = c.confrelid AND far.attnum = k.far
  WHERE c.conrelid = $1::oid AND c.contype = 'f' ORDER BY c.conname, k.place`;

/** @throws StoreError, BoundaryError where the client is not installed */
export const inspectServer: InspectServer = (name, url, signal) =>
  withConnection({ store: name, url, data: undefined }, readTables, signal);

async function readTables(db: Db): Promise<ServerLayout> {
  await db.client.query("SET default_transaction_read_only = on");
  const tables: ServerLayout["tables"][number][] = [];
  for (const [oid, schema, table] of await rowsOf(db, TABLES)) {
    const name = { schema: schema ?? "", table: table ?? "" };
    tables.push({
      kind: "table",
      name: spellTable(name),
      columns: await readColumns(db, oid ?? "", name),
      primaryKey: (await rowsOf(db, PRIMARY_KEY, [oid])).map(([column]) => column ?? ""),
      reusesKeys: false,
      foreignKeys: await readForeignKeys(db, oid ?? ""),
    });
  }
  return { type: "postgres", tables: tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function readColumns(db: Db, oid: string, table: TableName): Promise<readonly ColumnLayout[]> {
  const columns: ColumnLayout[] = [];
  for (const [name, declaredType, type, category] of await rowsOf(db, COLUMNS, [oid])) {
    const sampled = sampleSql(quoteName(name ?? ""), type ?? "", category ?? "");
    const values =
      sampled === undefined
        ? []
        : (
            await rowsOf(
              db,
              `SELECT ${sampled} FROM ${quoteTable(table)} WHERE ${quoteName(name ?? "")} IS NOT NULL LIMIT ${SAMPLE_ROWS}`,
            )
          ).map(([value]) => (type === "bytea" && value !== null ? Buffer.from(value ?? "", "hex") : value));
    columns.push({ name: name ?? "", declaredType: declaredType ?? "", facts: countFacts(values) });
  }
  return columns;
}

/** What of a value tells whether somebody wrote it; numbers, times and vectors are told by their type. */
function sampleSql(column: string, type: string, category: string): string | undefined {
  if (type === "bytea") return `pg_catalog.encode(pg_catalog.substring(${column}, 1, ${SAMPLE_LENGTH}), 'hex')`;
  if (category === "A") return `pg_catalog.left(pg_catalog.to_json(${column})::text, ${SAMPLE_LENGTH})`;
  const isText = category === "S" || type === "json" || type === "jsonb" || type === "citext";
  return isText ? `pg_catalog.left(${column}::text, ${SAMPLE_LENGTH})` : undefined;
}

async function readForeignKeys(db: Db, oid: string): Promise<readonly ForeignKey[]> {
  const byName = new Map<string, { table: string; columns: string[]; to: string[] }>();
  for (const [name, schema, table, own, far] of await rowsOf(db, FOREIGN_KEYS, [oid])) {
    const key = byName.get(name ?? "") ?? {
      table: spellTable({ schema: schema ?? "", table: table ?? "" }),
      columns: [],
      to: [],
    };
    byName.set(name ?? "", key);
    key.columns.push(own ?? "");
    key.to.push(far ?? "");
  }
  return [...byName.values()];
}
