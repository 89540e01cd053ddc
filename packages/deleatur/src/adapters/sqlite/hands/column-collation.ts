// Tells whether a store compares a column's texts without case, by asking it: SQLite shows a column's collation nowhere. Reads one row.
import { quoteName } from "../options.ts";
import type { Db } from "./connect.ts";
import type { Layout, SubjectColumn } from "./layout.ts";

/**
 * Whether `A` is `a` there (COLLATE NOCASE). A comparison takes the collation of the column on its left, the results of functions have none.
 * A column without a single letter in it says no. A collation that only the application's connections have says no, too.
 */
export function isCaseIgnored(db: Db, layout: Layout, locator: SubjectColumn): boolean {
  const place = placeOf(layout, locator);
  if (place === undefined) return false;
  const { column, from } = place;
  const row = db
    .prepare<[], { alike: bigint | null }>(
      `SELECT (${column} = upper(${column}) AND ${column} = lower(${column})) AS alike FROM ${from}
       WHERE typeof(${column}) = 'text' AND upper(${column}) <> lower(${column}) LIMIT 1`,
    )
    .get();
  return row?.alike === 1n;
}

/** What stands in JSON or in a part of the key is compared byte by byte. */
function placeOf(
  layout: Layout,
  locator: SubjectColumn,
): { readonly column: string; readonly from: string } | undefined {
  if (locator.how === "column") return { column: layout.columnSql(locator.column), from: layout.from };
  if (locator.how === "via")
    return { column: `j.${quoteName(locator.join.column)}`, from: `${quoteName(locator.join.table)} AS j` };
  return undefined;
}
