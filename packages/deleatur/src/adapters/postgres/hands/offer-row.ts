// Tries the store's insert path with an artifact without a byte of it being written (the re-ingestion probe), or plants a canary for good.
import type { Artifact, Offered, Planted } from "../../../model/artifact.ts";
import { quoteTable } from "../options.ts";
import { isForbidden, isRowRefusal, refusalReason, sqlState } from "../store-errors.ts";
import { inTransaction, rollBack, rowsOf, type Db } from "./connect.ts";
import { isFenceRefusal } from "./fence-sql.ts";
import { insertRow, joinsOf, offerJoined } from "./insert-row.ts";
import type { Join, Layout } from "./layout.ts";
import { rowsByKey } from "./read-rows.ts";

const PASSED = "deleatur: PASSED";

/**
 * A rolled-back insert leaves its row in the table's file and in the log. So a trigger of this transaction alone, the last of all, stops the row when everything
 * that could refuse it has let it pass and before it is made; with the transaction it is gone.
 */
export async function offerRow(db: Db, layout: Layout, artifact: Artifact): Promise<Offered> {
  if (await logsValues(db))
    return {
      outcome: "failed",
      why: "the dry run was not tried: the server would write the text into its log, grant SET ON PARAMETER log_parameter_max_length to the role",
    };
  await db.client.query("BEGIN");
  try {
    await db.client.query(`CREATE FUNCTION pg_temp.deleatur_stop() RETURNS trigger LANGUAGE plpgsql AS $stop$
      BEGIN RAISE EXCEPTION '${PASSED}'; END $stop$`);
    for (const table of new Set([layout.options.table, ...joinsOf(layout).map((join) => join.table)].map(quoteTable)))
      await db.client.query(
        `CREATE TRIGGER "~deleatur_stop" BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION pg_temp.deleatur_stop()`,
      );
  } catch (cause) {
    await rollBack(db);
    if (isForbidden(cause) || sqlState(cause) === "55P03")
      return { outcome: "failed", why: "the dry run could not be tried: the table is not ours, or in use" };
    throw cause;
  }
  try {
    for (const [join, text] of joinedTexts(layout, artifact)) await untilStopped(db, () => offerJoined(db, join, text));
    const isStopped = await untilStopped(db, () => insertRow(db, layout, artifact));
    if (isStopped) return { outcome: "accepted" };
    return { outcome: "failed", why: "the dry run could not be tried: a rule of the table takes the row elsewhere" };
  } catch (cause) {
    if (isFenceRefusal(cause)) return { outcome: "refused", by: "fence" };
    if (cause instanceof Error && cause.message.includes("deleatur: DENYLISTED"))
      return { outcome: "refused", by: "denylist" };
    if (sqlState(cause) === "P0001") return { outcome: "refused", by: "store" };
    if (isRowRefusal(cause))
      return { outcome: "failed", why: `the dry run could not be tried: ${refusalReason(cause)}` };
    throw cause;
  } finally {
    await rollBack(db);
  }
}

/** Whether the server logs statements of this session with their values. */
async function logsValues(db: Db): Promise<boolean> {
  const [row] = await rowsOf(
    db,
    `SELECT pg_catalog.current_setting('log_parameter_max_length') <> '0' AND (pg_catalog.current_setting('log_statement') IN ('mod', 'all')
       OR pg_catalog.current_setting('log_min_duration_statement') <> '-1' OR pg_catalog.current_setting('log_min_duration_sample') <> '-1')`,
  );
  return row?.[0] === "t";
}

/** Whether the row came as far as the stop; what stood in its way is thrown. */
async function untilStopped(db: Db, work: () => Promise<unknown>): Promise<boolean> {
  await db.client.query("SAVEPOINT deleatur_try");
  try {
    await work();
    return false;
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes(PASSED)) throw cause;
    await db.client.query("ROLLBACK TO SAVEPOINT deleatur_try");
    return true;
  }
}

function joinedTexts(layout: Layout, { subjects, sources }: Artifact): readonly (readonly [Join, string])[] {
  const ofSubjects = layout.subjects.flatMap((locator) =>
    locator.how === "via"
      ? subjects.filter(({ type }) => type === locator.type).map(({ value }) => [locator.join, value] as const)
      : [],
  );
  const ofSources = layout.sources.flatMap((locator) =>
    locator.how === "via"
      ? sources.filter(({ surface }) => surface === locator.surface).map(({ key }) => [locator.join, key] as const)
      : [],
  );
  return [...ofSubjects, ...ofSources];
}

/** Really inserts a canary about nobody, and answers what stands there. */
export async function plantRow(db: Db, layout: Layout, canary: Artifact): Promise<Planted> {
  try {
    const key = await inTransaction(db, () => insertRow(db, layout, canary));
    const [row] = (await rowsByKey(db, layout, [key])).get(key) ?? [];
    return { key, outcome: "planted", ...(row === undefined ? {} : { content: row.content }) };
  } catch (cause) {
    if (!isRowRefusal(cause)) throw cause;
    return { key: canary.key, outcome: "unsupported", why: `no canary can be planted: ${refusalReason(cause)}` };
  }
}
