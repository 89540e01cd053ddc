// One open SQLite surface: each act opens its own connection, does one thing to every file that holds the surface, and closes it again. No probe imports this.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Artifact, Erased, Offered, Planted, Purged, Rewritten } from "../../model/artifact.ts";
import type { ArtifactKey } from "../../model/ids.ts";
import type { FenceStrength, Guarantees, ScanPart, Surface } from "../../surface.ts";
import { takeFileCensus } from "./hands/census-files.ts";
import { takeCensus } from "./hands/census.ts";
import { connect, withConnection, type Db } from "./hands/connect.ts";
import { foreseeFiles } from "./hands/foresee-files.ts";
import { fencedRequests, lowerFence, raiseFence } from "./hands/fence-store.ts";
import { eraseIndexed, rewriteIndexed } from "./hands/fts-rows.ts";
import { indexFeed } from "./hands/index-feed.ts";
import { markStore, readMarkers, unmarkStore } from "./hands/ledger-marker.ts";
import { resolveLayout, type Layout } from "./hands/layout.ts";
import { offerRow, plantRow } from "./hands/offer-row.ts";
import { forgetPurge, purgeOnce } from "./hands/purge-once.ts";
import { emptyLogs, needsVacuum } from "./hands/purge-store.ts";
import { createRowReader, mergedByKey } from "./hands/row-reader.ts";
import { eraseRows } from "./hands/erase-rows.ts";
import { rewriteRows } from "./hands/rewrite-rows.ts";
import type { SqliteFile, SqliteOptions } from "./options.ts";
import { storeError } from "./store-errors.ts";
import { StoreError } from "../../model/errors.ts";

const ROWS_A_TURN = 500;
const ERASE_CACHE_KIB = 32_768;

/** Opens the surface: every file must exist and hold the declared table and columns. @throws StoreError | BoundaryError */
export async function openSqliteSurface(options: SqliteOptions, guarantees: Guarantees): Promise<Surface> {
  for (const target of options.files) withConnection(target, (db) => resolveLayout(db, options));
  return sqliteSurface(options, guarantees);
}

function sqliteSurface(options: SqliteOptions, guarantees: Guarantees): Surface {
  const own = ownFile(options);
  const declared = options.boundary.surfaces.map(({ id }) => id);
  /** Does the same to every file that holds the surface, one after the other. */
  const onEach = <Result>(work: (db: Db, layout: Layout, target: SqliteFile) => Result): readonly Result[] =>
    options.files.map((target) => {
      forgetPurge(target);
      return withConnection(target, (db) => work(db, resolveLayout(db, options), target));
    });
  return {
    guarantees,
    async census(signal) {
      signal.throwIfAborted();
      return options.files.flatMap((target) => [
        ...withConnection(target, (db) => takeCensus(db, target)),
        ...takeFileCensus(target, options.boundary),
      ]);
    },
    scan: (signal, part = "all") => scanRows(options, own, part, signal),
    read: (keys, signal) => readRows(options, own, keys, signal),
    async rewrite(replacements, signal) {
      return combine(onEach((db, layout) => rewriteAny(db, layout, replacements, signal)));
    },
    async erase(keys, signal) {
      const distinct = [...new Set(keys)];
      return combine(onEach((db, layout) => eraseAny(db, layout, distinct, signal)));
    },
    async purgeLock(signal) {
      signal.throwIfAborted();
      const isExclusive = options.files.some((target) =>
        withConnection(target, (db) => needsVacuum(db, options.declaration.purge)),
      );
      return isExclusive ? "exclusive" : "none";
    },
    async foresee(signal) {
      signal.throwIfAborted();
      return foreseeFiles(options);
    },
    async purge(signal) {
      return worst(
        options.files.map((target) => purgeOnce(target, options.surface, options.declaration.purge, signal)),
      );
    },
    async offer(artifact, signal): Promise<Offered> {
      signal.throwIfAborted();
      const offers = onEach((db, layout): Offered => {
        const feed = indexFeed(db, layout);
        if (feed !== undefined)
          return { outcome: "no-insert-path", why: `triggers of table ${feed} alone write this index` };
        return offerRow(db, layout, artifact);
      });
      return (
        offers.find(({ outcome }) => outcome !== "refused") ??
        offers[0] ?? { outcome: "no-insert-path", why: "no file" }
      );
    },
    async plant(canary, signal): Promise<Planted> {
      signal.throwIfAborted();
      const planted = onEach((db, layout) => plantRow(db, layout, canary));
      return (
        planted.find(({ outcome }) => outcome === "unsupported") ??
        planted[0] ?? { key: canary.key, outcome: "unsupported", why: "no file" }
      );
    },
    async fence(order, signal): Promise<FenceStrength> {
      signal.throwIfAborted();
      const strengths = onEach((db, layout): FenceStrength => {
        // A virtual table takes no trigger, and one on its shadow tables makes the file unreadable to careful connections.
        if (options.kind !== "sqlite") return indexFeed(db, layout) === undefined ? "leased" : "strong";
        return raiseFence(db, layout, order);
      });
      return strengths.every((strength) => strength === "strong") ? "strong" : "leased";
    },
    async fences(signal) {
      signal.throwIfAborted();
      const standing = options.files.flatMap((target) =>
        withConnection(target, (db) => fencedRequests(db, options.surface, declared)),
      );
      return [...new Set(standing)];
    },
    async unfence(requests, signal) {
      signal.throwIfAborted();
      const held = options.files.filter((target) => {
        forgetPurge(target);
        return withConnection(target, (db) => {
          lowerFence(db, options.surface, declared, requests);
          // While a reader holds the log, the fence's rows stay there until the next checkpoint.
          return emptyLogs(db, target) !== undefined;
        });
      });
      return held.length === 0 ? "ended" : "pending";
    },
    async mark(ledger, signal) {
      signal.throwIfAborted();
      const marks = options.files.map((target) => markStore(target, ledger));
      return marks.includes("unmarked") ? "unmarked" : "marked";
    },
    async markers(signal) {
      signal.throwIfAborted();
      return options.files.flatMap(readMarkers);
    },
    async unmark(ledgers, signal) {
      signal.throwIfAborted();
      for (const target of options.files) unmarkStore(target, ledgers);
    },
    // Nothing is held between calls: a connection that stays open would hold the write-ahead log.
    close: () => Promise.resolve(),
  };
}

