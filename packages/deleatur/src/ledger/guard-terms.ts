// The terms of do-not-store entries: until when a request's entries stand at least (GUARD-2). No entry may go by a clock alone: a term only says what a named lift may take out.
import { requestId, type RequestId } from "../model/ids.ts";
import { now, type LedgerCore } from "./ledger-core.ts";
import { endedByLog, latestTime } from "./log-time.ts";

export interface GuardTerms {
  /** So many seconds from the clock, or from the latest time in the log where that is later: a clock that was put back ends nothing sooner. A term that ends later stands. */
  giveTerm(request: RequestId, seconds: number): void;
  /** Closed requests whose term has ended by the clock, the oldest first; their entries stand. */
  endedTerms(): readonly RequestId[];
  /** Those of them whose term the log shows to have ended, by the steps of its entries since the request was opened: a clock that jumped makes one step. None that only the anchor knew of. */
  shownTerms(): readonly RequestId[];
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
  /** `since`: when the request was opened; of one that only the anchor knew, no time to which a log reaches back. */
  const ended = (): readonly { readonly request: RequestId; readonly since: string; readonly until: string }[] =>
    connection
      .rows<[id: string, since: string, until: string]>(
        `SELECT request, coalesce(opened, ''), t.until FROM guard_terms AS t LEFT JOIN requests ON id = request
         WHERE t.until <= ? AND coalesce(state, 'closed') = 'closed' ORDER BY t.until, request`,
        now(core),
      )
      .map(([id, since, until]) => ({ request: requestId(id), since, until }));
  return {
    giveTerm(request, seconds) {
      connection.transaction(() => {
        const until = new Date(latestTime(core) + seconds * 1000).toISOString();
        if (storeTerm(core, request, until)) core.outbox.put({ kind: "term", request, until });
      });
    },
    endedTerms: () => ended().map(({ request }) => request),
    shownTerms: () => endedByLog(core, ended()).map(({ request }) => request),
  };
}
