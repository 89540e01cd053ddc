// What a SQLite surface is opened with: its declaration narrowed to tables, files and columns. Pure; hands and eyes share this and nothing else.
import type { Boundary, SurfaceDeclaration } from "../../model/declaration.ts";
import { BoundaryError } from "../../model/errors.ts";
import type { SurfaceId } from "../../model/ids.ts";
import type { SurfaceEntry } from "../../surface.ts";

export type SqliteKind = "sqlite" | "sqlite-fts" | "sqlite-vec";

/** One database file that holds the surface; the first is its own store, the others are replicas. */
export interface SqliteFile {
  readonly store: string;
  readonly file: string;
}

export interface SqliteOptions {
  readonly kind: SqliteKind;
  readonly surface: SurfaceId;
  readonly declaration: SurfaceDeclaration;
  readonly table: string;
  readonly files: readonly SqliteFile[];
  /** The tables of the same store that other surfaces declare, by surface. */
  readonly neighbours: ReadonlyMap<string, string>;
  readonly boundary: Boundary;
}

/** Narrows a declaration of one of the three SQLite kinds. @throws BoundaryError */
export function parseSqliteOptions(kind: SqliteKind, entry: SurfaceEntry): SqliteOptions {
  const { declaration, connections, boundary } = entry;
  const place = {
    surface: declaration.id,
    ...(boundary.source.file === undefined ? {} : { file: boundary.source.file }),
  };
  if (declaration.table === undefined) {
    throw new BoundaryError("TABLE_NOT_GIVEN", `surface ${declaration.id} of kind ${kind} names no table, add table`, {
      place: { ...place, field: "table" },
    });
  }
  if (declaration.key.length === 0) {
    throw new BoundaryError("KEY_NOT_GIVEN", `surface ${declaration.id} names no key, add key (a column or a list)`, {
      place: { ...place, field: "key" },
    });
  }
  const fieldLocator = [...declaration.subject, ...declaration.derivedFrom].find((locator) => "field" in locator);
  if (fieldLocator !== undefined) {
    throw new BoundaryError("LOCATOR_UNFIT", `surface ${declaration.id} uses field, a SQLite table has columns`, {
      place: { ...place, field: "subject" },
    });
  }
  const files = connections.map((connection): SqliteFile => {
    if (connection.type !== "sqlite") {
      throw new BoundaryError("STORE_UNFIT", `store ${connection.name} is no SQLite file, give it as { file: ... }`, {
        place: { ...place, store: connection.name },
      });
    }
    return { store: connection.name, file: connection.file };
  });
  if (files.length === 0) {
    throw new BoundaryError("STORE_NOT_GIVEN", `surface ${declaration.id} names no store, add store`, {
      place: { ...place, field: "store" },
    });
  }
  const neighbours = new Map<string, string>();
  for (const other of boundary.surfaces) {
    if (other.store === declaration.store && other.table !== undefined) neighbours.set(other.id, other.table);
  }
  return { kind, surface: declaration.id, declaration, table: declaration.table, files, neighbours, boundary };
}

/** A name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as an SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