function eraseAny(db: Db, layout: Layout, keys: readonly ArtifactKey[], signal: AbortSignal): readonly Erased[] {
  // Rows lie anywhere: with less room, a page that several of a batch are on would be written more than once.
  db.pragma(`cache_size = -${ERASE_CACHE_KIB}`);
  const isForeignContent = layout.fts !== undefined && layout.fts.mode !== "own";
  return isForeignContent ? eraseIndexed(db, layout, keys, signal) : eraseRows(db, layout, keys, signal);
}

function rewriteAny(db: Db, layout: Layout, wanted: readonly Artifact[], signal: AbortSignal): readonly Rewritten[] {
  const isForeignContent = layout.fts !== undefined && layout.fts.mode !== "own";
  return isForeignContent ? rewriteIndexed(db, layout, wanted, signal) : rewriteRows(db, layout, wanted, signal);
}

function scanRows(
  options: SqliteOptions,
  own: SqliteFile,
  part: ScanPart,
  signal: AbortSignal,
): AsyncIterable<Artifact> {
  return inSnapshot(options, own, (db, whole) => {
    const layout = part === "all" ? whole : { ...whole, content: [], vector: undefined };
    return mergedByKey(createRowReader(db, layout).artifacts(), signal);
  });
}

function readRows(
  options: SqliteOptions,
  own: SqliteFile,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): AsyncIterable<Artifact> {
  return inSnapshot(options, own, (db, layout) => mergedByKey(createRowReader(db, layout).artifactsOf(keys), signal));
}

/** One read transaction on a connection of its own, ended even where the reader stops early. */
async function* inSnapshot(
  options: SqliteOptions,
  target: SqliteFile,
  work: (db: Db, layout: Layout) => Iterable<Artifact>,
): AsyncGenerator<Artifact> {
  const db = connect(target);
  try {
    db.exec("BEGIN");
    let count = 0;
    for (const artifact of work(db, resolveLayout(db, options))) {
      yield artifact;
      count += 1;
      // SQLite answers at once: without a pause nothing else, an abort neither, would have its turn.
      if (count % ROWS_A_TURN === 0) await nextTurn();
    }
  } catch (cause) {
    throw storeError(cause, target.store, target.file);
  } finally {
    db.close();
  }
}

function ownFile(options: SqliteOptions): SqliteFile {
  const [own] = options.files;
  if (own === undefined)
    throw new StoreError("STORE_NOT_GIVEN", `surface ${options.surface} names no store, add store`);
  return own;
}

/** CLAIM-6: an outcome holds where it holds in every file; absent from one and erased from another is erased. */
function combine<Outcome extends Erased | Rewritten>(perFile: readonly (readonly Outcome[])[]): readonly Outcome[] {
  const [first = [], ...others] = perFile;
  return first.map((outcome, index) => {
    const all = [outcome, ...others.flatMap((outcomes) => outcomes[index] ?? [])];
    return all.find((one) => one.outcome === "failed") ?? all.find((one) => one.outcome !== "absent") ?? outcome;
  });
}

function worst(purges: readonly Purged[]): Purged {
  return (
    purges.find(({ outcome }) => outcome === "failed") ??
    purges.find(({ outcome }) => outcome === "unsupported") ??
    purges.find(({ outcome }) => outcome === "pending") ??
    purges[0] ?? { outcome: "failed", why: "no file" }
  );
}
