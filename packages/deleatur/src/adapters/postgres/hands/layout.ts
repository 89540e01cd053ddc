// Resolves a declaration against the real table: every locator becomes a column that exists, or a BoundaryError that names the field. Reads the schema only.
import { misfitError } from "../../../boundary/declared-at.ts";
import { BoundaryError } from "../../../model/errors.ts";
import type { SurfaceId } from "../../../model/ids.ts";
import { quoteName, spellTable, tableName, type PostgresOptions, type TableName } from "../options.ts";
import { shapeOf, type ValueShape } from "../values.ts";
import {
  readDependences,
  readReferences,
  readRelation,
  type Column,
  type Dependence,
  type Reference,
  type Relation,
} from "./columns.ts";
import type { Db } from "./connect.ts";

/** A join table whose `on` column refers to a column of the surface's table. */
export interface Join {
  readonly table: TableName;
  readonly on: string;
  readonly column: string;
  /** The column of the surface's table on the other side. */
  readonly link: string;
  /** Whether the join row belongs to the artifact alone: it refers to the artifact's own key. */
  readonly isOwned: boolean;
  /** What refers to the join table itself. */
  readonly references: readonly Reference[];
}

export type SubjectColumn = { readonly type: string } & (
  | { readonly how: "column"; readonly column: string }
  | { readonly how: "array"; readonly column: string }
  | { readonly how: "json"; readonly column: string; readonly path: readonly string[] }
  | { readonly how: "segment"; readonly segment: number; readonly sep: string }
  | { readonly how: "via"; readonly join: Join }
);

export type SourceColumn = { readonly surface: SurfaceId } & (
  | { readonly how: "column"; readonly column: string }
  | { readonly how: "array"; readonly column: string }
  | { readonly how: "json"; readonly column: string }
  | { readonly how: "via"; readonly join: Join }
);

export interface ContentColumn {
  readonly name: string;
  readonly shape: ValueShape;
  /** The function of a vector type that answers it as bytes; empty where the text is read. */
  readonly send: string;
}

export interface Layout {
  readonly options: PostgresOptions;
  readonly relation: Relation;
  readonly columns: ReadonlyMap<string, Column>;
  readonly key: readonly string[];
  readonly subjects: readonly SubjectColumn[];
  readonly sources: readonly SourceColumn[];
  readonly content: readonly ContentColumn[];
  readonly references: readonly Reference[];
  readonly dependences: readonly Dependence[];
}

/** Whether no two rows can have the same key. A primary key does not reach tables that inherit in the old way. */
export function isUnique({ key, relation: { primaryKey, hasInheritors } }: Layout): boolean {
  return !hasInheritors && primaryKey.length > 0 && primaryKey.every((name) => key.includes(name));
}

/** Resolves the surface's table. @throws BoundaryError TABLE_MISSING, COLUMN_MISSING, TABLE_UNFIT */
export async function resolveLayout(db: Db, options: PostgresOptions): Promise<Layout> {
  const { declaration, surface } = options;
  const relation = await requireTable(db, options.table, options, "table");
  if (relation.kind !== "r" && relation.kind !== "p") {
    throw new BoundaryError(
      "TABLE_UNFIT",
      `the table of surface ${surface} is a view, an index or a foreign table, declare the table behind it`,
      { place: placeOf(options, "table") },
    );
  }
  const { columns } = relation;
  const requireColumn = (name: string, field: string): Column => {
    const column = columns.get(name);
    if (column === undefined) throw missingColumn(options, name, field);
    return column;
  };
  const key = declaration.key.map((name) => requireColumn(name, "key").name);
  const join = (via: string, on: string, column: string, field: string): Promise<Join> =>
    resolveJoin(db, options, relation, key, { via, on, column, field });
  const subjects: SubjectColumn[] = [];
  for (const locator of declaration.subject) {
    const { type } = locator;
    if ("via" in locator)
      subjects.push({ type, how: "via", join: await join(locator.via, locator.on, locator.column, "subject.via") });
    else if ("json" in locator) subjects.push({ type, how: "json", ...jsonPlace(locator.json, columns, options) });
    else if ("segment" in locator) subjects.push({ type, how: "segment", segment: locator.segment, sep: locator.sep });
    else if ("column" in locator) {
      const column = requireColumn(locator.column, "subject.column");
      subjects.push({ type, how: isArray(column) ? "array" : "column", column: column.name });
    } else throw unfitLocator(options, "subject");
  }
  const sources: SourceColumn[] = [];
  for (const locator of declaration.derivedFrom) {
    const from = locator.surface;
    if ("via" in locator)
      sources.push({
        surface: from,
        how: "via",
        join: await join(locator.via, locator.on, locator.column, "derivedFrom.via"),
      });
    else if ("field" in locator) throw unfitLocator(options, "derivedFrom");
    else {
      const column = requireColumn(locator.column, "derivedFrom.column");
      const how = isArray(column) ? "array" : locator.as === "json" ? "json" : "column";
      sources.push({ surface: from, how, column: column.name });
    }
  }
  const content = declaration.content.map(({ column }): ContentColumn => {
    const { name, base } = requireColumn(column, "content");
    return { name, shape: shapeOf(base, false), send: "" };
  });
  if (declaration.vector !== undefined) {
    const { name, base, send } = requireColumn(declaration.vector, "vector");
    const shape = shapeOf(base, true);
    if (shape === "text") {
      throw new BoundaryError(
        "COLUMN_UNFIT",
        `the vector column of surface ${surface} is none: vector, halfvec, real[] and bytea of float32 are`,
        {
          place: placeOf(options, "vector"),
          ...(base === "sparsevec"
            ? { cure: "declare the sparsevec under content, where its text is compared, or a column vector beside it" }
            : {}),
        },
      );
    }
    content.push({ name, shape, send });
  }
  return {
    options,
    relation,
    columns,
    key,
    subjects,
    sources,
    content,
    references: await readReferences(db, relation.oid),
    dependences: await readDependences(db, relation.oid),
  };
}

