// The one engine behind the SDK, the command line and any later service: opens a boundary and answers every act of the flow as a value.
import { randomBytes } from "node:crypto";
import { outsideKinds } from "./adapters/outside-kinds.ts";
import { adoptStores } from "./audit/adopt-stores.ts";
import { bracketRun } from "./audit/bracket-run.ts";
import { type Check, checkBoundary } from "./audit/check-boundary.ts";
import { findPerson, type Found } from "./audit/find-person.ts";
import { type AuditTicket, prepareAudit } from "./audit/prepare-audit.ts";
import { replay, type ReplayOrder, type ReplayOutcome } from "./audit/replay.ts";
import { decideHeld, type HeldDecision } from "./audit/review-held.ts";
import { decideSuspect, listSuspects, type ReviewDecision } from "./audit/review-suspects.ts";
import { type AuditOrder, runAudit } from "./audit/run-audit.ts";
import { watch, type WatchLook, type WatchOrder } from "./audit/watch.ts";
import { loadBoundary } from "./boundary/parse-boundary.ts";
import { createEngine, type Engine, type Rederiver } from "./engine.ts";
import type { Suspect } from "./examine/grade-findings.ts";
import { closeOverdue } from "./forget/close-overdue.ts";
import { dryRunRequest } from "./forget/dry-run.ts";
import { forgetTarget, forgetTargets } from "./forget/forget-target.ts";
import { type ResumeAllOptions, resumeAllRequests, resumeRequest } from "./forget/resume-requests.ts";
import type { ContinueOptions } from "./forget/carriage.ts";
import type { ForgetOrder } from "./forget/forget-order.ts";
import type { DryRun, RequestOutcome } from "./forget/outcome.ts";
import type { GivenTarget } from "./forget/target.ts";
import { openLedger } from "./ledger/open-ledger.ts";
import { openKeys } from "./ledger/open-keys.ts";
import type { Boundary } from "./model/declaration.ts";
import { LedgerError, UsageError, WriteRefusedError } from "./model/errors.ts";
import { requestId, surfaceId } from "./model/ids.ts";
import type { LeaseOptions } from "./participate/hold-lease.ts";
import type { ProcessMemory } from "./participate/process-memory.ts";
import type { Participant } from "./participate/take-part.ts";
import type { ReportProgress } from "./progress.ts";
import { harvestLineage, recordHarvest } from "./record/harvest.ts";
import { expireHeld, type Held, type HeldWrite, listHeld } from "./record/hold-write.ts";
import type { SurfaceKind } from "./surface.ts";
import { type GivenWrite, prepareWrite } from "./record/given-write.ts";
import { endUnfinished, writeUnderIntent } from "./record/write-under-intent.ts";

export interface OpenOptions {
  /** The clock of the ledger; the system's where absent. */
  readonly clock?: () => Date;
  /** Source of random bytes; the system's where absent. */
  readonly random?: (bytes: number) => Uint8Array;
  readonly report?: ReportProgress;
  /** Runs of eight words that one request keeps out inside larger texts at most; 1,000,000 where absent. */
  readonly maxRuns?: number;
  /** Where `${NAME}` and keys are looked up; `process.env` where absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How long a process that holds memory may be silent before a request waits instead, in ms; 5,000 where absent. */
  readonly answerMs?: number;
  /** Adapters of your own: kinds of surfaces that do not ship, under names of their own. Their word is yours to answer for (`deleatur/conformance`). */
  readonly kinds?: readonly SurfaceKind<unknown>[];
}

/** A derived write: it names all its sources, as `surface/key`. */
export interface GivenDerivation extends GivenWrite {
  readonly sources: readonly string[];
}

type Write<Result> = () => Result | Promise<Result>;

