// The denylist: keyed digests that guard against re-ingestion (GUARD-1). It must not be readable or testable without the guard key.
import { markDropped } from "./compaction.ts";
import { UsageError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { requestId } from "../model/ids.ts";
import { filterValue, noteFiled } from "./guard-filter.ts";
import type { SqlValue } from "./connection.ts";
import { hexArray, hexList, hexOf, newId, now, type LedgerCore } from "./ledger-core.ts";
import type { Denylist, DenylistEntry, DenylistKind, DenylistOrder, LiftSelector } from "./ledger.ts";

/** Entries that are filed at once. */
const PART = 5_000;

interface Filed {
  readonly id: string;
  shared: boolean;
  readonly owners: Set<string>;
}

/** Files entries that are not there yet, and tells the anchor what is new. Answers how many were added. */
function addPart(core: LedgerCore, request: string, entries: readonly DenylistOrder[]): number {
  const { connection } = core;
  const hexes = entries.map(({ digest }) => hexOf(digest));
  const allowed = new Set(
    connection
      .rows<[number]>(
        "SELECT j.key FROM json_each(?) AS j CROSS JOIN allowed_texts AS t ON t.digest = unhex(j.value)",
        hexArray(hexes),
      )
      .map(([place]) => place),
  );
  const known = knownEntries(core, request, hexes);
  const rows: SqlValue[] = [];
  const owned: SqlValue[] = [];
  const told: DenylistOrder[] = [];
  const filed: number[] = [];
  const stricter: string[] = [];
  for (const [place, { kind, digest, shared, owners }] of entries.entries()) {
    if (allowed.has(place)) continue;
    const name = `${kind} ${hexes[place] ?? ""}`;
    let entry = known.get(name);
    let isNews = entry === undefined || (entry.shared && !shared);
    if (entry === undefined) {
      entry = { id: newId(core), shared, owners: new Set() };
      known.set(name, entry);
      rows.push(entry.id, kind, digest, request, shared ? 1 : 0, now(core));
      filed.push(filterValue(digest));
    } else if (entry.shared && !shared) {
      // Two fields with one text, of which one is distinctive: the stricter stands.
      entry.shared = false;
      stricter.push(entry.id);
    }
    for (const owner of owners) {
      const hex = hexOf(owner);
      if (entry.owners.has(hex)) continue;
      entry.owners.add(hex);
      owned.push(entry.id, owner);
      isNews = true;
    }
    if (isNews) told.push({ kind, digest, shared, owners });
  }
  connection.runRows("INSERT INTO denylist (id, kind, digest, request, shared, since) VALUES", [rows, 6]);
  connection.run(
    "UPDATE denylist SET shared = 0 WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(stricter),
  );
  connection.runRows("INSERT INTO denylist_owners (entry, owner) VALUES", [owned, 2]);
  noteFiled(core, filed);
  for (const [, group] of groupBy(told, ({ owners }) => owners.map(hexOf).join()))
    core.outbox.put({ kind: "denylist", request, owners: group[0]?.owners ?? [], entries: group });
  return filed.length;
}

/** What a request has filed under these digests, by kind and digest. */
function knownEntries({ connection }: LedgerCore, request: string, hexes: readonly string[]): Map<string, Filed> {
  const known = new Map<string, Filed>();
  for (const [kind, place, id, shared, owner] of connection.rows<[string, number, string, number, Uint8Array | null]>(
    `SELECT k.value, j.key, d.id, d.shared, o.owner FROM json_each(?) AS j
     CROSS JOIN json_each('["identifier","record","exact","folded"]') AS k
     CROSS JOIN denylist AS d ON d.kind = k.value AND d.digest = unhex(j.value) AND d.request = ?
     LEFT JOIN denylist_owners AS o ON o.entry = d.id`,
    hexArray(hexes),
    request,
  )) {
    const name = `${kind} ${hexes[place] ?? ""}`;
    const entry = known.get(name) ?? { id, shared: shared === 1, owners: new Set<string>() };
    if (owner !== null) entry.owners.add(hexOf(owner));
    known.set(name, entry);
  }
  return known;
}

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
        for (let from = 0; from < entries.length; from += PART)
          added += addPart(core, request, entries.slice(from, from + PART));
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
