// Finds keys whose delete the store would carry further by ON DELETE CASCADE, to rows that nobody named and that may be somebody else's. It deletes nothing.
import type { ArtifactKey } from "../../../model/ids.ts";
import { quoteName, quoteTable, type TableName } from "../options.ts";
import type { Reference } from "./columns.ts";
import { rowsOf, type Db } from "./connect.ts";
import type { Join, Layout } from "./layout.ts";
import { keySql, matchKeys } from "./match-keys.ts";

/**
 * Keys whose rows others hang on by a cascade: on the row itself, in whatever part of its table it stands, or on a join row that goes with it. The rows are held, so that none comes to hang
 * on them meanwhile.
 */
export async function keysWithCascades(
  db: Db,
  layout: Layout,
  joins: readonly Join[],
  keys: readonly ArtifactKey[],
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  const hanging = [
    ...cascades(layout.references)
      .filter(({ child }) => !joins.some(({ table }) => isSameTable(table, child)))
      .map((reference) => childSql(layout, reference, keys)),
    ...joins.flatMap((join) =>
      cascades(join.references).map(
        (reference) => `${joinedSql(reference)} WHERE j.${quoteName(join.on)} = t.${quoteName(join.link)}`,
      ),
    ),
  ];
  const match = hanging.length === 0 ? undefined : matchKeys(layout, keys, "t");
  if (match === undefined) return kept;
  const from = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
  await db.client.query(`SELECT 1 FROM ${from} WHERE ${match.where} FOR UPDATE OF t`, [...match.values]);
  for (const exists of hanging) {
    const rows = await rowsOf(
      db,
      `SELECT DISTINCT ${keySql(layout, "t")} FROM ${from} WHERE ${match.where} AND EXISTS (${exists})`,
      match.values,
    );
    for (const [key] of rows) if (key !== null && key !== undefined) kept.add(key);
  }
  return kept;
}

/** Whether anything hangs on join rows, which are called `j`. */
export async function hasCascades(db: Db, join: Join, which: string, values: readonly unknown[]): Promise<boolean> {
  for (const reference of cascades(join.references)) {
    const [row] = await rowsOf(db, `${joinedSql(reference)} WHERE ${which} LIMIT 1`, values);
    if (row !== undefined) return true;
  }
  return false;
}

function cascades(references: readonly Reference[]): readonly Reference[] {
  return references.filter(({ onDelete }) => onDelete === "c");
}

/** A row that refers to `t`; one of the same table that is to go as well does not count. */
function childSql(layout: Layout, reference: Reference, keys: readonly ArtifactKey[]): string {
  const { child, parent } = reference;
  const going = isSameTable(child, layout.options.table) ? matchKeys(layout, keys, "c") : undefined;
  const others =
    going === undefined
      ? ""
      : going.using === ""
        ? ` AND NOT (${going.where})`
        : ` AND NOT EXISTS (SELECT 1 FROM ${going.using} WHERE ${going.where})`;
  if (isSameTable(parent, layout.options.table))
    return `SELECT 1 FROM ${quoteTable(child)} AS c WHERE ${onSql(reference, "c", "t")}${others}`;
  // A partition or an inheriting table is referred to by itself, perhaps by a column that only it has: `t` is its row.
  return `SELECT 1 FROM ${quoteTable(child)} AS c JOIN ${quoteTable(parent)} AS p ON ${onSql(reference, "c", "p")}
    WHERE p.tableoid = t.tableoid AND p.ctid = t.ctid${others}`;
}

/** Rows that refer to join rows. */
function joinedSql(reference: Reference): string {
  return `SELECT 1 FROM ${quoteTable(reference.parent)} AS j JOIN ${quoteTable(reference.child)} AS c ON ${onSql(reference, "c", "j")}`;
}

function onSql({ childColumns, parentColumns }: Reference, child: string, parent: string): string {
  return childColumns
    .map((name, place) => `${child}.${quoteName(name)} = ${parent}.${quoteName(parentColumns[place] ?? "")}`)
    .join(" AND ");
}

function isSameTable(a: TableName, b: TableName): boolean {
  return a.schema === b.schema && a.table === b.table;
}
