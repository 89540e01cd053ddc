// How containers are named and told apart: SQLite folds the case of ASCII letters in table names, files are one container a store.
import type { StoreConnection, SurfaceDeclaration } from "../model/declaration.ts";

/** SQLite compares names without regard to ASCII case, and to nothing else. */
export function foldTable(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Two declarations with the same key are about the same container, whatever their stores are called. */
export function containerKey(connection: StoreConnection, table: string | undefined): string {
  return connection.type === "sqlite"
    ? JSON.stringify(["sqlite", connection.file, table === undefined ? null : foldTable(table)])
    : JSON.stringify(["files", connection.glob, table ?? null]);
}

/** `store.table`, `store.*` for files, null where nothing is connected. */
export function containerName(declaration: Pick<SurfaceDeclaration, "store" | "table">): string | null {
  return declaration.store === undefined ? null : `${declaration.store}.${declaration.table ?? "*"}`;
}
