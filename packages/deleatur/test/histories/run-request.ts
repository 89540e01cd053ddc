// Runs a request of a history: to its end, through a crash and on, beside an unbroken twin. Every outcome is judged.
import { join } from "node:path";
import { renameSync, rmSync, mkdirSync } from "node:fs";
import { anchorOf } from "./boundary.ts";
import type { ContinueOptions } from "../../src/forget/carriage.ts";
import type { ForgetOrder } from "../../src/forget/forget-order.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import type { GivenTarget } from "../../src/forget/target.ts";
import { DeleaturError } from "../../src/model/errors.ts";
import { arm, type Intrusion } from "./between.ts";
import { type Act, begin, liveInChild } from "./live-in-child.ts";
import { rowsOf } from "./oracle.ts";
import { type Before, Broken, hold, judgeOutcome, judgePrivacy, lookBefore } from "./properties.ts";
import type { Tally } from "./tally.ts";
import type { Target } from "./truth.ts";
import type { World } from "./world.ts";

export interface Course {
  readonly intrusions: readonly Intrusion[];
  /** The moments at which the process dies, one life after the other. */
  readonly crashes: readonly number[];
  /** Whether it lives in a process of its own and dies by a real SIGKILL, not by a copy of its files. */
  readonly isKilled: boolean;
  /** Whether an unbroken run of the same request, from the same files, must come to the same end. */
  readonly twin: boolean;
}

export interface Order {
  readonly target: Target;
  readonly allowTombstone: boolean;
  readonly now: boolean;
}

function givenTarget(world: World, target: Target): GivenTarget {
  return target.kind === "person"
    ? { subject: [world.truth.person(target.person).identifier] }
    : { records: [target.record] };
}

/** Begins a request, or joins the one that is open. */
export function forget(world: World, order: Order, course: Course, tally: Tally): Promise<RequestOutcome | undefined> {
  const { target, allowTombstone, now } = order;
  const forgetOrder: ForgetOrder = { ...givenTarget(world, target), allowTombstone, now };
  return run(world, target, { allowTombstone, now }, course, tally, { kind: "forget", order: forgetOrder });
}

export function resume(
  world: World,
  request: string,
  order: Order,
  course: Course,
  tally: Tally,
): Promise<RequestOutcome | undefined> {
  const { allowTombstone, now } = order;
  const options = { allowTombstone, now };
  return run(world, order.target, options, course, tally, { kind: "resume", request, options });
}

/** Several persons in one run: each has an outcome of its own, and each is judged. */
export async function forgetTogether(
  world: World,
  persons: readonly number[],
  options: Omit<Order, "target">,
  tally: Tally,
): Promise<readonly { readonly target: Target; readonly request: string }[]> {
  const targets = persons.map((person): Target => ({ kind: "person", person: world.truth.person(person).index }));
  for (const one of [...world.truth.utterances, ...world.truth.people]) one.isLate = false;
  world.asked.push(...targets);
  const before = lookBefore(world, targets);
  const ends = await world.memory.forgetAll(targets.map((target) => ({ ...givenTarget(world, target), ...options })));
  const lost = ends.map((end) =>
    end.status === "fulfilled" ? end.value.bystanders.lost + end.value.bystanders.lostByPolicy : 0,
  );
  return ends.flatMap((end, place) => {
    const target = targets[place];
    world.lostBeside = lost.reduce((sum, one, at) => (at === place ? sum : sum + one), 0);
    if (target === undefined) return [];
    if (end.status === "rejected") {
      refuse(world, end.reason, tally);
      return [];
    }
    judge(world, target, before, end.value, false, tally);
    noteShutOut(world, target, before, end.value);
    return [{ target, request: end.value.request }];
  });
}

async function run(
  world: World,
  target: Target,
  options: ContinueOptions,
  { intrusions, crashes, isKilled, twin }: Course,
  tally: Tally,
  act: Act,
): Promise<RequestOutcome | undefined> {
  const others = intrusions.flatMap((one): readonly Target[] =>
    one.kind === "forget" ? [{ kind: "person", person: world.truth.person(one.person).index }] : [],
  );
  for (const one of [...world.truth.utterances, ...world.truth.people]) one.isLate = false;
  world.asked.push(target, ...others);
  world.lostBeside = 0;
  const before = lookBefore(world, [target, ...others]);
  // Whatever comes between comes at another moment in another run: then the ends may differ. A reader holds the purge of this one, not of the twin, and processes are gone with a crash.
  const hasTwin = twin && crashes.length > 0 && intrusions.length === 0 && !world.isRead && !world.declared.cache;
  const twinCopy = hasTwin ? world.copy() : undefined;
  const twinStart = world.now().getTime();
  const known = new Set(world.engine.ledger.requests().map(({ id }) => id as string));
  let outcome = await live(world, { intrusions, crashAt: crashes[0], isKilled }, tally, act);
  let lives = 0;
  while (outcome === "crashed") {
    lives += 1;
    // A request that the ledger had received before the crash is not lost: the next process finds it and goes on.
    const left = others.length > 0 ? undefined : world.engine.ledger.requests().find(({ id }) => !known.has(id));
    const wasOpen = left?.id;
    const goOn: Act = left?.state === "closed" ? { kind: "resume", request: left.id, options } : act;
    outcome = await live(world, { intrusions: [], crashAt: crashes[lives], isKilled }, tally, goOn);
    if (outcome !== "crashed") tally.add("crash, carried on");
    if (outcome !== "crashed" && outcome !== undefined && wasOpen !== undefined)
      hold(outcome.request === wasOpen, () => "another request than the crashed one was carried on");
  }
  if (outcome === undefined) return undefined;
  judge(world, target, before, outcome, lives > 0, tally);
  noteShutOut(world, target, before, outcome);
  if (twinCopy !== undefined) {
    if (lives > 0) await compareWithTwin(world, twinCopy, twinStart, act, outcome, tally);
    else rmSync(twinCopy, { recursive: true });
  }
  return outcome;
}

