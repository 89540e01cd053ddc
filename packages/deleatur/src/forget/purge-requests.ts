// The purge step of requests: waits for declared windows, purges all stores of the boundary once, and logs for each request when that was done.
import type { Engine } from "../engine.ts";
import type { Purged } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { purgeStores } from "./purge-stores.ts";
import { nextPurgeWindow } from "./purge-window.ts";
import { openSealedOutcome } from "./settle-request.ts";
import type { StepJournal } from "./step-journal.ts";

export type PurgeWait = { readonly why: "purge-window"; readonly until: Date } | { readonly why: "purge-lock" };

export interface RequestPurge {
  readonly outcomes: ReadonlyMap<SurfaceId, Purged>;
  /** Set where nothing was purged yet: a declared window is still to come, or a store would be locked and nobody said `now`. */
  readonly wait?: PurgeWait;
  readonly finishedAt: string;
  /** Index of the `purge-finished` entry. */
  readonly logIndex: number;
}

interface PurgeDetail {
  readonly outcomes: readonly (readonly [SurfaceId, Purged["outcome"], string])[];
  readonly finishedAt: string;
  readonly logIndex: number;
}

/** Whether the purge step with this journalled detail left a store that failed. */
export function hasPurgeFailed(detail: unknown): boolean {
  // The detail is our own journal's.
  return (detail as PurgeDetail | undefined)?.outcomes.some(([, outcome]) => outcome === "failed") === true;
}

/** A request whose purge is due: everything of its closure is erased. */
export interface PurgeOrder {
  readonly id: RequestId;
  readonly journal: StepJournal;
  readonly now: boolean;
}

/**
 * Purges every store, not only those that the closures touched: an earlier delete by somebody else's tool may have left bytes there. One purge serves
 * all of them, and that one of them may not wait is enough. A purge that an open reader holds up is tried again by the next round.
 */
export async function purgeRequests(
  engine: Engine,
  orders: readonly PurgeOrder[],
  signal: AbortSignal,
): Promise<ReadonlyMap<RequestId, RequestPurge>> {
  const purges = new Map<RequestId, RequestPurge>();
  const due: PurgeOrder[] = [];
  for (const order of orders) {
    const { id, journal } = order;
    const before = journal.isFinished("purge") ? await journal.step("purge", notPurged) : undefined;
    const detail = before ?? earlierPurge(engine, id, journal.round);
    if (detail === undefined) due.push(order);
    else purges.set(id, toRequestPurge(detail));
  }
  if (due.length === 0) return purges;
  const wait = due.some(({ now }) => now) ? undefined : await whatToWaitFor(engine, signal);
  if (wait !== undefined) {
    for (const { id } of due) purges.set(id, { outcomes: new Map(), wait, finishedAt: "", logIndex: -1 });
    return purges;
  }
  for (const { journal } of due) journal.begin("purge");
  const done = await purgeAll(engine, signal);
  for (const { id, journal } of due)
    purges.set(id, toRequestPurge(await journal.step("purge", () => logPurge(engine, id, done))));
  return purges;
}

function notPurged(): PurgeDetail {
  throw new UsageError("NOT_PURGED", "a purge is asked for its journalled end before it has one");
}

/**
 * The purge of an earlier round, where it did all, nothing was erased since, and no bytes were found: there is nothing to purge. Pinned anew since,
 * to another boundary or to more of the person, the request has yet to be purged for: the log must show the one before the other.
 */
function earlierPurge(engine: Engine, id: RequestId, round: number): PurgeDetail | undefined {
  const details = new Map(engine.ledger.steps(id).map(({ name, detail }) => [name, detail]));
  // Both details are our own journal's.
  const erased = details.get(`${round}/erase`) as { readonly changed: number } | undefined;
  const purged = details.get(`${round - 1}/purge`) as PurgeDetail | undefined;
  if (erased === undefined || erased.changed > 0 || purged === undefined) return undefined;
  if (isPinnedSince(engine, id, purged.logIndex)) return undefined;
  const hasBytes = openSealedOutcome(engine, id, round - 1)?.survivors.some(({ depth }) => depth === "bytes");
  return hasBytes === false && purged.outcomes.every(([, outcome]) => outcome === "purged") ? purged : undefined;
}

