// Erases rows by key and counts again that each is gone. It deletes what it was named and what belongs to that alone: join rows of its own, no cascades.
import type { Erased } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import { isRowRefusal, refusalReason } from "../store-errors.ts";
import { preparing, underSavepoint, type Db } from "./connect.ts";
import { guardAgainstCopies, MIN_CONTAINED } from "./hush-copies.ts";
import { keepIndexesInStep } from "./index-step.ts";
import { keyCondition, partsOfKey, typedComparison, type Condition } from "./key-condition.ts";
import { isRowid, type Join, type Layout } from "./layout.ts";
import { columnsToRead, createRowReader } from "./row-reader.ts";
import { inErasingTransaction } from "./store-marker.ts";
import { candidatesOf, type SqlValue } from "./values.ts";

/** Rows of one transaction: small enough that no other writer waits long. */
const BATCH = 500;

export function eraseRows(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): readonly Erased[] {
  const outcomes: Erased[] = [];
  for (let start = 0; start < keys.length; start += BATCH) {
    signal.throwIfAborted();
    const batch = keys.slice(start, start + BATCH);
    const ends = inErasingTransaction(db, () => eraseBatch(db, layout, batch));
    outcomes.push(...countAgain(db, layout, ends));
  }
  return outcomes;
}

function eraseBatch(db: Db, layout: Layout, keys: readonly ArtifactKey[]): readonly Erased[] {
  const condition = keyCondition(layout, bareColumn);
  const reader = createRowReader(db, layout);
  const guard = guardAgainstCopies(db, layout.options.table);
  const keeper = keepIndexesInStep(db, layout);
  const joins = ownedJoins(layout);
  const undeclared = undeclaredValues(db, layout);
  const prepared = preparing(db);
  const eraseOne = (key: ArtifactKey): "erased" | "absent" => {
    const row = condition(key);
    if (row === undefined) return "absent";
    guard?.name([...guardedValues(layout, reader.rowsOf(key)), ...undeclared(row)]);
    keeper.beforeDelete(row.sql, row.parameters);
    for (const join of joins) deleteJoinRows(db, join, key);
    const deleted = prepared<SqlValue[]>(`DELETE FROM ${quoteName(layout.options.table)} WHERE ${row.sql}`).run(
      ...row.parameters,
    );
    return deleted.changes > 0 ? "erased" : "absent";
  };
  return keys.map((key): Erased => {
    const ref = { surface: layout.options.surface, key };
    try {
      return { ...ref, outcome: underSavepoint(db, () => eraseOne(key)) };
    } catch (cause) {
      if (!isRowRefusal(cause)) throw cause;
      return { ...ref, outcome: "failed", why: refusalReason(cause) };
    } finally {
      guard?.name([]);
    }
  });
}

/** CLAIM-5: what the delete said is no evidence, so every key is looked up once more after the commit. */
function countAgain(db: Db, layout: Layout, ends: readonly Erased[]): readonly Erased[] {
  const condition = keyCondition(layout, bareColumn);
  const prepared = preparing(db);
  return ends.map((end): Erased => {
    if (end.outcome === "failed") return end;
    const why = end.outcome === "absent" ? whyUnfound(layout, end.key) : undefined;
    if (why !== undefined && isRead(db, layout, end.key))
      return { surface: end.surface, key: end.key, outcome: "failed", why };
    const left = countRows(prepared, layout, condition(end.key));
    if (left === 0n) return end;
    return {
      surface: end.surface,
      key: end.key,
      outcome: "failed",
      why: `${left} rows are still there after the delete`,
    };
  });
}

/** Bytes that are no UTF-8 read as marks, and a missing part of a key as an empty one: by neither is a row found that is there. */
function whyUnfound({ key: { length } }: Layout, key: ArtifactKey): string | undefined {
  if (key.includes("\ufffd")) return "its key is no UTF-8 text, mend the row";
  return length > 1 && partsOfKey(key, length)?.includes("") === true
    ? "a part of its key is NULL, mend the row"
    : undefined;
}

/** Whether there is such a row only reading all keys tells. */
function isRead(db: Db, layout: Layout, key: ArtifactKey): boolean {
  for (const artifact of createRowReader(db, { ...layout, content: [], vector: undefined }).artifacts())
    if (artifact.key === key) return true;
  return false;
}

function countRows(prepared: ReturnType<typeof preparing>, layout: Layout, condition: Condition | undefined): bigint {
  if (condition === undefined) return 0n;
  const table = quoteName(layout.options.table);
  const sql = `SELECT count(*) AS count FROM ${table} WHERE ${condition.sql}`;
  return prepared<SqlValue[], { count: bigint }>(sql).get(...condition.parameters)?.count ?? 0n;
}

/** Join rows that refer to the artifact's own key go with it; a thread that many messages share stays. */
function ownedJoins(layout: Layout): readonly Join[] {
  return [...layout.subjects, ...layout.sources].flatMap((locator) =>
    locator.how === "via" && locator.join.isOwned ? [locator.join] : [],
  );
}

function deleteJoinRows(db: Db, join: Join, key: ArtifactKey): void {
  const parts = partsOfKey(key, 1);
  const { sql, parameters } = typedComparison(quoteName(join.on), candidatesOf(parts?.[0] ?? key));
  db.prepare<SqlValue[]>(`DELETE FROM ${quoteName(join.table)} WHERE ${sql}`).run(...parameters);
}

/** A column as a DELETE or UPDATE names it. */
export function bareColumn(name: string): string {
  return isRowid(name) ? "rowid" : quoteName(name);
}

function guardedValues(
  layout: Layout,
  rows: readonly { readonly values: ReadonlyMap<string, SqlValue> }[],
): readonly SqlValue[] {
  const names = layout.vector === undefined ? layout.content : [...layout.content, layout.vector];
  return rows.flatMap(({ values }) => names.map((name) => values.get(name) ?? null));
}

/** Reads what else a row says: what nobody declared as content may be anybody's all the same, and a trigger may copy it. */
function undeclaredValues(db: Db, layout: Layout): (row: Condition) => readonly SqlValue[] {
  const declared = new Set(columnsToRead(layout));
  // Without generated columns: they say what others say, and may call a function that only the application has.
  const others = db
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck(true)
    .all(layout.options.table)
    .filter((name) => !declared.has(name));
  if (others.length === 0) return () => [];
  const select = `SELECT ${others.map(quoteName).join(", ")} FROM ${quoteName(layout.options.table)}`;
  return ({ sql, parameters }) =>
    db
      .prepare<SqlValue[], SqlValue[]>(`${select} WHERE ${sql}`)
      .raw(true)
      .all(...parameters)
      .flat()
      .filter((value) => (typeof value === "string" || Buffer.isBuffer(value)) && value.length >= MIN_CONTAINED);
}