/** One life of the process: its outcome, its death, or a refusal that it may answer with. */
async function live(
  world: World,
  life: {
    readonly intrusions: readonly Intrusion[];
    readonly crashAt: number | undefined;
    readonly isKilled: boolean;
  },
  tally: Tally,
  act: Act,
): Promise<RequestOutcome | "crashed" | undefined> {
  const { intrusions, crashAt, isKilled } = life;
  if (isKilled && crashAt !== undefined) return liveElsewhere(world, act, crashAt, tally);
  const interlude = arm(world, intrusions, crashAt, tally);
  let outcome: RequestOutcome | undefined;
  let failure: unknown;
  try {
    outcome = await begin(world.memory, act);
  } catch (error) {
    failure = error;
  }
  const copy = interlude.crashed();
  await interlude.finish();
  if (copy !== undefined) {
    await world.goOnFrom(copy);
    judgePrivacy(world);
    return "crashed";
  }
  if (outcome === undefined) refuse(world, failure, tally);
  return outcome;
}

/** The same in a process of its own; a moment that it never met leaves it alive to its end. */
async function liveElsewhere(
  world: World,
  act: Act,
  killAt: number,
  tally: Tally,
): Promise<RequestOutcome | "crashed" | undefined> {
  const { directory, declared } = world;
  const nowMs = world.now().getTime();
  const end = await world.leaveTo(() => liveInChild({ directory, declared, nowMs, act, killAt }));
  tally.add(`in a process of its own: ${end.is}`);
  judgePrivacy(world);
  if (end.is === "killed") return "crashed";
  if (end.is === "ended") return end.outcome;
  hold(LAWFUL_REFUSALS.includes(end.code), () => `a process of its own was refused with ${end.code}`);
  return undefined;
}

/** What a request may be refused with: the boundary's fault or a store's, never ours. */
const LAWFUL_REFUSALS = ["SURFACE_DROPPED", "STORE_LOCKED", "LEDGER_LOCKED"];

/** Refusals are of the closed set of errors; anything else is a fault. */
export function refuse(world: World, failure: unknown, tally: Tally): void {
  if (failure instanceof Broken) throw failure;
  world.keepMessage(failure);
  if (!(failure instanceof DeleaturError)) throw failure;
  tally.add(`refused with ${failure.code}`);
  if (!LAWFUL_REFUSALS.includes(failure.code)) throw failure;
}

function judge(
  world: World,
  target: Target,
  before: Before,
  outcome: RequestOutcome,
  hasCrashed: boolean,
  tally: Tally,
): void {
  try {
    judgeOutcome(world, target, before, outcome, tally);
  } catch (error) {
    if (error instanceof Broken && hasCrashed) throw new Broken(`after a crash: ${error.message}`, { cause: error });
    throw error;
  }
}

/** What an erasure covered must not come in again until somebody lifts it. */
function noteShutOut(world: World, target: Target, before: Before, outcome: RequestOutcome): void {
  if (outcome.verdict !== "COMPLIANT" || outcome.attestation.kind !== "erasure") return;
  if (target.kind === "person") world.truth.person(target.person).shutOut.add(outcome.request);
  const rows = [...before.rows].filter(([place]) => /^(?:episodes|transcripts)\//u.test(place));
  for (const utterance of world.truth.ofTarget(target)) {
    // Another record of the same person was kept by a decision: its words are no stranger to it.
    if (target.kind === "record" && utterance.isExcused) continue;
    const places = rows.flatMap(([place, row]) => (row.includes(utterance.text) ? [place] : []));
    if (places.length === 0) continue;
    utterance.shutOut.add(outcome.request);
    for (const place of places) utterance.erasedFrom.add(place);
  }
}

async function compareWithTwin(
  world: World,
  copy: string,
  startMs: number,
  act: Act,
  outcome: RequestOutcome,
  tally: Tally,
): Promise<void> {
  const directory = join(world.root, "twin");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(world.root, { recursive: true });
  renameSync(copy, directory);
  renameSync(anchorOf(copy), anchorOf(directory));
  const shift = startMs - world.now().getTime();
  world.moveClock(shift);
  const twin = await world.openEngine(directory, undefined);
  const unbroken = await begin(twin, act);
  await twin.close();
  world.moveClock(-shift);
  hold(
    JSON.stringify(summaryOf(unbroken)) === JSON.stringify(summaryOf(outcome)),
    () => `after a crash ${JSON.stringify(summaryOf(outcome))}, unbroken ${JSON.stringify(summaryOf(unbroken))}`,
  );
  hold(
    textOfRows(directory) === textOfRows(world.directory),
    () => "after a crash the stores are not as after an unbroken run",
  );
  rmSync(directory, { recursive: true });
  tally.add("crash, same end as unbroken");
}

function summaryOf({ state, verdict, reasons, attestation, exitCode, surfaces }: RequestOutcome): unknown {
  return {
    state,
    verdict,
    reasons: [...new Set(reasons.map(({ code, surface }) => `${code} ${surface ?? ""}`))].toSorted(),
    kind: attestation.kind,
    exitCode,
    counts: surfaces.map(({ surface, erased, rewritten, failed, kept }) => [surface, erased, rewritten, failed, kept]),
  };
}

function textOfRows(directory: string): string {
  return JSON.stringify([...rowsOf(directory)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
