// Looks up the columns of a table for the probes, every one and not only the declared ones: a copy does not ask where it was declared.
import type { ContentField } from "../../../model/artifact.ts";
import { baseTypeSql } from "../base-type.ts";
import { quoteName, quoteTable, type TableName } from "../options.ts";
import { fieldOfSent, fieldOfText, shapeOf, spellKey, spellValue } from "../values.ts";
import { ask, readAll, type Cells, type Reader } from "./open-reader.ts";

export interface ColumnSeen {
  readonly name: string;
  /** Name of the type, of a domain that of its base. */
  readonly base: string;
  /** The function of a vector type that answers it as bytes, to be called by this name; empty where the text is read. */
  readonly send: string;
}

/** A table's columns in order; empty where there is no such table. */
export async function seeColumns(reader: Reader, { schema, table }: TableName): Promise<readonly ColumnSeen[]> {
  const rows = await ask(
    reader,
    `SELECT a.attname, ${baseTypeSql("t")}, (SELECT pg_catalog.quote_ident(f.nspname) || '.' || pg_catalog.quote_ident(p.proname)
       FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace f ON f.oid = p.pronamespace WHERE p.oid = t.typsend) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [schema, table],
  );
  return rows.map(([name, base, send]) => ({
    name: name ?? "",
    base: base ?? "",
    send: isVectorType(base ?? "") ? (send ?? "") : "",
  }));
}

function isVectorType(base: string): boolean {
  return base === "vector" || base === "halfvec";
}

/** What a query answers of columns, as `fieldOfCell` and `keyOfCells` take it. */
export function selectOf(columns: readonly ColumnSeen[]): string {
  return columns.map(({ name, send }) => `${send}(${quoteName(name)})::text`).join(", ");
}

/** Every row of a table, few at a time: what it answers of the given columns, in their order. */
export async function* readCells(
  reader: Reader,
  table: TableName,
  columns: readonly ColumnSeen[],
  signal: AbortSignal,
): AsyncGenerator<readonly Cells[]> {
  if (columns.length === 0) return;
  yield* readAll(reader, `SELECT ${selectOf(columns)} FROM ${quoteTable(table)}`, signal);
}

/** A cell as the matchers take it; a column of vectors is one whether or not it is declared. */
export function fieldOfCell(
  { name, base, send }: ColumnSeen,
  cell: string | null,
  isVector: boolean,
): ContentField | undefined {
  if (send !== "") return fieldOfSent(name, cell);
  return fieldOfText(name, cell, shapeOf(base, isVector));
}

/** The key text of a row as PROOFS §2 spells it; undefined where a part is NULL. */
export function keyOfCells(columns: readonly ColumnSeen[], cells: Cells): string | undefined {
  const parts = columns.map(({ base }, place) => {
    const cell = cells[place] ?? null;
    return cell === null ? undefined : spellValue(cell, base);
  });
  return parts.includes(undefined) ? undefined : spellKey(parts.map((part) => part ?? ""));
}
