// The fingerprints of erased text: which runs of eight words may not come back inside a larger text (GUARD-2). It holds keyed numbers only.
import { markDropped } from "./compaction.ts";
import { requestId, type RequestId } from "../model/ids.ts";
import type { SqlValue } from "./connection.ts";
import { hexOf, now, type LedgerCore } from "./ledger-core.ts";
import { noteFiled } from "./guard-filter.ts";
import type { Fingerprints, FoundGram, GramOfRuns } from "./ledger.ts";

const RUN_BYTES = 6;
const TOLD_AT_ONCE = 10_000;

const TWO_32 = 0x1_0000_0000;
/** Rows that one statement inserts. */
const ROWS = 32;
const MANY = Array.from({ length: ROWS }, () => "(?, ?, ?)").join(", ");
const INSERT = "INSERT INTO fingerprints (gram, guard, runs) VALUES";

export function packRuns(runs: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(runs.length * RUN_BYTES);
  for (const [at, run] of runs.entries()) writeRun(bytes, at * RUN_BYTES, run);
  return bytes;
}

function writeRun(bytes: Uint8Array, at: number, run: number): void {
  const high = run / TWO_32;
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  bytes[at + 2] = run >>> 24;
  bytes[at + 3] = run >>> 16;
  bytes[at + 4] = run >>> 8;
  bytes[at + 5] = run;
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

/** The rows of one request in the order of the table: `runs` of `grams[at]` go from `ends[at - 1]` to `ends[at]`. */
interface Filed {
  readonly guard: number;
  readonly grams: Float64Array;
  readonly ends: Uint32Array;
  readonly runs: Uint8Array;
}

function filedUnder(guard: number, gathered: ReadonlyMap<number, readonly number[]>): Filed {
  const grams = Float64Array.from(gathered.keys()).toSorted();
  const ends = new Uint32Array(grams.length);
  let count = 0;
  for (const runs of gathered.values()) count += runs.length;
  const bytes = new Uint8Array(count * RUN_BYTES);
  let end = 0;
  for (const [at, gram] of grams.entries()) {
    for (const run of gathered.get(gram) ?? []) {
      writeRun(bytes, end, run);
      end += RUN_BYTES;
    }
    ends[at] = end;
  }
  return { guard, grams, ends, runs: bytes };
}

/** All rows in the order of the table. */
function* inOrder(all: readonly Filed[]): Generator<readonly [number, number, Uint8Array]> {
  const filed = all.toSorted((a, b) => a.guard - b.guard);
  const next = filed.map(() => 0);
  for (;;) {
    let [least, from] = [Infinity, -1];
    for (const [at, { grams }] of filed.entries()) {
      const gram = grams[next[at] ?? 0] ?? Infinity;
      if (gram < least) [least, from] = [gram, at];
    }
    const chosen = filed[from];
    if (chosen === undefined) return;
    const at = next[from] ?? 0;
    next[from] = at + 1;
    yield [least, chosen.guard, chosen.runs.subarray(chosen.ends[at - 1] ?? 0, chosen.ends[at])];
  }
}

export function createFingerprints(core: LedgerCore): Fingerprints {
  const { connection } = core;

  /** The number of a request, with nothing filed under it. */
  function emptyGuardOf(request: RequestId, owners: readonly Uint8Array[]): number {
    const known = connection.get<{ guard: number }>("SELECT guard FROM guarded_requests WHERE request = ?", request);
    const guard = known?.guard ?? Buffer.from(core.random(6)).readUIntBE(0, 6);
    if (known === undefined)
      connection.run("INSERT INTO guarded_requests (guard, request) VALUES (?, ?)", guard, request);
    else connection.run("DELETE FROM fingerprints WHERE guard = ?", guard);
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

  /** Each gram once with each of its runs once, without those that anybody may write. */
  function gather(grams: Iterable<GramOfRuns>): ReadonlyMap<number, readonly number[]> {
    const hasAllowed = connection.get("SELECT 1 FROM allowed_runs LIMIT 1") !== undefined;
    const gathered = new Map<number, readonly number[]>();
    for (const { gram, runs: offered } of grams) {
      const allowed = hasAllowed ? allowedRuns(gram) : [];
      const runs = allowed.length === 0 ? offered : offered.filter((run) => !allowed.includes(run));
      if (runs.length === 0) continue;
      const known = gathered.get(gram);
      gathered.set(gram, known === undefined ? runs : [...new Set([...known, ...runs])]);
    }
    return gathered;
  }

  function allowedRuns(gram: number): readonly number[] {
    const row = connection.get<{ runs: Uint8Array }>("SELECT runs FROM allowed_runs WHERE gram = ?", gram);
    return row === undefined ? [] : unpackRuns(row.runs);
  }

  return {
    putFingerprints: (orders) =>
      connection.transaction(() => {
        const filed: Filed[] = [];
        for (const { request, owners, grams } of orders) {
          const own = filedUnder(emptyGuardOf(request, owners), gather(grams));
          noteFiled(core, own.grams);
          filed.push(own);
        }
        // In the order of the table over all requests, so that each of its pages is touched once.
        let row: SqlValue[] = [];
        for (const values of inOrder(filed)) {
          row.push(...values);
          if (row.length < 3 * ROWS) continue;
          connection.run(`${INSERT} ${MANY}`, ...row);
          row = [];
        }
        for (let at = 0; at < row.length; at += 3) connection.run(`${INSERT} (?, ?, ?)`, ...row.slice(at, at + 3));
        if (core.outbox.isOn())
          for (const [at, { request }] of orders.entries()) tellRuns(core, request, filed[at]?.guard ?? -1);
        return filed.reduce((sum, { runs }) => sum + runs.length / RUN_BYTES, 0);
      }),
    ownsFingerprints: (owners) =>
      owners.some(
        (owner) => connection.get("SELECT 1 FROM guarded_owners WHERE owner = ? LIMIT 1", owner) !== undefined,
      ),
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
