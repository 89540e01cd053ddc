// `lift --expired`: takes out the do-not-store entries whose term has ended, by a named and logged act. It must not believe a clock that has jumped ahead.
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
  /** Requests whose term has ended by the clock alone: their entries stand. */
  readonly doubted: readonly RequestId[];
}

/** Lifts all that each request with an ended term has, as `lift --request` does. @throws UsageError CLOCK_AHEAD where the log shows none of them ended | CLOCK_CONTRADICTED | BAD_CODE */
export function liftExpired(engine: Engine, order: ExpiredOrder): Expired {
  const { ledger } = engine;
  const { role, reason } = namedAct(order);
  return ledger.transaction(() => {
    const ended = ledger.endedTerms();
    if (ended.length === 0) return { requests: [], lifted: 0, doubted: [] };
    const requests = believedTerms(engine, ended, order.today);
    let lifted = 0;
    for (const one of requests) {
      for (const request of [one, ...standInsToLift(ledger, one)]) {
        const count = ledger.liftDenylist({ request });
        ledger.dropFingerprints(request);
        ledger.liftRequest(request);
        logLift(engine, { role, reason, expired: true }, request, count);
        lifted += count;
      }
    }
    return { requests, lifted, doubted: ended.filter((id) => !requests.includes(id)) };
  });
}

function believedTerms(
  { ledger, clock }: Engine,
  ended: readonly RequestId[],
  today: string | undefined,
): readonly RequestId[] {
  const day = utcTime(clock()).slice(0, 10);
  if (today === day) return ended;
  if (today !== undefined) {
    throw new UsageError("CLOCK_CONTRADICTED", `this machine's clock says ${day}, another day than --today`, {
      cure: "set the clock right; --today takes the date in UTC, as 2026-11-30",
    });
  }
  const shown = ledger.shownTerms();
  if (shown.length > 0) return shown;
  throw new UsageError(
    "CLOCK_AHEAD",
    `this machine's clock says ${day}, and the log does not show that so much time has passed: the clock may have jumped`,
    { cure: `look at another clock; where the day is right, say so with --today ${day}, else set the clock` },
  );
}
