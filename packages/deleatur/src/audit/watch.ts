// `watch`: looks again and again for what was erased and is there, past the guard or after a restore; it reports and logs, and refuses or erases nothing (GUARD-1, VERDICT-3).
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine.ts";
import { findReturns, type Returns } from "../examine/find-returns.ts";
import { isErasing, stillOwed } from "../examine/still-owed.ts";
import type { RequestState } from "../ledger/request-record.ts";
import { UsageError } from "../model/errors.ts";
import { artifactId, type RequestId, type SurfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { expireHeld } from "../record/hold-write.ts";
import { bracketRun } from "./bracket-run.ts";
import { whyAnchorLost } from "./lost-anchor.ts";
import { roundedCount } from "./rounded-count.ts";
import { storeChanges } from "./store-changes.ts";

export interface WatchOrder {
  /** Seconds from the end of one look to the next; the boundary's `watch`, or an hour. */
  readonly everySeconds?: number;
  /** Looks once and ends. */
  readonly once?: boolean;
  /** Looks earlier once the stores' files have changed so often, as counted once a second. */
  readonly afterWrites?: number;
}

/** What one look found. Keys are for the operator's terminal only. */
export interface WatchLook {
  readonly at: string;
  /** `back`: erased, and there again. `held`: erased content in a record of somebody else. `unread`: a surface could not be read, or the declared anchor cannot be compared with. */
  readonly outcome: "clean" | "back" | "held" | "unread";
  readonly surfaces: readonly {
    readonly surface: string;
    readonly label: string;
    readonly read: number;
    readonly back: number;
    readonly held: number;
    readonly unread?: string;
  }[];
  /** The first of each kind; the counts are whole. */
  readonly back: readonly { readonly artifact: string; readonly rule: string }[];
  readonly held: readonly { readonly artifact: string; readonly rule: string }[];
  /** Requests that are not done: what they have still to erase was passed over, for theirs is to say what became of it. The oldest first. */
  readonly passedOver: readonly PassedOver[];
  /** Why the declared anchor cannot be compared with: what the ledger may have lost was not looked for. */
  readonly anchorLost?: string;
  readonly exitCode: 0 | 20 | 21;
}

export interface PassedOver {
  readonly request: string;
  readonly state: RequestState;
  /** What it waits for or is stuck at, a code, and until when. */
  readonly why?: string;
  readonly until?: string;
}

/** Time as a watch waits by it: a clock that never jumps, and a pause. */
export interface Pacing {
  readonly monotonicMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const HOUR = 3600;
const SHOWN = 1000;
const POLL_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const PACING: Pacing = {
  monotonicMs: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Each look as it ends, until `signal` is aborted, which ends it without an error. @throws UsageError WATCH_TOO_RARE, BAD_WATCH */
export async function* watch(
  engine: Engine,
  order: WatchOrder,
  signal: AbortSignal,
  pacing: Pacing = PACING,
): AsyncGenerator<WatchLook> {
  const every = intervalOf(engine, order);
  const logged = new Map<SurfaceId, string>();
  for (;;) {
    try {
      yield await bracketRun(engine, "watch", () => lookOnce(engine, logged, signal), signal);
      engine.ledger.flushAnchor();
      if (order.once === true) return;
      await waitForNext(engine, every, order.afterWrites, pacing, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
  }
}

function intervalOf({ boundary }: Engine, { everySeconds, afterWrites }: WatchOrder): number {
  const every = everySeconds ?? boundary.watchSeconds ?? HOUR;
  if (!(every >= 1) || (afterWrites !== undefined && !(Number.isInteger(afterWrites) && afterWrites >= 1)))
    throw new UsageError("BAD_WATCH", "a watch looks every second at most, and after one change at least");
  if (boundary.watchSeconds !== undefined && every > boundary.watchSeconds)
    throw new UsageError("WATCH_TOO_RARE", "the inventory says that a watch looks more often than that", {
      cure: "leave the time out, or change `watch` in the boundary file",
    });
  return every;
}

async function lookOnce(engine: Engine, logged: Map<SurfaceId, string>, signal: AbortSignal): Promise<WatchLook> {
  const { ledger, clock } = engine;
  expireHeld(engine);
  const requests = ledger.requests();
  const owed = stillOwed(engine, requests);
  // What a request is just about to erase is not back.
  const counts = (request: RequestId): boolean => !isErasing(ledger.request(request)?.state);
  const lostBefore = whyAnchorLost(engine);
  const found = await findReturns(
    engine,
    { limit: SHOWN, counts, passOver: (ref) => owed.refs.has(artifactId(ref)) },
    signal,
  );
  const anchorLost = whyAnchorLost(engine) ?? lostBefore;
  const outcome = outcomeOf(found, anchorLost !== undefined);
  const at = utcTime(clock());
  ledger.transaction(() => {
    const ended = new Map<SurfaceId, boolean>();
    for (const [surface, { back, held, unread }] of found.surfaces) {
      if (unread === undefined) ended.set(surface, back + held === 0);
      // The same again is no news; it is one violation as long as it stands.
      const news = `${back}/${held}`;
      if (logged.get(surface) === news) continue;
      logged.set(surface, news);
      if (back > 0) ledger.append({ type: "violation", at, code: "RESURRECTED", surface, count: roundedCount(back) });
      if (held > 0) ledger.append({ type: "violation", at, code: "HELD", surface, count: roundedCount(held) });
    }
    if (anchorLost === undefined) ledger.noteWatch(ended);
    ledger.append({ type: "watched", at, outcome });
  });
  return {
    at,
    outcome,
    surfaces: engine.surfaces.flatMap(({ declaration: { id, label } }) => {
      const counted = found.surfaces.get(id);
      return counted === undefined ? [] : [{ surface: id, label, ...counted }];
    }),
    back: found.back.map(({ ref, rule }) => ({ artifact: artifactId(ref), rule })),
    held: found.held.map(({ ref, rule }) => ({ artifact: artifactId(ref), rule })),
    passedOver: requests
      .filter(({ id, state }) => isErasing(state) || owed.requests.has(id))
      .map(({ id, state, why, until }) => ({
        request: id,
        state,
        ...(why === undefined ? {} : { why }),
        ...(until === undefined ? {} : { until }),
      })),
    ...(anchorLost === undefined ? {} : { anchorLost }),
    exitCode: outcome === "clean" ? 0 : outcome === "unread" ? 20 : 21,
  };
}

function outcomeOf({ surfaces }: Returns, isAnchorLost: boolean): WatchLook["outcome"] {
  const all = [...surfaces.values()];
  if (all.some(({ back }) => back > 0)) return "back";
  if (all.some(({ held }) => held > 0)) return "held";
  return isAnchorLost || all.some(({ unread }) => unread !== undefined) ? "unread" : "clean";
}

/** Waits by a clock that does not jump, and by the ledger's, whichever comes first: a jump forward costs one look, one back none. */
async function waitForNext(
  engine: Engine,
  everySeconds: number,
  afterWrites: number | undefined,
  { monotonicMs, pause }: Pacing,
  signal: AbortSignal,
): Promise<void> {
  const [began, wall] = [monotonicMs(), engine.clock().getTime()];
  const changes = afterWrites === undefined ? undefined : storeChanges(engine.boundary);
  let count = 0;
  for (;;) {
    const passed = Math.max(monotonicMs() - began, engine.clock().getTime() - wall);
    const left = everySeconds * 1000 - passed;
    if (left <= 0 || (afterWrites !== undefined && count >= afterWrites)) return;
    await pause(Math.min(left, changes === undefined ? LONGEST_PAUSE_MS : POLL_MS), signal);
    if (changes?.() === true) count += 1;
  }
}
