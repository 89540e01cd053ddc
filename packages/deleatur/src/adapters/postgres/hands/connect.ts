// Opens connections for the erase side, and runs transactions that are tried again where the server says that others were in their way.
import { setTimeout as pause } from "node:timers/promises";
import { beginSession, createClient, type PostgresClient } from "../load-client.ts";
import type { PostgresTarget } from "../options.ts";
import { isSerialization, storeError } from "../store-errors.ts";

/** One open connection of the hands. */
export interface Db {
  readonly client: PostgresClient;
  readonly target: PostgresTarget;
}

/** A row as the server wrote it. */
export type TextRow = readonly (string | null)[];

/** How long a statement waits for another transaction's lock. */
const LOCK_MS = 5_000;

/** Runs work on a connection of its own, which ends with it; an abort cancels what runs. @throws StoreError */
export async function withConnection<Result>(
  target: PostgresTarget,
  work: (db: Db) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { db, close } = await openConnection(target, signal);
  try {
    return await work(db);
  } catch (cause) {
    signal.throwIfAborted();
    throw storeError(cause, target.store);
  } finally {
    await close();
  }
}

/** For work that gives its connection back later: `close` ends it, also where it is in the middle of something. */
export async function openConnection(
  target: PostgresTarget,
  signal: AbortSignal,
): Promise<{ readonly db: Db; readonly close: () => Promise<void> }> {
  const db = await connect(target, signal);
  const release = cancelOnAbort(db, signal);
  const close = async (): Promise<void> => {
    release();
    await db.client.end();
  };
  return { db, close };
}

/** A new connection, which nothing ends by itself. @throws StoreError */
export async function connect(target: PostgresTarget, signal: AbortSignal): Promise<Db> {
  signal.throwIfAborted();
  const client = await createClient(target);
  try {
    await client.connect();
    await beginSession(client, target, `; SET synchronous_commit = on; SET lock_timeout = ${LOCK_MS}`);
    signal.throwIfAborted();
    return { client, target };
  } catch (cause) {
    await client.end();
    signal.throwIfAborted();
    throw storeError(cause, target.store);
  }
}

/** From now on an abort cancels what runs on the connection, until that is taken back. */
export function cancelOnAbort({ client, target }: Db, signal: AbortSignal): () => void {
  const cancel = (): void => void cancelBackend(target, client);
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

/** A statement that runs is ended by the server, and by nobody else. */
async function cancelBackend(target: PostgresTarget, client: PostgresClient): Promise<void> {
  const pid: unknown = Reflect.get(client, "processID");
  if (typeof pid !== "number") return;
  const other = await createClient(target);
  try {
    await other.connect();
    await other.query("SELECT pg_catalog.pg_cancel_backend($1)", [pid]);
  } catch {
    return; // a server that is gone runs nothing any more
  } finally {
    await other.end();
  }
}

export async function rowsOf(db: Db, text: string, values: readonly unknown[] = []): Promise<readonly TextRow[]> {
  const result = await db.client.query<(string | null)[]>({ text, values: [...values], rowMode: "array" });
  return result.rows;
}

/** Of a statement that changes rows: how many it changed. */
export async function changedBy(db: Db, text: string, values: readonly unknown[] = []): Promise<number> {
  return (await db.client.query({ text, values: [...values] })).rowCount ?? 0;
}

const ATTEMPTS = 12;
const FIRST_PAUSE_MS = 5;

/** One transaction; a serialization failure or a deadlock begins it anew, for a while. */
export async function inTransaction<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    await db.client.query("BEGIN");
    try {
      const result = await work();
      await db.client.query("COMMIT");
      return result;
    } catch (cause) {
      await rollBack(db);
      if (!isSerialization(cause) || attempt === ATTEMPTS) throw cause;
      await pause(FIRST_PAUSE_MS * 2 ** Math.min(attempt, 7));
    }
  }
}

/** A connection that broke has rolled back by itself; what broke it is the error that counts. */
export async function rollBack(db: Db): Promise<void> {
  try {
    await db.client.query("ROLLBACK");
  } catch {
    return;
  }
}
