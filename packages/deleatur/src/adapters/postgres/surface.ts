// One open PostgreSQL surface: each act opens its own connection, does one thing, and closes it again; standbys are waited for. No probe imports this.
import type { Erased, Offered, Planted } from "../../model/artifact.ts";
import { StoreError } from "../../model/errors.ts";
import type { ArtifactKey } from "../../model/ids.ts";
import type { Container, FenceStrength, Guarantees, Surface } from "../../surface.ts";
import { takeCensus } from "./hands/census.ts";
import { withConnection, type Db } from "./hands/connect.ts";
import { countAgain, eraseRows } from "./hands/erase-rows.ts";
import { lowerFence, raiseFence } from "./hands/fence-store.ts";
import { resolveLayout, type Layout } from "./hands/layout.ts";
import { markStore, readMarkers, unmarkStore } from "./hands/ledger-marker.ts";
import { offerRow, plantRow } from "./hands/offer-row.ts";
import { awaitReplay } from "./hands/purge-log.ts";
import { forgetPurge, noteOffer, purgeOnce } from "./hands/purge-once.ts";
import { isStandby, takesLock } from "./hands/purge-store.ts";
import { readKeys, scanRows } from "./hands/read-rows.ts";
import { rewriteRows } from "./hands/rewrite-rows.ts";
import type { PostgresOptions, PostgresTarget } from "./options.ts";

/** Opens the surface: the server and every replica must answer and hold the declared table and columns. @throws StoreError | BoundaryError */
export async function openPostgresSurface(options: PostgresOptions, guarantees: Guarantees): Promise<Surface> {
  const never = new AbortController().signal;
  for (const target of [options.target, ...options.replicas])
    await withConnection(target, (db) => resolveLayout(db, options), never);
  return postgresSurface(options, guarantees);
}

function postgresSurface(options: PostgresOptions, guarantees: Guarantees): Surface {
  const { target, replicas } = options;
  const onOwn = <Result>(work: (db: Db, layout: Layout) => Promise<Result>, signal: AbortSignal): Promise<Result> =>
    withConnection(target, async (db) => work(db, await resolveLayout(db, options)), signal);
  return {
    guarantees,
    async census(signal) {
      const containers: Container[] = [];
      for (const each of [target, ...replicas]) containers.push(...(await withConnection(each, takeCensus, signal)));
      return containers;
    },
    async *scan(signal, part = "all") {
      // CLAIM-6: what one copy shows counts when every copy was reached and is no older.
      for (const replica of replicas) await withReplica(options, replica, () => Promise.resolve(), signal);
      yield* scanRows(options, target, part, signal);
    },
    read: (keys, signal) => readKeys(options, keys, signal),
    async rewrite(replacements, signal) {
      forgetPurge(target);
      return await onOwn((db, layout) => rewriteRows(db, layout, replacements, signal), signal);
    },
    async erase(keys, signal) {
      forgetPurge(target);
      const distinct = [...new Set(keys)];
      const own = await onOwn((db, layout) => eraseRows(db, layout, distinct, signal), signal);
      let ends = own;
      for (const replica of replicas) ends = await eraseFrom(options, replica, ends, signal);
      return ends;
    },
    purgeLock: (signal) => {
      signal.throwIfAborted();
      return Promise.resolve(takesLock(options) ? "exclusive" : "none");
    },
    purge: (signal) => purgeOnce(options, signal),
    async offer(artifact, signal): Promise<Offered> {
      noteOffer(options);
      return await onOwn((db, layout) => offerRow(db, layout, artifact), signal);
    },
    async plant(canary, signal): Promise<Planted> {
      const planted = await onOwn((db, layout) => plantRow(db, layout, canary), signal);
      for (const replica of replicas) await withReplica(options, replica, () => Promise.resolve(), signal);
      return planted;
    },
    fence: (order, signal): Promise<FenceStrength> => onOwn((db, layout) => raiseFence(db, layout, order), signal),
    async unfence(request, signal) {
      await withConnection(target, (db) => lowerFence(db, options.surface, request), signal);
      // Only salted digests ever stood there.
      return "ended";
    },
    mark: (ledger, signal) => markStore(target, ledger, signal),
    markers: (signal) => readMarkers(target, signal),
    unmark: (ledgers, signal) => unmarkStore(target, ledgers, signal),
    // Nothing is held between calls.
    close: () => Promise.resolve(),
  };
}

/** Does something on a replica that shows all that its primary had written by now. @throws StoreError where it lags or cannot be reached */
async function withReplica<Result>(
  options: PostgresOptions,
  replica: PostgresTarget,
  work: (db: Db, isCopy: boolean) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return await withConnection(
    replica,
    async (db) => {
      const isCopy = await isStandby(db);
      if (isCopy) {
        const isCaughtUp = await withConnection(options.target, (primary) => awaitReplay(primary, db, signal), signal);
        if (!isCaughtUp)
          throw new StoreError("STORE_UNREACHABLE", `replica ${replica.store} lags behind, let it catch up`, {
            place: { surface: options.surface, store: replica.store },
            cure: "let it catch up, then run again",
          });
      }
      return await work(db, isCopy);
    },
    signal,
  );
}

/** CLAIM-6: what is gone must be gone from every copy. A standby takes it from the log, any other copy is erased from itself. */
async function eraseFrom(
  options: PostgresOptions,
  replica: PostgresTarget,
  ends: readonly Erased[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  const keys: readonly ArtifactKey[] = ends.map(({ key }) => key);
  const byKey = new Map(ends.map((end) => [end.key, end]));
  try {
    const there = await withReplica(
      options,
      replica,
      async (db, isCopy) => {
        const layout = await resolveLayout(db, options);
        return isCopy ? await countAgain(db, layout, keys, byKey) : await eraseRows(db, layout, keys, signal);
      },
      signal,
    );
    return ends.map((end, place): Erased => {
      const other = there[place];
      if (end.outcome === "failed" || other === undefined) return end;
      return other.outcome === "absent" ? end : other;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof StoreError)) throw error;
    const why = `replica ${replica.store} was not reached (${error.code})`;
    return ends.map(({ surface, key }) => ({ surface, key, outcome: "failed", why }));
  }
}
