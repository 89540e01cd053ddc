// Erases rows by key and counts again that each is gone. It deletes what it was named and what belongs to that alone: join rows of its own, no cascades.
import type { Erased } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { quoteName, quoteTable } from "../options.ts";
import { isRowRefusal, refusalReason } from "../store-errors.ts";
import { changedBy, inTransaction, rowsOf, type Db } from "./connect.ts";
import { keysWithCascades } from "./find-cascades.ts";
import { isUnique, type Join, type Layout } from "./layout.ts";
import { keySql, matchKeys, type KeyMatch } from "./match-keys.ts";
import { erasingUnderTheFence } from "./own-objects.ts";

/** Rows of one transaction: small enough that no other writer waits long. */
const BATCH = 20_000;
/** Keys that are looked up at once: of very many, one pass over the table is cheaper than a way through the index for each. */
const LOOKED_UP = 100_000;

const CASCADES =
  "rows of another table refer to it and would be deleted with it (ON DELETE CASCADE): declare that table, so that they go first, or delete them";

export async function eraseRows(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  let ends = await eraseOnce(db, layout, keys, signal);
  for (let last = ends; last.some(({ outcome }) => outcome === "erased");) {
    const failed = last.flatMap(({ key, outcome }) => (outcome === "failed" ? [key] : []));
    if (failed.length === 0) break;
    // What rows of this very table refer to may go once those are gone.
    last = await eraseOnce(db, layout, failed, signal);
    const again = new Map(last.map((end) => [end.key, end]));
    ends = ends.map((end) => again.get(end.key) ?? end);
  }
  return await countAgain(db, layout, ends);
}

async function eraseOnce(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  const ends: Erased[] = [];
  for (let start = 0; start < keys.length; start += BATCH) {
    signal.throwIfAborted();
    for (const end of await eraseBatch(db, layout, keys.slice(start, start + BATCH))) ends.push(end);
  }
  return ends;
}

/** All in one transaction; where a row is refused, each half by itself, so that the others go. */
async function eraseBatch(db: Db, layout: Layout, keys: readonly ArtifactKey[]): Promise<readonly Erased[]> {
  const { surface } = layout.options;
  try {
    const { gone, kept } = await inTransaction(db, () =>
      erasingUnderTheFence(db, () => deleteMatching(db, layout, keys)),
    );
    return keys.map((key): Erased => {
      if (kept.has(key)) return { surface, key, outcome: "failed", why: CASCADES };
      return { surface, key, outcome: gone === "all" || gone.has(key) ? "erased" : "absent" };
    });
  } catch (cause) {
    if (!isRowRefusal(cause)) throw cause;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined)
      return [{ surface, key: only, outcome: "failed", why: refusalReason(cause) }];
    const half = keys.length >> 1;
    return [
      ...(await eraseBatch(db, layout, keys.slice(0, half))),
      ...(await eraseBatch(db, layout, keys.slice(half))),
    ];
  }
}

/** Which of the keys were there and went, and which were left because of what hangs on them. */
interface Deleted {
  readonly gone: ReadonlySet<string> | "all";
  readonly kept: ReadonlySet<string>;
}

async function deleteMatching(db: Db, layout: Layout, keys: readonly ArtifactKey[]): Promise<Deleted> {
  const joins = ownedJoins(layout);
  const kept = await keysWithCascades(db, layout, joins, keys);
  const match = matchKeys(layout, kept.size === 0 ? keys : keys.filter((key) => !kept.has(key)), "t");
  if (match === undefined) return { gone: new Set(), kept };
  for (const join of joins) await deleteJoinRows(db, layout, join, match);
  const using = match.using === "" ? "" : `USING ${match.using}`;
  const statement = `DELETE FROM ${quoteTable(layout.options.table)} AS t ${using} WHERE ${match.where}`;
  if (kept.size === 0 && isUnique(layout) && match.count === keys.length) {
    // As many rows as keys, each of which can have one: that says it all. Otherwise the server is asked which they were.
    await db.client.query("SAVEPOINT deleatur_delete");
    if ((await changedBy(db, statement, match.values)) === keys.length) return { gone: "all", kept };
    await db.client.query("ROLLBACK TO SAVEPOINT deleatur_delete");
  }
  const rows = await rowsOf(db, `${statement} RETURNING ${keySql(layout, "t")}`, match.values);
  return { gone: new Set(rows.map(([key]) => key ?? "")), kept };
}

/** Join rows that refer to the artifact's own key go with it; a thread that many messages share stays. */
function ownedJoins(layout: Layout): readonly Join[] {
  return [...layout.subjects, ...layout.sources].flatMap((locator) =>
    locator.how === "via" && locator.join.isOwned ? [locator.join] : [],
  );
}

async function deleteJoinRows(db: Db, layout: Layout, { table, on, link }: Join, match: KeyMatch): Promise<void> {
  const from = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
  await changedBy(
    db,
    `DELETE FROM ${quoteTable(table)} AS j WHERE j.${quoteName(on)} IN (SELECT t.${quoteName(link)} FROM ${from} WHERE ${match.where})`,
    match.values,
  );
}

/** CLAIM-5: what the delete said is no evidence, so every key is looked up once more after the commit. */
export async function countAgain(db: Db, layout: Layout, ends: readonly Erased[]): Promise<readonly Erased[]> {
  const still = new Set<string>();
  for (let start = 0; start < ends.length; start += LOOKED_UP) {
    const keys = ends.slice(start, start + LOOKED_UP).map(({ key }) => key);
    const match = matchKeys(layout, keys, "t");
    if (match === undefined) continue;
    const from = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
    const rows = await rowsOf(db, `SELECT ${keySql(layout, "t")} FROM ${from} WHERE ${match.where}`, match.values);
    for (const [key] of rows) if (key !== null && key !== undefined) still.add(key);
  }
  if (still.size === 0) return ends;
  return ends.map((end): Erased => {
    const { surface, key, outcome } = end;
    if (outcome === "failed" || !still.has(key)) return end;
    const why = `rows are still there after the delete, in store ${db.target.store}`;
    return { surface, key, outcome: "failed", why };
  });
}
