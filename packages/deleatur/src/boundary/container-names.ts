// How containers are named and told apart: SQLite folds the case of ASCII letters in table names, a server does not, files are one container a store.
import type { Boundary, StoreConnection, SurfaceDeclaration } from "../model/declaration.ts";

/** SQLite compares names without regard to ASCII case, and to nothing else. */
function foldTable(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The name of a container as its store compares it. */
export function foldContainer({ connect }: Boundary, store: string, name: string): string {
  const connection = connect.stores.get(store);
  return connection !== undefined && "url" in connection ? name : foldTable(name);
}

/** Two declarations with the same key are about the same container, whatever their stores are called. */
export function containerKey(connection: StoreConnection, table: string | undefined): string {
  if (connection.type === "sqlite")
    return JSON.stringify(["sqlite", connection.file, table === undefined ? null : foldTable(table)]);
  if (connection.type === "files") return JSON.stringify(["files", connection.glob, table ?? null]);
  return JSON.stringify([connection.type, serverOf(connection.url), table ?? null]);
}

/** The place alone: two users of one database see the same containers. */
function serverOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port}${pathname}`;
}

/** What of its store a surface is: a table, a pattern of keys; `*` for files. */
export function containerPart({
  table,
  pattern,
}: {
  readonly table?: string | undefined;
  readonly pattern?: string | undefined;
}): string {
  return table ?? pattern ?? "*";
}

/** `store.table`, `store.pattern` for keys, `store.*` for files, null where nothing is connected. */
export function containerName(declaration: Pick<SurfaceDeclaration, "store" | "table" | "pattern">): string | null {
  return declaration.store === undefined ? null : `${declaration.store}.${containerPart(declaration)}`;
}
