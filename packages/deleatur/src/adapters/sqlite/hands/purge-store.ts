// Makes erased bytes unrecoverable from a store's own files: index terms, free pages, the write-ahead log. An open reader makes it pending, never a success.
import { existsSync, statSync } from "node:fs";
import type { Purged } from "../../../model/artifact.ts";
import type { PurgePolicy } from "../../../model/declaration.ts";
import { quoteName, quoteText, type SqliteFile } from "../options.ts";
import { filesOf } from "../real-file.ts";
import { sqliteCode, storeError } from "../store-errors.ts";
import { connect, type Db } from "./connect.ts";
import { listFtsTables, type FtsFacts } from "./fts-facts.ts";
import { orphanDocs } from "./index-terms.ts";
import { clearLeafStarts } from "./leaf-starts.ts";
import { hasTable } from "./own-tables.ts";
import { isCleanFromTheStart, notePurged } from "./store-marker.ts";

/** Purges one file. Safe to repeat; a repetition on an unchanged file costs nothing (see `purge-once.ts`). @throws StoreError */
export function purgeStore(target: SqliteFile, policy: PurgePolicy, signal: AbortSignal): Purged {
  signal.throwIfAborted();
  const db = connect(target);
  try {
    dropKeepers(db);
    const kept = listFtsTables(db).flatMap((fts) => mergeIndex(db, fts) ?? []);
    if (hasTable(db, "sqlite_stat4")) db.exec("ANALYZE");
    const isCheap = !needsVacuum(db, policy);
    if (!isCheap) vacuum(db);
    const why = emptyLogs(db, target) ?? (notePurged(db) ? emptyLogs(db, target) : undefined);
    if (why !== undefined) return { outcome: "pending", why };
    const [left] = kept;
    if (left !== undefined) return { outcome: "unsupported", why: left };
    return {
      outcome: "purged",
      method: isCheap ? "checkpoint (secure_delete from the start)" : "vacuum and checkpoint",
    };
  } catch (cause) {
    const code = sqliteCode(cause) ?? "";
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
      return { outcome: "pending", why: `store ${target.store} is in use by another connection, end its transaction` };
    throw storeError(cause, target.store, target.file);
  } finally {
    db.close();
  }
}

/** Whether a purge has to rebuild the file under an exclusive lock. */
export function needsVacuum(db: Db, { method }: PurgePolicy): boolean {
  return method === "vacuum" || (method === "auto" && !isCleanFromTheStart(db));
}

/** `optimize` drops the terms of deleted rows; terms of rows whose base row went first are only found by building anew. Answers what it could not clear. */
function mergeIndex(db: Db, fts: FtsFacts): string | undefined {
  const name = quoteName(fts.name);
  const isOrphaned = fts.mode === "external" && orphanDocs(db, fts);
  db.exec(`INSERT INTO ${name} (${name}) VALUES (${quoteText(isOrphaned ? "rebuild" : "optimize")})`);
  return clearLeafStarts(db, fts);
}

/**
 * VACUUM gives new rowids to tables without an INTEGER PRIMARY KEY and without an index (measured), which would tear them from whatever refers to
 * them by rowid. An index that holds nothing keeps the numbers.
 */
function vacuum(db: Db): void {
  const bare = db
    .prepare<[], { name: string; column: string }>(
      `SELECT l.name AS name, (SELECT name FROM pragma_table_info(l.name) LIMIT 1) AS "column" FROM pragma_table_list AS l
       WHERE l.schema = 'main' AND l.type = 'table' AND l.wr = 0 AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name))
         AND NOT EXISTS (SELECT 1 FROM pragma_table_info(l.name) WHERE pk > 0)`,
    )
    .all();
  for (const [index, { name, column }] of bare.entries())
    db.exec(`CREATE INDEX deleatur_keep_${index} ON ${quoteName(name)} (${quoteName(column)}) WHERE 0`);
  try {
    db.exec("VACUUM");
  } finally {
    dropKeepers(db);
  }
}

function dropKeepers(db: Db): void {
  const names = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'deleatur\\_keep\\_%' ESCAPE '\\'",
    )
    .all();
  for (const { name } of names) db.exec(`DROP INDEX IF EXISTS ${quoteName(name)}`);
}

/** Empties the write-ahead log or the rollback journal; answers what holds it, if anything does. */
export function emptyLogs(db: Db, target: SqliteFile): string | undefined {
  // The first column of its one row is `busy`; without a write-ahead log it is 0 too.
  if (db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0n)
    return `a reader holds the write-ahead log of store ${target.store}, end its transaction`;
  const [, wal, journal] = filesOf(target.file);
  if (existsSync(wal) && statSync(wal).size > 0) return `the write-ahead log of store ${target.store} is not empty`;
  if (!existsSync(journal) || statSync(journal).size === 0) return undefined;
  // A journal that another connection's PERSIST mode left behind: a write of ours in DELETE mode removes it.
  db.pragma("journal_mode = DELETE");
  const version = db.pragma("user_version", { simple: true });
  db.exec("BEGIN IMMEDIATE");
  db.pragma(`user_version = ${String(version)}`);
  db.exec("COMMIT");
  return existsSync(journal) && statSync(journal).size > 0
    ? `the journal of store ${target.store} is not empty`
    : undefined;
}
