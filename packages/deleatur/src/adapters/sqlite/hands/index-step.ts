// Keeps FTS5 indexes over a table in step while its rows are erased or rewritten. An external-content or contentless index that an application's trigger
// clears a second time is damaged ("database disk image is malformed"), so a row that is missing there is put back just before.
import { quoteName } from "../options.ts";
import type { Db } from "./connect.ts";
import { listFtsTables, type FtsFacts } from "./fts-facts.ts";
import { isRowid, readColumns, type Layout } from "./layout.ts";
import type { SqlValue } from "./values.ts";

export interface IndexKeeper {
  /** Before rows that match are deleted. */
  beforeDelete(condition: string, parameters: readonly SqlValue[]): void;
  /** Around an update of rows that match. */
  aroundUpdate(condition: string, parameters: readonly SqlValue[], update: () => void): void;
}

/** Finds the indexes over the layout's table once; without any, nothing is done. */
export function keepIndexesInStep(db: Db, layout: Layout): IndexKeeper {
  const over = indexesOver(db, layout);
  const table = quoteName(layout.options.table);
  const putBack = (index: FedIndex, condition: string, parameters: readonly SqlValue[]): void => {
    const columns = index.facts.columns.map(quoteName).join(", ");
    const rowid = quoteName(index.rowid);
    db.prepare<SqlValue[]>(
      `INSERT INTO ${quoteName(index.facts.name)} (rowid, ${columns}) SELECT ${rowid}, ${columns} FROM ${table}
       WHERE (${condition}) AND ${rowid} NOT IN (SELECT id FROM ${quoteName(`${index.facts.name}_docsize`)})`,
    ).run(...parameters);
  };
  return {
    beforeDelete(condition, parameters) {
      for (const index of over) if (index.isTriggerFed) putBack(index, condition, parameters);
    },
    aroundUpdate(condition, parameters, update) {
      const ours = over.filter(({ isTriggerFed }) => !isTriggerFed);
      const indexed = ours.map((index) => ({ index, rowids: takeOut(db, table, index, condition, parameters) }));
      for (const index of over) if (index.isTriggerFed) putBack(index, condition, parameters);
      update();
      for (const { index, rowids } of indexed) for (const rowid of rowids) putIn(db, table, index, rowid);
    },
  };
}

interface FedIndex {
  readonly facts: FtsFacts;
  /** The column of the base table that numbers the index's rows. */
  readonly rowid: string;
  /** Whether triggers of the application write this index with every row. */
  readonly isTriggerFed: boolean;
}

function indexesOver(db: Db, layout: Layout): readonly FedIndex[] {
  if (layout.options.kind !== "sqlite") return [];
  const table = layout.options.table.toLowerCase();
  const columns = new Set([...(readColumns(db, layout.options.table)?.keys() ?? [])].map((name) => name.toLowerCase()));
  const triggers = listTriggers(db, layout.options.table);
  return listFtsTables(db).flatMap((facts): readonly FedIndex[] => {
    if (!facts.hasDocsize || !facts.columns.every((name) => columns.has(name.toLowerCase()))) return [];
    const isTriggerFed = triggers.some((sql) => mentions(sql, facts.name));
    const rowid = facts.contentRowid ?? "rowid";
    if (facts.mode === "external" && facts.contentTable?.toLowerCase() === table)
      return [{ facts, rowid, isTriggerFed }];
    if (facts.mode !== "none") return [];
    if (isTriggerFed) return facts.contentlessDelete ? [] : [{ facts, rowid, isTriggerFed }];
    return isDeclaredOver(layout, facts.name) ? [{ facts, rowid, isTriggerFed }] : [];
  });
}

/** Whether the boundary declares an index without content whose rows are this table's, by their number. */
function isDeclaredOver(layout: Layout, index: string): boolean {
  const { boundary, declaration } = layout.options;
  return boundary.surfaces.some(
    ({ kind, store, table, derivedFrom }) =>
      kind === "sqlite-fts" &&
      store === declaration.store &&
      table?.toLowerCase() === index.toLowerCase() &&
      derivedFrom.some(
        (locator) => locator.surface === declaration.id && "column" in locator && isRowid(locator.column),
      ),
  );
}

/** The CREATE statements of a table's triggers, ours left out. */
export function listTriggers(db: Db, table: string): readonly string[] {
  return db
    .prepare<[string], { sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name NOT LIKE 'deleatur\\_%' ESCAPE '\\'",
    )
    .all(table)
    .map(({ sql }) => sql);
}

/** Whether a trigger's text names a table. */
export function mentions(sql: string, table: string): boolean {
  return new RegExp(`(^|[^\\w])${table.replaceAll(/[^\w]/g, "\\$&")}([^\\w]|$)`, "i").test(sql);
}

function takeOut(
  db: Db,
  table: string,
  index: FedIndex,
  condition: string,
  parameters: readonly SqlValue[],
): readonly bigint[] {
  const name = quoteName(index.facts.name);
  const rowids = db
    .prepare<SqlValue[], { id: bigint }>(
      `SELECT ${quoteName(index.rowid)} AS id FROM ${table} WHERE (${condition}) AND ${quoteName(index.rowid)} IN (SELECT id FROM ${quoteName(`${index.facts.name}_docsize`)})`,
    )
    .all(...parameters)
    .map(({ id }) => id);
  const columns = index.facts.columns.map(quoteName).join(", ");
  const isValued = index.facts.mode === "none" && !index.facts.contentlessDelete;
  // Where it can, FTS5 reads the old values from the base row itself, which still stands; a contentless index must be told.
  const remove = db.prepare<[bigint]>(
    isValued
      ? `INSERT INTO ${name} (${name}, rowid, ${columns}) SELECT 'delete', ${quoteName(index.rowid)}, ${columns} FROM ${table} WHERE ${quoteName(index.rowid)} = ?`
      : `DELETE FROM ${name} WHERE rowid = ?`,
  );
  for (const id of rowids) remove.run(id);
  return rowids;
}

function putIn(db: Db, table: string, index: FedIndex, rowid: bigint): void {
  const columns = index.facts.columns.map(quoteName).join(", ");
  db.prepare<[bigint]>(
    `INSERT INTO ${quoteName(index.facts.name)} (rowid, ${columns}) SELECT ${quoteName(index.rowid)}, ${columns} FROM ${table} WHERE ${quoteName(index.rowid)} = ?`,
  ).run(rowid);
}
