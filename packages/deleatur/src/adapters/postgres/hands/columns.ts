// Reads from the catalog what a table is: its columns, its key, who refers to it. Reads the schema only.
import { baseTypeSql } from "../base-type.ts";
import type { TableName } from "../options.ts";
import { rowsOf, type Db, type TextRow } from "./connect.ts";

export interface Column {
  readonly name: string;
  /** As SQL names it, for casts: `bigint`, `vector(384)`. */
  readonly type: string;
  /** Name of the type, of a domain that of its base: `int8`, `_text`, `vector`. */
  readonly base: string;
  readonly notNull: boolean;
  /** The server gives a value where none is written. */
  readonly hasDefault: boolean;
  /** Written by the server alone. */
  readonly isGenerated: boolean;
  readonly isIdentity: boolean;
  /** Compared byte by byte, so that equal values have equal texts. */
  readonly isExact: boolean;
  readonly isByteOrdered: boolean;
  /** Of a vector type; 0 where any length fits. */
  readonly dimensions: number;
  /** Labels of an enum; empty for other types. */
  readonly labels: readonly string[];
  /** The function that answers a vector as bytes, as SQL names it, a domain has that of its base; empty for other types. */
  readonly send: string;
}

export interface Relation {
  readonly oid: string;
  readonly kind: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  /** Tables that inherit from it in the old way and are no partitions: triggers of the parent do not reach them. */
  readonly hasInheritors: boolean;
}

/** A table by its name; undefined where there is none. */
export async function readRelation(db: Db, { schema, table }: TableName): Promise<Relation | undefined> {
  const [found] = await rowsOf(
    db,
    `SELECT c.oid::text, c.relkind, c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  );
  const [oid, kind, hasInheritors] = found ?? [];
  if (typeof oid !== "string") return undefined;
  const rows = await rowsOf(
    db,
    `SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), ${baseTypeSql("t")}, a.attnotnull,
       a.atthasdef OR a.attidentity <> '', a.attgenerated <> '', a.attidentity <> '', coalesce(co.collisdeterministic, true),
       coalesce(co.collcollate IN ('C', 'POSIX') OR (co.collprovider = 'd' AND d.datcollate IN ('C', 'POSIX')), false),
       a.atttypmod::text, (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_catalog.pg_enum e WHERE e.enumtypid = a.atttypid),
       (SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(p.proname) FROM pg_catalog.pg_proc p
        JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = t.typsend)
     FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_catalog.pg_collation co ON co.oid = a.attcollation
     JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()
     WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [oid],
  );
  const keyRows = await rowsOf(
    db,
    `SELECT a.attname FROM pg_catalog.pg_constraint k CROSS JOIN LATERAL pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u(attnum, place)
     JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum WHERE k.conrelid = $1 AND k.contype = 'p' ORDER BY u.place`,
    [oid],
  );
  return {
    oid,
    kind: kind ?? "",
    columns: new Map(rows.map((row) => [row[0] ?? "", columnOf(row)])),
    primaryKey: keyRows.map(([name]) => name ?? ""),
    hasInheritors: hasInheritors === "t",
  };
}

function columnOf(row: TextRow): Column {
  const [name, type, base, notNull, hasDefault, isGenerated, isIdentity, isExact, isByteOrdered, modifier, ...rest] =
    row;
  const [labels, send] = rest;
  const isVector = base === "vector" || base === "halfvec";
  return {
    name: name ?? "",
    type: type ?? "",
    base: base ?? "",
    notNull: notNull === "t",
    hasDefault: hasDefault === "t",
    isGenerated: isGenerated === "t",
    isIdentity: isIdentity === "t",
    isExact: isExact === "t",
    isByteOrdered: isByteOrdered === "t",
    dimensions: isVector ? Math.max(0, Number(modifier)) : 0,
    // Our own query wrote it.
    labels: typeof labels === "string" ? (JSON.parse(labels) as readonly string[]) : [],
    send: isVector ? (send ?? "") : "",
  };
}

/** A foreign key of another table (or of this one) into a table, or into a part of it. */
export interface Reference {
  readonly child: TableName;
  /** The table itself, a partition of it or one that inherits from it. */
  readonly parent: TableName;
  readonly childColumns: readonly string[];
  readonly parentColumns: readonly string[];
  /** `c`: what refers goes with it; `n`, `d`: the reference is emptied; `a`, `r`: the delete is refused. */
  readonly onDelete: string;
}

export async function readReferences(db: Db, oid: string): Promise<readonly Reference[]> {
  const parts = `WITH RECURSIVE parts(oid) AS (SELECT $1::pg_catalog.oid UNION SELECT i.inhrelid FROM parts JOIN pg_catalog.pg_inherits i ON i.inhparent = parts.oid)
    SELECT oid FROM parts`;
  return (await readForeignKeys(db, `k.confrelid IN (${parts})`, oid)).map(
    ({ own, ownColumns, other, otherColumns, onDelete }) => ({
      child: own,
      childColumns: ownColumns,
      parentColumns: otherColumns,
      onDelete,
      parent: other,
    }),
  );
}

/** A foreign key of this table into another. */
export interface Dependence {
  readonly columns: readonly string[];
  readonly table: TableName;
  readonly to: readonly string[];
}

export async function readDependences(db: Db, oid: string): Promise<readonly Dependence[]> {
  return (await readForeignKeys(db, "k.conrelid = $1", oid)).map(({ ownColumns, other, otherColumns }) => ({
    columns: ownColumns,
    table: other,
    to: otherColumns,
  }));
}

interface ForeignKey {
  readonly own: TableName;
  readonly ownColumns: readonly string[];
  readonly other: TableName;
  readonly otherColumns: readonly string[];
  readonly onDelete: string;
}

function namesSql(relation: string, numbers: string): string {
  return `(SELECT pg_catalog.json_agg(a.attname ORDER BY u.place)::text FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY AS u(attnum, place)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = ${relation} AND a.attnum = u.attnum)`;
}

/** Those of partitions are left out: their parent's says the same. */
async function readForeignKeys(db: Db, which: string, oid: string): Promise<readonly ForeignKey[]> {
  const rows = await rowsOf(
    db,
    `SELECT n.nspname, c.relname, ${namesSql("k.conrelid", "k.conkey")}, fn.nspname, f.relname, ${namesSql("k.confrelid", "k.confkey")}, k.confdeltype
     FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
     WHERE k.contype = 'f' AND k.conparentid = 0 AND ${which} ORDER BY 1, 2`,
    [oid],
  );
  return rows.map(([schema, table, columns, otherSchema, otherTable, otherColumns, onDelete]) => ({
    own: { schema: schema ?? "", table: table ?? "" },
    // Our own query wrote them.
    ownColumns: JSON.parse(columns ?? "[]") as readonly string[],
    other: { schema: otherSchema ?? "", table: otherTable ?? "" },
    otherColumns: JSON.parse(otherColumns ?? "[]") as readonly string[],
    onDelete: onDelete ?? "",
  }));
}
