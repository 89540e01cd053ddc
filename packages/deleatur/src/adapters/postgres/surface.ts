// One open PostgreSQL surface: each act does one thing on a connection of its own, which an erase keeps for the next for a moment; standbys are waited for. No probe imports this.
import type { Erased, Offered, Planted, Rewritten } from "../../model/artifact.ts";
import { StoreError } from "../../model/errors.ts";
import type { Container, FenceStrength, Guarantees, Surface } from "../../surface.ts";
import { takeCensus } from "./hands/census.ts";
import { withConnection, type Db } from "./hands/connect.ts";
import { countAgain, eraseRows } from "./hands/erase-rows.ts";
import { foreseeStore } from "./hands/foresee-store.ts";
import { fencedRequests, lowerFence, raiseFence } from "./hands/fence-store.ts";
import { resolveLayout, type Layout } from "./hands/layout.ts";
import { listFollowers } from "./hands/list-followers.ts";
import { markStore, readMarkers, unmarkStore } from "./hands/ledger-marker.ts";
import { offerRow, plantRow } from "./hands/offer-row.ts";
import { awaitReplay } from "./hands/purge-log.ts";
import { forgetPurge, noteOffer, purgeOnce } from "./hands/purge-once.ts";
import { isStandby, takesLock } from "./hands/purge-store.ts";
import { readKeys, scanRows } from "./hands/read-rows.ts";
import { rewriteRows } from "./hands/rewrite-rows.ts";
import { keepWarm } from "./hands/warm-connection.ts";
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
  const declared = options.boundary.surfaces.map(({ id }) => id);
  const warm = keepWarm(target);
  // A table may have changed between two acts: it is read anew.
  const onOwn = <Result>(work: (db: Db, layout: Layout) => Promise<Result>, signal: AbortSignal): Promise<Result> =>
    warm.use(async (db) => work(db, await resolveLayout(db, options)), signal);
  /** The store's own server, and copies that are written to by themselves: a standby takes all from the log. */
  const writable = async (signal: AbortSignal): Promise<readonly PostgresTarget[]> => {
    const found = [target];
    for (const replica of replicas) if (!(await withConnection(replica, isStandby, signal))) found.push(replica);
    return found;
  };
  const onEach = async <Result>(
    work: (db: Db, layout: Layout) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<readonly Result[]> => {
    const results: Result[] = [];
    for (const each of await writable(signal))
      results.push(await withConnection(each, async (db) => work(db, await resolveLayout(db, options)), signal));
    return results;
  };
  const reachReplicas = async (signal: AbortSignal): Promise<void> => {
    for (const replica of replicas) await withReplica(options, replica, () => Promise.resolve(), signal);
  };
  return {
    guarantees,
    async census(signal) {
      const containers: Container[] = [];
      for (const each of [target, ...replicas]) containers.push(...(await withConnection(each, takeCensus, signal)));
      return [...containers, ...(await listFollowers(options, signal))];
    },
    // CLAIM-6: what one copy shows counts when every copy was reached and is no older.
    scan: (signal, part = "all") => scanRows(options, target, part, () => reachReplicas(signal), signal),
    read: (keys, signal) => readKeys(options, keys, signal),
    async rewrite(replacements, signal) {
      forgetPurge(target);
      const ends = await onEach((db, layout) => rewriteRows(db, layout, replacements, signal), signal);
      await reachReplicas(signal);
      return combine(ends);
    },
    async erase(keys, signal) {
      forgetPurge(target);
      const distinct = [...new Set(keys)];
      let ends = await onOwn((db, layout) => eraseRows(db, layout, distinct, signal), signal);
      for (const replica of replicas) ends = await eraseFrom(options, replica, ends, signal);
      return ends;
    },
    purgeLock: (signal) => {
      signal.throwIfAborted();
      return Promise.resolve(takesLock(options) ? "exclusive" : "none");
    },
    foresee: (signal) => foreseeStore(options, signal),
    purge: (signal) => purgeOnce(options, signal),
    async offer(artifact, signal): Promise<Offered> {
      noteOffer(options);
      const offers = await onEach((db, layout) => offerRow(db, layout, artifact), signal);
      const [own] = offers;
      return offers.find(({ outcome }) => outcome !== "refused") ?? own ?? { outcome: "failed", why: "no store" };
    },
    async plant(canary, signal): Promise<Planted> {
      const own = await onOwn((db, layout) => plantRow(db, layout, canary), signal);
      if (own.outcome === "unsupported") return own;
      // The other copies take the key that the store's own gave.
      const copy = { ...canary, key: own.key };
      for (const replica of replicas)
        await withReplica(
          options,
          replica,
          async (db, isCopy) => (isCopy ? undefined : plantRow(db, await resolveLayout(db, options), copy)),
          signal,
        );
      return own;
    },
    async fence(order, signal): Promise<FenceStrength> {
      const strengths = await onEach((db, layout) => raiseFence(db, layout, order), signal);
      return strengths.every((strength) => strength === "strong") ? "strong" : "leased";
    },
    async fences(signal) {
      const standing = await onEach((db) => fencedRequests(db, options.surface, declared), signal);
      return [...new Set(standing.flat())];
    },
    async unfence(requests, signal) {
      await onEach((db) => lowerFence(db, options.surface, declared, requests), signal);
      // Only salted digests ever stood there.
      return "ended";
    },
    async mark(ledger, signal) {
      const marks = [];
      for (const each of await writable(signal)) marks.push(await markStore(each, ledger, signal));
      return marks.includes("unmarked") ? "unmarked" : "marked";
    },
    async markers(signal) {
      const found = [];
      for (const each of [target, ...replicas]) found.push(...(await readMarkers(each, signal)));
      return [...new Set(found)];
    },
    async unmark(ledgers, signal) {
      for (const each of await writable(signal)) await unmarkStore(each, ledgers, signal);
    },
    close: () => warm.close(),
  };
}

/** CLAIM-6: an outcome holds where it holds in every copy; absent from one and rewritten in another is rewritten. */
function combine(perCopy: readonly (readonly Rewritten[])[]): readonly Rewritten[] {
  const [first = [], ...others] = perCopy;
  return first.map((outcome, index) => {
    const all = [outcome, ...others.flatMap((outcomes) => outcomes[index] ?? [])];
    return all.find((one) => one.outcome === "failed") ?? all.find((one) => one.outcome !== "absent") ?? outcome;
  });
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
  try {
    const there = await withReplica(
      options,
      replica,
      async (db, isCopy) => {
        const layout = await resolveLayout(db, options);
        if (isCopy) return await countAgain(db, layout, ends);
        return await eraseRows(
          db,
          layout,
          ends.map(({ key }) => key),
          signal,
        );
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
