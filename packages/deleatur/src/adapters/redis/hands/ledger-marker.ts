// The markers of the ledgers that manage a database: a key of ours for each, whose name bears a random id. Without a right to write there is none.
import type { RedisOptions } from "../options.ts";
import { MARKER_KEY, MARKER_VALUE } from "../options.ts";
import { type Db, openDb, Refused } from "./connect.ts";
import { markersAmong, scanKeys } from "./list-keys.ts";

const UNWRITABLE: readonly string[] = ["NOPERM", "READONLY", "OOM", "MISCONF"];

/** A replica bears the markers of its primary; where it alone is declared, nothing can be written. */
export async function markStores(
  { stores }: RedisOptions,
  ledger: string,
  signal: AbortSignal,
): Promise<"marked" | "unmarked"> {
  let isMarked = false;
  let isRefused = false;
  await eachDb(stores, signal, async (db) => {
    const [reply] = await db.sendAll([["SET", `deleatur:ledger:${ledger}`, MARKER_VALUE]]);
    if (!(reply instanceof Refused)) isMarked = true;
    else if (!UNWRITABLE.includes(reply.code)) throw reply.error;
    else if (reply.code !== "READONLY") isRefused = true;
  });
  return isMarked && !isRefused ? "marked" : "unmarked";
}

export async function readMarkers({ stores }: RedisOptions, signal: AbortSignal): Promise<readonly string[]> {
  const ledgers = new Set<string>();
  await eachDb(stores, signal, async (db) => {
    for (const ledger of await markersIn(db, signal)) ledgers.add(ledger);
  });
  return [...ledgers].toSorted();
}

export async function unmarkStores(
  { stores }: RedisOptions,
  ledgers: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await eachDb(stores, signal, async (db) => {
    const [reply] = await db.sendAll([["UNLINK", ...ledgers.map((ledger) => `deleatur:ledger:${ledger}`)]]);
    if (reply instanceof Refused && reply.code !== "READONLY") throw reply.error;
  });
}

async function markersIn(db: Db, signal: AbortSignal): Promise<readonly string[]> {
  const ledgers = new Set<string>();
  for await (const step of scanKeys(db, "deleatur:ledger:*", signal)) {
    for (const key of await markersAmong(db, step)) ledgers.add(MARKER_KEY.exec(key.toString("utf8"))?.[1] ?? "");
  }
  return [...ledgers];
}

async function eachDb(
  stores: RedisOptions["stores"],
  signal: AbortSignal,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  for (const store of stores) {
    const { db, close } = await openDb(store, signal);
    try {
      await work(db);
    } finally {
      close();
    }
  }
}
