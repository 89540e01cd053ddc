// Keeps the connection of an act for the next one, for a moment: an erase in many batches would open one for each. Idle it is in no transaction, holds no lock and keeps no process alive.
import type { PostgresTarget } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { cancelOnAbort, connect, rowsOf, type Db } from "./connect.ts";

/** After so long it is ended: an idle connection takes one of the server's places. A DROP DATABASE waits for five seconds. */
const IDLE_MS = 3_000;

export interface WarmConnection {
  /** Runs work on the connection that is kept, if it still answers, else on a new one; what failed or was aborted is not kept. @throws StoreError */
  use<Result>(work: (db: Db) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** A connection, and what was set for its role and its database when it was opened: a session hears of nothing that is set later. */
interface Warm {
  readonly db: Db;
  readonly settings: string;
}

export function keepWarm(target: PostgresTarget): WarmConnection {
  let idle: (Warm & { readonly timer: NodeJS.Timeout }) | undefined;
  let isClosed = false;
  const take = (): Warm | undefined => {
    const warm = idle;
    clearTimeout(warm?.timer);
    idle = undefined;
    warm?.db.client.ref();
    return warm;
  };
  const end = async (): Promise<void> => {
    await take()?.db.client.end();
  };
  const keep = (warm: Warm): void => {
    warm.db.client.unref();
    idle = { ...warm, timer: setTimeout(() => void end(), IDLE_MS).unref() };
  };
  const open = async (signal: AbortSignal): Promise<Warm> => {
    const db = await connect(target, signal);
    try {
      return { db, settings: (await settingsOf(db)) ?? "" };
    } catch (cause) {
      await db.client.end();
      throw storeError(cause, target.store);
    }
  };
  return {
    async use(work, signal) {
      signal.throwIfAborted();
      const kept = take();
      const warm = kept !== undefined && (await isAsNew(kept)) ? kept : await open(signal);
      const { db } = warm;
      const release = cancelOnAbort(db, signal);
      let isSound = false;
      try {
        const result = await work(db);
        isSound = true;
        return result;
      } catch (cause) {
        signal.throwIfAborted();
        throw storeError(cause, target.store);
      } finally {
        release();
        // A cancel that is on its way would meet the next act.
        if (isSound && !signal.aborted && !isClosed && idle === undefined) keep(warm);
        else await db.client.end();
      }
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}

/** Whether the server is still there, between two transactions, and would open a connection like this one; else it is ended. */
async function isAsNew({ db, settings }: Warm): Promise<boolean> {
  const now = await settingsOf(db).catch(() => undefined); // the server went away, or ended us: a new connection will tell which
  if (now === settings) return true;
  await db.client.end();
  return false;
}

/** What a new session of this role in this database would begin with; undefined within a transaction. */
async function settingsOf(db: Db): Promise<string | undefined> {
  const [row] = await rowsOf(
    db,
    `SELECT CASE WHEN pg_catalog.transaction_timestamp() = pg_catalog.statement_timestamp() THEN coalesce(
       (SELECT pg_catalog.json_agg(s ORDER BY s.setdatabase, s.setrole)::text FROM pg_catalog.pg_db_role_setting s
        WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
          AND s.setrole IN (0, (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user))), '') END`,
  );
  return row?.[0] ?? undefined;
}
