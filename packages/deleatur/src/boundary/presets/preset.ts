// The shape of a preset: a known tool's layout as surfaces. It knows names of tables, prefixes and fields only.
import type { SurfaceInput } from "../boundary-input.ts";
import type { FilesLayout, KeysLayout, ServerLayout, SqliteLayout } from "../store-layout.ts";

export type AnyLayout = SqliteLayout | ServerLayout | FilesLayout | KeysLayout;

interface PresetOptions {
  /** Identifier type of the layout's own subject. */
  readonly type: string;
  /** Surface that rows of this layout are derived from, where it lies in another store. */
  readonly source: string | undefined;
  /** The table that an entry names. */
  readonly table?: string | undefined;
}

/** A preset's layout as it stands in a store; a server's database can hold several. */
export interface FoundLayout {
  /** What an entry says to mean this one; nothing where it is the one that the preset means by itself. */
  readonly entry: { readonly table?: string; readonly schema?: string };
  /** Tables that it covers; none for files and keys. */
  readonly tables: readonly string[];
  /** Tables of the tool itself, which hold nothing of anybody and are no surfaces. */
  readonly quiet: readonly string[];
}

export interface Preset {
  readonly name: string;
  /** Used where the entry gives no `type`. */
  readonly defaultType: string;
  /** What the layout leaves open, for the person who reads a draft. */
  readonly notes: readonly string[];
  /** What the layout leaves to its operator, so that an entry may name it: its one table, or the schema of all its tables. */
  readonly place?: "table" | "schema";
  surfaces(options: PresetOptions): Readonly<Record<string, SurfaceInput>>;
  findIn(layout: AnyLayout): readonly FoundLayout[];
}

/** A layout that a store has once, or not at all. */
export function once(isThere: boolean, tables: readonly string[] = []): readonly FoundLayout[] {
  return isThere ? [{ entry: {}, tables, quiet: [] }] : [];
}

/** Each schema of a server's database in which all these tables stand, each with at least these columns. */
export function perSchema(
  layout: AnyLayout,
  columns: Readonly<Record<string, readonly string[]>>,
): readonly FoundLayout[] {
  if (layout.type !== "postgres") return [];
  const tables = Object.keys(columns);
  return layout.tables.flatMap(({ name }) => {
    const before = schemaBefore(name, tables[0] ?? "");
    if (before === undefined) return [];
    const isThere = Object.entries(columns).every(([table, names]) => hasTable(layout, `${before}${table}`, names));
    const schema = before.slice(0, -1);
    return isThere
      ? [{ entry: schema === "" ? {} : { schema }, tables: tables.map((table) => `${before}${table}`), quiet: [] }]
      : [];
  });
}

/** What stands before a table's own name: `schema.`, or nothing in the schema that is not spelled. Undefined for another table. */
export function schemaBefore(name: string, table: string): string | undefined {
  return name === table || name.endsWith(`.${table}`) ? name.slice(0, name.length - table.length) : undefined;
}

/** True where the layout has a table with at least these columns. */
export function hasTable(layout: AnyLayout, table: string, columns: readonly string[]): boolean {
  if (layout.type !== "sqlite" && layout.type !== "postgres") return false;
  const found = layout.tables.find((candidate) => candidate.kind === "table" && candidate.name === table);
  const names = new Set(found?.columns.map((column) => column.name));
  return found !== undefined && columns.every((column) => names.has(column));
}
