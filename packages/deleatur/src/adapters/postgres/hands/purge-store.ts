// Makes erased bytes unrecoverable from a server's own files: tables, indexes, statistics, write-ahead log. What it has no right to do it answers, never leaves out in silence.
import type { Purged } from "../../../model/artifact.ts";
import type { Boundary } from "../../../model/declaration.ts";
import { StoreError } from "../../../model/errors.ts";
import { spellTable, type PostgresOptions, type PostgresTarget } from "../options.ts";
import { isForbidden, storeError } from "../store-errors.ts";
import { openConnection, rowsOf, withConnection, type Db } from "./connect.ts";
import { hasFailedOver } from "./failed-over.ts";
import { cycleLog, isArchived } from "./purge-log.ts";
import {
  foreignParts,
  refreshViews,
  renewStatistics,
  RIGHTS,
  rewriteTables,
  tablesOf,
  viewsOver,
  withInheritors,
} from "./purge-tables.ts";

/** Where a server lists transactions that are open: one that is prepared has no session any more. */
const WHERE_SEEN = "see pg_stat_activity and pg_prepared_xacts";

/** A purge that did not reach its end. */
export type PurgeEnd = Exclude<Purged, { readonly outcome: "purged" }>;

/** Purges the database of a store with everything that is declared in it, copies that are written to by themselves too, and the logs of standbys. @throws StoreError */
export async function purgeStore(options: PostgresOptions, signal: AbortSignal): Promise<Purged> {
  const { replicas } = options;
  const standbys: PostgresTarget[] = [];
  const copies: PostgresTarget[] = [];
  for (const replica of replicas)
    ((await withConnection(replica, isStandby, signal)) ? standbys : copies).push(replica);
  const own = await purgeServer({ ...options, replicas: standbys }, signal);
  if (own.outcome !== "purged") return own;
  for (const copy of copies) {
    const purged = await purgeServer({ ...options, target: copy, replicas: [] }, signal);
    if (purged.outcome !== "purged") return purged;
  }
  return own;
}

async function purgeServer(options: PostgresOptions, signal: AbortSignal): Promise<Purged> {
  const { target } = options;
  try {
    return await withConnection(target, (db) => purgeAll(db, options, signal), signal);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "STORE_LOCKED")
      return {
        outcome: "pending",
        why: `a table of store ${target.store} is in use by another transaction, end it (${WHERE_SEEN})`,
      };
    if (error.code === "STORE_TIMEOUT")
      return {
        outcome: "failed",
        why: `store ${target.store} cancelled the purge, raise statement_timeout for the role`,
      };
    throw error;
  }
}

async function purgeAll(db: Db, options: PostgresOptions, signal: AbortSignal): Promise<Purged> {
  const tables = await withInheritors(db, tablesOf(options));
  const isExclusive = takesLock(options);
  const rewritten = await rewriteTables(db, tables, isExclusive, signal);
  const views = await refreshViews(db, tables);
  const statistics = await renewStatistics(db, [...tables, ...(await viewsOver(db, tables))]);
  const denied = [...rewritten.denied, ...views, ...statistics.denied];
  const log = await purgeLog(db, options, signal);
  if (log === "denied") denied.push(RIGHTS.log);
  if (denied.length > 0) return lacksRights(db.target, denied);
  if (rewritten.held || statistics.held)
    return {
      outcome: "pending",
      why: `an older transaction of store ${db.target.store} still sees erased rows, end it (${WHERE_SEEN}, or on a standby with hot_standby_feedback)`,
    };
  if (log !== "denied" && log !== undefined) return { outcome: "pending", why: log.why };
  if (await hasFailedOver(db))
    return {
      outcome: "pending",
      why: `another server answers for store ${db.target.store} than when the fence was raised, wipe the former one or build it anew, then resume`,
    };
  const unseen = await unseenCopies(db, options);
  if (unseen !== undefined) return unseen;
  const how = isExclusive ? "vacuum full" : "vacuum and reindex";
  return { outcome: "purged", method: `${how} of ${tables.length} tables, statistics, write-ahead log` };
}

export function lacksRights({ store }: PostgresTarget, denied: readonly string[]): PurgeEnd {
  return {
    outcome: "unsupported",
    why: `the role of store ${store} may not ${[...new Set(denied)].join(", nor ")}`,
  };
}

