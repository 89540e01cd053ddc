// The terms of do-not-store entries: until when a request's entries stand at least (GUARD-2). No entry may go by a clock alone: a term only says what a named lift may take out.
import { requestId, type RequestId } from "../model/ids.ts";
import { now, type LedgerCore } from "./ledger-core.ts";

export interface GuardTerms {
  /** So many seconds from the clock, or from the latest time in the log where that is later: a clock that was put back ends nothing sooner. A term that ends later stands. */
  giveTerm(request: RequestId, seconds: number): void;
  /** Closed requests whose term has ended by the clock, the oldest first; their entries stand. */
  endedTerms(): readonly RequestId[];
  /** Time of the latest log entry that was not made after `time`; ISO, undefined where there is none. */
  lastLogged(time: string): string | undefined;
}

/** Puts a term into the table, whoever says so. Answers whether it is news. */
export function storeTerm({ connection }: LedgerCore, request: string, until: string): boolean {
  const sql = `INSERT INTO guard_terms VALUES (?, ?)
    ON CONFLICT DO UPDATE SET until = excluded.until WHERE excluded.until > until`;
  return connection.run(sql, request, until) > 0;
}

export function dropTerm({ connection }: LedgerCore, request: string): void {
  connection.run("DELETE FROM guard_terms WHERE request = ?", request);
}

export function createGuardTerms(core: LedgerCore): GuardTerms {
  const { connection } = core;
  return {
    giveTerm(request, seconds) {
      connection.transaction(() => {
        const logged = connection.get<{ at: string | null }>("SELECT max(at) AS at FROM log_entries")?.at;
        const from = Math.max(core.clock().getTime(), Date.parse(logged ?? now(core)));
        const until = new Date(from + seconds * 1000).toISOString();
        if (storeTerm(core, request, until)) core.outbox.put({ kind: "term", request, until });
      });
    },
    endedTerms: () =>
      connection
        .rows<[string]>(
          `SELECT request FROM guard_terms AS t WHERE until <= ?
           AND NOT EXISTS (SELECT 1 FROM requests AS r WHERE r.id = t.request AND r.state <> 'closed') ORDER BY until, request`,
          now(core),
        )
        .map(([request]) => requestId(request)),
    lastLogged: (time) =>
      connection.get<{ at: string | null }>("SELECT max(at) AS at FROM log_entries WHERE at <= ?", time)?.at ??
      undefined,
  };
}
