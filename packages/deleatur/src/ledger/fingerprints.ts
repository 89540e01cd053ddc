// The fingerprints of erased text: which runs of eight words may not come back inside a larger text (GUARD-2). It holds keyed numbers only.
import { markDropped } from "./compaction.ts";
import { requestId, type RequestId } from "../model/ids.ts";
import { hexOf, now, type LedgerCore } from "./ledger-core.ts";
import type { Fingerprints, FoundGram, GramOfRuns } from "./ledger.ts";

const RUN_BYTES = 6;
const TOLD_AT_ONCE = 10_000;

export function packRuns(runs: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(runs.length * RUN_BYTES);
  for (const [at, run] of runs.entries()) bytes.writeUIntBE(run, at * RUN_BYTES, RUN_BYTES);
  return bytes;
}

export function unpackRuns(bytes: Uint8Array): readonly number[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: view.length / RUN_BYTES }, (_, at) => view.readUIntBE(at * RUN_BYTES, RUN_BYTES));
}

/** Puts what a request has into the outbox, in pieces that are read back as they stand, so that no memory holds them all. */
export function tellRuns({ connection, outbox }: LedgerCore, request: string, guard: number): void {
  const owners = connection
    .rows<[Uint8Array]>("SELECT owner FROM guarded_owners WHERE guard = ? ORDER BY owner", guard)
    .map(([owner]) => owner);
  let last = -1;
  for (let isFirst = true; ; isFirst = false) {
    const rows = connection.rows<[number, Uint8Array]>(
      "SELECT gram, runs FROM fingerprints WHERE guard = ? AND gram > ? ORDER BY gram LIMIT ?",
      guard,
      last,
      TOLD_AT_ONCE,
    );
    if (rows.length === 0 && !isFirst) return;
    const grams = rows.map(([gram, runs]) => ({ gram, runs: unpackRuns(runs) }));
    outbox.put({ kind: "runs", request, isFirst, owners, grams });
    last = grams.at(-1)?.gram ?? Number.MAX_SAFE_INTEGER;
  }
}

export function createFingerprints(core: LedgerCore): Fingerprints {
  const { connection } = core;

  function guardOf(request: RequestId, owners: readonly Uint8Array[]): number {
    const known = connection.get<{ guard: number }>("SELECT guard FROM guarded_requests WHERE request = ?", request);
    const guard = known?.guard ?? Buffer.from(core.random(6)).readUIntBE(0, 6);
    if (known === undefined)
      connection.run("INSERT INTO guarded_requests (guard, request) VALUES (?, ?)", guard, request);
    for (const owner of owners)
      connection.run("INSERT INTO guarded_owners (guard, owner) VALUES (?, ?) ON CONFLICT DO NOTHING", guard, owner);
    return guard;
  }

  function withoutRuns(gram: number, guard: number, stored: Uint8Array, dropped: ReadonlySet<number>): number {
    const runs = unpackRuns(stored);
    const kept = runs.filter((run) => !dropped.has(run));
    if (kept.length === runs.length) return 0;
    if (kept.length === 0) connection.run("DELETE FROM fingerprints WHERE gram = ? AND guard = ?", gram, guard);
    else connection.run("UPDATE fingerprints SET runs = ? WHERE gram = ? AND guard = ?", packRuns(kept), gram, guard);
    return runs.length - kept.length;
  }

  function allowedRuns(gram: number): readonly number[] {
    const row = connection.get<{ runs: Uint8Array }>("SELECT runs FROM allowed_runs WHERE gram = ?", gram);
    return row === undefined ? [] : unpackRuns(row.runs);
  }

  return {
    putFingerprints: (request, owners, grams) =>
      connection.transaction(() => {
        const guard = guardOf(request, owners);
        connection.run("DELETE FROM fingerprints WHERE guard = ?", guard);
        let count = 0;
        for (const { gram, runs: offered } of grams) {
          const allowed = allowedRuns(gram);
          const runs = allowed.length === 0 ? offered : offered.filter((run) => !allowed.includes(run));
          if (runs.length === 0) continue;
          // Blobs are joined by hand: SQL's || would make text of them.
          const known = connection.get<{ runs: Uint8Array }>(
            "SELECT runs FROM fingerprints WHERE gram = ? AND guard = ?",
            gram,
            guard,
          );
          const all = known === undefined ? runs : [...new Set([...unpackRuns(known.runs), ...runs])];
          connection.run(
            "INSERT INTO fingerprints (gram, guard, runs) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET runs = excluded.runs",
            gram,
            guard,
            packRuns(all),
          );
          count += runs.length;
        }
        if (core.outbox.isOn()) tellRuns(core, request, guard);
        return count;
      }),
    findFingerprints(grams) {
      const owners = new Map<number, readonly string[]>();
      const ownersOf = (guard: number): readonly string[] => {
        const known = owners.get(guard);
        if (known !== undefined) return known;
        const found = connection
          .rows<[Uint8Array]>("SELECT owner FROM guarded_owners WHERE guard = ? ORDER BY owner", guard)
          .map(([owner]) => hexOf(owner));
        owners.set(guard, found);
        return found;
      };
      return connection
        .all<{ gram: number; guard: number; runs: Uint8Array; request: string }>(
          `SELECT gram, guard, runs, request FROM fingerprints JOIN guarded_requests USING (guard)
           WHERE gram IN (SELECT value FROM json_each(?)) ORDER BY gram, guard`,
          JSON.stringify(grams),
        )
        .map(({ gram, guard, runs, request }): FoundGram => ({
          gram,
          runs: unpackRuns(runs),
          request: requestId(request),
          owners: ownersOf(guard),
        }));
    },
    dropRuns: (grams, request) =>
      connection.transaction(() => {
        let count = 0;
        const told: GramOfRuns[] = [];
        for (const { gram, runs } of grams) {
          told.push({ gram, runs });
          const rows = connection.all<{ guard: number; runs: Uint8Array }>(
            `SELECT guard, runs FROM fingerprints JOIN guarded_requests USING (guard)
             WHERE gram = ? AND (? IS NULL OR request = ?)`,
            gram,
            request ?? null,
            request ?? null,
          );
          const dropped = new Set(runs);
          for (const row of rows) count += withoutRuns(gram, row.guard, row.runs, dropped);
        }
        if (count > 0) {
          core.outbox.put({ kind: "drop-runs", request, grams: told });
          markDropped(core);
        }
        return count;
      }),
    allowText: (digests, grams) =>
      connection.transaction(() => {
        const told: GramOfRuns[] = [];
        for (const digest of digests)
          connection.run("INSERT INTO allowed_texts VALUES (?, ?) ON CONFLICT DO NOTHING", digest, now(core));
        for (const { gram, runs } of grams) {
          told.push({ gram, runs });
          connection.run(
            "INSERT INTO allowed_runs VALUES (?, ?) ON CONFLICT DO UPDATE SET runs = excluded.runs",
            gram,
            packRuns([...new Set([...allowedRuns(gram), ...runs])]),
          );
        }
        core.outbox.put({ kind: "allow", digests, grams: told });
      }),
    dropFingerprints: (request) =>
      connection.transaction(() => {
        const rows = connection.get<{ n: number }>(
          "SELECT count(*) AS n FROM fingerprints JOIN guarded_requests USING (guard) WHERE request = ?",
          request,
        );
        if (connection.run("DELETE FROM guarded_requests WHERE request = ?", request) > 0) {
          core.outbox.put({ kind: "drop-all-runs", request });
          markDropped(core);
        }
        return rows?.n ?? 0;
      }),
  };
}
