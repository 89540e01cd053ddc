// The tables of one store as a draft sees them together, and the guess which of them a column names.
import type { SourceLocatorInput } from "./boundary-input.ts";
import { isContent, roleOfName, stem, tableType } from "./guess-columns.ts";
import type { ColumnLayout, TableLayout } from "./store-layout.ts";

export type BaseTable = Extract<TableLayout, { readonly kind: "table" }>;

/** Names the surface of a table; the caller keeps ids apart across stores. */
export type NameSurface = (table: string) => string;

export interface Scene {
  readonly kind: "sqlite" | "postgres";
  readonly store: string;
  readonly tables: readonly BaseTable[];
  readonly idOf: NameSurface;
}

/** A column named after another table, or an array of ids where only one table can be meant. */
export function sourceByName(column: ColumnLayout, table: TableLayout, scene: Scene): SourceLocatorInput | undefined {
  const isArray = column.facts.idArrays > 0;
  const isNamedLikeId = /id|uuid|key/i.test(column.name);
  const others = scene.tables.filter(
    (other) => other !== table && other.primaryKey.length <= 1 && tableType(other.name) === undefined,
  );
  // What the ids are is better evidence than what the column is called.
  const holders = others.filter((other) => column.idsOf?.includes(other.name));
  const candidates = column.idsOf === undefined || column.idsOf.length === 0 ? others : holders;
  const named =
    isNamedLikeId || isArray ? candidates.find((other) => stem(other.name) === stem(column.name)) : undefined;
  const primaries = (holders.length > 0 ? holders : isArray ? others : []).filter(
    (other) => roleOfName(other.name) !== "derived" && other.columns.some(isContent),
  );
  const found = named ?? (holders.length > 0 || primaries.length === 1 ? (primaries[0] ?? holders[0]) : undefined);
  if (found === undefined) return undefined;
  return { surface: scene.idOf(found.name), column: column.name, ...(isArray ? { as: "json" } : {}) };
}

/** Nothing, the one, or the list: as a person would write it. */
export function oneOrList<T>(list: readonly T[]): T | readonly T[] | undefined {
  return list.length === 0 ? undefined : list.length === 1 ? list[0] : list;
}