interface WrittenJoin {
  readonly via: string;
  readonly on: string;
  readonly column: string;
  readonly field: string;
}

async function resolveJoin(
  db: Db,
  options: PostgresOptions,
  relation: Relation,
  key: readonly string[],
  { via, on, column, field }: WrittenJoin,
): Promise<Join> {
  const table = tableName(via);
  const joined = await requireTable(db, table, options, field);
  if (!joined.columns.has(column)) throw missingColumn(options, column, field);
  const references = await readReferences(db, joined.oid);
  const onlyKey = key.length === 1 ? key[0] : undefined;
  if (joined.columns.has(on)) {
    const link = relation.columns.has(on) ? on : onlyKey;
    if (link === undefined) throw missingColumn(options, on, field);
    return { table, on, column, link, isOwned: link === onlyKey, references };
  }
  const only = joined.primaryKey.length === 1 ? joined.primaryKey[0] : undefined;
  if (!relation.columns.has(on) || only === undefined) throw missingColumn(options, on, field);
  return { table, on: only, column, link: on, isOwned: false, references };
}

export function isArray({ base }: Column): boolean {
  return base.startsWith("_");
}

/** JSON as the server knows it; any other column that holds some is text to it. */
export function isJson({ base }: Column): boolean {
  return base === "json" || base === "jsonb";
}

/** A column of the surface's own table in a query. */
export function ownColumn(name: string): string {
  return `t.${quoteName(name)}`;
}

async function requireTable(db: Db, table: TableName, options: PostgresOptions, field: string): Promise<Relation> {
  const relation = await readRelation(db, table);
  if (relation !== undefined) return relation;
  throw misfitError(
    "TABLE_MISSING",
    options.boundary,
    placeOf(options, field),
    `names table ${spellTable(table)}, which does not exist in the database of store ${options.target.store}`,
    "name a table that is there, or put it back",
  );
}

function missingColumn(options: PostgresOptions, column: string, field: string): BoundaryError {
  return misfitError(
    "COLUMN_MISSING",
    options.boundary,
    placeOf(options, field),
    `names column ${column}, which does not exist`,
    "name a column that is there, or put it back",
  );
}

function unfitLocator(options: PostgresOptions, field: string): BoundaryError {
  return new BoundaryError("LOCATOR_UNFIT", `surface ${options.surface} uses field, a PostgreSQL table has columns`, {
    place: placeOf(options, field),
  });
}

function placeOf({ surface, target }: PostgresOptions, field: string): Record<"surface" | "store" | "field", string> {
  return { surface, store: target.store, field };
}

/** `column.path.to.value`: the longest start of it that is a column. */
function jsonPlace(
  place: string,
  columns: ReadonlyMap<string, Column>,
  options: PostgresOptions,
): { readonly column: string; readonly path: readonly string[] } {
  const parts = place.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const column = parts.slice(0, length).join(".");
    if (columns.has(column)) return { column, path: parts.slice(length) };
  }
  throw missingColumn(options, parts[0] ?? place, "subject.json");
}
