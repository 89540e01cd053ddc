// Keeps the connection of an act for the next one, for a moment: an erase in many batches would open one for each. Idle it is in no transaction, holds no lock and keeps no process alive.
import type { PostgresTarget } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { cancelOnAbort, connect, type Db } from "./connect.ts";

/** After so long it is ended: an idle connection takes one of the server's places. A DROP DATABASE waits for five seconds. */
const IDLE_MS = 3_000;

export interface WarmConnection {
  /** Runs work on the connection that is kept, if it still answers, else on a new one; what failed or was aborted is not kept. @throws StoreError */
  use<Result>(work: (db: Db) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

export function keepWarm(target: PostgresTarget): WarmConnection {
  let idle: { readonly db: Db; readonly timer: NodeJS.Timeout } | undefined;
  let isClosed = false;
  const take = (): Db | undefined => {
    const db = idle?.db;
    clearTimeout(idle?.timer);
    idle = undefined;
    db?.client.ref();
    return db;
  };
  const end = async (): Promise<void> => {
    await take()?.client.end();
  };
  const keep = (db: Db): void => {
    db.client.unref();
    idle = { db, timer: setTimeout(() => void end(), IDLE_MS).unref() };
  };
  return {
    async use(work, signal) {
      signal.throwIfAborted();
      const kept = take();
      const db = kept !== undefined && (await answers(kept)) ? kept : await connect(target, signal);
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
        if (isSound && !signal.aborted && !isClosed && idle === undefined) keep(db);
        else await db.client.end();
      }
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}

/** Whether the server is still there, and between two transactions; one that is not is ended. */
async function answers({ client }: Db): Promise<boolean> {
  try {
    await client.query("BEGIN");
    await client.query("COMMIT");
    return true;
  } catch {
    await client.end();
    return false; // it went away meanwhile, or ended us: a new connection will tell which
  }
}
