// `forget` and `forget --resume`: receives or joins a request, holds its claim while it runs, and brackets the run in the log.
import { toHex } from "@deleatur/verify";
import { setTimeout as sleep } from "node:timers/promises";
import { bestOutcome } from "../attest/best-outcome.ts";
import type { Engine } from "../engine.ts";
import { errorCode } from "../record/harvest.ts";
import { DerivationClosureError, UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { thisWriter } from "../record/writer.ts";
import { continueRequest, type ContinueOptions } from "./continue-request.ts";
import type { ForgetOrder } from "./forget-order.ts";
import type { RequestOutcome } from "./outcome.ts";
import { recordedOutcome } from "./recorded-outcome.ts";
import { receiveRequest } from "./receive-request.ts";
import { parseTarget } from "./target.ts";

/** A claim is renewed while the request runs; a process that is known dead loses it at once. */
const CLAIM_MS = 30_000;
const POLL_MS = 100;

/** Has the target forgotten. @throws UsageError, BoundaryError, StoreError, LedgerError; a verdict is never an exception */
export async function forgetTarget(engine: Engine, order: ForgetOrder, signal: AbortSignal): Promise<RequestOutcome> {
  const target = parseTarget(order, engine.boundary.identifiers);
  if (order.require === "erasure") requireErasure(engine);
  const id = receiveRequest(engine, target, order);
  return resumeRequest(
    engine,
    id,
    {
      ...(order.allowTombstone === undefined ? {} : { allowTombstone: order.allowTombstone }),
      ...(order.now === undefined ? {} : { now: order.now }),
    },
    signal,
  );
}

/** Carries a request on under its claim. Where another process works on it, waits for that one and answers with its outcome. */
export async function resumeRequest(
  engine: Engine,
  id: RequestId,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const owner = thisWriter(engine.clock());
  let isJoined = false;
  while (!engine.ledger.claimRequest(id, owner, CLAIM_MS)) {
    isJoined = true;
    await sleep(POLL_MS, undefined, { signal });
  }
  const record = engine.ledger.request(id);
  if (record === undefined) {
    engine.ledger.releaseRequest(id, owner);
    throw new UsageError("REQUEST_UNKNOWN", "no request has this id, see `deleatur requests`", { place: { request: id } });
  }
  if (record.state === "closed" || (isJoined && record.verdict !== undefined)) {
    engine.ledger.releaseRequest(id, owner);
    return recordedOutcome(engine, id);
  }
  const renewal = setInterval(() => engine.ledger.claimRequest(id, owner, CLAIM_MS), CLAIM_MS / 3);
  renewal.unref();
  const run = toHex(engine.random(16));
  engine.ledger.append({ type: "run-started", at: utcTime(engine.clock()), run, verb: "forget", request: id });
  try {
    const outcome = await continueRequest(engine, id, options, signal);
    engine.ledger.append({ type: "run-finished", at: utcTime(engine.clock()), run, outcome: "done" });
    return outcome;
  } catch (error) {
    engine.ledger.append({
      type: "run-finished",
      at: utcTime(engine.clock()),
      run,
      outcome: signal.aborted ? "interrupted" : "failed",
      code: errorCode(error),
    });
    throw error;
  } finally {
    clearInterval(renewal);
    engine.ledger.releaseRequest(id, owner);
  }
}

/** `--require erasure`: stops before the first delete where the boundary cannot carry an erasure. */
function requireErasure(engine: Engine): void {
  const best = bestOutcome(engine.boundary);
  if (best.attestation === "erasure") return;
  throw new DerivationClosureError("DOMAIN_NOT_COVERED", "an erasure is required and this boundary cannot carry one, nothing was deleted", {
    surfaces: best.surfaces,
    cure: "see `deleatur check`",
  });
}
