// Rewrites the files of tables, their indexes, what was refreshed from them and what the planner sampled of them, so that no dead row version is left in any. Locks the tables while it does.
import { BoundaryError } from "../../../model/errors.ts";
import { quoteTable, tableName, type PostgresOptions, type TableName } from "../options.ts";
import { readRelation } from "./columns.ts";
import { isForbidden } from "../store-errors.ts";
import { rowsOf, type Db } from "./connect.ts";
import { withIndexRoom } from "./index-room.ts";

/** Every declared table of the store, join tables with them: one purge serves them all. */
export function tablesOf({ boundary, declaration }: PostgresOptions): readonly TableName[] {
  const names = new Set<string>();
  for (const { kind, store, table, subject, derivedFrom } of boundary.surfaces) {
    if (kind !== "postgres" || store !== declaration.store || table === undefined) continue;
    names.add(table);
    for (const locator of [...subject, ...derivedFrom]) if ("via" in locator) names.add(locator.via);
  }
  return [...names].map(tableName);
}

/** All that these tables show rows of, those that inherit and partitions of any depth, as `parts(oid)`; their names are `$1` and `$2`. */
const PARTS = `WITH RECURSIVE parts(oid) AS (
       SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($1::text[], $2::text[]))
       UNION SELECT i.inhrelid FROM parts JOIN pg_catalog.pg_inherits i ON i.inhparent = parts.oid)`;

async function partsOf(db: Db, tables: readonly TableName[], which: string): Promise<readonly TableName[]> {
  const rows = await rowsOf(
    db,
    `${PARTS}
     SELECT n.nspname, c.relname FROM parts JOIN pg_catalog.pg_class c ON c.oid = parts.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
     WHERE ${which} GROUP BY 1, 2 ORDER BY 1, 2`,
    [tables.map(({ schema }) => schema), tables.map(({ table }) => table)],
  );
  return rows.map(([schema, table]) => ({ schema: schema ?? "", table: table ?? "" }));
}

/** The tables with those that inherit from them in the old way, which no VACUUM of theirs reaches, nor of a partition whose detaching was broken off. */
export async function withInheritors(db: Db, tables: readonly TableName[]): Promise<readonly TableName[]> {
  const found = await partsOf(
    db,
    tables,
    "c.relkind IN ('r', 'p') AND (NOT c.relispartition OR coalesce((pg_catalog.to_jsonb(i) ->> 'inhdetachpending')::boolean, false))",
  );
  const named = new Set(tables.map(quoteTable));
  return [...tables, ...found.filter((name) => !named.has(quoteTable(name)))];
}

/** Parts that are tables of other servers: what is deleted through them stays in files that no purge from here rewrites. */
export function foreignParts(db: Db, tables: readonly TableName[]): Promise<readonly TableName[]> {
  return partsOf(db, tables, "c.relkind = 'f'");
}

/** What a role may lack, and who has it. */
export const RIGHTS = {
  table: "rewrite a table (its owner, or MAINTAIN)",
  view: "refresh a materialized view (its owner, or MAINTAIN)",
  statistics: "rewrite the planner's statistics (a superuser, or the owner of the database)",
  log: "switch and checkpoint the write-ahead log (a superuser, or pg_checkpoint, pg_monitor and EXECUTE on pg_switch_wal)",
} as const;

/** Whether the server refuses the role an act. */
async function isDenied(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    return true;
  }
}

/** What hinders: an older reader keeps dead rows alive, or a right is missing. */
export interface Rewritten {
  readonly held: boolean;
  readonly denied: readonly string[];
}

export async function rewriteTables(
  db: Db,
  tables: readonly TableName[],
  isExclusive: boolean,
  signal: AbortSignal,
): Promise<Rewritten> {
  const denied: string[] = [];
  let held = false;
  for (const table of tables) {
    signal.throwIfAborted();
    const relation = await readRelation(db, table);
    if (relation === undefined)
      throw new BoundaryError("TABLE_MISSING", `a declared table is not in the database of store ${db.target.store}`, {
        place: { store: db.target.store, field: "table" },
      });
    if (isExclusive) {
      const end = await vacuumFull(db, quoteTable(table), relation.oid);
      held ||= end === "held";
      if (end === "denied") denied.push(RIGHTS.table);
    } else {
      // Without the right this is a warning; the next says it.
      await db.client.query(`VACUUM (INDEX_CLEANUP ON) ${quoteTable(table)}`);
      if (await isDenied(() => renewIndexes(db, table, relation.oid))) denied.push(RIGHTS.table);
    }
  }
  return { held, denied };
}

/**
 * A REINDEX that was broken off, by us or by anybody, leaves an index that is not valid, full of words, and the next one of the table passes it over: what was to take another's place is dropped, any
 * other is made anew by its own name.
 */
