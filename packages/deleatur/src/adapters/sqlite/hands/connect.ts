// Opens a SQLite file for the erase side. secure_delete is set, never assumed, and foreign keys are off: cascades would delete what nobody named.
import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { StoreError } from "../../../model/errors.ts";
import type { SqliteFile } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { loadVec } from "../vec-extension.ts";

export type Db = Database.Database;

/** How long a statement waits for another connection's lock. */
const BUSY_TIMEOUT_MS = 3000;

/** Opens a store. Integers are BigInt. @throws StoreError */
export function connect(target: SqliteFile, timeoutMs: number = BUSY_TIMEOUT_MS): Db {
  if (!existsSync(target.file) || !statSync(target.file).isFile()) {
    throw new StoreError("STORE_MISSING", `the file of store ${target.store} does not exist, mend it under connect`, {
      place: { store: target.store },
      cure: `mend ${target.store} under connect`,
    });
  }
  let db: Db | undefined;
  try {
    db = new Database(target.file, { fileMustExist: true, timeout: timeoutMs });
    db.defaultSafeIntegers(true);
    db.pragma("secure_delete = ON");
    db.pragma("foreign_keys = OFF");
    // Values of erased rows pass through temporary tables: they must never reach a temporary file.
    db.pragma("temp_store = MEMORY");
    const usesVec = db.prepare("SELECT 1 FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%vec0%' LIMIT 1").get();
    if (usesVec !== undefined) loadVec(db);
    return db;
  } catch (cause) {
    db?.close();
    throw storeError(cause, target.store, target.file);
  }
}

/** Prepares each text once: a batch asks the same of every key. */
export function preparing(
  db: Db,
): <Parameters extends unknown[], Row = unknown>(sql: string) => Database.Statement<Parameters, Row> {
  const known = new Map<string, Database.Statement>();
  return <Parameters extends unknown[], Row>(sql: string) => {
    const statement = known.get(sql) ?? db.prepare(sql);
    known.set(sql, statement);
    // The caller declares parameters and row beside the text, as with `prepare` itself.
    return statement as Database.Statement<Parameters, Row>;
  };
}

/** Runs work on a connection of its own. */
export function withConnection<Result>(target: SqliteFile, work: (db: Db) => Result): Result {
  const db = connect(target);
  try {
    return work(db);
  } catch (cause) {
    throw storeError(cause, target.store, target.file);
  } finally {
    db.close();
  }
}

/** Runs work in one write transaction that takes its lock at once; an error rolls all of it back. */
export function inWriteTransaction<Result>(db: Db, work: () => Result): Result {
  return db.transaction(work).immediate();
}

interface Savepoint {
  readonly begin: Database.Statement;
  readonly release: Database.Statement;
}

const savepoints = new WeakMap<Db, Savepoint>();

/** Runs work under a savepoint: an error undoes this work only and is thrown on. */
export function underSavepoint<Result>(db: Db, work: () => Result): Result {
  let savepoint = savepoints.get(db);
  if (savepoint === undefined) {
    savepoint = { begin: db.prepare("SAVEPOINT deleatur_step"), release: db.prepare("RELEASE deleatur_step") };
    savepoints.set(db, savepoint);
  }
  savepoint.begin.run();
  try {
    const result = work();
    savepoint.release.run();
    return result;
  } catch (cause) {
    if (db.inTransaction) db.exec("ROLLBACK TO deleatur_step; RELEASE deleatur_step");
    throw cause;
  }
}
