// What a PostgreSQL surface is opened with: its declaration narrowed to a table and its servers. Pure; hands and eyes share this and nothing else.
import type { Boundary, ServerConnection, SurfaceDeclaration } from "../../model/declaration.ts";
import { BoundaryError } from "../../model/errors.ts";
import type { SurfaceId } from "../../model/ids.ts";
import type { SurfaceEntry } from "../../surface.ts";

/** One server that holds the surface; the first is its own store, the others are replicas. Its address never stands in a message. */
export interface PostgresTarget {
  readonly store: string;
  readonly url: string;
  /** The server's own data folder, where it can be read from here. */
  readonly data: string | undefined;
}

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

export interface PostgresOptions {
  readonly surface: SurfaceId;
  readonly declaration: SurfaceDeclaration;
  readonly table: TableName;
  readonly target: PostgresTarget;
  readonly replicas: readonly PostgresTarget[];
  readonly boundary: Boundary;
}

/** Narrows a declaration. @throws BoundaryError */
export function parsePostgresOptions(entry: SurfaceEntry): PostgresOptions {
  const { declaration, connections, boundary } = entry;
  const place = {
    surface: declaration.id,
    ...(boundary.source.file === undefined ? {} : { file: boundary.source.file }),
  };
  const problem = (code: string, what: string, field: string): BoundaryError =>
    new BoundaryError(code, `surface ${declaration.id} ${what}`, { place: { ...place, field } });
  if (declaration.table === undefined)
    throw problem("TABLE_NOT_GIVEN", "of kind postgres names no table, add table", "table");
  const table = tableName(declaration.table);
  if (spellTable(table) !== declaration.table)
    throw problem(
      "TABLE_UNFIT",
      `spells its table otherwise than the census does, write ${spellTable(table)}`,
      "table",
    );
  if (declaration.key.length === 0) throw problem("KEY_NOT_GIVEN", "names no key, add key (a column or a list)", "key");
  if ([...declaration.subject, ...declaration.derivedFrom].some((locator) => "field" in locator))
    throw problem("LOCATOR_UNFIT", "uses field, a PostgreSQL table has columns", "subject");
  const [target, ...replicas] = connections.map((connection) => {
    if (connection.type !== "postgres")
      throw problem("STORE_UNFIT", "names a store that is no PostgreSQL server, give it as { url: ... }", "store");
    return targetOf(connection);
  });
  if (target === undefined) throw problem("STORE_NOT_GIVEN", "names no store, add store", "store");
  return {
    surface: declaration.id,
    declaration,
    table,
    target,
    replicas,
    boundary,
  };
}

function targetOf({ name, url, data }: ServerConnection): PostgresTarget {
  return { store: name, url, data };
}

/** `schema.table`, or a table of `public`; a part may stand in double quotes, as in SQL. */
export function tableName(text: string): TableName {
  const parts = /^("(?:[^"]|"")*"|[^".][^.]*)\.(.+)$/s.exec(text);
  const [schema = "public", table = text] = parts?.slice(1) ?? [];
  return { schema: readPart(schema), table: readPart(table) };
}

/** As a boundary and the census spell it: no two tables alike, so that a part with a dot in it stands in double quotes. */
export function spellTable({ schema, table }: TableName): string {
  return schema === "public" ? spellPart(table) : `${spellPart(schema)}.${spellPart(table)}`;
}

const QUOTED = /^"((?:[^"]|"")*)"$/s;

function readPart(part: string): string {
  return QUOTED.exec(part)?.[1]?.replaceAll('""', '"') ?? part;
}

function spellPart(name: string): string {
  return name.includes(".") || name.startsWith('"') ? quoteName(name) : name;
}

/** A name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteTable({ schema, table }: TableName): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}

/** A text as an SQL literal, whatever the server's setting for backslashes. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}
