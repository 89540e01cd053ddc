// One connection to the ledger's file: statements, nested transactions, and moving dropped bytes out of the write-ahead log. It must not know what the tables mean.
import Database from "better-sqlite3";
import { LedgerError } from "../model/errors.ts";
import { ledgerFailure } from "./ledger-failure.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

/** Rows come back as the caller declares them: the statement's text stands beside the type. */
export interface Connection {
  readonly file: string;
  /** Answers the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  /** Rows as arrays, for large answers. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: readonly SqlValue[]): Row[];
  exec(sql: string): void;
  pragma(text: string): unknown;
  /** BEGIN IMMEDIATE; nested calls join by savepoint, so that a refused part leaves nothing behind. */
  transaction<T>(act: () => T): T;
  /** Several reads of one state. */
  snapshot<T>(act: () => T): T;
  /** Something was dropped that must not stay in the write-ahead log. */
  flushAfterCommit(): void;
  flush(): "flushed" | "busy";
  close(): void;
}

const FLUSH_WAIT_MS = 50;

/** Opens the file without touching it. @throws LedgerError */
export function connect(
  file: string,
  options: { readonly readonly: boolean; readonly busyTimeoutMs: number },
): Connection {
  const database = attempt(file, () =>
    Database(file, { readonly: options.readonly, fileMustExist: options.readonly, timeout: options.busyTimeoutMs }),
  );
  const statements = new Map<string, Database.Statement<SqlValue[]>>();
  let depth = 0;
  let isFlushDue = false;

  function prepared(sql: string): Database.Statement<SqlValue[]> {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare<SqlValue[]>(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function flush(): "flushed" | "busy" {
    if (options.readonly || depth > 0) return "busy";
    // A short wait only: readers of other processes come and go, and the next act tries again.
    database.pragma(`busy_timeout = ${FLUSH_WAIT_MS}`);
    try {
      const [answer] = database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
      isFlushDue = answer?.busy !== 0;
    } finally {
      database.pragma(`busy_timeout = ${options.busyTimeoutMs}`);
    }
    return isFlushDue ? "busy" : "flushed";
  }

  function rollBack(level: number): void {
    // SQLite has rolled back by itself after a full disk or an I/O error.
    if (!database.inTransaction) return;
    database.exec(level === 0 ? "ROLLBACK" : `ROLLBACK TO level_${level}; RELEASE level_${level}`);
  }

  return {
    file,
    run: (sql, ...values) => attempt(file, () => prepared(sql).run(...values).changes),
    get: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      attempt(
        file,
        () =>
          prepared(sql)
            .raw(false)
            .get(...values) as Row | undefined,
      ),
    all: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      attempt(
        file,
        () =>
          prepared(sql)
            .raw(false)
            .all(...values) as Row[],
      ),
    rows: <Row extends readonly unknown[]>(sql: string, ...values: readonly SqlValue[]) =>
      attempt(
        file,
        () =>
          prepared(sql)
            .raw(true)
            .all(...values) as Row[],
      ),
    exec(sql) {
      attempt(file, () => database.exec(sql));
    },
    pragma: (text) => attempt(file, () => database.pragma(text)),
    transaction<T>(act: () => T): T {
      const level = depth;
      attempt(file, () => database.exec(level === 0 ? "BEGIN IMMEDIATE" : `SAVEPOINT level_${level}`));
      depth += 1;
      let result: T;
      try {
        result = act();
        if (result instanceof Promise)
          throw new LedgerError("ASYNC_TRANSACTION", "a transaction of the ledger ends before a promise does");
        attempt(file, () => database.exec(level === 0 ? "COMMIT" : `RELEASE level_${level}`));
      } catch (error) {
        rollBack(level);
        throw error;
      } finally {
        depth = level;
      }
      if (level === 0 && isFlushDue) attempt(file, flush);
      return result;
    },
    snapshot<T>(act: () => T): T {
      if (depth > 0 || database.inTransaction) return act();
      attempt(file, () => database.exec("BEGIN"));
      try {
        return act();
      } finally {
        if (database.inTransaction) database.exec("COMMIT");
      }
    },
    flushAfterCommit() {
      isFlushDue = true;
    },
    flush: () => attempt(file, flush),
    close() {
      statements.clear();
      database.close();
    },
  };
}

function attempt<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw ledgerFailure(error, file);
  }
}
