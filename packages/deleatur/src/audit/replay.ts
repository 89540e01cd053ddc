// `replay`: after a restore erases again everything that was ever erased and not lifted, by requests of its own, until a fresh look finds nothing (GUARD-4). It never erases what is only like it.
import type { Engine } from "../engine.ts";
import { findReturns, type FoundReturn, type Returns } from "../examine/find-returns.ts";
import type { Rollback } from "../ledger/anchor.ts";
import { UsageError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type RequestId, surfaceId, type SurfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { resumeRequests, settledValue } from "../forget/resume-requests.ts";
import type { RequestOutcome } from "../forget/outcome.ts";
import { receiveRequest } from "../forget/receive-request.ts";
import type { Target } from "../forget/target.ts";
import { bracketRun } from "./bracket-run.ts";
import { whyAnchorLost } from "./lost-anchor.ts";
import { type LiftedFences, lowerLostFences } from "./lost-fences.ts";
import { type NamedAct, namedAct } from "./named-act.ts";
import { roundedCount } from "./rounded-count.ts";

export interface ReplayOrder {
  /** The restored surfaces; all where absent. What is found there is erased in all of them. */
  readonly surfaces?: readonly string[];
  /** Only looks. */
  readonly dryRun?: boolean;
  /** Purge at once, whatever window is declared and whatever lock it takes. */
  readonly now?: boolean;
  /** Begin another anchor in place of one that is lost: who says so, and why. */
  readonly newAnchor?: NamedAct;
}

/** One surface's part. `back`: how many artifacts were there again; `left`: how many still are. */
export interface ReplayedSurface {
  readonly surface: string;
  readonly label: string;
  readonly read: number;
  readonly back: number;
  readonly left: number;
  readonly held: number;
  /** Why it could not be read, a code. */
  readonly unread?: string;
}

/** The answer of `replay`. `held` carries keys: for the operator's terminal only. */
export interface ReplayOutcome {
  /** `whole`: a last look over every surface found nothing that was ever erased, no purge is due, and the anchor is not lost. */
  readonly state: "whole" | "left" | "looked";
  readonly surfaces: readonly ReplayedSurface[];
  /** Erased content in records of others, or of nobody: a person must look. */
  readonly held: readonly { readonly artifact: string; readonly rule: string }[];
  readonly requests: readonly RequestOutcome[];
  /** Fences that came back with a restore, or that belong to requests which nobody knows: taken down, or left to stand. Absent where it only looked. */
  readonly fences?: LiftedFences;
  /** What the ledger had lost, where it was set back. */
  readonly rolledBack?: Rollback;
  /** Why the declared anchor cannot be compared with: what the ledger may have lost was not looked for. */
  readonly anchorLost?: string;
  readonly exitCode: number;
}

interface ReplayTarget {
  readonly target: Target;
  /** Whose entries what is back was met by. */
  readonly originals: readonly RequestId[];
}

const MAX_PASSES = 6;

/** @throws UsageError SURFACE_UNKNOWN, LedgerError ANCHOR_NOT_LOST */
export async function replay(engine: Engine, order: ReplayOrder, signal: AbortSignal): Promise<ReplayOutcome> {
  const selected = order.surfaces?.map((name) => engine.bound(surfaceId(name)).declaration.id);
  if (selected?.length === 0) throw new UsageError("NOTHING_SELECTED", "a replay names the restored surfaces, or all");
  if (order.dryRun === true) return lookOnly(engine, selected, signal);
  return bracketRun(engine, "replay", () => runReplay(engine, order, selected, signal), signal);
}

async function lookOnly(
  engine: Engine,
  selected: readonly SurfaceId[] | undefined,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const lostBefore = whyAnchorLost(engine);
  const found = await findReturns(engine, lookAt(selected), signal);
  const anchorLost = whyAnchorLost(engine) ?? lostBefore;
  const isClean = anchorLost === undefined && found.back.length === 0 && found.held.length === 0 && !hasUnread(found);
  return {
    state: "looked",
    surfaces: surfacesOf(engine, found, found),
    held: heldOf(found),
    requests: [],
    ...rollbackOf(engine),
    ...(anchorLost === undefined ? {} : { anchorLost }),
    exitCode: isClean ? 0 : 21,
  };
}

async function runReplay(
  engine: Engine,
  order: ReplayOrder,
  selected: readonly SurfaceId[] | undefined,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const { ledger } = engine;
  if (order.newAnchor !== undefined) ledger.renewAnchor(namedAct(order.newAnchor));
  const lostBefore = whyAnchorLost(engine);
  const rollback = rollbackOf(engine);
  // From here on the anchor knows that the ledger was set back, and what it took in.
  ledger.flushAnchor(true);
  const outcomes = new Map<RequestId, RequestOutcome>();
  const run = async (ids: readonly RequestId[]): Promise<void> => {
    const options = { isReplay: true, now: order.now === true };
    const ends = await resumeRequests(
      engine,
      ids.map((id) => ({ id, options })),
      signal,
    );
    for (const [id, end] of ends) outcomes.set(id, settledValue(end));
  };
  await run(ledger.openReplays().filter((id) => ledger.request(id)?.state !== "closed"));
  await forgetGone(engine, signal);
  // A ledger that was set back is whole again only when every surface was looked at.
  const scope = rollback.rolledBack === undefined ? selected : undefined;
  const first = await findReturns(engine, lookAt(scope), signal);
  let last = first;
  let before = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    for (const { ref, until } of last.holds) ledger.placeHold([ref], ADOPTED_GROUND, until);
    const left = countBack(last);
    // A pass that makes nothing less has met something that it cannot erase: the outcomes say what.
    if (left === 0 || left >= before) break;
    before = left;
    await run(targetsOf(engine, last).map((one) => openReplay(engine, one)));
    last = await findReturns(engine, lookAt(scope), signal);
  }
  const requests = [...outcomes.values()];
  // An anchor that comes back on the way tells what no look has looked for.
  const anchorLost = whyAnchorLost(engine) ?? lostBefore;
  const isWhole = anchorLost === undefined && countBack(last) === 0 && !hasUnread(last) && requests.every(isPurged);
  // A backup of the moment in which a request ran brings back its fence, which nobody would end.
  const fences = await lowerLostFences(engine, isWhole, signal);
  // One that was killed behind its last step is closed already; one that waits is carried on by the next replay.
  for (const id of ledger.openReplays()) if (ledger.request(id)?.state !== "waiting") ledger.endReplay(id);
  ledger.transaction(() => {
    log(engine, first, last, isWhole, fences);
    if (isWhole && scope === undefined) ledger.endRollback();
  });
  ledger.flushAnchor(true);
  return {
    state: isWhole ? "whole" : "left",
    surfaces: surfacesOf(engine, first, last),
    held: heldOf(last),
    requests,
    fences,
    ...rollback,
    ...(anchorLost === undefined ? {} : { anchorLost }),
    exitCode: anchorLost === undefined ? exitOf(requests, last, isWhole) : 21,
  };
}

