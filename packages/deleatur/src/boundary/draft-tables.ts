// Drafts the surfaces of one SQLite file, or of one database of a server, from its layout: keys, people, contents, vectors and derivations as the schema suggests them.
import type { MappingInput, SourceLocatorInput, SubjectLocatorInput, SurfaceInput } from "./boundary-input.ts";
import type { DraftEntry } from "./draft-entry.ts";
import { draftFts, draftVec } from "./draft-indexes.ts";
import { oneOrList, sourceByName, type BaseTable, type NameSurface, type Scene } from "./draft-scene.ts";
import { contentAs, identifierType, isContent, isVector, roleOfName, tableType } from "./guess-columns.ts";
import type { ServerLayout, SqliteLayout, TableLayout } from "./store-layout.ts";

export interface TableDrafts {
  readonly entries: readonly DraftEntry[];
  readonly notes: readonly string[];
}

const DECIDE_SHARED = "destroy, redact or rederive, for what other people's data went into as well";
const DECIDE_SUBJECT = "where does a row name its person, or what is it derived from?";

/** Drafts every table but those that a preset covers. */
export function draftTables(
  layout: SqliteLayout | ServerLayout,
  store: string,
  covered: ReadonlySet<string>,
  idOf: NameSurface,
): TableDrafts {
  const open: readonly TableLayout[] = layout.tables.filter((table) => !covered.has(table.name));
  const holding = open.filter((table) => table.kind === "table").filter(holdsSomething);
  // SQLite's tables have a rowid where they have no key; a server's have nothing.
  const tables = holding.filter((table) => layout.type === "sqlite" || table.primaryKey.length > 0);
  const scene: Scene = { kind: layout.type, store, tables, idOf };
  const entries: DraftEntry[] = tables.map((table) => draftTable(table, scene));
  const notes: string[] = [];
  for (const table of open) {
    if (table.kind === "fts5") entries.push(draftFts(table, scene));
    else if (table.kind === "vec0") entries.push(...draftVec(table, scene));
    else if (table.kind === "virtual")
      notes.push(`${store}.${table.name} is a virtual table of an unknown module: look at it by hand`);
    else if (table.kind === "table" && holding.includes(table) && !tables.includes(table))
      notes.push(`${store}.${table.name} has no primary key, so that none of its rows can be named: give it one`);
    else if (table.kind === "table" && !tables.includes(table))
      notes.push(`${store}.${table.name} seems to hold neither text, vectors nor people and is left out`);
  }
  return { entries, notes };
}

function holdsSomething(table: BaseTable): boolean {
  return (
    table.columns.some((column) => isContent(column) || isVector(column) || identifierType(column) !== undefined) ||
    tableType(table.name) !== undefined ||
    table.foreignKeys.length > 0
  );
}

function subjectsOf(table: BaseTable): readonly (SubjectLocatorInput & { readonly column: string })[] {
  const own = tableType(table.name);
  const [key, ...more] = table.primaryKey;
  const found = new Map<string, string>();
  if (own !== undefined && key !== undefined && more.length === 0) found.set(key, own);
  for (const { columns, table: target } of table.foreignKeys) {
    const type = tableType(target);
    if (type !== undefined && columns.length === 1 && columns[0] !== undefined) found.set(columns[0], type);
  }
  for (const column of table.columns) {
    const type = identifierType(column);
    if (type !== undefined && !found.has(column.name)) found.set(column.name, type);
  }
  return [...found].map(([column, type]) => ({ column, type }));
}

function sourcesOf(table: BaseTable, subjects: ReadonlySet<string>, scene: Scene): readonly SourceLocatorInput[] {
  const byColumn = new Map<string, SourceLocatorInput>();
  for (const { columns, table: target } of table.foreignKeys) {
    const [column, ...more] = columns;
    const base = scene.tables.find((candidate) => candidate.name === target);
    if (column === undefined || more.length > 0 || subjects.has(column) || base === undefined || base === table)
      continue;
    byColumn.set(column, { surface: scene.idOf(target), column });
  }
  for (const column of table.columns) {
    if (byColumn.has(column.name) || subjects.has(column.name) || table.primaryKey.includes(column.name)) continue;
    const source = sourceByName(column, table, scene);
    if (source !== undefined) byColumn.set(column.name, source);
  }
  return [...byColumn.values()];
}

function draftTable(table: BaseTable, scene: Scene): DraftEntry {
  const subjects = subjectsOf(table);
  const subjectColumns = new Set(subjects.map(({ column }) => column));
  const sources = sourcesOf(table, subjectColumns, scene);
  const taken = new Set([
    ...subjectColumns,
    ...table.primaryKey,
    ...sources.map((source) => ("column" in source ? source.column : "")),
  ]);
  const vector = table.columns.find((column) => isVector(column) && !taken.has(column.name));
  const content = table.columns.filter((column) => column !== vector && !taken.has(column.name) && isContent(column));
  const named = roleOfName(table.name);
  const role =
    content.length === 0 && vector !== undefined
      ? "index"
      : sources.length > 0 && named === "primary"
        ? "derived"
        : named;
  const isShared =
    role === "derived" || sources.length > 1 || sources.some((source) => "as" in source && source.as === "json");
  const key = table.primaryKey.length === 0 ? ["rowid"] : table.primaryKey;
  const maps = mapsOf(table, subjects);
  const input: SurfaceInput = {
    kind: scene.kind,
    role,
    store: scene.store,
    table: table.name,
    key: oneOrList(key),
    keys: table.reusesKeys ? "reusable" : undefined,
    subject: oneOrList(subjects),
    content: oneOrList(
      content.map((column) =>
        contentAs(column) === "json" ? { column: column.name, as: "json" as const } : column.name,
      ),
    ),
    vector: vector?.name,
    derivedFrom: oneOrList(sources),
    shared: isShared ? "redact" : undefined,
    maps: oneOrList(maps),
  };
  return {
    id: scene.idOf(table.name),
    input,
    decide: {
      ...(subjects.length + sources.length === 0 ? { entry: DECIDE_SUBJECT } : {}),
      ...(sources.length > 0 ? { derivedFrom: "does this column name all sources?" } : {}),
      ...(isShared ? { shared: DECIDE_SHARED } : {}),
      ...(role === "cache" ? { role: "a cache needs a bound: declare horizon with its basis" } : {}),
    },
  };
}

/** A table of people or threads that also names them otherwise is a mapping between identifier types. */
function mapsOf(
  table: BaseTable,
  subjects: readonly { readonly column: string; readonly type: string }[],
): readonly MappingInput[] {
  const own = tableType(table.name);
  const from = subjects.find(({ type }) => type === own);
  if (from === undefined) return [];
  return subjects.filter((to) => to.type !== own).map((to) => ({ from: { ...from }, to: { ...to } }));
}
