// `lift --expired`: takes out the do-not-store entries whose term has ended, by a named and logged act. It must not believe a clock that has just jumped ahead.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { logLift, standInsToLift } from "./lift-entries.ts";
import { type NamedAct, namedAct } from "./named-act.ts";

export interface ExpiredOrder extends NamedAct {
  /** The day, `2026-11-30` (UTC), as somebody knows it who does not read it from this machine. */
  readonly today?: string;
}

export interface Expired {
  readonly requests: readonly RequestId[];
  /** Entries, without runs of words. */
  readonly lifted: number;
}

const DAY_MS = 86_400_000;
/** The log must have an entry of the days before this one: what was logged since a jump is younger than a day. */
const DAYS_BEFORE = 7;

/** Lifts all that each request with an ended term has, as `lift --request` does. @throws UsageError CLOCK_AHEAD | CLOCK_CONTRADICTED | BAD_CODE */
export function liftExpired(engine: Engine, order: ExpiredOrder): Expired {
  const { ledger } = engine;
  const { role, reason } = namedAct(order);
  return ledger.transaction(() => {
    const requests = ledger.endedTerms();
    if (requests.length === 0) return { requests, lifted: 0 };
    refuseJumped(engine, order.today);
    let lifted = 0;
    for (const ended of requests) {
      for (const request of [ended, ...standInsToLift(ledger, ended)]) {
        const count = ledger.liftDenylist({ request });
        ledger.dropFingerprints(request);
        ledger.liftRequest(request);
        logLift(engine, { role, reason, expired: true }, request, count);
        lifted += count;
      }
    }
    return { requests, lifted };
  });
}

function refuseJumped({ ledger, clock }: Engine, today: string | undefined): void {
  const now = clock();
  const day = utcTime(now).slice(0, 10);
  if (today !== undefined) {
    if (today === day) return;
    throw new UsageError("CLOCK_CONTRADICTED", `this machine's clock says ${day}, another day than --today`, {
      cure: "set the clock right; --today takes the date in UTC, as 2026-11-30",
    });
  }
  const logged = ledger.lastLogged(new Date(now.getTime() - DAY_MS).toISOString());
  if (logged !== undefined && now.getTime() - Date.parse(logged) <= DAYS_BEFORE * DAY_MS) return;
  const last =
    logged === undefined ? "the log has no earlier entry" : `the log's entry before is of ${logged.slice(0, 10)}`;
  throw new UsageError("CLOCK_AHEAD", `this machine's clock says ${day}, and ${last}: it may have jumped`, {
    cure: `look at another clock; where the day is right, say so with --today ${day}, else set the clock`,
  });
}
