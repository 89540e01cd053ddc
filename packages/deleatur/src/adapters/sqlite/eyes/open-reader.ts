// Opens a SQLite file for looking only: a read-only connection of the probes' own, closed after each look.
import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { StoreError } from "../../../model/errors.ts";
import type { SqliteFile } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { loadVec } from "../vec-extension.ts";

export type Reader = Database.Database;

/** What better-sqlite3 returns with safe integers. */
export type Cell = null | bigint | number | string | Buffer;

const BUSY_TIMEOUT_MS = 3000;
/** A look goes through its tables once: pages that were looked at need not be kept. */
const CACHE_KIB = 2_048;

/** Looks through one connection and closes it, also where the looking stops early. @throws StoreError: the probe is then blind */
export async function* throughReader<Item>(
  target: SqliteFile,
  look: (db: Reader) => AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item> {
  const db = openReader(target);
  try {
    yield* look(db);
  } catch (cause) {
    throw storeError(cause, target.store);
  } finally {
    db.close();
  }
}

const ROWS_A_TURN = 500;

/** Passes rows on and lets other work, and an abort, have its turn now and then: SQLite itself answers at once. @throws when aborted */
export async function* inTurns<Row>(rows: Iterable<Row>, signal: AbortSignal): AsyncGenerator<Row> {
  let count = 0;
  for (const row of rows) {
    signal.throwIfAborted();
    yield row;
    count += 1;
    if (count % ROWS_A_TURN === 0) await nextTurn();
  }
}

function openReader(target: SqliteFile): Reader {
  if (!existsSync(target.file)) {
    throw new StoreError(
      "STORE_MISSING",
      `the file of store ${target.store} does not exist, so it cannot be looked at`,
      {
        place: { store: target.store },
      },
    );
  }
  let db: Reader | undefined;
  try {
    db = new Database(target.file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    db.defaultSafeIntegers(true);
    db.pragma("temp_store = MEMORY");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    const vec = db.prepare("SELECT 1 FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%vec0%' LIMIT 1").get();
    if (vec !== undefined) loadVec(db);
    return db;
  } catch (cause) {
    db?.close();
    throw storeError(cause, target.store);
  }
}
