// `forget`: receives or joins the requests of one target or several, has them carried together, and takes back what was refused before its first delete.
import type { Engine } from "../engine.ts";
import { BoundaryError, DerivationClosureError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import type { ContinueOptions } from "./carriage.ts";
import { askBeforehand, type Beforehand, bestFor } from "./dry-run.ts";
import type { ForgetOrder } from "./forget-order.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { lowerFence } from "./raise-fence.ts";
import { receiveRequest } from "./receive-request.ts";
import { NO_END, resumeRequests, settledValue } from "./resume-requests.ts";
import { parseTarget } from "./target.ts";

/** Has the target forgotten. @throws UsageError, BoundaryError, StoreError, LedgerError; a verdict is never an exception */
export async function forgetTarget(engine: Engine, order: ForgetOrder, signal: AbortSignal): Promise<RequestOutcome> {
  const [end] = await forgetTargets(engine, [order], signal);
  return settledValue(end);
}

/**
 * Has several targets forgotten together: one harvest, one purge, one scan and one look of every probe serve them all (DESIGN §3.9). Each answers for
 * itself, in the order in which they were given. @throws UsageError, BoundaryError before any request opens
 */
export async function forgetTargets(
  engine: Engine,
  orders: readonly ForgetOrder[],
  signal: AbortSignal,
): Promise<readonly PromiseSettledResult<RequestOutcome>[]> {
  const targets = orders.map((order) => parseTarget(order, engine.boundary));
  await refuseUnfit(engine);
  const before = orders.some(isErasureRequired) ? await askBeforehand(engine, signal) : undefined;
  const requests = targets.map((target, place) => {
    const order = orders[place] ?? {};
    const id = receiveRequest(engine, target, order);
    return { id, order, isNew: engine.ledger.steps(id).length === 0 };
  });
  const ends = await resumeRequests(
    engine,
    requests.map(({ id, order }) => ({ id, options: actsOf(engine, order, before) })),
    signal,
  );
  for (const { id, order, isNew } of requests) {
    const end = ends.get(id);
    const isRefused = end?.status === "rejected" && end.reason instanceof DerivationClosureError;
    if (isNew && isErasureRequired(order) && isRefused) await withdraw(engine, id, signal);
  }
  return requests.map(({ id }) => ends.get(id) ?? NO_END);
}

function isErasureRequired({ require }: ForgetOrder): boolean {
  return require === "erasure";
}

function actsOf(engine: Engine, order: ForgetOrder, before: Beforehand | undefined): ContinueOptions {
  return {
    ...(order.allowTombstone === undefined ? {} : { allowTombstone: order.allowTombstone }),
    ...(order.now === undefined ? {} : { now: order.now }),
    ...(before !== undefined && isErasureRequired(order)
      ? { beforeErase: (plan: Plan) => requireErasure(engine, plan, before) }
      : {}),
  };
}

/** A request that was refused before its first delete leaves nothing behind: no fence, nothing sealed. */
async function withdraw(engine: Engine, id: RequestId, signal: AbortSignal): Promise<void> {
  await lowerFence(engine, id, signal);
  engine.ledger.transaction(() => {
    engine.ledger.append({ type: "request-closed", at: utcTime(engine.clock()), request: id });
    engine.ledger.closeRequest(id);
  });
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
function requireErasure(engine: Engine, plan: Plan, before: Beforehand): void {
  const best = bestFor(engine, plan, before);
  if (best.attestation === "erasure") return;
  throw new DerivationClosureError(
    "DOMAIN_NOT_COVERED",
    "an erasure is required and cannot be attested here, nothing was deleted",
    { surfaces: best.surfaces, cure: "see `deleatur check`, or leave out --require erasure" },
  );
}
