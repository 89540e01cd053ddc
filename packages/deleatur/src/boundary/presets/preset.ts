// The shape of a preset: a known tool's layout as surfaces. It knows names of tables, prefixes and fields only.
import type { SurfaceInput } from "../boundary-input.ts";
import type { FilesLayout, KeysLayout, ServerLayout, SqliteLayout } from "../store-layout.ts";

export type AnyLayout = SqliteLayout | ServerLayout | FilesLayout | KeysLayout;

interface PresetOptions {
  /** Identifier type of the layout's own subject. */
  readonly type: string;
  /** Surface that rows of this layout are derived from, where it lies in another store. */
  readonly source: string | undefined;
}

export interface Preset {
  readonly name: string;
  /** Used where the entry gives no `type`. */
  readonly defaultType: string;
  /** What the layout leaves open, for the person who reads a draft. */
  readonly notes: readonly string[];
  /** Tables that the preset covers; empty for files and keys. */
  readonly tables: readonly string[];
  /** For a layout whose one table has the name that its operator gave it: each table that is one. An entry may then name it. */
  tablesIn?(layout: AnyLayout): readonly string[];
  surfaces(options: PresetOptions): Readonly<Record<string, SurfaceInput>>;
  recognises(layout: AnyLayout): boolean;
}

/** True where the layout is of this type and has a table with at least these columns. */
export function hasTable(
  layout: AnyLayout,
  table: string,
  columns: readonly string[],
  type: "sqlite" | "postgres" = "sqlite",
): boolean {
  if (layout.type !== type || (layout.type !== "sqlite" && layout.type !== "postgres")) return false;
  const found = layout.tables.find((candidate) => candidate.kind === "table" && candidate.name === table);
  const names = new Set(found?.columns.map((column) => column.name));
  return found !== undefined && columns.every((column) => names.has(column));
}
