// Keeps an application's own triggers from copying what is being erased into another table (C13). Temporary triggers of our connection only; the store's schema is never touched.
import { quoteName } from "../options.ts";
import type { Db } from "./connect.ts";
import { OWN_PREFIX } from "./own-tables.ts";
import type { SqlValue } from "./values.ts";

/** Shorter values are no copy of anybody's content when they stand inside another one, nor where nobody declared them content. */
export const MIN_CONTAINED = 16;

/** A guard over every ordinary table: while values are named, a trigger's insert or update that carries one of them is left out. */
export interface CopyGuard {
  /** Names what is being erased now; replaces what was named before. */
  name(values: readonly SqlValue[]): void;
}

/** Raises the guard where the table has triggers of the application; without any there is nothing that could copy. */
export function guardAgainstCopies(db: Db, table: string): CopyGuard | undefined {
  const triggers = db
    .prepare<[string, string], { count: bigint }>(
      "SELECT count(*) AS count FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name NOT LIKE ? || '%'",
    )
    .get(table, OWN_PREFIX);
  if (triggers === undefined || triggers.count === 0n) return undefined;
  db.exec("CREATE TEMP TABLE IF NOT EXISTS deleatur_gone (value)");
  for (const target of ordinaryTables(db)) {
    if (target.toLowerCase() === table.toLowerCase()) continue;
    raiseGuard(db, target);
  }
  const clear = db.prepare("DELETE FROM temp.deleatur_gone");
  const add = db.prepare<[SqlValue]>("INSERT INTO temp.deleatur_gone VALUES (?)");
  return {
    name(values) {
      clear.run();
      for (const value of values) if (typeof value === "string" ? value !== "" : Buffer.isBuffer(value)) add.run(value);
    },
  };
}

/** Whether a column of the new row carries one of the named values `g`. */
function carries(column: string): string {
  return `(NEW.${column} IS g.value OR (length(g.value) >= ${MIN_CONTAINED} AND instr(NEW.${column}, g.value) > 0))`;
}

const ARRIVES = {
  INSERT: carries,
  // What stood in the row before is no copy: a trigger may count in a row of somebody else that says the same.
  UPDATE: (column: string): string => `(NEW.${column} IS NOT OLD.${column} AND ${carries(column)})`,
};

function raiseGuard(db: Db, target: string): void {
  const columns = db
    .prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
    .all(target)
    .map(({ name: column }) => quoteName(column));
  for (const event of ["INSERT", "UPDATE"] as const) {
    const name = quoteName(`deleatur_hush_${event}_${target}`);
    const when = `EXISTS (SELECT 1 FROM deleatur_gone AS g WHERE ${columns.map(ARRIVES[event]).join(" OR ")})`;
    db.exec(
      `CREATE TEMP TRIGGER IF NOT EXISTS ${name} BEFORE ${event} ON main.${quoteName(target)} WHEN ${when} BEGIN SELECT RAISE(IGNORE); END`,
    );
  }
}

function ordinaryTables(db: Db): readonly string[] {
  return db
    .prepare<[], { name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'deleatur\\_%' ESCAPE '\\'",
    )
    .all()
    .map(({ name }) => name);
}