/** Another store's backup says nothing of this one's archive. */
function isDeclaredBackup({ surfaces }: Boundary, store: string): boolean {
  return surfaces.some(({ role, of }) => role === "backup" && of?.includes(store) === true);
}

/** A table of role `log` is the application's own (a history, pending writes): a server logs its statements into no database. */
function isDeclaredLog({ surfaces, connect }: Boundary): boolean {
  const databases: readonly (string | undefined)[] = ["postgres", "sqlite", "redis"];
  return surfaces.some(
    ({ role, store }) => role === "log" && !databases.includes(connect.stores.get(store ?? "")?.type),
  );
}

/** Set where what was written is kept or copied elsewhere and nobody says so. */
export async function unseenCopies(db: Db, options: PostgresOptions): Promise<PurgeEnd | undefined> {
  const { boundary } = options;
  const unsupported = (why: string): PurgeEnd => ({ outcome: "unsupported", why: `store ${db.target.store} ${why}` });
  const [foreign] = await foreignParts(db, tablesOf(options));
  if (foreign !== undefined)
    return unsupported(
      `has a part of a declared table on another server (foreign table ${spellTable(foreign)}), where it rewrites nothing: move those rows here, or detach it and declare the table on its own server`,
    );
  if (!isDeclaredBackup(boundary, db.target.store) && (await isArchived(db)))
    return unsupported(
      `archives its write-ahead log where nobody looks, declare the archive as a surface of role backup, with \`of: ${db.target.store}\` and its horizon`,
    );
  if (!isDeclaredLog(boundary) && (await logsStatementsElsewhere(db)))
    return unsupported(
      "logs every statement, texts in them, where nobody looks, declare the files of that log as a surface of role log, or have it log fewer (log_statement, log_min_duration_statement)",
    );
  return undefined;
}

/**
 * Whether every statement that changes rows is written into a log outside of the data folder: for the whole server, for this database, or for a role in it. What the server does for our
 * own sessions says nothing of the application's.
 */
async function logsStatementsElsewhere(db: Db): Promise<boolean> {
  const [row] = await rowsOf(
    db,
    `WITH told(name, value) AS (
       SELECT name, reset_val FROM pg_catalog.pg_settings
       UNION ALL SELECT pg_catalog.split_part(one, '=', 1), pg_catalog.substr(one, pg_catalog.strpos(one, '=') + 1)
       FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) AS one
       WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
         AND s.setrole <> (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user))
     SELECT EXISTS (SELECT 1 FROM told WHERE name = 'log_statement' AND value IN ('mod', 'all') OR name = 'log_min_duration_statement' AND value IN ('0', '0ms'))
       AND NOT (EXISTS (SELECT 1 FROM told WHERE name = 'logging_collector' AND value = 'on')
         AND EXISTS (SELECT 1 FROM told WHERE name = 'log_directory' AND value NOT LIKE '/%' AND value NOT LIKE '..%')
         AND EXISTS (SELECT 1 FROM told WHERE name = 'log_destination' AND value !~ 'syslog|eventlog'))`,
  );
  return row?.[0] === "t";
}

async function purgeLog(
  db: Db,
  options: PostgresOptions,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof cycleLog>> | "denied"> {
  const opened: { readonly db: Db; readonly close: () => Promise<void> }[] = [];
  try {
    for (const replica of options.replicas) {
      const one = await openConnection(replica, signal);
      opened.push(one);
    }
    return await cycleLog(
      db,
      opened.map((one) => one.db),
      signal,
    );
  } catch (cause) {
    signal.throwIfAborted();
    if (isForbidden(cause)) return "denied";
    throw storeError(cause, db.target.store);
  } finally {
    for (const one of opened) await one.close();
  }
}

/** A copy that takes its rows from another server's log. */
export async function isStandby(db: Db): Promise<boolean> {
  const [row] = await rowsOf(db, "SELECT pg_catalog.pg_is_in_recovery()");
  return row?.[0] === "t";
}

/** Whether a purge keeps others out while it rewrites a table. */
export function takesLock({ declaration }: PostgresOptions): boolean {
  return declaration.purge.method !== "checkpoint";
}
