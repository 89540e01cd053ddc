// The markers of the ledgers that manage a store: a table of ours with a random id each, and nothing else. Without a right to write there is none.
import { StoreError } from "../../../model/errors.ts";
import type { SqliteFile } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { connect, inWriteTransaction, withConnection, type Db } from "./connect.ts";
import { hasTable, LEDGER_TABLE } from "./own-tables.ts";

/** The application may be in the midst of a transaction of its own: then the next write tries again. */
const MARK_WAIT_MS = 50;
const UNWRITABLE: readonly string[] = ["STORE_LOCKED", "STORE_READONLY", "STORE_UNREADABLE", "STORE_FULL"];

export function markStore(target: SqliteFile, ledger: string): "marked" | "unmarked" {
  const db = connect(target, MARK_WAIT_MS);
  try {
    if (ledgersIn(db).includes(ledger)) return "marked";
    inWriteTransaction(db, () => {
      db.exec(`CREATE TABLE IF NOT EXISTS ${LEDGER_TABLE} (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID`);
      db.prepare(`INSERT OR IGNORE INTO ${LEDGER_TABLE} VALUES (?)`).run(ledger);
    });
    return "marked";
  } catch (cause) {
    const error = storeError(cause, target.store, target.file);
    if (error instanceof StoreError && UNWRITABLE.includes(error.code)) return "unmarked";
    throw error;
  } finally {
    db.close();
  }
}

export function readMarkers(target: SqliteFile): readonly string[] {
  return withConnection(target, ledgersIn);
}

/** Takes markers out; with the last the table goes. */
export function unmarkStore(target: SqliteFile, ledgers: readonly string[]): void {
  withConnection(target, (db) => {
    if (!hasTable(db, LEDGER_TABLE)) return;
    inWriteTransaction(db, () => {
      const drop = db.prepare(`DELETE FROM ${LEDGER_TABLE} WHERE id = ?`);
      for (const ledger of ledgers) drop.run(ledger);
      if (ledgersIn(db).length === 0) db.exec(`DROP TABLE ${LEDGER_TABLE}`);
    });
  });
}

function ledgersIn(db: Db): readonly string[] {
  if (!hasTable(db, LEDGER_TABLE)) return [];
  return db.prepare<[], string>(`SELECT id FROM ${LEDGER_TABLE} ORDER BY id`).pluck(true).all();
}