export interface Deleatur {
  readonly engine: Engine;
  /** Records an artifact of first hand; `Held` (see `isHeld`) where a person must decide first, and nothing was written. @throws UsageError BAD_CONTENT, IDENTIFIER_TYPE_UNKNOWN; WriteRefusedError FENCED, DENYLISTED; then nothing is left in the store */
  record<Result>(
    surface: string,
    given: GivenWrite,
    write: Write<Result>,
    signal?: AbortSignal,
  ): Promise<Result | Held>;
  /** The same for many artifacts under one write: all or none. */
  recordBatch<Result>(
    surface: string,
    given: readonly GivenWrite[],
    write: Write<Result>,
    signal?: AbortSignal,
  ): Promise<Result | Held>;
  /** Records a derived artifact. @throws WriteRefusedError NO_SOURCE, ERASED_SOURCE, FENCED, DENYLISTED */
  derive<Result>(
    surface: string,
    given: GivenDerivation,
    write: Write<Result>,
    signal?: AbortSignal,
  ): Promise<Result | Held>;
  deriveBatch<Result>(
    surface: string,
    given: readonly GivenDerivation[],
    write: Write<Result>,
    signal?: AbortSignal,
  ): Promise<Result | Held>;
  /**
   * Takes part for a surface of kind `in-process`: from now on this process lists what it holds of it, and lets go of what is to be forgotten.
   * @throws UsageError NOT_IN_PROCESS, ALREADY_TAKING_PART; StoreError NOT_LET_GO, PARTICIPANT_BLIND
   */
  participate(surface: string, memory: ProcessMemory, options?: LeaseOptions): Promise<Participant>;
  /** Registers the function that a surface's `rederive: NAME` calls. */
  registerRederive(name: string, rederiver: Rederiver): void;
  /** Harvests the declared lineage of all surfaces into the ledger. */
  scan(signal?: AbortSignal): Promise<{ readonly artifacts: number; readonly unread: ReadonlyMap<string, string> }>;
  /** Has a person, or records, forgotten; a second call for the same target joins the running request. */
  forget(order: ForgetOrder, signal?: AbortSignal): Promise<RequestOutcome>;
  /**
   * Has several targets forgotten together: one purge, one scan and one look of every probe serve them all. Each answers for itself, in the order
   * given; one that fails or is stuck holds up no other.
   */
  forgetAll(
    orders: readonly ForgetOrder[],
    signal?: AbortSignal,
  ): Promise<readonly PromiseSettledResult<RequestOutcome>[]>;
  /** What `forget` would do; touches nothing. */
  dryRun(target: GivenTarget, signal?: AbortSignal): Promise<DryRun>;
  /** Carries an open request on: after a crash, a window, an open reader, a review. */
  resume(request: string, options?: ContinueOptions, signal?: AbortSignal): Promise<RequestOutcome>;
  /** Carries all open requests on together, as `forgetAll` does, the oldest first; what only waits for a date to come is left out. */
  resumeAll(options?: ResumeAllOptions, signal?: AbortSignal): Promise<readonly PromiseSettledResult<RequestOutcome>[]>;
  /** Everything about a person or record, content included. */
  find(target: GivenTarget, signal?: AbortSignal): Promise<Found>;
  /** The configuration against what exists, and the best that could be attested. */
  check(signal?: AbortSignal): Promise<Check>;
  /** Takes the markers of other ledgers, as `check` shows them, out of the stores: a logged act. @throws UsageError MARKER_UNKNOWN */
  adopt(ledgers: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Fingerprints a target before a foreign tool runs; the ticket holds no text. */
  prepareAudit(target: GivenTarget, signal?: AbortSignal): Promise<AuditTicket>;
  /** Judges a foreign tool's claim by the stores; signs nothing. */
  audit(order: AuditOrder, signal?: AbortSignal): Promise<RequestOutcome>;
  /** After a restore: erases again everything that was ever erased and not lifted; ends the refusal of writes after a ledger was set back. */
  replay(order?: ReplayOrder, signal?: AbortSignal): Promise<ReplayOutcome>;
  /** Looks again and again for what was erased and is there; each look as it ends, until the signal is aborted. */
  watch(order?: WatchOrder, signal?: AbortSignal): AsyncGenerator<WatchLook>;
  /** Likenesses that a person must review. */
  suspects(request: string): readonly Suspect[];
  review(request: string, decision: ReviewDecision): void;
  /** Writes that carry erased content of somebody else, with what they say. */
  held(): readonly HeldWrite[];
  decideHeld(decision: HeldDecision): void;
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

/** Opens a boundary file or a declared boundary. @throws BoundaryError, LedgerError */
export async function openDeleatur(source: string | Boundary, options: OpenOptions = {}): Promise<Deleatur> {
  const { kinds = [] } = options;
  const environment = options.environment ?? process.env;
  const boundary =
    typeof source === "string" ? loadBoundary(source, environment, [...outsideKinds(kinds).keys()]) : source;
  const clock = options.clock ?? ((): Date => new Date());
  const random = options.random ?? ((bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes)));
  const file = boundary.connect.ledger;
  const keys = openKeys({ file, environment, random });
  const { anchor } = boundary.connect;
  const ledger = openLedger({
    file,
    keys,
    clock,
    random,
    boundaryId: boundary.id,
    ...(anchor === undefined ? {} : { anchor }),
  });
  const engine = createEngine({
    boundary,
    ledger,
    clock,
    random,
    report: options.report ?? ((): void => undefined),
    kinds,
    ...(options.answerMs === undefined ? {} : { answerMs: options.answerMs }),
    ...(options.maxRuns === undefined ? {} : { maxRuns: options.maxRuns }),
  });
  await closeOverdue(engine, NEVER);
  expireHeld(engine);
  return bindActs(engine);
}

function bindActs(engine: Engine): Deleatur {
  let isClosed = false;
  const recordBatch: Deleatur["recordBatch"] = async (surface, given, write, signal = NEVER) => {
    const writes = given.map((one) => prepareWrite(surface, one));
    const { id, kind } = engine.bound(surfaceId(surface)).declaration;
    return kind === "in-process"
      ? engine.ownParticipants.write(id, () => writeUnderIntent(engine, writes, write, signal))
      : writeUnderIntent(engine, writes, write, signal);
  };
  const deriveBatch: Deleatur["deriveBatch"] = async (surface, given, write, signal = NEVER) => {
    if (given.some(({ sources }) => sources.length === 0)) {
      throw new WriteRefusedError("NO_SOURCE", `a derived write to ${surface} names no source`, {
        place: { surface },
        cure: "name every artifact that the text was made from, as surface/key",
      });
    }
    return recordBatch(surface, given, write, signal);
  };
  return {
    engine,
    recordBatch,
    deriveBatch,
    record: (surface, given, write, signal) => recordBatch(surface, [given], write, signal),
    derive: (surface, given, write, signal) => deriveBatch(surface, [given], write, signal),
    async participate(surface, memory, options) {
      const { declaration } = engine.bound(surfaceId(surface));
      if (declaration.kind !== "in-process") {
        throw new UsageError("NOT_IN_PROCESS", `a process takes part in surfaces of kind in-process only`, {
          place: { surface },
          cure: "declare the surface with `kind: in-process`",
        });
      }
      return engine.ownParticipants.join(declaration.id, memory, options);
    },
    registerRederive(name, rederiver) {
      if (engine.rederivers.has(name))
        throw new UsageError("REDERIVER_EXISTS", "a rederiver of this name is registered already");
      engine.rederivers.set(name, rederiver);
    },
    async scan(signal = NEVER) {
      const harvest = await harvestLineage(engine, signal);
      recordHarvest(engine, harvest);
      return { artifacts: harvest.rows.length, unread: harvest.unread };
    },
    forget: (order, signal = NEVER) => forgetTarget(engine, order, signal),
    forgetAll: (orders, signal = NEVER) => forgetTargets(engine, orders, signal),
    dryRun: (target, signal = NEVER) => dryRunRequest(engine, target, signal),
    resume: (request, options = {}, signal = NEVER) => resumeRequest(engine, requestId(request), options, signal),
    resumeAll: (options = {}, signal = NEVER) => resumeAllRequests(engine, options, signal),
    find: (target, signal = NEVER) => findPerson(engine, target, signal),
    check: (signal = NEVER) => checkBoundary(engine, signal),
    adopt: (ledgers, signal = NEVER) => bracketRun(engine, "adopt", () => adoptStores(engine, ledgers, signal), signal),
    prepareAudit: (target, signal = NEVER) => prepareAudit(engine, target, signal),
    audit: (order, signal = NEVER) => runAudit(engine, order, signal),
    replay: (order = {}, signal = NEVER) => replay(engine, order, signal),
    watch: (order = {}, signal = NEVER) => watch(engine, order, signal),
    suspects: (request) => listSuspects(engine, request),
    review: (request, decision) => decideSuspect(engine, request, decision),
    held: () => listHeld(engine),
    decideHeld: (decision) => decideHeld(engine, decision),
    async close() {
      if (isClosed) return;
      isClosed = true;
      try {
        await endUnfinished(engine);
      } catch (error) {
        // Its caller was told when it wrote; announced still, it is found by whoever forgets next.
        if (!(error instanceof LedgerError)) throw error;
      } finally {
        await engine.close();
      }
    },
  };
}