const ADOPTED_GROUND = "a hold that the ledger had lost, known from its anchor";

function lookAt(selected: readonly SurfaceId[] | undefined): { readonly surfaces?: ReadonlySet<SurfaceId> } {
  return selected === undefined ? {} : { surfaces: new Set(selected) };
}

function rollbackOf({ ledger }: Engine): { readonly rolledBack?: Rollback } {
  const state = ledger.anchorState();
  if (state.is !== "rolled-back") return {};
  const { at, size, anchored, isForked, lostRequests } = state;
  return { rolledBack: { at, size, anchored, isForked, lostRequests } };
}

/** The persons that rows name come first, each by a request of their own; what is then left is known by key or content alone. */
function targetsOf({ boundary }: Engine, found: Returns): readonly ReplayTarget[] {
  const persons = found.persons
    .map(({ members, requests }) => ({
      identifiers: members.filter(({ type }) => boundary.identifiers.includes(type)),
      originals: [...requests],
    }))
    .filter(({ identifiers }) => identifiers.length > 0);
  if (persons.length > 0)
    return persons.map(({ identifiers, originals }) => ({
      target: { kind: "person", identifiers, none: [] },
      originals,
    }));
  const back = new Set(found.back.map(({ ref }) => artifactId(ref)));
  // What was erased for one is no other's: a lift must be able to reach it.
  return [...groupBy(found.back, ({ requests }) => [...requests].toSorted().join())].flatMap(([, members]) => {
    const refs = new Map(members.flatMap((one) => seedOf(one, back)).map((ref) => [artifactId(ref), ref]));
    if (refs.size === 0) return [];
    return [{ target: { kind: "records", refs: [...refs.values()] }, originals: [...(members[0]?.requests ?? [])] }];
  });
}

