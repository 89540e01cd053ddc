// Lets the surfaces of one database share one purge: it is done again only when we wrote meanwhile, or when the same surface asks twice.
import type { Purged } from "../../../model/artifact.ts";
import type { PostgresOptions, PostgresTarget } from "../options.ts";
import { purgeStore } from "./purge-store.ts";

interface LastPurge {
  readonly outcome: Purged;
  readonly served: Set<string>;
  /** Surfaces that were offered something since: a dry run writes no byte, so that the purge after it has nothing to do. */
  readonly offered: Set<string>;
}

/** By address and method. A cache of this process only: losing it costs a second purge, never a missing one. */
const lastPurges = new Map<string, LastPurge>();

export async function purgeOnce(options: PostgresOptions, signal: AbortSignal): Promise<Purged> {
  const name = nameOf(options);
  const last = lastPurges.get(name);
  if (last !== undefined && (!last.served.has(options.surface) || last.offered.delete(options.surface))) {
    last.served.add(options.surface);
    return last.outcome;
  }
  lastPurges.delete(name);
  const outcome = await purgeStore(options, signal);
  lastPurges.set(name, { outcome, served: new Set([options.surface]), offered: new Set() });
  return outcome;
}

/** Says that the store was written by us. */
export function forgetPurge({ url }: PostgresTarget): void {
  for (const name of lastPurges.keys()) if (name.startsWith(`${url} `)) lastPurges.delete(name);
}

/** Says that a surface was offered something, and nothing was written. */
export function noteOffer(options: PostgresOptions): void {
  lastPurges.get(nameOf(options))?.offered.add(options.surface);
}

/** What a purge reaches: the tables that are declared under the store's name, and the replicas that this surface has. */
function nameOf({ target, replicas, declaration, boundary }: PostgresOptions): string {
  const servers = [target, ...replicas].map(({ store, url }) => `${url} ${store}`);
  return [...servers, declaration.purge.method, boundary.id].join(" ");
}
