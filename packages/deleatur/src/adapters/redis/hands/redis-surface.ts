// One open Redis surface: each act opens its own connections, does one thing on every store that holds the surface, and closes them again. No probe imports this.
import type { Offered, Purged } from "../../../model/artifact.ts";
import type { Guarantees, Surface } from "../../../surface.ts";
import type { RedisOptions } from "../options.ts";
import { readArtifacts, scanArtifacts } from "./artifacts.ts";
import { takeCensus } from "./census.ts";
import { withDb } from "./connect.ts";
import { foreseeStores } from "./foresee-stores.ts";
import { eraseKeys } from "./erase-keys.ts";
import { dropNotes, notedRequests, noteServers } from "./failed-over.ts";
import { markStores, readMarkers, unmarkStores } from "./ledger-marker.ts";
import { plantCanary } from "./plant-canary.ts";
import { purgeStores } from "./purge-stores.ts";
import { rewriteValues } from "./rewrite-values.ts";

/** Opens the surface: every server must be reached, and be no cluster. @throws StoreError */
export async function openRedisSurface(options: RedisOptions, guarantees: Guarantees): Promise<Surface> {
  const opening = new AbortController().signal;
  for (const store of options.stores) await withDb(store, opening, async (db) => void (await db.send("PING")));
  return {
    guarantees,
    census: (signal) => takeCensus(options, signal),
    scan: (signal, part = "all") => scanArtifacts(options, part, signal),
    read: (keys, signal) => readArtifacts(options, keys, signal),
    rewrite: (replacements, signal) => rewriteValues(options, replacements, signal),
    erase: (keys, signal) => eraseKeys(options, keys, signal),
    // A child of the server writes; nobody is kept out meanwhile.
    purgeLock: async () => "none",
    foresee: (signal) => foreseeStores(options, signal),
    purge: (signal): Promise<Purged> => purgeStores(options, signal),
    // Whoever may write to the database may write any key: Redis has no door of its own that a content could be held against. The SDK's guard is the engine's.
    offer: async (): Promise<Offered> => ({ outcome: "accepted" }),
    // No trigger, and no right that knows a person: what the ledger leases is all there is.
    // What stands in the database says only which server it was raised on.
    async fence({ request }, signal) {
      await noteServers(options, request, signal);
      return "leased";
    },
    fences: (signal) => notedRequests(options, signal),
    async unfence(requests, signal) {
      await dropNotes(options, requests, signal);
      return "ended";
    },
    plant: (canary, signal) => plantCanary(options, canary, signal),
    mark: (ledger, signal) => markStores(options, ledger, signal),
    markers: (signal) => readMarkers(options, signal),
    unmark: (ledgers, signal) => unmarkStores(options, ledgers, signal),
    // No connection stays open between two acts.
    close: async () => {},
  };
}
