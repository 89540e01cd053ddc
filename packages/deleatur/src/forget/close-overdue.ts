// Destroys what requests keep sealed beyond its time: needles outlive the last horizon by `openLimit` at most, an audit ticket its expiry not at all (DESIGN §3.8).
import type { Engine } from "../engine.ts";
import { utcTime } from "../model/utc-time.ts";

const OPEN_LIMIT_MS = 15 * 24 * 3600 * 1000;

/** Closes such requests; their verdict and receipt stand as they are. Answers how many. */
export function closeOverdue({ ledger, clock }: Engine): number {
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
  return overdue.length;
}

function isTicket(options: unknown): boolean {
  return typeof options === "object" && options !== null && "audit" in options;
}
