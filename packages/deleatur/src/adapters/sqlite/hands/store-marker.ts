// Whether a store's connections had secure_delete on from the start. The file itself does not say, so an adopted store carries our marker; without it the answer is no.
import type { SqliteFile } from "../options.ts";
import { inWriteTransaction, withConnection, type Db } from "./connect.ts";
import { hasTable, OWN_TABLES, passingTheFence, STORE_TABLE } from "./own-tables.ts";

/**
 * Adopts a new store: records that every connection to it sets `PRAGMA secure_delete = ON`, so that a purge needs no VACUUM. Refused (false) where the
 * store already holds rows or free pages, because nobody can tell what they held before. The promise is the application's; the byte probe checks it.
 * @throws StoreError
 */
export function adoptSqliteStore(target: SqliteFile): boolean {
  return withConnection(target, (db) =>
    inWriteTransaction(db, () => {
      if (hasTable(db, STORE_TABLE)) return isMarked(db);
      if (!isUntouched(db)) return false;
      db.exec(`CREATE TABLE ${STORE_TABLE} (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`);
      db.exec(`INSERT INTO ${STORE_TABLE} VALUES ('secure_delete', 1), ('erased', 0), ('purged', -1)`);
      return true;
    }),
  );
}

/** Whether the cheap purge is enough. A purge that is asked for again though nothing was erased since did not suffice, so the next one does all. */
export function isCleanFromTheStart(db: Db): boolean {
  return hasTable(db, STORE_TABLE) && isMarked(db) && read(db, "erased") !== read(db, "purged");
}

/** Runs an erase or a rewrite: one write transaction that passes the fence and is counted. */
export function inErasingTransaction<Result>(db: Db, work: () => Result): Result {
  return inWriteTransaction(db, () => {
    if (hasTable(db, STORE_TABLE)) db.exec(`UPDATE ${STORE_TABLE} SET value = value + 1 WHERE name = 'erased'`);
    return passingTheFence(db, work);
  });
}

/** Remembers up to which erase the store was purged; true where that was written. */
export function notePurged(db: Db): boolean {
  if (!hasTable(db, STORE_TABLE)) return false;
  db.exec(
    `UPDATE ${STORE_TABLE} SET value = (SELECT value FROM ${STORE_TABLE} WHERE name = 'erased') WHERE name = 'purged'`,
  );
  return true;
}

function isMarked(db: Db): boolean {
  return read(db, "secure_delete") === 1n;
}

function read(db: Db, name: string): bigint | undefined {
  return db.prepare<[string], { value: bigint }>(`SELECT value FROM ${STORE_TABLE} WHERE name = ?`).get(name)?.value;
}

/** No row anywhere, and no page that was ever freed. */
function isUntouched(db: Db): boolean {
  if (db.pragma("freelist_count", { simple: true }) !== 0n) return false;
  const tables = db
    .prepare<[], { name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all();
  return tables.every(
    ({ name }) =>
      OWN_TABLES.includes(name) ||
      db.prepare(`SELECT 1 FROM "${name.replaceAll('"', '""')}" LIMIT 1`).get() === undefined,
  );
}
