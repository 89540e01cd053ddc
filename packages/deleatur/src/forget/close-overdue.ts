// Destroys what requests keep sealed beyond its time: needles outlive the last horizon by `openLimit` at most, an audit ticket its expiry not at all (DESIGN §3.8).
import type { Engine } from "../engine.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { lowerStoreFences } from "./raise-fence.ts";

const OPEN_LIMIT_MS = 15 * 24 * 3600 * 1000;

/**
 * Closes such requests; their verdict and receipt stand as they are. What a ground kept of them was fenced until now: nobody can resume a closed
 * request to end that, so it ends here, or, where a store is out of reach, the next time that somebody opens. Answers how many were closed.
 */
export async function closeOverdue(engine: Engine, signal: AbortSignal): Promise<number> {
  const { ledger, clock } = engine;
  const now = clock().getTime();
  const overdue = ledger.requests().filter(({ state, until, due, options }) => {
    if (state === "closed") return false;
    if (isTicket(options)) return Date.parse(due) < now;
    return state === "confirming" && until !== undefined && Date.parse(until) + OPEN_LIMIT_MS < now;
  });
  for (const { id, options } of overdue) {
    ledger.transaction(() => {
      if (!isTicket(options)) ledger.append({ type: "request-closed", at: utcTime(clock()), request: id });
      ledger.closeRequest(id);
    });
  }
  for (const id of ledger.fencedRequests())
    if (ledger.request(id)?.state === "closed") await endFence(engine, id, signal);
  return overdue.length;
}

/** The ledger's own fence goes last: while it stands, it tells that a store's may. */
async function endFence(engine: Engine, id: RequestId, signal: AbortSignal): Promise<void> {
  const { traces, unreached } = await lowerStoreFences(engine, [id], signal);
  if (traces.length + unreached.length === 0) engine.ledger.lowerFence(id);
}

function isTicket(options: unknown): boolean {
  return typeof options === "object" && options !== null && "audit" in options;
}
