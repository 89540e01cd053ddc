// One connection to the ledger's file: statements, nested transactions, and moving dropped bytes out of the write-ahead log. It must not know what the tables mean.
import Database from "better-sqlite3";
import { LedgerError } from "../model/errors.ts";
import { watchFile } from "./file-watch.ts";
import { ledgerFailure } from "./ledger-failure.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

// `never` fits every row type: what a row is stands in its statement's text, and the caller declares it beside that.
type Statement = Database.Statement<SqlValue[], never>;
export type Found<Row> = Row | undefined;

/** Rows come back as the caller declares them: the statement's text stands beside the type. */
export interface Connection {
  readonly file: string;
  readonly readonly: boolean;
  /** Answers the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** Inserts rows, many a statement: `head` ends in VALUES, `tail` is what follows the rows; the rows' values stand one behind the other, `width` a row. Answers how many rows changed. */
  runRows(head: string, rows: readonly [values: readonly SqlValue[], width: number], tail?: string): number;
  get<Row>(sql: string, ...values: readonly SqlValue[]): Found<Row>;
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  /** Rows as arrays, for large answers. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: readonly SqlValue[]): Row[];
  exec(sql: string): void;
  pragma(text: string): unknown;
  /**
   * BEGIN IMMEDIATE; nested calls join by savepoint, so that a refused part leaves nothing behind. A `lazy` one is not waited for until it is on
   * the disk: a kill loses nothing of it, a power failure may, and then all of it. A nested call is as durable as its outer one.
   */
  transaction<T>(act: () => T, durability?: "lazy"): T;
  isInTransaction(): boolean;
  /** Several reads of one state. */
  snapshot<T>(act: () => T): T;
  /** Something was dropped that must not stay in the write-ahead log. */
  flushAfterCommit(): void;
  flush(): "flushed" | "busy";
  /** Rewrites the whole file, so that only what lives is in it. */
  vacuum(): "vacuumed" | "busy";
  close(): void;
}

const FLUSH_WAIT_MS = 50;
/** Rows of one statement, the largest first. */
const ROWS_AT_ONCE = [64, 8, 1] as const;

/** Opens the file without touching it. @throws LedgerError */
export function connect(
  file: string,
  options: { readonly readonly: boolean; readonly busyTimeoutMs: number },
): Connection {
  const database = attempt(file, () =>
    Database(file, { readonly: options.readonly, fileMustExist: options.readonly, timeout: options.busyTimeoutMs }),
  );
  const watch = watchFile(file, () => isWhole(file));
  const statements = new Map<string, Statement>();
  let depth = 0;
  let isFlushDue = false;

  function prepared(sql: string): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare<SqlValue[], never>(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  const named = (sql: string): Statement => prepared(sql).raw(false);
  const listed = (sql: string): Statement => prepared(sql).raw(true);

  function flush(): "flushed" | "busy" {
    if (options.readonly || depth > 0) return "busy";
    // A short wait only: readers of other processes come and go, and the next act tries again.
    database.pragma(`busy_timeout = ${FLUSH_WAIT_MS}`);
    try {
      // The first column of the answer: whether a reader or writer was in the way.
      isFlushDue = database.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0;
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

  function within<T>(act: () => T): T {
    const level = depth;
    if (level === 0) watch.refuseChanged();
    attempt(file, () => prepared(level === 0 ? "BEGIN IMMEDIATE" : `SAVEPOINT level_${level}`).run());
    depth += 1;
    try {
      const result = act();
      if (result instanceof Promise)
        throw new LedgerError("ASYNC_TRANSACTION", "a transaction of the ledger ends before a promise does");
      attempt(file, () => prepared(level === 0 ? "COMMIT" : `RELEASE level_${level}`).run());
      return result;
    } catch (error) {
      rollBack(level);
      throw error;
    } finally {
      depth = level;
    }
  }

  return {
    file,
    readonly: options.readonly,
    run: (sql, ...values) => attempt(file, () => prepared(sql).run(...values).changes),
    runRows(head, [values, width], tail = "") {
      let [done, changed] = [0, 0];
      for (const size of ROWS_AT_ONCE) {
        const step = size * width;
        if (values.length - done < step) continue;
        const statement = prepared(rowsSql(head, size, width, tail));
        for (; values.length - done >= step; done += step) {
          const part = done === 0 && values.length === step ? values : values.slice(done, done + step);
          changed += attempt(file, () => statement.run(...part).changes);
        }
      }
      return changed;
    },
    get: <Row>(sql: string, ...values: readonly SqlValue[]): Found<Row> =>
      attempt(file, () => named(sql).get(...values)),
    all: <Row>(sql: string, ...values: readonly SqlValue[]): Row[] => attempt(file, () => named(sql).all(...values)),
    rows: <Row extends readonly unknown[]>(sql: string, ...values: readonly SqlValue[]): Row[] =>
      attempt(file, () => listed(sql).all(...values)),
    exec(sql) {
      attempt(file, () => database.exec(sql));
    },
    pragma: (text) => attempt(file, () => database.pragma(text)),
    transaction<T>(act: () => T, durability?: "lazy"): T {
      const isLazy = depth === 0 && durability === "lazy";
      if (isLazy) attempt(file, () => database.exec("PRAGMA synchronous = NORMAL"));
      let result: T;
      try {
        result = within(act);
      } finally {
        if (isLazy) database.exec("PRAGMA synchronous = FULL");
      }
      if (depth === 0 && isFlushDue) attempt(file, flush);
      return result;
    },
    isInTransaction: () => depth > 0,
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
    vacuum() {
      if (options.readonly || depth > 0) return "busy";
      // The copy that VACUUM makes may be larger than memory should hold; it has nothing in clear.
      database.pragma("temp_store = FILE");
      try {
        attempt(file, () => database.exec("VACUUM"));
        return "vacuumed";
      } catch (error) {
        if (error instanceof LedgerError && error.code === "LEDGER_LOCKED") return "busy";
        throw error;
      } finally {
        database.pragma("temp_store = MEMORY");
      }
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

function rowsSql(head: string, size: number, width: number, tail: string): string {
  const row = `(${"?,".repeat(width - 1)}?)`;
  return `${head} ${`${row},`.repeat(size - 1)}${row} ${tail}`;
}

/** Read by a connection of its own: what this one has in its cache may be gone from the file. */
function isWhole(file: string): boolean {
  try {
    const eyes = Database(file, { readonly: true, fileMustExist: true });
    try {
      return eyes.pragma("quick_check(1)", { simple: true }) === "ok";
    } finally {
      eyes.close();
    }
  } catch {
    return false; // what SQLite cannot read is not whole
  }
}

function attempt<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw ledgerFailure(error, file);
  }
}
