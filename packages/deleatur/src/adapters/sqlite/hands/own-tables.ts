// Our own tables inside an application's store: names, creation, and the door that our own writes pass the fence through.
import type { Db } from "./connect.ts";

export const FENCE_TABLE = "deleatur_fence";
export const STORE_TABLE = "deleatur_store";
export const LEDGER_TABLE = "deleatur_ledger";
export const OWN_TABLES: readonly string[] = [FENCE_TABLE, STORE_TABLE, LEDGER_TABLE];
/** Everything of ours in a foreign store begins with this. */
export const OWN_PREFIX = "deleatur_";

export function hasTable(db: Db, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

export function ensureFenceTable(db: Db): void {
  db.exec(`CREATE TABLE IF NOT EXISTS ${FENCE_TABLE} (
    surface TEXT NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, value, request TEXT NOT NULL,
    PRIMARY KEY (surface, kind, type, value, request)) WITHOUT ROWID`);
}

/** Lets the writes of this transaction pass the fence; the row that says so is gone before the commit, so nobody else ever sees it. */
export function passingTheFence<Result>(db: Db, work: () => Result): Result {
  if (!hasTable(db, FENCE_TABLE)) return work();
  db.prepare(`INSERT OR IGNORE INTO ${FENCE_TABLE} VALUES ('', 'open', '', '', '')`).run();
  const result = work();
  db.prepare(`DELETE FROM ${FENCE_TABLE} WHERE surface = '' AND kind = 'open'`).run();
  return result;
}
