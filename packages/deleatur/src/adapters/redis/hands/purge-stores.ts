// Purges every server that holds a surface, each once, replicas too: their files are their own. Several surfaces of a server share one purge while nothing was written since.
import type { Purged } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import type { RedisOptions, RedisStore } from "../options.ts";
import { type Db, withDb } from "./connect.ts";
import { hasFailedOver } from "./failed-over.ts";
import { factsOf } from "./persistence.ts";
import { purgeServer } from "./purge-server.ts";
import { rebuildStreams } from "./rebuild-streams.ts";
import { awaitFollowers, withStores } from "./stores.ts";

/** @throws StoreError where a store cannot be reached, or none of them takes writes while streams have to be written anew */
export async function purgeStores(options: RedisOptions, signal: AbortSignal): Promise<Purged> {
  // Where a stream is a record by itself somebody else may have taken entries out of it.
  if (options.each !== "field") {
    const why = await rebuildAll(options, signal).catch((cause: unknown) => {
      // A replica's files are written anew all the same; its streams are its primary's.
      if (options.each === "key" && cause instanceof StoreError && cause.code === "STORE_READONLY") return undefined;
      throw cause;
    });
    if (why !== undefined) return { outcome: "failed", why };
  }
  const purges: Purged[] = [];
  for (const store of options.stores) purges.push(await withDb(store, signal, (db) => purgeOnce(db, options, signal)));
  return worst(purges);
}

async function rebuildAll(options: RedisOptions, signal: AbortSignal): Promise<string | undefined> {
  return await withStores(options, signal, async (stores) => {
    for (const { db, isPrimary } of stores) {
      const why = isPrimary ? await rebuildStreams(db, options, signal) : undefined;
      if (why !== undefined) return why;
    }
    await awaitFollowers(stores, signal);
    return undefined;
  });
}

interface LastPurge {
  readonly fingerprint: string;
  readonly outcome: Purged;
  readonly served: Set<string>;
}

/** By address. A cache of this process only: losing it costs a second purge, never a missing one. */
const lastPurges = new Map<string, LastPurge>();

/** The same surface asks twice: then it is done twice (decision 5). */
async function purgeOnce(db: Db, options: RedisOptions, signal: AbortSignal): Promise<Purged> {
  const server = serverOf(db.store);
  const asked = `${options.surface}@${db.store.name}`;
  const last = lastPurges.get(server);
  if (last !== undefined && !last.served.has(asked) && last.fingerprint === (await fingerprintOf(db))) {
    last.served.add(asked);
    return last.outcome;
  }
  lastPurges.delete(server);
  const outcome = await purgeServer(db, options.declaration.persistence === "none", signal);
  if (outcome.outcome === "purged" && (await hasFailedOver(db)))
    return {
      outcome: "pending",
      why: `another server answers for store ${db.store.name} than when the fence was raised, or the same one started again where nobody of ours sees its folder: wipe a former one or build it anew, then resume`,
    };
  if (outcome.outcome === "purged")
    lastPurges.set(server, { fingerprint: await fingerprintOf(db), outcome, served: new Set([asked]) });
  return outcome;
}

function serverOf({ url }: RedisStore): string {
  return new URL(url).host;
}

/** Everything that a write, a save or a restart changes. */
async function fingerprintOf(db: Db): Promise<string> {
  const facts = await factsOf(db);
  const names = ["run_id", "rdb_changes_since_last_save", "rdb_saves", "aof_rewrites", "aof_current_size"];
  return names.map((name) => facts.get(name) ?? "").join("|");
}

function worst(purges: readonly Purged[]): Purged {
  return (
    purges.find(({ outcome }) => outcome === "failed") ??
    purges.find(({ outcome }) => outcome === "unsupported") ??
    purges.find(({ outcome }) => outcome === "pending") ??
    purges[0] ?? { outcome: "failed", why: "no server" }
  );
}
