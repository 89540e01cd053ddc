// Opens all stores of a surface for one act and says which of them take writes; waits for those that follow another. Who reads only needs none of this.
import { setTimeout as wait } from "node:timers/promises";
import type { RedisOptions, RedisStore } from "../options.ts";
import { troubleError } from "../store-errors.ts";
import { type Db, infoOf, openDb } from "./connect.ts";

export interface OpenStore {
  readonly store: RedisStore;
  readonly db: Db;
  /** It takes writes itself; the others are written by the one that they follow. */
  readonly isPrimary: boolean;
}

/** @throws StoreError where one cannot be reached; STORE_READONLY where none takes writes */
export async function withStores<Result>(
  { stores }: RedisOptions,
  signal: AbortSignal,
  work: (stores: readonly OpenStore[]) => Promise<Result>,
): Promise<Result> {
  const opened: { readonly db: Db; readonly close: () => void }[] = [];
  try {
    for (const store of stores) opened.push(await openDb(store, signal));
    const known: OpenStore[] = [];
    for (const { db } of opened)
      known.push({ store: db.store, db, isPrimary: (await replicationOf(db)).role === "primary" });
    if (!known.some(({ isPrimary }) => isPrimary))
      throw troubleError(stores[0].name, [
        "STORE_READONLY",
        "is a read-only replica",
        "name its primary under connect",
      ]);
    return await work(known);
  } finally {
    for (const { close } of opened) close();
  }
}

export interface Replication {
  readonly role: "primary" | "replica";
  /** The history that a server and its replicas have in common. */
  readonly history: string;
  readonly offset: number;
  /** Whether a replica has its primary. */
  readonly isLinked: boolean;
  readonly replicas: number;
}

/** @throws StoreError */
export async function replicationOf(db: Db): Promise<Replication> {
  const info = infoOf(await db.send("INFO", "replication"));
  const isReplica = info.get("role") === "slave";
  return {
    role: isReplica ? "replica" : "primary",
    history: info.get("master_replid") ?? "",
    offset: Number(info.get(isReplica ? "slave_repl_offset" : "master_repl_offset") ?? "0"),
    isLinked: !isReplica || info.get("master_link_status") === "up",
    replicas: Number(info.get("connected_slaves") ?? "0"),
  };
}

const FOLLOW_MS = 10_000;
const STEP_MS = 20;

/** Waits until each declared replica has taken in all that its declared primary has written; what is not there by then is counted as it stands. */
export async function awaitFollowers(stores: readonly OpenStore[], signal: AbortSignal): Promise<void> {
  const followers = stores.filter(({ isPrimary }) => !isPrimary);
  if (followers.length === 0) return;
  const offsets = new Map<string, number>();
  for (const { db } of stores.filter(({ isPrimary }) => isPrimary)) {
    const { history, offset } = await replicationOf(db);
    offsets.set(history, offset);
  }
  for (const { db } of followers) {
    for (let waited = 0; waited < FOLLOW_MS; waited += STEP_MS) {
      signal.throwIfAborted();
      const { history, offset, isLinked } = await replicationOf(db);
      const wanted = offsets.get(history);
      // One that has lost its primary, or that follows another, will not come to it by waiting.
      if (!isLinked || wanted === undefined || offset >= wanted) break;
      await wait(STEP_MS, undefined, { signal });
    }
  }
}
