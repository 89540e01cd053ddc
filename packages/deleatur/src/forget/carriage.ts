// The requests that one run carries: each goes through the steps with the others, and has its end by itself.
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { IntentResolution } from "./resolve-intents.ts";
import { logBoundaryVersion } from "./receive-request.ts";
import { planOpener } from "./sealed-plan.ts";
import { openSealedOutcome } from "./settle-request.ts";
import { countEndedRounds, endRound, openStepJournal, type StepJournal } from "./step-journal.ts";
import { hasPurgeFailed } from "./purge-requests.ts";
import type { Target } from "./target.ts";

/** The named acts of this very call; none of them is remembered for the next. */
export interface ContinueOptions {
  readonly allowTombstone?: boolean;
  readonly now?: boolean;
  /** By `replay`: what the ledger lost it has taken in from its anchor, and the anchor is written to again. */
  readonly isReplay?: boolean;
  /** Called with the plan before the first delete, perhaps more than once; what it throws stops the request there. */
  readonly beforeErase?: (plan: Plan) => void;
}

/** One request of a run. The caller holds its claim. */
export interface ContinueOrder {
  readonly id: RequestId;
  readonly options: ContinueOptions;
}

/** How a request ended: an error of its own holds up nobody else. */
export type Ended = { readonly outcome: RequestOutcome } | { readonly error: unknown };

/** One request on its way through the steps of a round. */
export interface Carried extends ContinueOrder {
  readonly journal: StepJournal;
  readonly round: number;
  target: Target;
  /** What earlier rounds of the request knew. */
  known: readonly ArtifactRef[];
  intents: IntentResolution;
  /** What this very run has fenced: artifacts by id, persons by `type:value`. */
  readonly fenced: { readonly refs: Map<string, ArtifactRef>; readonly persons: Map<string, SubjectIdentifier> };
}

export interface Carriage {
  /** Those that are still on their way. */
  readonly carried: readonly Carried[];
  readonly ends: ReadonlyMap<RequestId, Ended>;
  end(id: RequestId, ended: Ended): void;
  /** As it was journalled, whichever run made it; undefined before that, and where the request is closed. */
  planOf(one: Pick<Carried, "id" | "round">): Plan | undefined;
  /** Acts for each in turn. An outcome that the act answers, or an error that it throws, is that request's end. @throws only when `signal` is aborted */
  each(act: (one: Carried) => Promise<RequestOutcome | undefined> | RequestOutcome | undefined): Promise<void>;
  /** Acts once for all of these; an error that the act throws is the end of each. @throws only when `signal` is aborted */
  together(ids: readonly RequestId[], act: () => Promise<void> | void): Promise<void>;
}

export function openCarriage(engine: Engine, orders: readonly ContinueOrder[], signal: AbortSignal): Carriage {
  const ends = new Map<RequestId, Ended>();
  const all = orders.map((order): Carried => {
    endOutdatedRound(engine, order.id);
    const journal = openStepJournal(engine, order.id);
    return {
      ...order,
      journal,
      round: journal.round,
      target: { kind: "records", refs: [] },
      known: [],
      fenced: { refs: new Map(), persons: new Map() },
      intents: { joined: 0, aborted: 0, unresolved: 0, waitingUntil: undefined },
    };
  });
  const openPlan = planOpener(engine);
  const carriage: Carriage = {
    get carried() {
      return all.filter(({ id }) => !ends.has(id));
    },
    ends,
    end: (id, ended) => void ends.set(id, ended),
    planOf: ({ id, round }) => openPlan(id, round),
    async each(act) {
      for (const one of carriage.carried) {
        try {
          const outcome = await act(one);
          if (outcome !== undefined) ends.set(one.id, { outcome });
        } catch (error) {
          signal.throwIfAborted();
          ends.set(one.id, { error });
        }
      }
    },
    async together(ids, act) {
      try {
        await act();
      } catch (error) {
        signal.throwIfAborted();
        for (const id of ids) ends.set(id, { error });
      }
    },
  };
  return carriage;
}

/**
 * A round that waits was begun under the boundary of then. Changed since, all is planned anew in the next (DESIGN §3.11); so it is where the run was cut off after a
 * store had failed an erase or a purge: the disk has room by now, or never will; and where a hold came after the plan. What is attested stays as it was signed.
 */
function endOutdatedRound(engine: Engine, id: RequestId): void {
  const { ledger } = engine;
  const round = countEndedRounds(engine, id) + 1;
  const finished = new Map(
    ledger.steps(id).flatMap(({ name, state, detail }) => (state === "finished" ? [[name, detail] as const] : [])),
  );
  if (!finished.has(`${round}/pin`) || openSealedOutcome(engine, id, round) !== undefined) return;
  const hasFailed =
    (finished.has(`${round}/erase`) && ledger.items(id).some(({ outcome }) => outcome === "failed")) ||
    hasPurgeFailed(finished.get(`${round}/purge`));
  if (hasFailed || isHeldSince(engine, id) || ledger.request(id)?.boundaryDigest !== logBoundaryVersion(engine).digest)
    endRound(engine, id, round);
}

/** Whether a hold was placed on what was planned to go and has not gone yet. */
export function isHeldSince({ ledger }: Engine, id: RequestId): boolean {
  const held = new Set(ledger.holds().map(({ ref }) => artifactId(ref)));
  if (held.size === 0) return false;
  return ledger
    .items(id)
    .some(({ ref, action, outcome }) => action !== "keep" && outcome === "planned" && held.has(artifactId(ref)));
}
