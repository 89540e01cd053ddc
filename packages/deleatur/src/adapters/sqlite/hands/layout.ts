// Resolves a declaration against the real table: every locator becomes a column that exists, or a BoundaryError that names the field. Reads the schema only.
import { misfitError } from "../../../boundary/declared-at.ts";
import { BoundaryError } from "../../../model/errors.ts";
import type { SurfaceId } from "../../../model/ids.ts";
import { quoteName, type SqliteOptions } from "../options.ts";
import type { Db } from "./connect.ts";
import { readFtsFacts, type FtsFacts } from "./fts-facts.ts";
import { readVecFacts, type VecFacts } from "./vec-facts.ts";

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
  /** 1-based place in the primary key, 0 outside it. */
  readonly keyPlace: number;
}

/** A join table whose `on` column refers to a column of the surface's table. */
export interface Join {
  readonly table: string;
  readonly on: string;
  readonly column: string;
  /** The column of the surface's table on the other side. */
  readonly link: string;
  /** Whether the join row belongs to the artifact alone: it refers to the artifact's own key. */
  readonly isOwned: boolean;
}

export type SubjectColumn = { readonly type: string } & (
  | { readonly how: "column"; readonly column: string }
  | { readonly how: "json"; readonly column: string; readonly path: readonly string[] }
  | { readonly how: "segment"; readonly segment: number; readonly sep: string }
  | { readonly how: "via"; readonly join: Join }
);

export type SourceColumn = { readonly surface: SurfaceId } & (
  | { readonly how: "column"; readonly column: string }
  | { readonly how: "json"; readonly column: string }
  | { readonly how: "via"; readonly join: Join }
);

export interface Layout {
  readonly options: SqliteOptions;
  readonly columns: ReadonlyMap<string, Column>;
  readonly key: readonly string[];
  readonly subjects: readonly SubjectColumn[];
  readonly sources: readonly SourceColumn[];
  readonly content: readonly string[];
  readonly vector: string | undefined;
  /** Of an FTS5 table only. */
  readonly fts: FtsFacts | undefined;
  /** Of a vec0 table only. */
  readonly vec: VecFacts | undefined;
  /** What rows are read from, and a column of it as SQL. */
  readonly from: string;
  readonly columnSql: (name: string) => string;
}

/** Resolves the surface's table. @throws BoundaryError TABLE_MISSING, COLUMN_MISSING, TABLE_UNFIT */
export function resolveLayout(db: Db, options: SqliteOptions): Layout {
  const { declaration, table } = options;
  const columns = requireTable(db, table, options, "table");
  if (options.kind === "sqlite") requireOrdinary(db, options);
  const requireColumn = (name: string, field: string): string => {
    if (!columns.has(name) && !isRowid(name)) throw missingColumn(options, table, name, field);
    return name;
  };
  const fts = options.kind === "sqlite-fts" ? readFtsFacts(db, table, options.surface) : undefined;
  const vec = options.kind === "sqlite-vec" ? readVecFacts(db, table, options.surface) : undefined;
  const key = keyColumns(options, fts, vec).map((name) => requireColumn(name, "key"));
  const join = (via: string, on: string, column: string, field: string): Join => {
    const joined = requireTable(db, via, options, field);
    if (!joined.has(column)) throw missingColumn(options, via, column, field);
    const onlyKey = key.length === 1 ? key[0] : undefined;
    if (joined.has(on)) {
      const link = columns.has(on) ? on : onlyKey;
      if (link === undefined) throw missingColumn(options, table, on, field);
      return { table: via, on, column, link, isOwned: link === onlyKey };
    }
    const joinedKey = [...joined.values()].filter(({ keyPlace }) => keyPlace > 0);
    const only = joinedKey.length === 1 ? joinedKey[0] : undefined;
    if (!columns.has(on) || only === undefined) throw missingColumn(options, via, on, field);
    return { table: via, on: only.name, column, link: on, isOwned: false };
  };
  return {
    options,
    columns,
    key,
    subjects: declaration.subject.map((locator): SubjectColumn => {
      const type = locator.type;
      if ("via" in locator)
        return { type, how: "via", join: join(locator.via, locator.on, locator.column, "subject.via") };
      if ("json" in locator) return { type, how: "json", ...jsonPlace(locator.json, columns, options) };
      if ("segment" in locator) return { type, how: "segment", segment: locator.segment, sep: locator.sep };
      if ("column" in locator) return { type, how: "column", column: requireColumn(locator.column, "subject.column") };
      throw new BoundaryError("LOCATOR_UNFIT", `surface ${options.surface} uses field, a SQLite table has columns`);
    }),
    sources: declaration.derivedFrom.map((locator): SourceColumn => {
      const surface = locator.surface;
      if ("via" in locator)
        return { surface, how: "via", join: join(locator.via, locator.on, locator.column, "derivedFrom.via") };
      if ("field" in locator)
        throw new BoundaryError("LOCATOR_UNFIT", `surface ${options.surface} uses field, a SQLite table has columns`);
      const column = requireColumn(locator.column, "derivedFrom.column");
      return { surface, how: locator.as === "json" ? "json" : "column", column };
    }),
    content: contentColumns(options, fts, key).map((column) => requireColumn(column, "content")),
    vector: declaration.vector === undefined ? undefined : requireColumn(declaration.vector, "vector"),
    fts,
    vec,
    ...rowsOf(table, fts),
  };
}

