// Loads the vector extension into a connection. Where it lies is looked up once: a look opens many connections.
import type Database from "better-sqlite3";
import { getLoadablePath } from "sqlite-vec";

let path: string | undefined;

export function loadVec(db: Database.Database): void {
  path ??= getLoadablePath();
  db.loadExtension(path);
}
