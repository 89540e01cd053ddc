// The markers of the ledgers that manage a database: a table of ours with a random id each, and nothing else. Without a right to write there is none.
import { StoreError } from "../../../model/errors.ts";
import type { PostgresTarget } from "../options.ts";
import { storeError } from "../store-errors.ts";
import { inTransaction, rowsOf, withConnection, type Db } from "./connect.ts";
import { dropEmptySchema, hasRelation, LEDGER_TABLE, OWN_SCHEMA } from "./own-objects.ts";

const UNWRITABLE: readonly string[] = ["STORE_LOCKED", "STORE_READONLY", "STORE_FORBIDDEN", "STORE_FULL"];

export async function markStore(
  target: PostgresTarget,
  ledger: string,
  signal: AbortSignal,
): Promise<"marked" | "unmarked"> {
  return await withConnection(
    target,
    async (db) => {
      try {
        if ((await ledgersIn(db)).includes(ledger)) return "marked";
        await inTransaction(db, async () => {
          await db.client.query(`CREATE SCHEMA IF NOT EXISTS ${OWN_SCHEMA}`);
          await db.client.query(`CREATE TABLE IF NOT EXISTS ${LEDGER_TABLE} (id text NOT NULL PRIMARY KEY)`);
          await db.client.query(`INSERT INTO ${LEDGER_TABLE} VALUES ($1) ON CONFLICT DO NOTHING`, [ledger]);
        });
        return "marked";
      } catch (cause) {
        const error = storeError(cause, target.store);
        if (error instanceof StoreError && UNWRITABLE.includes(error.code)) return "unmarked";
        throw error;
      }
    },
    signal,
  );
}

export async function readMarkers(target: PostgresTarget, signal: AbortSignal): Promise<readonly string[]> {
  return await withConnection(target, ledgersIn, signal);
}

/** Takes markers out; with the last the table goes. */
export async function unmarkStore(
  target: PostgresTarget,
  ledgers: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await withConnection(
    target,
    async (db) => {
      if (!(await hasRelation(db, LEDGER_TABLE))) return;
      await inTransaction(db, async () => {
        await db.client.query(`DELETE FROM ${LEDGER_TABLE} WHERE id = ANY ($1::text[])`, [[...ledgers]]);
        if ((await ledgersIn(db)).length > 0) return;
        await db.client.query(`DROP TABLE ${LEDGER_TABLE}`);
        await dropEmptySchema(db);
      });
    },
    signal,
  );
}

async function ledgersIn(db: Db): Promise<readonly string[]> {
  if (!(await hasRelation(db, LEDGER_TABLE))) return [];
  return (await rowsOf(db, `SELECT id FROM ${LEDGER_TABLE} ORDER BY id`)).map(([id]) => id ?? "");
}
