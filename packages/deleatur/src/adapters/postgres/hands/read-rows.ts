// Reads rows as artifacts: all of them in one snapshot through a cursor, or those of given keys. Read-only.
import type { Artifact } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import type { ScanPart } from "../../../surface.ts";
import { openConnection, rollBack, rowsOf, withConnection, type Db, type TextRow } from "./connect.ts";
import { resolveLayout, type Layout } from "./layout.ts";
import { matchKeys } from "./match-keys.ts";
import type { PostgresOptions, PostgresTarget } from "../options.ts";
import { mergeRows, rowQuery } from "./row-query.ts";
import { storeError } from "../store-errors.ts";

/** What is fetched at once: so many characters of rows, whatever their number. */
const FETCH_CHARS = 4_000_000;
const FIRST_ROWS = 200;
const MOST_ROWS = 5_000;

/** Every artifact in key order; the cursor and its snapshot end with it. @throws StoreError | BoundaryError */
export async function* scanRows(
  options: PostgresOptions,
  target: PostgresTarget,
  part: ScanPart,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  const { db, close } = await openConnection(target, signal);
  try {
    await db.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const layout = await resolveLayout(db, options);
    const { select, from, order, toArtifact } = rowQuery(layout, part);
    await db.client.query(`DECLARE deleatur_scan NO SCROLL CURSOR FOR SELECT ${select} FROM ${from} ORDER BY ${order}`);
    let group: Artifact[] = [];
    for await (const row of fetchRows(db, "deleatur_scan", signal)) {
      const artifact = toArtifact(row);
      if (group[0] === undefined || group[0].key === artifact.key) {
        group.push(artifact);
        continue;
      }
      const before = mergeRows(group);
      group = [artifact];
      if (before !== undefined) yield before;
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

/** A cursor to its end. So many rows at once that they fit, by the size of those before. */
async function* fetchRows(db: Db, cursor: string, signal: AbortSignal): AsyncGenerator<TextRow> {
  let count = FIRST_ROWS;
  for (;;) {
    signal.throwIfAborted();
    const rows = await rowsOf(db, `FETCH FORWARD ${count} FROM ${cursor}`);
    yield* rows;
    if (rows.length < count) return;
    const chars = rows.reduce((sum, row) => sum + row.reduce((size, text) => size + (text?.length ?? 0), 0), 0);
    count = Math.max(1, Math.min(MOST_ROWS, 4 * count, Math.floor((FETCH_CHARS * rows.length) / Math.max(1, chars))));
  }
}

const KEYS_AT_ONCE = 500;

/** The artifacts of these keys that exist. */
export async function* readKeys(
  options: PostgresOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  const distinct = [...new Set(keys)];
  for (let from = 0; from < distinct.length; from += KEYS_AT_ONCE) {
    const batch = distinct.slice(from, from + KEYS_AT_ONCE);
    const found = await withConnection(
      options.target,
      async (db) => artifactsOf(db, await resolveLayout(db, options), batch),
      signal,
    );
    for (const key of batch) {
      const artifact = found.get(key);
      if (artifact !== undefined) yield artifact;
    }
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