async function renewIndexes(db: Db, table: TableName, oid: string): Promise<void> {
  const invalid = await rowsOf(
    db,
    `SELECT n.nspname, c.relname FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_catalog.pg_class t ON i.indrelid IN (t.oid, t.reltoastrelid)
     WHERE NOT i.indisvalid AND c.relkind = 'i' AND (t.oid = $1 OR t.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree($1::oid)))`,
    [oid],
  );
  for (const [schema, name] of invalid) {
    const index = quoteTable({ schema: schema ?? "", table: name ?? "" });
    const isLeft = /_cc(?:new|old)\d*$/.test(name ?? "");
    await db.client.query(`${isLeft ? "DROP INDEX" : "REINDEX INDEX"} CONCURRENTLY ${index}`);
  }
  await db.client.query(`REINDEX TABLE CONCURRENTLY ${quoteTable(table)}`);
}

/**
 * A VACUUM without the right for it is a warning and a success, and one beside an older reader copies what that reader may still see: both are told by what
 * really happened, the file's number and the count of what stayed.
 */
async function vacuumFull(db: Db, table: string, oid: string): Promise<"done" | "held" | "denied"> {
  const before = await fileNumbers(db, oid);
  let kept = 0;
  const count = ({
    severity,
    detail,
  }: {
    readonly severity?: string | undefined;
    readonly detail?: string | undefined;
  }): void => {
    if (severity === "INFO" || detail !== undefined) kept += Number(/\d+/.exec(detail ?? "")?.[0] ?? 0);
  };
  db.client.on("notice", count);
  try {
    await withIndexRoom(db, oid, () => {
      kept = 0;
      return db.client.query(`VACUUM (FULL, VERBOSE) ${table}`);
    });
  } finally {
    db.client.off("notice", count);
  }
  const after = await fileNumbers(db, oid);
  if ([...before].some(([name, number]) => after.get(name) === number)) return "denied";
  return kept > 0 ? "held" : "done";
}

/** Of a table and its partitions, those that have files. */
async function fileNumbers(db: Db, oid: string): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    db,
    `SELECT c.oid::text, pg_catalog.pg_relation_filenode(c.oid)::text FROM pg_catalog.pg_class c
     WHERE c.relkind IN ('r', 'm') AND (c.oid = $1 OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree($1::oid)))`,
    [oid],
  );
  return new Map(rows.map(([name, number]) => [name ?? "", number ?? ""]));
}

/** Materialized views that were made from these tables, over other views too. */
export async function viewsOver(db: Db, tables: readonly TableName[]): Promise<readonly TableName[]> {
  const rows = await rowsOf(
    db,
    `WITH RECURSIVE seen(oid, depth) AS (
       SELECT c.oid, 0 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($1::text[], $2::text[]))
       UNION SELECT w.ev_class, s.depth + 1 FROM seen s JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = s.oid
         AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid AND w.ev_class <> s.oid WHERE s.depth < 32)
     SELECT n.nspname, c.relname FROM (SELECT oid, max(depth) AS depth FROM seen GROUP BY oid) AS s JOIN pg_catalog.pg_class c ON c.oid = s.oid
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'm' AND c.relispopulated ORDER BY s.depth`,
    [tables.map(({ schema }) => schema), tables.map(({ table }) => table)],
  );
  return rows.map(([schema, table]) => ({ schema: schema ?? "", table: table ?? "" }));
}

/** Each view is made anew, into a new file. Answers what the role may not. */
export async function refreshViews(db: Db, tables: readonly TableName[]): Promise<readonly string[]> {
  const denied: string[] = [];
  for (const view of await viewsOver(db, tables))
    if (await isDenied(() => db.client.query(`REFRESH MATERIALIZED VIEW ${quoteTable(view)}`)))
      denied.push(RIGHTS.view);
  return denied;
}

export const STATISTICS: readonly string[] = ["pg_statistic", "pg_statistic_ext_data"];

/** Whether the planner took samples of a table, which hold values of its rows. */
export async function isSampled(db: Db, table: TableName): Promise<boolean> {
  const relation = await readRelation(db, table);
  const [row] = await rowsOf(
    db,
    `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_stats s JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
       WHERE c.oid = $1 OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree($1::oid)))`,
    [relation?.oid ?? "0"],
  );
  return row?.[0] === "t";
}

/** The planner's samples hold values of rows: they are taken anew where there are some, and their tables rewritten. */
export async function renewStatistics(db: Db, tables: readonly TableName[]): Promise<Rewritten> {
  for (const table of tables) if (await isSampled(db, table)) await db.client.query(`ANALYZE ${quoteTable(table)}`);
  let held = false;
  for (const name of STATISTICS) {
    const [row] = await rowsOf(db, "SELECT $1::pg_catalog.regclass::oid::text, pg_catalog.pg_relation_size($1)::text", [
      `pg_catalog.${name}`,
    ]);
    if (row?.[1] === "0") continue;
    const end = await vacuumFull(db, `pg_catalog.${name}`, row?.[0] ?? "0");
    if (end === "denied") return { held, denied: [RIGHTS.statistics] };
    held ||= end === "held";
  }
  return { held, denied: [] };
}
