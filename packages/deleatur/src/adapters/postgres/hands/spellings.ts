// Tells which spellings of a person a store itself takes for one: columns of citext, and of collations that do not tell letters apart. It asks the server and reads no row.
import type { CaselessIdentifier } from "../../../model/artifact.ts";
import type { Folding, SubjectIdentifier } from "../../../model/ids.ts";
import { baseTypeSql } from "../base-type.ts";
import { quoteName, quoteTable, type TableName } from "../options.ts";
import { rowsOf, type Db } from "./connect.ts";
import type { Layout, SubjectColumn } from "./layout.ts";

/** By identifier type. What stands in JSON or in a part of the key is compared byte by byte. */
export type Foldings = ReadonlyMap<string, Folding>;

export async function foldingsOf(db: Db, layout: Layout): Promise<Foldings> {
  const foldings = new Map<string, Folding>();
  for (const locator of layout.subjects) {
    const place = placeOf(layout, locator);
    const folding = place === undefined ? undefined : await foldingAt(db, place);
    if (folding !== undefined) foldings.set(locator.type, folding);
  }
  return foldings;
}

/** Of a record's persons those that other spellings name as well. Few persons stand on many rows: what is said of one alone is one list. */
export function caselessAmong(
  foldings: Foldings,
): (subjects: readonly SubjectIdentifier[]) => readonly CaselessIdentifier[] {
  const known = new WeakMap<SubjectIdentifier, readonly CaselessIdentifier[]>();
  const one = (subject: SubjectIdentifier): readonly CaselessIdentifier[] => {
    const before = known.get(subject);
    if (before !== undefined) return before;
    const folding = foldings.get(subject.type);
    const found = folding === undefined ? [] : [{ ...subject, folding }];
    known.set(subject, found);
    return found;
  };
  return (subjects) => {
    const [only] = subjects;
    return only !== undefined && subjects.length === 1 ? one(only) : subjects.flatMap(one);
  };
}

interface Place {
  readonly table: TableName;
  readonly column: string;
  readonly isArray: boolean;
}

function placeOf(layout: Layout, locator: SubjectColumn): Place | undefined {
  if (locator.how === "via") return { table: locator.join.table, column: locator.join.column, isArray: false };
  if (locator.how === "json" || locator.how === "segment") return undefined;
  return { table: layout.options.table, column: locator.column, isArray: locator.how === "array" };
}

async function foldingAt(db: Db, { table, column, isArray }: Place): Promise<Folding | undefined> {
  const [row] = await rowsOf(
    db,
    `SELECT ${baseTypeSql("t")}, coalesce(co.collisdeterministic, true) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_collation co ON co.oid = a.attcollation WHERE n.nspname = $1 AND c.relname = $2 AND a.attname = $3`,
    [table.schema, table.table, column],
  );
  const base = (row?.[0] ?? "").replace(/^_/, "");
  if (base === "citext") return "case";
  if (base === "uuid") return "uuid";
  if (row?.[1] !== "f") return undefined;
  const name = quoteName(column);
  const [alike] = await rowsOf(
    db,
    `SELECT x.c = 'a', x.c = U&'\\00C1' FROM (SELECT ${isArray ? `pg_catalog.unnest(${name})` : name} AS c FROM ${quoteTable(table)} WHERE false UNION ALL SELECT 'A') AS x`,
  );
  const [ignoresCase, ignoresMarks] = (alike ?? []).map((answer) => answer === "t");
  if (ignoresCase === true) return ignoresMarks === true ? "case-and-marks" : "case";
  return ignoresMarks === true ? "marks" : "form";
}