function isPinnedSince({ ledger }: Engine, id: RequestId, logIndex: number): boolean {
  return ledger.logEntries(logIndex + 1).some(({ entry }) => {
    if (!entry.includes(`"request-pinned"`)) return false;
    // The ledger's own canonical text of a typed entry.
    const { type, request } = JSON.parse(entry) as { readonly type: string; readonly request?: string };
    return type === "request-pinned" && request === id;
  });
}

/** Every declared window must be open, and a lock without a window must be asked for (DESIGN §4). */
export async function whatToWaitFor(engine: Engine, signal: AbortSignal): Promise<PurgeWait | undefined> {
  const starts: Date[] = [];
  let isLocking = false;
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    const { window } = declaration.purge;
    const start = window === undefined ? undefined : nextPurgeWindow(window, engine.clock());
    if (start !== undefined) starts.push(start);
    if (window === undefined && !isLocking) isLocking = (await lockOf(engine, declaration.id, signal)) === "exclusive";
  }
  const [latest] = starts.toSorted((a, b) => b.getTime() - a.getTime());
  if (latest !== undefined) return { why: "purge-window", until: latest };
  return isLocking ? { why: "purge-lock" } : undefined;
}

async function lockOf(engine: Engine, id: SurfaceId, signal: AbortSignal): Promise<"none" | "exclusive"> {
  try {
    return await (await engine.open(id)).purgeLock(signal);
  } catch {
    signal.throwIfAborted();
    return "none"; // a store that cannot be opened is locked by nobody; its purge will say that it failed
  }
}

/**
 * Purges once more where the byte probe still finds what the cheapest means should have cleared: SQLite leaves old cells in the gaps of pages
 * that it rebalanced, `secure_delete` or not. An adapter that is asked again does all that it can. What a store was not purged for at first (`before`) stands until
 * the next round all the same: of a failover it is told once.
 */
export async function purgeOnceMore(
  engine: Engine,
  before: ReadonlyMap<RequestId, RequestPurge>,
  signal: AbortSignal,
): Promise<ReadonlyMap<RequestId, RequestPurge>> {
  const done = await purgeAll(engine, signal);
  return new Map(
    [...before].map(([id, { outcomes }]) => {
      const again = toRequestPurge(logPurge(engine, id, done));
      const owed = [...outcomes].filter(([, { outcome }]) => outcome !== "purged");
      return [id, { ...again, outcomes: new Map([...again.outcomes, ...owed]) }];
    }),
  );
}

type PurgedStores = Omit<PurgeDetail, "logIndex">;

async function purgeAll(engine: Engine, signal: AbortSignal): Promise<PurgedStores> {
  const scannable = engine.surfaces.flatMap(({ declaration, guarantees }) =>
    guarantees.scan === "none" ? [] : [declaration.id],
  );
  const outcomes = await purgeStores(engine, scannable, signal);
  return {
    outcomes: [...outcomes].map(([surface, purged]) => [
      surface,
      purged.outcome,
      "why" in purged ? purged.why : purged.method,
    ]),
    finishedAt: utcTime(engine.clock()),
  };
}

/** Each request has an entry of its own: by it a receipt shows that the scan began after this request's purge. */
function logPurge({ ledger }: Engine, request: RequestId, done: PurgedStores): PurgeDetail {
  return { ...done, logIndex: ledger.append({ type: "purge-finished", at: done.finishedAt, request }) };
}

function toRequestPurge({ outcomes, finishedAt, logIndex }: PurgeDetail): RequestPurge {
  return {
    finishedAt,
    logIndex,
    outcomes: new Map(outcomes.map(([surface, outcome, said]) => [surface, toPurged(outcome, said)])),
  };
}

function toPurged(outcome: Purged["outcome"], said: string): Purged {
  return outcome === "purged" ? { outcome, method: said } : { outcome, why: said };
}
