// Reads rows as artifacts: all of them in one snapshot through a cursor, or those of given keys. Read-only.
import type { Artifact } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import type { ScanPart } from "../../../surface.ts";
import { openConnection, rollBack, rowsOf, type Db, type TextRow } from "./connect.ts";
import { isUnique, resolveLayout, type Layout } from "./layout.ts";
import { matchKeys } from "./match-keys.ts";
import type { PostgresOptions, PostgresTarget } from "../options.ts";
import { mergeRows, rowQuery } from "./row-query.ts";
import { foldingsOf } from "./spellings.ts";
import { storeError } from "../store-errors.ts";

/** What is fetched at once: so many characters of rows, whatever their number. */
const FETCH_CHARS = 2_000_000;
const FIRST_ROWS = 200;
const MOST_ROWS = 5_000;

/** Every artifact in key order; the cursor and its snapshot end with it. `ready` is waited for first. @throws StoreError | BoundaryError */
export async function* scanRows(
  options: PostgresOptions,
  target: PostgresTarget,
  part: ScanPart,
  ready: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  await ready();
  const { db, close } = await openConnection(target, signal);
  try {
    await db.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const layout = await resolveLayout(db, options);
    const foldings = await foldingsOf(db, layout);
    const { select, from, order, toArtifact } = rowQuery(layout, part, foldings);
    await db.client.query(`DECLARE deleatur_scan NO SCROLL CURSOR FOR SELECT ${select} FROM ${from} ORDER BY ${order}`);
    const isOneRow = isUnique(layout);
    let group: Artifact[] = [];
    for await (const rows of fetchRows(db, "deleatur_scan", signal)) {
      for (const row of rows) {
        const artifact = toArtifact(row);
        if (isOneRow) {
          yield artifact;
          continue;
        }
        if (group[0] === undefined || group[0].key === artifact.key) {
          group.push(artifact);
          continue;
        }
        const before = mergeRows(group);
        group = [artifact];
        if (before !== undefined) yield before;
      }
    }
    const last = mergeRows(group);
    if (last !== undefined) yield last;
  } catch (cause) {
    signal.throwIfAborted();
    throw storeError(cause, target.store);
  } finally {
    await rollBack(db);
    await close();
  }
}

/** A cursor to its end. So many rows at once that they fit, by the size of those before; the server reads the next while these are worked on. */
async function* fetchRows(db: Db, cursor: string, signal: AbortSignal): AsyncGenerator<readonly TextRow[]> {
  const fetch = (count: number): Promise<readonly TextRow[]> => {
    const rows = rowsOf(db, `FETCH FORWARD ${count} FROM ${cursor}`);
    rows.catch(() => undefined); // told where it is waited for
    return rows;
  };
  let count = FIRST_ROWS;
  for (let coming = fetch(count); ;) {
    signal.throwIfAborted();
    const rows = await coming;
    const isLast = rows.length < count;
    if (!isLast) {
      count = nextCount(rows);
      coming = fetch(count);
    }
    yield rows;
    if (isLast) return;
  }
}

function nextCount(rows: readonly TextRow[]): number {
  let chars = 1;
  for (const row of rows) for (const text of row) chars += text?.length ?? 0;
  return Math.max(1, Math.min(MOST_ROWS, 4 * rows.length, Math.floor((FETCH_CHARS * rows.length) / chars)));
}

const KEYS_AT_ONCE = 500;

/** The artifacts of these keys that exist. */
export async function* readKeys(
  options: PostgresOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  const distinct = [...new Set(keys)];
  if (distinct.length === 0) return;
  const { db, close } = await openConnection(options.target, signal);
  try {
    const layout = await resolveLayout(db, options);
    for (let from = 0; from < distinct.length; from += KEYS_AT_ONCE) {
      signal.throwIfAborted();
      const batch = distinct.slice(from, from + KEYS_AT_ONCE);
      const found = await artifactsOf(db, layout, batch);
      for (const key of batch) {
        const artifact = found.get(key);
        if (artifact !== undefined) yield artifact;
      }
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw storeError(cause, options.target.store);
  } finally {
    await close();
  }
}

/** Rows of these keys, merged by key. */
async function artifactsOf(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
): Promise<ReadonlyMap<ArtifactKey, Artifact>> {
  const found = new Map<ArtifactKey, Artifact>();
  for (const [key, rows] of await rowsByKey(db, layout, keys)) {
    const merged = mergeRows(rows);
    if (merged !== undefined) found.set(key, merged);
  }
  return found;
}

/** Every row of these keys. */
export async function rowsByKey(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
): Promise<ReadonlyMap<ArtifactKey, readonly Artifact[]>> {
  const byKey = new Map<ArtifactKey, Artifact[]>();
  const match = matchKeys(layout, keys, "t");
  if (match === undefined) return byKey;
  const { select, from, toArtifact } = rowQuery(layout, "all");
  const using = match.using === "" ? "" : `, ${match.using}`;
  for (const row of await rowsOf(db, `SELECT ${select} FROM ${from}${using} WHERE ${match.where}`, match.values)) {
    const artifact = toArtifact(row);
    const known = byKey.get(artifact.key);
    if (known === undefined) byKey.set(artifact.key, [artifact]);
    else known.push(artifact);
  }
  return byKey;
}
