// The tables of one store as a draft sees them together, and the guess which of them a column names.
import type { SourceLocatorInput } from "./boundary-input.ts";
import { isContent, roleOfName, stem, tableType } from "./guess-columns.ts";
import type { ColumnLayout, TableLayout } from "./store-layout.ts";

export type BaseTable = Extract<TableLayout, { readonly kind: "table" }>;

/** Names the surface of a table; the caller keeps ids apart across stores. */
export type NameSurface = (table: string) => string;

export interface Scene {
  readonly store: string;
  readonly tables: readonly BaseTable[];
  readonly idOf: NameSurface;
}

/** A column named after another table, or an array of ids where only one table can be meant. */
export function sourceByName(column: ColumnLayout, table: TableLayout, scene: Scene): SourceLocatorInput | undefined {
  const isArray = column.facts.idArrays > 0;
  const others = scene.tables.filter((other) => other !== table && other.primaryKey.length <= 1);
  const named =
    /id|uuid|key/i.test(column.name) || isArray
      ? others.find((other) => stem(other.name) === stem(column.name))
      : undefined;
  if (named !== undefined && tableType(named.name) === undefined)
    return { surface: scene.idOf(named.name), column: column.name, ...(isArray ? { as: "json" } : {}) };
  if (!isArray) return undefined;
  const primaries = others.filter(
    (other) =>
      tableType(other.name) === undefined && roleOfName(other.name) !== "derived" && other.columns.some(isContent),
  );
  const only =
    primaries.find((other) => /source|origin|evidence/i.test(column.name) && roleOfName(other.name) === "primary") ??
    primaries[0];
  return only === undefined ? undefined : { surface: scene.idOf(only.name), column: column.name, as: "json" };
}

/** Nothing, the one, or the list: as a person would write it. */
export function oneOrList<T>(list: readonly T[]): T | readonly T[] | undefined {
  return list.length === 0 ? undefined : list.length === 1 ? list[0] : list;
}
