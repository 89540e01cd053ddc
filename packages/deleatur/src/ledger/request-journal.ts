// The journal of a request: steps as they begin and end, the items of its closure, and values sealed until its close. It must not outlive the close in clear.
import { markDropped } from "./compaction.ts";
import type { EdgeOrigin } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import type { RequestId } from "../model/ids.ts";
import type { SqlValue } from "./connection.ts";
import { hexArray, hexOf, now, storedRef, parseJson, type LedgerCore } from "./ledger-core.ts";
import { findRequestKey, needRequestKey, sealForRequest, unsealForRequest } from "./request-keys.ts";
import type { ItemAction, ItemCount, RequestItem, RequestJournal, RequestStep } from "./request-record.ts";
import { textOf, utf8 } from "@deleatur/verify";

type Journal = Pick<
  RequestJournal,
  | "steps"
  | "startStep"
  | "finishStep"
  | "putItems"
  | "items"
  | "updateItems"
  | "itemCounts"
  | "putSealed"
  | "getSealed"
  | "sealedNames"
  | "dropSealed"
>;

/** Items that are entered at once. */
const PART = 1_000;

interface ItemRow {
  readonly artifact: Uint8Array;
  readonly surface: string;
  readonly sealed: Uint8Array;
  readonly action: ItemAction;
  readonly depth: number;
  readonly origins: string;
  readonly outcome: string | null;
  readonly why: string | null;
}

function isEdgeOrigin(text: string): text is EdgeOrigin {
  return text === "recorded" || text === "declared" || text === "inferred";
}

