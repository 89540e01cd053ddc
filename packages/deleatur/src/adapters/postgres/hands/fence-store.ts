// Raises and ends a fence inside an application's database: what is fenced as digests, and triggers that refuse matching writes, in the write's own transaction.
import { createHash } from "node:crypto";
import { groupBy } from "../../../model/group-by.ts";
import { isRequestId, type RequestId } from "../../../model/ids.ts";
import type { FenceOrder, FenceStrength } from "../../../surface.ts";
import { quoteName, quoteTable, spellTable } from "../options.ts";
import { isForbidden, sqlState } from "../store-errors.ts";
import { inTransaction, rowsOf, type Db } from "./connect.ts";
import { digestSql, fenceFunction, fenceObjects, fenceTriggers, serverFolding, type Fenced } from "./fence-sql.ts";
import { timelineOf } from "./failed-over.ts";
import type { Layout } from "./layout.ts";
import { foldingsOf, type Foldings } from "./spellings.ts";
import { dropEmptySchema, FENCE_STATE, FENCE_TABLE, hasRelation, OWN_SCHEMA } from "./own-objects.ts";

/** Before the row is made, so that no byte of it is written; and after, where another trigger had the last word. */
const TIMES = ["BEFORE", "AFTER"] as const;

/** Adds to the fence of a table. `strong` where the triggers see every place that can name what is fenced; without the rights for them it is leased. */
export async function raiseFence(db: Db, layout: Layout, order: FenceOrder): Promise<FenceStrength> {
  const foldings = await foldingsOf(db, layout);
  const { triggers, isComplete } = fenceTriggers(layout, foldings);
  const tables = [...groupBy(triggers, ({ table }) => quoteTable(table))];
  const timeline = await timelineOf(db);
  try {
    await inTransaction(db, async () => {
      await ensureObjects(db, order.request, timeline);
      // Whoever writes to these tables now has not seen the fence: it is waited for. The next one will see it.
      for (const [table] of tables) await db.client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      const existing = await ownTriggers(db);
      for (const [table, members] of tables) {
        const [first] = members;
        if (first === undefined) continue;
        const name = triggerName(layout.options.surface, spellTable(first.table));
        const run = `${OWN_SCHEMA}.${quoteName(name)}`;
        await db.client.query(
          fenceFunction(
            run,
            members.flatMap(({ digests }) => digests),
          ),
        );
        for (const time of TIMES) {
          const trigger = quoteName(`${name}_${time.toLowerCase()}`);
          if (!existing.has(`${name}_${time.toLowerCase()}`))
            await db.client.query(
              `CREATE TRIGGER ${trigger} ${time} INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${run}()`,
            );
          // Also for writers that replay another server's changes, and where somebody switched off one that stood.
          await db.client.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`);
        }
      }
      await addRows(db, layout.options.surface, foldings, order);
      await db.client.query(`UPDATE ${FENCE_STATE} SET raised = pg_catalog.nextval('${OWN_SCHEMA}.fence_raised')`);
    });
    return isComplete ? "strong" : "leased";
  } catch (cause) {
    // No right to it, a server that takes no writes, or a writer that holds its transaction open: the ledger's own fence stands.
    if (isForbidden(cause) || ["55P03", "25006", "0A000"].includes(sqlState(cause) ?? "")) return "leased";
    throw cause;
  }
}

async function ensureObjects(db: Db, request: RequestId, timeline: string | undefined): Promise<void> {
  if (await hasRelation(db, FENCE_TABLE)) return;
  await db.client.query(`CREATE SCHEMA IF NOT EXISTS ${OWN_SCHEMA}`);
  const [row] = await rowsOf(db, "SELECT pg_catalog.gen_random_uuid()::text");
  await db.client.query(
    fenceObjects(
      createHash("sha256")
        .update(`${row?.[0] ?? ""} ${request}`)
        .digest("hex"),
      timeline,
    ),
  );
}

/** A thousand values in one statement: a closure may have very many keys. */
const ROWS = 1_000;

async function addRows(
  db: Db,
  surface: string,
  foldings: Foldings,
  { request, identifiers, keys, sources }: FenceOrder,
): Promise<void> {
  const add = async (fenced: Fenced, texts: readonly string[]): Promise<void> => {
    for (let from = 0; from < texts.length; from += ROWS)
      await db.client.query(
        `INSERT INTO ${FENCE_TABLE} (digest, surface, request)
         SELECT DISTINCT ${digestSql(surface, fenced, "v.text")}, $1::text, $2::text FROM pg_catalog.unnest($3::text[]) AS v(text) ON CONFLICT DO NOTHING`,
        [surface, request, texts.slice(from, from + ROWS)],
      );
  };
  for (const [type, members] of groupBy(identifiers, (identifier) => identifier.type)) {
    const texts = members.map(({ value }) => value).filter(isText);
    await add({ kind: "identifier", type }, texts);
    const folding = serverFolding(foldings, type);
    if (folding !== undefined) await add({ kind: "identifier", type, folding }, texts);
  }
  await add({ kind: "key", type: "" }, keys.filter(isText));
  for (const [source, from] of sources) await add({ kind: "source", type: source }, from.filter(isText));
}

/** No text of this server has a NUL in it, so no row can name such a one. */
function isText(text: string): boolean {
  return !text.includes("\0");
}

/** The surface, and those that stand in the fence and are declared no more: nobody else would see to theirs. */
const SURFACES = "(surface = $1 OR surface <> ALL ($2::text[]))";

/** Whose fences stand for a surface, and for those that none of `declared` is. */
export async function fencedRequests(
  db: Db,
  surface: string,
  declared: readonly string[],
): Promise<readonly RequestId[]> {
  if (!(await hasRelation(db, FENCE_TABLE))) return [];
  const rows = await rowsOf(db, `SELECT DISTINCT request FROM ${FENCE_TABLE} WHERE ${SURFACES}`, [surface, declared]);
  return rows.map(([request]) => request ?? "").filter(isRequestId);
}

/** Takes the rows of requests out of the fence, those of surfaces that are declared no more too; with the last of a surface its triggers go, with the last of all the tables. */
export async function lowerFence(
  db: Db,
  surface: string,
  declared: readonly string[],
  requests: readonly RequestId[],
): Promise<void> {
  if (!(await hasRelation(db, FENCE_TABLE))) return;
  const rows = await rowsOf(db, `SELECT DISTINCT surface FROM ${FENCE_TABLE} WHERE ${SURFACES}`, [surface, declared]);
  for (const one of new Set([surface, ...rows.map(([name]) => name ?? "")])) await lowerOne(db, one, requests);
}

async function lowerOne(db: Db, surface: string, requests: readonly RequestId[]): Promise<void> {
  if (!(await hasRelation(db, FENCE_TABLE))) return;
  await db.client.query(`DELETE FROM ${FENCE_TABLE} WHERE surface = $1 AND request = ANY ($2::text[])`, [
    surface,
    [...requests],
  ]);
  await inTransaction(db, async () => {
    const isFenced = async (where: string, values: readonly string[]): Promise<boolean> =>
      (await rowsOf(db, `SELECT 1 FROM ${FENCE_TABLE} ${where} LIMIT 1`, values)).length > 0;
    if (await isFenced("WHERE surface = $1", [surface])) return;
    const prefix = triggerName(surface, "");
    for (const [name, table] of await ownTriggers(db))
      if (name.startsWith(prefix)) await db.client.query(`DROP TRIGGER ${quoteName(name)} ON ${table}`);
    const functions = await rowsOf(
      db,
      "SELECT p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1",
      [OWN_SCHEMA],
    );
    for (const [name] of functions)
      if (name?.startsWith(prefix) === true) await db.client.query(`DROP FUNCTION ${OWN_SCHEMA}.${quoteName(name)}()`);
    if (await isFenced("", [])) return;
    await db.client.query(`DROP TABLE ${FENCE_TABLE}`);
    await db.client.query(
      `DROP FUNCTION ${OWN_SCHEMA}.digest(text, text, text, text), ${OWN_SCHEMA}.as_json(text), ${OWN_SCHEMA}.members(json, text[])`,
    );
    await db.client.query(`DROP TABLE ${FENCE_STATE}`);
    await db.client.query(`DROP SEQUENCE ${OWN_SCHEMA}.fence_raised`);
    await dropEmptySchema(db);
  });
}

/** Our triggers that stand, with the tables that they stand on; those of partitions go with their parent's. */
async function ownTriggers(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    db,
    `SELECT g.tgname, n.nspname, c.relname FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE g.tgname LIKE 'deleatur\\_fence\\_%' AND g.tgparentid = 0`,
  );
  return new Map(
    rows.map(([name, schema, table]) => [name ?? "", quoteTable({ schema: schema ?? "", table: table ?? "" })]),
  );
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Names are cut at 63 bytes by the server, so the surface and its table stand in it as digests. */
function triggerName(surface: string, table: string): string {
  return `deleatur_fence_${short(surface)}_${table === "" ? "" : short(table)}`;
}
