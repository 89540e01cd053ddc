// `forget` and `forget --resume`: receives or joins a request, holds its claim while it runs, and brackets the run in the log.
import { toHex } from "@deleatur/verify";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine.ts";
import { errorCode } from "../record/harvest.ts";
import { BoundaryError, DerivationClosureError, UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import { continueRequest, type ContinueOptions } from "./continue-request.ts";
import { bestFor, undeclaredContainers } from "./dry-run.ts";
import type { ForgetOrder } from "./forget-order.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { lowerFence } from "./raise-fence.ts";
import { recordedOutcome } from "./recorded-outcome.ts";
import { receiveRequest } from "./receive-request.ts";
import { parseTarget } from "./target.ts";

/** A claim is renewed while the request runs; a process that is known dead loses it at once. */
const CLAIM_MS = 30_000;
const POLL_MS = 100;

/** Has the target forgotten. @throws UsageError, BoundaryError, StoreError, LedgerError; a verdict is never an exception */
export async function forgetTarget(engine: Engine, order: ForgetOrder, signal: AbortSignal): Promise<RequestOutcome> {
  const target = parseTarget(order, engine.boundary.identifiers);
  await refuseUnfit(engine);
  const isRequired = order.require === "erasure";
  const undeclared = isRequired ? await undeclaredContainers(engine, new Map(), signal) : [];
  const id = receiveRequest(engine, target, order);
  const isNew = engine.ledger.steps(id).length === 0;
  const run = resumeRequest(
    engine,
    id,
    {
      ...(order.allowTombstone === undefined ? {} : { allowTombstone: order.allowTombstone }),
      ...(order.now === undefined ? {} : { now: order.now }),
      ...(isRequired ? { beforeErase: (plan: Plan) => requireErasure(engine, plan, undeclared) } : {}),
    },
    signal,
  );
  try {
    return await run;
  } catch (error) {
    if (isNew && isRequired && error instanceof DerivationClosureError) await withdraw(engine, id, signal);
    throw error;
  }
}

/** A request that was refused before its first delete leaves nothing behind: no fence, nothing sealed. */
async function withdraw(engine: Engine, id: RequestId, signal: AbortSignal): Promise<void> {
  await lowerFence(engine, id, signal);
  engine.ledger.transaction(() => {
    engine.ledger.append({ type: "request-closed", at: utcTime(engine.clock()), request: id });
    engine.ledger.closeRequest(id);
  });
}

/** Carries a request on under its claim; where somebody works on it already, waits for that run and answers with its outcome. */
export function resumeRequest(
  engine: Engine,
  id: RequestId,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const running = engine.running.get(id);
  if (running !== undefined) return running;
  const run = runRequest(engine, id, options, signal).finally(() => engine.running.delete(id));
  engine.running.set(id, run);
  return run;
}

async function runRequest(
  engine: Engine,
  id: RequestId,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { ledger } = engine;
  const owner = currentWriter();
  let isJoined = false;
  for (;;) {
    const record = ledger.request(id);
    if (record === undefined) {
      throw new UsageError("REQUEST_UNKNOWN", "no request has this id, see `deleatur requests`", {
        place: { request: id },
      });
    }
    // Another process has carried it to its end meanwhile, or it was closed before.
    if (record.state === "closed") return recordedOutcome(engine, id);
    if (ledger.claimRequest(id, owner, CLAIM_MS)) {
      if (!isJoined || record.verdict === undefined) break;
      ledger.releaseRequest(id, owner);
      return recordedOutcome(engine, id);
    }
    isJoined = true;
    await sleep(POLL_MS, undefined, { signal });
  }
  const renewal = setInterval(() => ledger.claimRequest(id, owner, CLAIM_MS), CLAIM_MS / 3);
  renewal.unref();
  const run = toHex(engine.random(16));
  ledger.append({ type: "run-started", at: utcTime(engine.clock()), run, verb: "forget", request: id });
  try {
    const outcome = await continueRequest(engine, id, options, signal);
    ledger.append({ type: "run-finished", at: utcTime(engine.clock()), run, outcome: "done" });
    return outcome;
  } catch (error) {
    const end = signal.aborted ? "interrupted" : "failed";
    ledger.append({ type: "run-finished", at: utcTime(engine.clock()), run, outcome: end, code: errorCode(error) });
    throw error;
  } finally {
    clearInterval(renewal);
    ledger.releaseRequest(id, owner);
  }
}

/** A table or column that is not there is a mistake in the boundary, to be mended before a request opens; a store out of reach is not. */
async function refuseUnfit(engine: Engine): Promise<void> {
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    try {
      await engine.open(declaration.id);
    } catch (error) {
      if (error instanceof BoundaryError) throw error;
    }
  }
}

/** `--require erasure`: stops before the first delete where the boundary, or what a ground keeps of this target, cannot carry one. */
function requireErasure(engine: Engine, plan: Plan, undeclared: readonly string[]): void {
  const best = bestFor(engine, plan, undeclared);
  if (best.attestation === "erasure") return;
  throw new DerivationClosureError(
    "DOMAIN_NOT_COVERED",
    "an erasure is required and cannot be attested here, nothing was deleted",
    { surfaces: best.surfaces, cure: "see `deleatur check`, or leave out --require erasure" },
  );
}
