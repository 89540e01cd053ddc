// Carries requests on together: takes their claims, brackets their runs in the log, and waits for those that another process carries.
import { toHex } from "@deleatur/verify";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine.ts";
import type { Writer } from "../ledger/ledger.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import { endUnfinished } from "../record/write-under-intent.ts";
import { UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { errorCode } from "../record/harvest.ts";
import type { ContinueOptions, ContinueOrder } from "./carriage.ts";
import { continueRequests } from "./continue-requests.ts";
import { CLAIM_MS, keepClaims } from "./keep-claims.ts";
import type { RequestOutcome } from "./outcome.ts";
import { recordedOutcome } from "./recorded-outcome.ts";
import { countEndedRounds } from "./step-journal.ts";

const POLL_MS = 100;

export const NO_END: PromiseRejectedResult = {
  status: "rejected",
  reason: new UsageError("NO_END", "a request that was carried has no end"),
};

export function settledValue<Value>(end: PromiseSettledResult<Value> | undefined): Value {
  if (end?.status === "fulfilled") return end.value;
  throw (end ?? NO_END).reason;
}

/** Carries one request on. @throws what ended it */
export async function resumeRequest(
  engine: Engine,
  id: RequestId,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  return settledValue((await resumeRequests(engine, [{ id, options }], signal)).get(id));
}

export interface ResumeAllOptions extends Pick<ContinueOptions, "allowTombstone" | "now"> {
  /** These alone; all that are open where absent. */
  readonly requests?: readonly string[];
}

/**
 * Carries on every request that is open, together, the oldest first. Left out is what has nothing to do before a date to come, and what is an audit's
 * ticket. A tombstone that was a named act before is one again.
 */
export async function resumeAllRequests(
  engine: Engine,
  { allowTombstone = false, now = false, requests }: ResumeAllOptions,
  signal: AbortSignal,
): Promise<readonly PromiseSettledResult<RequestOutcome>[]> {
  const today = engine.clock().getTime();
  const open = engine.ledger.requests().filter(({ id, state, received, until }) => {
    if (requests !== undefined && !requests.includes(id)) return false;
    if (state === "closed" || received === undefined) return false;
    return state !== "confirming" || until === undefined || Date.parse(until) <= today;
  });
  const orders = open.map(({ id, attestation }) => ({
    id,
    options: { allowTombstone: allowTombstone || attestation === "tombstone", now },
  }));
  const ends = await resumeRequests(engine, orders, signal);
  return orders.map(({ id }) => ends.get(id) ?? NO_END);
}

type Ends = ReadonlyMap<RequestId, PromiseSettledResult<RequestOutcome>>;

/**
 * Carries requests on together, each under its claim; of one that somebody works on already that run is waited for, and its outcome answered.
 * @throws only when `signal` is aborted
 */
export async function resumeRequests(
  engine: Engine,
  orders: readonly ContinueOrder[],
  signal: AbortSignal,
): Promise<Ends> {
  const own = [...new Map(orders.map((order) => [order.id, order])).values()].filter(
    ({ id }) => !engine.running.has(id),
  );
  const run = runRequests(engine, own, signal);
  for (const { id } of own) {
    const outcome = run.then((ends) => settledValue(ends.get(id))).finally(() => engine.running.delete(id));
    engine.running.set(id, outcome);
  }
  const ids = [...new Set(orders.map(({ id }) => id))];
  const settled = await Promise.allSettled(ids.map((id) => engine.running.get(id) ?? Promise.reject(NO_END.reason)));
  signal.throwIfAborted();
  return new Map(ids.map((id, place) => [id, settled[place] ?? NO_END]));
}

async function runRequests(engine: Engine, orders: readonly ContinueOrder[], signal: AbortSignal): Promise<Ends> {
  const ends = new Map<RequestId, PromiseSettledResult<RequestOutcome>>();
  const owner = currentWriter();
  // What this process was to undo is no finding of the requests, and its intents need not be waited for.
  await endUnfinished(engine);
  let waiting = orders;
  /** By request: how many rounds had ended when we began to wait for somebody else's. */
  const joined = new Map<RequestId, number>();
  for (;;) {
    const claimed: ContinueOrder[] = [];
    const held: ContinueOrder[] = [];
    for (const order of waiting) {
      try {
        const found = claimOrJoin(engine, order.id, owner, joined);
        if (found === "claimed") claimed.push(order);
        else if (found === "held") held.push(order);
        else ends.set(order.id, { status: "fulfilled", value: found });
      } catch (reason) {
        ends.set(order.id, { status: "rejected", reason });
      }
    }
    for (const [id, end] of await carryClaimed(engine, claimed, owner, signal)) ends.set(id, end);
    if (held.length === 0) return ends;
    waiting = held;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @throws UsageError REQUEST_UNKNOWN */
function claimOrJoin(
  engine: Engine,
  id: RequestId,
  owner: Writer,
  joined: Map<RequestId, number>,
): RequestOutcome | "claimed" | "held" {
  const { ledger } = engine;
  const record = ledger.request(id);
  // Another process has carried it to its end meanwhile, or it was closed before; an unknown one, or an audit's ticket, is said to be unknown.
  if (record?.received === undefined || record.state === "closed") return recordedOutcome(engine, id);
  const ended = countEndedRounds(engine, id);
  const before = joined.get(id);
  if (!ledger.claimRequest(id, owner, CLAIM_MS)) {
    if (before === undefined) joined.set(id, ended);
    return "held";
  }
  // The outcome of a round that ended before we came is no answer: its holder has died on the way to another.
  if (before === undefined || ended === before) return "claimed";
  ledger.releaseRequest(id, owner);
  return recordedOutcome(engine, id);
}

async function carryClaimed(
  engine: Engine,
  orders: readonly ContinueOrder[],
  owner: Writer,
  signal: AbortSignal,
): Promise<Ends> {
  const { ledger } = engine;
  if (orders.length === 0) return new Map();
  const letGo = keepClaims(
    engine,
    orders.map(({ id }) => id),
    owner,
  );
  const runs = new Map(orders.map(({ id }) => [id, toHex(engine.random(16))]));
  const bracket = (id: RequestId, entry: BracketEnd | undefined): void => {
    const run = runs.get(id) ?? "";
    const at = utcTime(engine.clock());
    if (entry === undefined) ledger.append({ type: "run-started", at, run, verb: "forget", request: id });
    else ledger.append({ type: "run-finished", at, run, ...entry });
  };
  try {
    for (const { id } of orders) bracket(id, undefined);
    const ends = await continueRequests(engine, orders, signal);
    return new Map(
      orders.map(({ id }): readonly [RequestId, PromiseSettledResult<RequestOutcome>] => {
        const end = ends.get(id) ?? { error: NO_END.reason };
        if ("outcome" in end) {
          bracket(id, { outcome: "done" });
          return [id, { status: "fulfilled", value: end.outcome }];
        }
        bracket(id, { outcome: "failed", code: errorCode(end.error) });
        return [id, { status: "rejected", reason: end.error }];
      }),
    );
  } catch (error) {
    const outcome = signal.aborted ? "interrupted" : "failed";
    for (const { id } of orders) bracket(id, { outcome, code: errorCode(error) });
    throw error;
  } finally {
    letGo();
    for (const { id } of orders) ledger.releaseRequest(id, owner);
  }
}

interface BracketEnd {
  readonly outcome: "done" | "failed" | "interrupted";
  readonly code?: string;
}
