// Lists servers that take rows from this one, or that this one takes rows from, beyond those that are declared: each holds copies. It cannot reach them and reads the catalog only.
import type { Container } from "../../../surface.ts";
import type { PostgresOptions, PostgresTarget } from "../options.ts";
import { rowsOf, withConnection, type Db } from "./connect.ts";
import { isStandby } from "./purge-store.ts";

/**
 * Whoever streams the log of a store's servers counts, standby, subscriber or archive; a declared standby is one of them. A base backup that is under way is nobody's copy yet.
 * @throws StoreError
 */
export async function listFollowers(options: PostgresOptions, signal: AbortSignal): Promise<readonly Container[]> {
  const { target } = options;
  const servers = [target, ...replicasOf(options)];
  let [streaming, standbys, publishers] = [0, 0, 0];
  for (const [place, server] of servers.entries())
    await withConnection(
      server,
      async (db) => {
        streaming += await count(db, "pg_catalog.pg_stat_replication WHERE state IS DISTINCT FROM 'backup'");
        const isCopy = await isStandby(db);
        if (isCopy && place > 0) standbys += 1;
        // A standby has its primary's subscriptions and does not follow them.
        if (!isCopy)
          publishers += await count(
            db,
            "pg_catalog.pg_subscription s JOIN pg_catalog.pg_database d ON d.oid = s.subdbid WHERE d.datname = pg_catalog.current_database()",
          );
      },
      signal,
    );
  const named = (what: string, many: number): readonly Container[] =>
    Array.from({ length: Math.max(0, many) }, (_, at): Container => ({
      name: `${target.store}.[${what} ${at + 1}]`,
      kind: "table",
      holds: ["text"],
    }));
  return [...named("follower", streaming - standbys), ...named("publisher", publishers)];
}

/** One census speaks for all surfaces of a store, so that every replica counts that any of them declares. */
function replicasOf({ boundary, target }: PostgresOptions): readonly PostgresTarget[] {
  const names = new Set(boundary.surfaces.flatMap(({ store, replicas }) => (store === target.store ? replicas : [])));
  return [...names].flatMap((name): PostgresTarget[] => {
    const connection = boundary.connect.stores.get(name);
    return connection?.type === "postgres" ? [{ store: name, url: connection.url, data: connection.data }] : [];
  });
}

async function count(db: Db, from: string): Promise<number> {
  const [row] = await rowsOf(db, `SELECT count(*)::text FROM ${from}`);
  return Number(row?.[0] ?? 0);
}