/** What derives from something erased goes by its surface's policy: its source is the target, not the row. */
function seedOf({ ref, source }: FoundReturn, back: ReadonlySet<string>): readonly ArtifactRef[] {
  if (source === undefined) return [ref];
  return back.has(artifactId(source)) ? [] : [source];
}

/** In one transaction, so that a killed replay carries on what it began. */
function openReplay(engine: Engine, { target, originals }: ReplayTarget): RequestId {
  const { ledger } = engine;
  return ledger.transaction(() => {
    const running = ledger.findRunningRequest(target);
    const id = receiveRequest(engine, target, {});
    ledger.noteReplay(id);
    // One that ran already is the person's own, or was told for whom it stands.
    if (running === undefined) ledger.standFor(id, originals);
    return id;
  });
}

/** What a ledger that was set back still has as living and no store has: it goes, as it went before. */
async function forgetGone(engine: Engine, signal: AbortSignal): Promise<void> {
  const { ledger } = engine;
  for (const [surface, members] of groupBy(ledger.livesUnderErased(), ({ ref }) => ref.surface)) {
    if (!engine.surfaces.some(({ declaration }) => declaration.id === surface)) continue;
    const there = new Set<string>();
    try {
      const store = await engine.open(surface);
      for await (const row of store.read(
        members.map(({ ref }) => ref.key),
        signal,
      ))
        there.add(row.key);
    } catch {
      signal.throwIfAborted();
      continue; // out of reach: the look says so
    }
    for (const { ref, request } of members) if (!there.has(ref.key)) ledger.markErased([ref], request);
  }
}

function countBack({ surfaces }: Returns): number {
  return [...surfaces.values()].reduce((sum, { back }) => sum + back, 0);
}

function hasUnread({ surfaces }: Returns): boolean {
  return [...surfaces.values()].some(({ unread }) => unread !== undefined);
}

/** Bytes that a purge still owes are content that a restore brought back. */
function isPurged({ state, surfaces }: RequestOutcome): boolean {
  return (
    state !== "waiting" &&
    surfaces.every(({ purge, failed }) => failed === 0 && purge !== "pending" && purge !== "failed")
  );
}

function exitOf(requests: readonly RequestOutcome[], last: Returns, isWhole: boolean): number {
  if (last.held.length > 0 || countBack(last) > 0) return 21;
  const codes = requests.map(({ exitCode }) => exitCode);
  const worst = [21, 20, 22].find((code) => codes.includes(code));
  return worst ?? (isWhole ? 0 : 20);
}

function heldOf({ held }: Returns): ReplayOutcome["held"] {
  return held.map(({ ref, rule }) => ({ artifact: artifactId(ref), rule }));
}

function surfacesOf(engine: Engine, first: Returns, last: Returns): readonly ReplayedSurface[] {
  return engine.surfaces.flatMap(({ declaration: { id, label } }) => {
    const [then, now] = [first.surfaces.get(id), last.surfaces.get(id)];
    if (then === undefined || now === undefined) return [];
    const { unread } = now;
    return [
      {
        surface: id,
        label,
        read: now.read,
        back: then.back,
        left: now.back,
        held: now.held,
        ...(unread === undefined ? {} : { unread }),
      },
    ];
  });
}

function log(
  { ledger, clock }: Engine,
  first: Returns,
  last: Returns,
  isWhole: boolean,
  { lifted }: LiftedFences,
): void {
  const at = utcTime(clock());
  for (const [surface, { back }] of first.surfaces)
    if (back > 0) ledger.append({ type: "violation", at, code: "RESURRECTED", surface, count: roundedCount(back) });
  for (const [surface, { held }] of last.surfaces)
    if (held > 0) ledger.append({ type: "violation", at, code: "HELD", surface, count: roundedCount(held) });
  ledger.append({
    type: "replayed",
    at,
    isWhole,
    ...(lifted === 0 ? {} : { fencesLifted: lifted }),
    surfaces: [...first.surfaces].map(([id, { back }]) => ({
      id,
      back: roundedCount(back),
      held: roundedCount(last.surfaces.get(id)?.held ?? 0),
    })),
  });
}
