// The denylist: keyed digests that guard against re-ingestion (GUARD-1). It must not be readable or testable without the guard key.
import { markDropped } from "./compaction.ts";
import { UsageError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { requestId } from "../model/ids.ts";
import { filterValue, noteFiled } from "./guard-filter.ts";
import { hexList, hexOf, newId, now, type LedgerCore } from "./ledger-core.ts";
import type { Denylist, DenylistEntry, DenylistKind, DenylistOrder, LiftSelector } from "./ledger.ts";

export function createDenylist(core: LedgerCore): Denylist {
  const { connection, digests } = core;

  function selected({ request, ids, identifiers }: LiftSelector): { where: string; values: string[] } {
    const conditions: string[] = [];
    const values: string[] = [];
    if (request !== undefined) {
      conditions.push("request = ?");
      values.push(request);
    }
    if (ids !== undefined) {
      conditions.push("id IN (SELECT value FROM json_each(?))");
      values.push(JSON.stringify(ids));
    }
    if (identifiers !== undefined) {
      conditions.push("kind = 'identifier' AND digest IN (SELECT unhex(value) FROM json_each(?))");
      values.push(hexList(identifiers.map((identifier) => digests.identifierDigest(identifier))));
    }
    if (conditions.length === 0)
      throw new UsageError(
        "NOTHING_SELECTED",
        "a lift names a request, entries or identifiers; it never lifts everything",
      );
    return { where: conditions.join(" AND "), values };
  }

  return {
    addDenylist: (request, entries) =>
      connection.transaction(() => {
        let added = 0;
        const told: DenylistOrder[] = [];
        const filed: number[] = [];
        for (const { kind, digest, shared, owners } of entries) {
          if (connection.get("SELECT 1 FROM allowed_texts WHERE digest = ?", digest) !== undefined) continue;
          const known = connection.get<{ id: string; shared: number }>(
            "SELECT id, shared FROM denylist WHERE kind = ? AND digest = ? AND request = ?",
            kind,
            digest,
            request,
          );
          const id = known?.id ?? newId(core);
          let isNews = known === undefined || (known.shared === 1 && !shared);
          if (known === undefined) {
            connection.run(
              "INSERT INTO denylist (id, kind, digest, request, shared, since) VALUES (?, ?, ?, ?, ?, ?)",
              id,
              kind,
              digest,
              request,
              shared ? 1 : 0,
              now(core),
            );
            added += 1;
            filed.push(filterValue(digest));
          } else if (known.shared === 1 && !shared) {
            // Two fields with one text, of which one is distinctive: the stricter stands.
            connection.run("UPDATE denylist SET shared = 0 WHERE id = ?", id);
          }
          for (const owner of owners)
            isNews =
              connection.run(
                "INSERT INTO denylist_owners (entry, owner) VALUES (?, ?) ON CONFLICT DO NOTHING",
                id,
                owner,
              ) > 0 || isNews;
          if (isNews) told.push({ kind, digest, shared, owners });
        }
        noteFiled(core, filed);
        for (const [, group] of groupBy(told, ({ owners }) => owners.map(hexOf).join()))
          core.outbox.put({ kind: "denylist", request, owners: group[0]?.owners ?? [], entries: group });
        return added;
      }),
    findDenylist: (kind, digest) =>
      connection
        .all<{ id: string; request: string; shared: number; since: string }>(
          "SELECT id, request, shared, since FROM denylist WHERE kind = ? AND digest = ? ORDER BY since, id",
          kind,
          digest,
        )
        .map(({ id, request, shared, since }): DenylistEntry => ({
          id,
          request: requestId(request),
          shared: shared === 1,
          owners: connection
            .rows<[Uint8Array]>("SELECT owner FROM denylist_owners WHERE entry = ? ORDER BY owner", id)
            .map(([owner]) => hexOf(owner)),
          since,
        })),
    liftDenylist(selector) {
      const { where, values } = selected(selector);
      return connection.transaction(() => {
        markDropped(core);
        const entries = connection.all<{ kind: DenylistKind; digest: Uint8Array; request: string }>(
          `SELECT kind, digest, request FROM denylist WHERE ${where}`,
          ...values,
        );
        if (entries.length > 0) core.outbox.put({ kind: "lift", entries });
        return connection.run(`DELETE FROM denylist WHERE ${where}`, ...values);
      });
    },
    hasDenylist(selector) {
      const { where, values } = selected(selector);
      return connection.get(`SELECT 1 FROM denylist WHERE ${where} LIMIT 1`, ...values) !== undefined;
    },
    denylistCount: (request) =>
      (request === undefined
        ? connection.get<{ n: number }>("SELECT count(*) AS n FROM denylist")
        : connection.get<{ n: number }>("SELECT count(*) AS n FROM denylist WHERE request = ?", request)
      )?.n ?? 0,
  };
}
