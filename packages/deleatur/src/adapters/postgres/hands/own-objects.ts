// Our own objects inside an application's database: one schema, its tables, and the door that our own writes pass the fence through.
import { rowsOf, type Db } from "./connect.ts";

/** Everything of ours in a foreign database stands in here. */
export const OWN_SCHEMA = "deleatur";
export const FENCE_TABLE: string = `${OWN_SCHEMA}.fence`;
export const FENCE_STATE: string = `${OWN_SCHEMA}.fence_state`;
export const LEDGER_TABLE: string = `${OWN_SCHEMA}.ledger`;
/** By name, not by schema: a table of somebody else's that stands beside ours must not hide. */
export const OWN_TABLES: readonly string[] = [FENCE_TABLE, LEDGER_TABLE];

export async function hasRelation(db: Db, name: string): Promise<boolean> {
  return (await rowsOf(db, `SELECT 1 ${RELATION}`, [name])).length > 0;
}

/** The relation of a name like `FENCE_TABLE`, by the catalog: `to_regclass` is an error for a role that may not use the schema. */
const RELATION = `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) c.relname OPERATOR(pg_catalog.=) $1`;

/** Lets the writes of this transaction pass the fence; the row that says so is gone before the commit, so nobody else ever sees it. */
export async function passingTheFence<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  if (!(await hasRelation(db, FENCE_TABLE))) return await work();
  await db.client.query(`INSERT INTO ${FENCE_TABLE} (digest, surface, request) VALUES ('open', '', '')`);
  const result = await work();
  await db.client.query(`DELETE FROM ${FENCE_TABLE} WHERE digest = 'open'`);
  return result;
}

/** The schema goes with the last table in it; what somebody else put there keeps it. */
export async function dropEmptySchema(db: Db): Promise<void> {
  const [row] = await rowsOf(
    db,
    `SELECT NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_namespace n ON n.oid = d.refobjid
       WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND n.nspname = $1)
     FROM pg_catalog.pg_namespace WHERE nspname = $1`,
    [OWN_SCHEMA],
  );
  if (row?.[0] === "t") await db.client.query(`DROP SCHEMA ${OWN_SCHEMA}`);
}

/** Has the fence leave out what the application's own triggers would write of fenced persons and sources while we erase. Each transaction has a row of its own, which nobody else ever sees. */
export async function erasingUnderTheFence<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const [row] = await rowsOf(
    db,
    `SELECT pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'INSERT')
       AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_table_privilege(c.oid, 'DELETE')
     ${RELATION}`,
    [FENCE_TABLE],
  );
  // No fence, or one that a role with more rights has raised.
  if (row?.[0] !== "t") return await work();
  const own = "('erasing', '', pg_catalog.pg_backend_pid()::text)";
  await db.client.query(`INSERT INTO ${FENCE_TABLE} (digest, surface, request) VALUES ${own}`);
  const result = await work();
  await db.client.query(`DELETE FROM ${FENCE_TABLE} WHERE (digest, surface, request) = ${own}`);
  return result;
}