/** The declared content; of an index that declares none, every column that it makes searchable or keeps, but for those that name keys, persons and sources. */
function contentColumns(options: SqliteOptions, fts: FtsFacts | undefined, key: readonly string[]): readonly string[] {
  const { content, subject, derivedFrom } = options.declaration;
  if (content.length > 0 || fts === undefined) return content.map(({ column }) => column);
  const named = new Set([
    ...key,
    ...[...subject, ...derivedFrom].flatMap((locator) => ("column" in locator ? [locator.column] : [])),
  ]);
  return fts.columns.filter((column) => !named.has(column));
}

/** A view takes no fence and an index is another kind. */
function requireOrdinary(db: Db, options: SqliteOptions): void {
  const type = db
    .prepare<[string], string>("SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE")
    .pluck(true)
    .get(options.table);
  if (type === "table") return;
  throw new BoundaryError(
    "TABLE_UNFIT",
    `table ${options.table} of surface ${options.surface} is a ${type ?? "hidden"} table, declare the table behind it or the kind of the index`,
    { place: placeOf(options, "table") },
  );
}

/** The declared key; the number of an index's row goes by several names. */
function keyColumns(options: SqliteOptions, fts: FtsFacts | undefined, vec: VecFacts | undefined): readonly string[] {
  const { key } = options.declaration;
  const only = key.length === 1 ? key[0] : undefined;
  if (vec !== undefined && only !== undefined && isRowid(only)) return [vec.key.name];
  if (fts === undefined || fts.mode === "own" || (only !== undefined && isRowid(only))) return key;
  if (fts.mode === "external" && only === fts.contentRowid) return ["rowid"];
  throw new BoundaryError(
    "KEY_UNFIT",
    `surface ${options.surface} is an index without content of its own, its key is rowid`,
    { place: placeOf(options, "key") },
  );
}

/** The temporary fts5vocab table of the index at hand (`index-terms.ts`), where no docsize table lists its rows. */
export const INDEX_VOCABULARY = "temp.deleatur_vocab";

/** Rows of an external-content index are those that its docsize table lists, whether or not their base row is still there. */
function rowsOf(table: string, fts: FtsFacts | undefined): Pick<Layout, "from" | "columnSql"> {
  const isListed = fts === undefined || fts.mode === "own" || (fts.mode === "none" && fts.hasDocsize);
  if (isListed) {
    return { from: `${quoteName(table)} AS t`, columnSql: (name) => `t.${isRowid(name) ? "rowid" : quoteName(name)}` };
  }
  const rows = fts.hasDocsize
    ? quoteName(`${fts.name}_docsize`)
    : `(SELECT DISTINCT doc AS id FROM ${INDEX_VOCABULARY})`;
  if (fts.contentTable === undefined)
    return { from: `${rows} AS t`, columnSql: (name) => (isRowid(name) ? "t.id" : "NULL") };
  const base = `${quoteName(fts.contentTable)} AS b ON b.${quoteName(fts.contentRowid ?? "rowid")} = t.id`;
  return {
    from: `${rows} AS t LEFT JOIN ${base}`,
    columnSql: (name) => (isRowid(name) ? "t.id" : `b.${quoteName(name)}`),
  };
}

/** `rowid` and its aliases name the row's number unless a column has that name. */
export function isRowid(name: string): boolean {
  return /^(rowid|_rowid_|oid)$/i.test(name);
}

/** The columns of a table, hidden ones left out; undefined where there is no such table. */
export function readColumns(db: Db, table: string): ReadonlyMap<string, Column> | undefined {
  const rows = db
    .prepare<
      [string],
      { name: string; type: string; notnull: bigint; dflt_value: string | null; pk: bigint; hidden: bigint }
    >('SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)')
    .all(table);
  if (rows.length === 0) return undefined;
  return new Map(
    rows
      .filter(({ hidden }) => hidden !== 1n)
      .map(({ name, type, notnull, dflt_value, pk }) => [
        name,
        { name, type, notNull: notnull === 1n, hasDefault: dflt_value !== null, keyPlace: Number(pk) },
      ]),
  );
}

function requireTable(db: Db, table: string, options: SqliteOptions, field: string): ReadonlyMap<string, Column> {
  const columns = readColumns(db, table);
  if (columns !== undefined) return columns;
  throw misfitError(
    "TABLE_MISSING",
    options.boundary,
    placeOf(options, field),
    `names table ${table}, which does not exist`,
    "name a table that is there, or put it back",
  );
}

function missingColumn(options: SqliteOptions, table: string, column: string, field: string): BoundaryError {
  return misfitError(
    "COLUMN_MISSING",
    options.boundary,
    placeOf(options, field),
    `names column ${column}, which does not exist in table ${table}`,
    "name a column that is there, or put it back",
  );
}

function placeOf(options: SqliteOptions, field: string): Record<"surface" | "store" | "field", string> {
  return { surface: options.surface, store: options.files[0]?.store ?? "", field };
}

/** `column.path.to.value`: the longest start of it that is a column. */
function jsonPlace(
  place: string,
  columns: ReadonlyMap<string, Column>,
  options: SqliteOptions,
): { readonly column: string; readonly path: readonly string[] } {
  const parts = place.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const column = parts.slice(0, length).join(".");
    if (columns.has(column)) return { column, path: parts.slice(length) };
  }
  throw missingColumn(options, options.table, parts[0] ?? place, "subject.json");
}