export function createRequestJournal(core: LedgerCore): Journal {
  const { connection, digests } = core;

  function nextOrdinal(table: "request_steps" | "request_items", id: RequestId): number {
    const row = connection.get<{ next: number }>(
      `SELECT coalesce(max(ordinal), 0) + 1 AS next FROM ${table} WHERE request = ?`,
      id,
    );
    return row?.next ?? 1;
  }

  function putPart(id: RequestId, key: Uint8Array, first: number, items: readonly RequestItem[]): void {
    const rows = items.flatMap((item, place): SqlValue[] => {
      const digest = digests.artifactDigest(item.ref);
      return [
        id,
        digest,
        first + place,
        item.ref.surface,
        sealForRequest(core, key, id, `item/${hexOf(digest)}`, utf8(item.ref.key)),
        item.action,
        item.depth,
        item.origins.join(" "),
        item.outcome ?? null,
        item.why ?? null,
      ];
    });
    connection.runRows(
      "INSERT INTO request_items (request, artifact, ordinal, surface, sealed, action, depth, origins, outcome, why) VALUES",
      [rows, 10],
      `ON CONFLICT (request, artifact) DO UPDATE SET action = excluded.action, depth = excluded.depth,
         origins = excluded.origins, outcome = coalesce(excluded.outcome, request_items.outcome),
         why = coalesce(excluded.why, request_items.why)`,
    );
  }

  return {
    steps: (id) =>
      connection
        .all<{ name: string; started: string; finished: string | null; detail: string | null }>(
          "SELECT name, started, finished, detail FROM request_steps WHERE request = ? ORDER BY ordinal",
          id,
        )
        .map(({ name, started, finished, detail }): RequestStep => ({
          name,
          state: finished === null ? "started" : "finished",
          at: finished ?? started,
          detail: detail === null ? undefined : parseJson<unknown>(detail),
        })),
    startStep(id, name) {
      connection.transaction(() => {
        findRequestKey(core, id);
        connection.run(
          `INSERT INTO request_steps (request, name, ordinal, started) VALUES (?, ?, ?, ?)
           ON CONFLICT (request, name) DO UPDATE SET started = excluded.started, finished = NULL, detail = NULL`,
          id,
          name,
          nextOrdinal("request_steps", id),
          now(core),
        );
      });
    },
    finishStep(id, name, detail) {
      connection.transaction(() => {
        findRequestKey(core, id);
        const at = now(core);
        connection.run(
          `INSERT INTO request_steps (request, name, ordinal, started, finished, detail) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (request, name) DO UPDATE SET finished = excluded.finished, detail = excluded.detail`,
          id,
          name,
          nextOrdinal("request_steps", id),
          at,
          at,
          detail === undefined ? null : JSON.stringify(detail),
        );
      });
    },
    putItems(id, items) {
      connection.transaction(() => {
        const key = needRequestKey(core, id);
        const first = nextOrdinal("request_items", id);
        for (let from = 0; from < items.length; from += PART)
          putPart(id, key, first + from, items.slice(from, from + PART));
      });
    },
    items(id) {
      const key = findRequestKey(core, id);
      if (key === undefined) return [];
      return connection
        .all<ItemRow>("SELECT * FROM request_items WHERE request = ? ORDER BY ordinal", id)
        .map((row): RequestItem => {
          const opened = unsealForRequest(key, id, `item/${hexOf(row.artifact)}`, row.sealed);
          return {
            ref: storedRef(row.surface, textOf(opened)),
            action: row.action,
            depth: row.depth,
            origins: row.origins.split(" ").filter((origin) => isEdgeOrigin(origin)),
            ...(row.outcome === null ? {} : { outcome: row.outcome }),
            ...(row.why === null ? {} : { why: row.why }),
          };
        });
    },
    updateItems(id, patches) {
      connection.transaction(() => {
        const alike = groupBy(patches, ({ action, outcome, why }) => JSON.stringify([action, outcome, why]));
        for (const group of alike.values()) {
          const [{ action, outcome, why } = {}] = group;
          connection.run(
            `UPDATE request_items SET action = coalesce(?, action), outcome = coalesce(?, outcome),
               why = CASE WHEN ? THEN ? ELSE why END
             WHERE request = ? AND artifact IN (SELECT unhex(value) FROM json_each(?))`,
            action ?? null,
            outcome ?? null,
            // A new outcome has its own reason or none.
            outcome !== undefined || why !== undefined ? 1 : 0,
            why ?? null,
            id,
            hexArray(group.map(({ ref }) => digests.hashArtifact(ref))),
          );
        }
      });
    },
    itemCounts: (id) =>
      connection.all<ItemCount>(
        `SELECT surface, action, outcome, count FROM request_item_counts WHERE request = ?
         UNION ALL
         SELECT surface, action, coalesce(outcome, 'pending'), count(*) FROM request_items WHERE request = ?
         GROUP BY surface, action, coalesce(outcome, 'pending') ORDER BY 1, 2, 3`,
        id,
        id,
      ),
    putSealed(id, name, value) {
      connection.transaction(() => {
        const sealed = sealForRequest(core, needRequestKey(core, id), id, `value/${name}`, value);
        connection.run(
          `INSERT INTO request_sealed (request, name, value) VALUES (?, ?, ?)
           ON CONFLICT (request, name) DO UPDATE SET value = excluded.value`,
          id,
          name,
          sealed,
        );
      });
    },
    getSealed(id, name) {
      const key = findRequestKey(core, id);
      const row = connection.get<{ value: Uint8Array }>(
        "SELECT value FROM request_sealed WHERE request = ? AND name = ?",
        id,
        name,
      );
      if (key === undefined || row === undefined) return undefined;
      return new Uint8Array(unsealForRequest(key, id, `value/${name}`, row.value));
    },
    sealedNames: (id) =>
      connection
        .rows<[string]>("SELECT name FROM request_sealed WHERE request = ? ORDER BY name", id)
        .map(([name]) => name),
    dropSealed(id, name) {
      connection.transaction(() => {
        connection.run("DELETE FROM request_sealed WHERE request = ? AND name = ?", id, name);
        markDropped(core);
      });
    },
  };
}
