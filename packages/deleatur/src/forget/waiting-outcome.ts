// The answer of a request that waits: a state with a date, no verdict, nothing signed (DESIGN §7, FORGET-2).
import type { Engine } from "../engine.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { textsCutOff } from "./deny.ts";
import type { PurgeWait } from "./purge-requests.ts";
import type { RequestOutcome } from "./outcome.ts";

const WAITING_EXIT = 22;

export function waitingOutcome(
  engine: Engine,
  id: RequestId,
  why: "lease" | PurgeWait["why"],
  until: Date | undefined,
): RequestOutcome {
  const instant = until === undefined ? undefined : utcTime(until);
  engine.ledger.updateRequest(id, { state: "waiting", why, until: instant ?? null });
  return {
    request: id,
    state: "waiting",
    why,
    ...(instant === undefined ? {} : { until: instant }),
    reasons: [],
    attestation: { kind: "none", code: "WAITING" },
    survivors: [],
    back: [],
    suspects: { open: 0, reviewed: 0 },
    surfaces: [],
    bystanders: { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 },
    denylist: engine.ledger.denylistCount(id),
    textsCutOff: textsCutOff(engine.ledger, id),
    exitCode: WAITING_EXIT,
  };
}
