// Tells a new anchor everything that a ledger must not forget, as it stands. It must not leave out what an earlier anchor had been told.
import type { AnchoredErasure } from "./anchor-records.ts";
import { tellRuns, unpackRuns } from "./fingerprints.ts";
import type { LedgerCore } from "./ledger-core.ts";
import type { DenylistKind } from "./ledger.ts";

const AT_ONCE = 10_000;

/** Puts the whole state into the outbox; the caller holds the transaction. */
export function tellAll(core: LedgerCore): void {
  const { connection, outbox } = core;
  for (const { position, at, entry } of connection.all<{ position: number; at: string; entry: string }>(
    "SELECT position, at, entry FROM log_entries ORDER BY position",
  ))
    outbox.put({ kind: "log", position, at, entry });
  for (const { digest } of connection.all<{ digest: Uint8Array }>("SELECT digest FROM allowed_texts"))
    outbox.put({ kind: "allow", digests: [digest], grams: [] });
  for (const { gram, runs } of connection.all<{ gram: number; runs: Uint8Array }>(
    "SELECT gram, runs FROM allowed_runs",
  ))
    outbox.put({ kind: "allow", digests: [], grams: [{ gram, runs: unpackRuns(runs) }] });
  tellDenylist(core);
  tellFingerprints(core);
  tellErased(core);
  for (const { request } of connection.all<{ request: string }>("SELECT request FROM lifted_requests"))
    outbox.put({ kind: "lift-request", request });
  for (const { request, until } of connection.all<{ request: string; until: string }>(
    "SELECT request, until FROM guard_terms",
  ))
    outbox.put({ kind: "term", request, until });
  for (const { request, originals } of connection.all<{ request: string; originals: string }>(
    "SELECT request, group_concat(original) AS originals FROM stand_ins GROUP BY request",
  ))
    outbox.put({ kind: "stands-for", request, originals: originals.split(",") });
  for (const { owner, request } of connection.all<{ owner: Uint8Array; request: string }>(
    "SELECT owner, request FROM record_owners",
  ))
    outbox.put({ kind: "record-owners", request, owners: [owner] });
  for (const { artifact, until } of connection.all<{ artifact: Uint8Array; until: string }>(
    "SELECT artifact, until FROM holds UNION ALL SELECT artifact, until FROM adopted_holds",
  ))
    outbox.put({ kind: "hold", artifact, until });
}

interface Entry {
  readonly kind: DenylistKind;
  readonly shared: boolean;
  readonly digest: Uint8Array;
}

/** One record for all entries of a request that have the same owners. */
function tellDenylist({ connection, outbox }: LedgerCore): void {
  const groups = new Map<string, { request: string; owners: readonly Uint8Array[]; entries: Entry[] }>();
  for (const { id, kind, digest, request, shared } of connection.all<{
    id: string;
    kind: DenylistKind;
    digest: Uint8Array;
    request: string;
    shared: number;
  }>("SELECT id, kind, digest, request, shared FROM denylist ORDER BY request, id")) {
    const owners = connection
      .rows<[Uint8Array]>("SELECT owner FROM denylist_owners WHERE entry = ? ORDER BY owner", id)
      .map(([owner]) => owner);
    const name = [request, ...owners.map((owner) => Buffer.from(owner).toString("hex"))].join();
    const group = groups.get(name) ?? { request, owners, entries: [] };
    group.entries.push({ kind, shared: shared === 1, digest });
    groups.set(name, group);
  }
  for (const group of groups.values()) outbox.put({ kind: "denylist", ...group });
}

function tellFingerprints(core: LedgerCore): void {
  for (const { guard, request } of core.connection.all<{ guard: number; request: string }>(
    "SELECT guard, request FROM guarded_requests ORDER BY request",
  ))
    tellRuns(core, request, guard);
}

function tellErased({ connection, outbox }: LedgerCore): void {
  for (const { request } of connection.all<{ request: string }>("SELECT DISTINCT request FROM erased_contents")) {
    const items = connection.all<AnchoredErasure>(
      "SELECT artifact, tag, fate FROM erased_contents WHERE request = ? ORDER BY artifact",
      request,
    );
    for (let from = 0; from < items.length; from += AT_ONCE)
      outbox.put({ kind: "erased", request, items: items.slice(from, from + AT_ONCE) });
  }
}
