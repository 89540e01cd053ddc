// Raises and ends a fence inside an application's store: a table of what is fenced and triggers that refuse matching writes, in the write's own transaction.
import { groupBy } from "../../../model/group-by.ts";
import { isRequestId, type RequestId } from "../../../model/ids.ts";
import type { FenceOrder, FenceStrength } from "../../../surface.ts";
import { quoteName } from "../options.ts";
import { isCaseIgnored } from "./column-collation.ts";
import { inWriteTransaction, type Db } from "./connect.ts";
import { fenceTriggers } from "./fence-conditions.ts";
import type { Layout } from "./layout.ts";
import { ensureFenceTable, FENCE_TABLE, hasTable } from "./own-tables.ts";
import { candidatesOf } from "./values.ts";

/** What a refused write is told; the words say nothing about whom it concerned. */
const REFUSAL = "deleatur: FENCED, this person or record is being erased, do not retry";

/** Adds to the fence of a table. `strong` where the triggers see every place that can name what is fenced. */
export function raiseFence(db: Db, layout: Layout, order: FenceOrder): FenceStrength {
  const caseless = new Set(layout.subjects.filter((locator) => isCaseIgnored(db, layout, locator)));
  const { triggers, isComplete } = fenceTriggers(layout, "NEW", (locator) => caseless.has(locator));
  // A row that is fenced as it stands cannot be renamed out of the fence either.
  const asFound = fenceTriggers(layout, "OLD", (locator) => caseless.has(locator)).triggers;
  const events = [
    ...triggers.map((trigger) => ({ ...trigger, event: "INSERT" })),
    ...[...triggers, ...asFound].map((trigger) => ({ ...trigger, event: "UPDATE" })),
  ];
  inWriteTransaction(db, () => {
    ensureFenceTable(db);
    const add = db.prepare<[string, string, string, string | Buffer, string]>(
      `INSERT OR IGNORE INTO ${FENCE_TABLE} (surface, kind, type, value, request) VALUES (?, ?, ?, ?, ?)`,
    );
    const { surface } = layout.options;
    const addKey = (kind: string, type: string, key: string): void => {
      add.run(surface, kind, type, key, order.request);
      const { blob } = candidatesOf(key);
      if (blob !== undefined) add.run(surface, kind, type, blob, order.request);
    };
    for (const { type, value } of order.identifiers) addKey("identifier", type, value);
    for (const key of order.keys) addKey("key", "", key);
    for (const [source, keys] of order.sources) for (const key of keys) addKey("source", source, key);
    // Two places may stand in one table: its trigger looks at both.
    for (const [trigger, members] of groupBy(events, ({ table, event }) => triggerName(surface, table, event))) {
      const [first] = members;
      if (first === undefined) continue;
      const refused = members.flatMap(({ conditions }) => conditions).join(" OR ");
      db.exec(`DROP TRIGGER IF EXISTS ${quoteName(trigger)}`);
      db.exec(`CREATE TRIGGER ${quoteName(trigger)} BEFORE ${first.event} ON ${quoteName(first.table)}
        WHEN NOT EXISTS (SELECT 1 FROM ${FENCE_TABLE} WHERE surface = '' AND kind = 'open') AND (${refused})
        BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`);
    }
  });
  return isComplete ? "strong" : "leased";
}

/** The surface, and those that stand in the fence and are declared no more: nobody else would see to theirs. */
function surfacesOf(db: Db, surface: string, declared: readonly string[]): readonly string[] {
  const dropped = db
    .prepare<[string], { surface: string }>(
      `SELECT DISTINCT surface FROM ${FENCE_TABLE} WHERE surface <> '' AND surface NOT IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(declared));
  return [surface, ...dropped.map((row) => row.surface)];
}

/** Whose fences stand for a surface, and for those that none of `declared` is. */
export function fencedRequests(db: Db, surface: string, declared: readonly string[]): readonly RequestId[] {
  if (!hasTable(db, FENCE_TABLE)) return [];
  const rows = db
    .prepare<[string], { request: string }>(
      `SELECT DISTINCT request FROM ${FENCE_TABLE} WHERE surface IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(surfacesOf(db, surface, declared)));
  return rows.map(({ request }) => request).filter(isRequestId);
}

/** Takes the rows of requests out of the fence, those of surfaces that are declared no more too; with the last of a surface its triggers go, with the last of all the table. */
export function lowerFence(db: Db, surface: string, declared: readonly string[], requests: readonly RequestId[]): void {
  if (!hasTable(db, FENCE_TABLE)) return;
  for (const one of surfacesOf(db, surface, declared)) lowerOne(db, one, requests);
}

function lowerOne(db: Db, surface: string, requests: readonly RequestId[]): void {
  if (!hasTable(db, FENCE_TABLE)) return;
  inWriteTransaction(db, () => {
    db.prepare<[string, string]>(
      `DELETE FROM ${FENCE_TABLE} WHERE surface = ? AND request IN (SELECT value FROM json_each(?))`,
    ).run(surface, JSON.stringify(requests));
    const isFenced = (where: string, parameters: readonly string[]): boolean =>
      db.prepare<string[]>(`SELECT 1 FROM ${FENCE_TABLE} ${where} LIMIT 1`).get(...parameters) !== undefined;
    if (isFenced("WHERE surface = ?", [surface])) return;
    const prefix = triggerName(surface, "", "");
    const names = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      .all()
      .filter(({ name }) => name.startsWith(prefix));
    for (const { name } of names) db.exec(`DROP TRIGGER ${quoteName(name)}`);
    if (!isFenced("", [])) db.exec(`DROP TABLE ${FENCE_TABLE}`);
  });
}

/** The surface's name ends in a character that no surface id has, so that no surface's triggers are taken for another's. */
function triggerName(surface: string, table: string, event: string): string {
  const name = `deleatur_fence_${surface}:`;
  return table === "" ? name : `${name}${table}:${event.toLowerCase()}`;
}

/** Whether an error is the refusal of our fence. */
export function isFenceRefusal(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes("deleatur: FENCED");
}
