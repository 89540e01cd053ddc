// The commands of a history, each acting on the world and holding what comes out against the truth. The model knows only what a command needs to be sensible.
import type { AsyncCommand } from "fast-check";
import { placeHolds, releaseHolds } from "../../src/audit/hold-records.ts";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import { settleIntents } from "../../src/audit/settle-intents.ts";
import { DeleaturError } from "../../src/model/errors.ts";
import type { Declared } from "./boundary.ts";
import { type ForeignAct, writePast } from "./foreign.ts";
import type { Suspect } from "../../src/examine/grade-findings.ts";
import { rowsOf } from "./oracle.ts";
import { hold } from "./properties.ts";
import { replay } from "./run-replay.ts";
import { type Course, forget, forgetTogether, type Order, resume } from "./run-request.ts";
import type { Tally } from "./tally.ts";
import type { Target, Utterance } from "./truth.ts";
import type { World } from "./world.ts";

/** What a command may presuppose. */
export interface Known {
  snapshots: number;
  /** Requests that are not closed, with their target. */
  readonly open: Map<string, Target>;
  readonly held: Set<string>;
  /** The ledger was set back, and no replay has made it whole: nothing else can go on. */
  isSetBack: boolean;
}

/** The real side of a history. */
export interface Stage {
  readonly world: World;
  readonly tally: Tally;
}

type Run = (known: Known, stage: Stage) => Promise<void> | void;

const NEVER = new AbortController().signal;
const OFFICER = { role: "privacy-officer", reason: "HISTORY" } as const;

/** A command is named by what it was made of, so that a broken history can be read. */
function command(
  name: string,
  given: unknown,
  run: Run,
  check: (known: Known) => boolean = ({ isSetBack }) => !isSetBack,
): AsyncCommand<Known, Stage> {
  return {
    check,
    async run(known, stage) {
      stage.tally.add(`command ${name}`);
      await run(known, stage);
    },
    toString: () => `${name}(${JSON.stringify(given)})`,
  };
}

export interface SayOrder {
  readonly person: number | undefined;
  readonly index: boolean;
  readonly vector: boolean;
  readonly line: boolean;
}

export function say(order: SayOrder): AsyncCommand<Known, Stage> {
  return command("say", order, async (_known, { world, tally }) => {
    const utterance = world.truth.newUtterance();
    const person = order.person === undefined ? undefined : world.truth.person(order.person);
    const answer = await world.say(utterance, person?.index, utterance.text, order);
    if (person === undefined || person.shutOut.size === 0) return;
    tally.add("about a forgotten person: refused");
    hold(answer !== "written", () => `something about person ${person.index}, who was forgotten, was written`);
  });
}

export const EDITS = ["as it was", "in capitals", "with other points", "inside a larger text"] as const;
export type Edit = (typeof EDITS)[number];

function edited({ text, words }: Utterance, edit: Edit, filler: string): string {
  switch (edit) {
    case "as it was":
      return text;
    case "in capitals":
      return text.toUpperCase();
    case "with other points":
      return `${words.join(", ")}!`;
    case "inside a larger text":
      return `${filler} ${text} ${filler}`;
  }
}

export interface AgainOrder {
  readonly text: number;
  readonly person: number | "owner" | undefined;
  readonly edit: Edit;
  /** Only what was erased is offered, where there is any. */
  readonly erased: boolean;
}

/** Offers a text again: what an erasure covered is refused or held, whoever offers it. */
export function sayAgain(order: AgainOrder): AsyncCommand<Known, Stage> {
  return command("sayAgain", order, (_known, stage) => offerAgain(stage, order));
}

async function offerAgain({ world, tally }: Stage, order: AgainOrder): Promise<void> {
  const { truth } = world;
  const shut = truth.utterances.filter(({ shutOut }) => shutOut.size > 0);
  const pool = order.erased && shut.length > 0 ? shut : truth.utterances;
  const utterance = pool[order.text % pool.length];
  if (utterance === undefined) return;
  const [owner] = utterance.owners;
  const named =
    order.person === undefined ? undefined : truth.person(order.person === "owner" ? 0 : order.person).index;
  const person = order.person === "owner" ? owner : named;
  const text = edited(utterance, order.edit, "The minutes of that day say among much else");
  const answer = await world.say(utterance, person, text, { index: true, vector: false, line: false });
  if (answer === "written" && utterance.wasLifted) tally.add("offered again after a lift: written");
  if (utterance.shutOut.size === 0 || utterance.isAllowed) return;
  tally.add(`offered again: ${answer}`);
  hold(answer !== "written", () => `text ${utterance.index} was erased and got in again (${order.edit})`);
}

export function summarise(episodes: readonly number[]): AsyncCommand<Known, Stage> {
  return command("summarise", episodes, async (_known, { world }) => {
    const all = world.episodes();
    const chosen = [...new Set(episodes.flatMap((index) => all[index % Math.max(1, all.length)] ?? []))];
    if (chosen.length === 0) return;
    await world.summarise(
      chosen.map(({ id }) => id),
      chosen.map(({ text }) => text).join(" and "),
    );
  });
}

export function foreign(order: {
  readonly act: ForeignAct;
  readonly text: number;
  readonly person: number;
}): AsyncCommand<Known, Stage> {
  return command("foreign", order, (_known, { world, tally }) => {
    if (writePast(world, order.act, world.truth.utterance(order.text), order.person)) tally.add(`foreign ${order.act}`);
  });
}

export type TargetOrder = { readonly person: number } | { readonly episode: number };

function targetOf(world: World, order: TargetOrder): Target {
  if ("person" in order) return { kind: "person", person: world.truth.person(order.person).index };
  const all = world.episodes();
  const id = all[order.episode % Math.max(1, all.length)]?.id ?? 1;
  return { kind: "record", record: `episodes/${id}` };
}

function keepOpen(known: Known, world: World): void {
  const open = new Set(
    world.engine.ledger.requests().flatMap(({ id, state }) => (state === "closed" ? [] : [id as string])),
  );
  for (const id of known.open.keys()) if (!open.has(id)) known.open.delete(id);
}

export interface ForgetCommand {
  readonly target: TargetOrder;
  readonly allowTombstone: boolean;
  readonly now: boolean;
  readonly course: Course;
  /** A process that takes part and is silent all the while; the others are awake. */
  readonly silent: number | undefined;
  /** What is offered right after it. */
  readonly offer: AgainOrder | undefined;
}

export function forgetCommand(given: ForgetCommand): AsyncCommand<Known, Stage> {
  return command("forget", given, async (known, { world, tally }) => {
    const order: Order = { ...given, target: targetOf(world, given.target) };
    for (const holder of world.holders) holder.wake();
    const silent = given.silent === undefined ? undefined : world.holders[given.silent % world.holders.length];
    silent?.sleep();
    if (silent !== undefined) tally.add("a process is silent");
    const outcome = await forget(world, order, given.course, tally);
    if (outcome !== undefined) known.open.set(outcome.request, order.target);
    if (outcome?.surfaces.some(({ kept }) => kept > 0) === true) tally.add("kept under a hold");
    keepOpen(known, world);
    if (given.offer !== undefined) await offerAgain({ world, tally }, given.offer);
  });
}

export interface TogetherCommand {
  readonly persons: readonly number[];
  readonly allowTombstone: boolean;
  readonly offer: AgainOrder | undefined;
}

/** Several persons in one run. */
export function forgetAllCommand({ persons, allowTombstone, offer }: TogetherCommand): AsyncCommand<Known, Stage> {
  return command("forgetAll", { persons, allowTombstone }, async (known, { world, tally }) => {
    const ends = await forgetTogether(world, [...new Set(persons)], { allowTombstone, now: true }, tally);
    for (const { request, target } of ends) known.open.set(request, target);
    if (ends.length > 1) tally.add("several forgotten together");
    keepOpen(known, world);
    if (offer !== undefined) await offerAgain({ world, tally }, offer);
  });
}

export interface ResumeCommand {
  readonly request: number;
  readonly allowTombstone: boolean;
  readonly course: Course;
}

export function resumeCommand(given: ResumeCommand): AsyncCommand<Known, Stage> {
  return command(
    "resume",
    given,
    async (known, { world, tally }) => {
      const all = [...known.open];
      const [request, target] = all[given.request % all.length] ?? [];
      if (request === undefined || target === undefined) return;
      await resume(world, request, { target, allowTombstone: given.allowTombstone, now: true }, given.course, tally);
      tally.add("resumed");
      keepOpen(known, world);
    },
    ({ open, isSetBack }) => open.size > 0 && !isSetBack,
  );
}

export function snapshot(): AsyncCommand<Known, Stage> {
  return command("snapshot", null, (known, { world }) => {
    world.snapshots.push(world.copy());
    known.snapshots += 1;
  });
}

export interface RestoreOrder {
  readonly snapshot: number;
  readonly which: "all" | "memory" | "transcripts";
}

/** Restored texts are owned again as they were: the truth never forgot whose they are. */
export function restore(order: RestoreOrder): AsyncCommand<Known, Stage> {
  return command(
    "restore",
    order,
    async (_known, { world, tally }) => {
      const copy = world.snapshots[order.snapshot % world.snapshots.length];
      if (copy === undefined) return;
      const isAll = order.which === "all";
      await world.restore(copy, {
        memory: isAll || order.which === "memory",
        transcripts: isAll || order.which === "transcripts",
        ledger: false,
      });
      tally.add(isAll ? "restore of all stores" : "restore of one store");
    },
    ({ snapshots, isSetBack }) => snapshots > 0 && !isSetBack,
  );
}

/** What an operator runs after a restore; also before a store serves, and for nothing. */
export function replayCommand(): AsyncCommand<Known, Stage> {
  return command(
    "replay",
    null,
    async (known, { world, tally }) => {
      if (await replay(world, known.held, tally)) known.isSetBack = false;
      keepOpen(known, world);
    },
    () => true,
  );
}

/** A ledger of the past, with the stores of that time or those of today; its anchor knows more. A replay makes it whole. */
export function setBack(order: { readonly snapshot: number; readonly memory: boolean }): AsyncCommand<Known, Stage> {
  return command(
    "setBack",
    order,
    async (known, { world, tally }) => {
      const copy = world.snapshots[order.snapshot % world.snapshots.length];
      if (copy === undefined) return;
      await world.restore(copy, { memory: order.memory, transcripts: order.memory, ledger: true });
      known.isSetBack = world.engine.ledger.anchorState().is === "rolled-back";
      if (known.isSetBack) tally.add("ledger set back");
      // A hold that was placed meanwhile is known by a digest until the replay meets its record.
      if (await replay(world, known.held, tally)) known.isSetBack = false;
      keepOpen(known, world);
    },
    ({ snapshots, isSetBack }) => snapshots > 0 && !isSetBack,
  );
}

export type LiftOrder = { readonly person: number } | { readonly request: number } | { readonly text: number };

/** Entries are lifted by a named act: afterwards what they covered may come again. */
export function lift(order: LiftOrder): AsyncCommand<Known, Stage> {
  return command("lift", order, (_known, { world, tally }) => {
    const { truth, engine } = world;
    const shut = truth.utterances.filter(({ shutOut }) => shutOut.size > 0);
    const requests = [...new Set(shut.flatMap(({ shutOut }) => [...shutOut]))];
    const act = (given: Parameters<typeof liftEntries>[1]): void => {
      try {
        liftEntries(engine, given);
        tally.add("lifted");
      } catch (error) {
        world.keepMessage(error);
        if (!(error instanceof DeleaturError)) throw error;
      }
    };
    if ("person" in order) {
      act({ ...OFFICER, subject: [truth.person(order.person).identifier] });
      truth.person(order.person).shutOut.clear();
    } else if ("request" in order) {
      const request = requests[order.request % Math.max(1, requests.length)];
      if (request === undefined) return;
      act({ ...OFFICER, request });
      for (const { shutOut } of truth.people) shutOut.delete(request);
      for (const utterance of shut)
        if (utterance.shutOut.delete(request) && utterance.shutOut.size === 0) utterance.wasLifted = true;
    } else {
      const utterance = shut[order.text % Math.max(1, shut.length)];
      if (utterance === undefined) return;
      act({ ...OFFICER, texts: [utterance.text] });
      utterance.shutOut.clear();
      utterance.wasLifted = true;
      utterance.isAllowed = true;
    }
  });
}

export function holdRecord(episode: number): AsyncCommand<Known, Stage> {
  return command("hold", episode, async (known, { world }) => {
    const all = world.episodes();
    const id = all[episode % Math.max(1, all.length)]?.id;
    if (id === undefined) return;
    const record = `episodes/${id}`;
    const until = new Date(world.now().getTime() + 90 * 24 * 3600 * 1000).toISOString().slice(0, 10);
    await placeHolds(world.engine, { records: [record], ground: "a dispute in court", until }, NEVER);
    known.held.add(record);
  });
}

export function releaseAll(): AsyncCommand<Known, Stage> {
  return command(
    "release",
    null,
    (known, { world }) => {
      releaseHolds(world.engine, [...known.held]);
      known.held.clear();
    },
    ({ held, isSetBack }) => held.size > 0 && !isSetBack,
  );
}

export function reviewHeld(decision: "released" | "discarded"): AsyncCommand<Known, Stage> {
  return command("reviewHeld", decision, (_known, { world, tally }) => {
    for (const { id, artifact } of world.memory.held()) {
      world.memory.decideHeld({ ...OFFICER, held: id, decision });
      if (decision !== "released") continue;
      tally.add("held write released");
      const said = artifact.content.flatMap((field) => (field.type === "text" ? [field.text.toLowerCase()] : []));
      for (const utterance of world.truth.utterances)
        if (said.some((text) => utterance.words.some((word) => text.includes(word)))) utterance.isAllowed = true;
    }
  });
}

export function reviewSuspects(order: {
  readonly request: number;
  readonly decision: "kept" | "erased";
}): AsyncCommand<Known, Stage> {
  return command(
    "reviewSuspects",
    order,
    (known, { world, tally }) => {
      const request = [...known.open.keys()][order.request % known.open.size];
      if (request === undefined) return;
      for (const suspect of world.memory.suspects(request)) {
        try {
          world.memory.review(request, { ...OFFICER, suspect: suspect.id, decision: order.decision });
          tally.add(`suspect ${order.decision}`);
          if (suspect.returned !== undefined) tally.add(`return ${order.decision}`);
          else if (suspect.probe === "exact") tally.add(`copy ${order.decision}`);
          if (order.decision === "kept") excuse(world, suspect);
        } catch (error) {
          world.keepMessage(error);
          if (!(error instanceof DeleaturError)) throw error;
        }
      }
    },
    ({ open, isSetBack }) => open.size > 0 && !isSetBack,
  );
}

/** A person said that a likeness is lawful: what it is like to, or says again, is no longer looked for. */
function excuse({ truth, directory }: World, { likeTo, surface, key }: Suspect): void {
  const row = rowsOf(directory).get(`${surface}/${key}`)?.toLowerCase() ?? "";
  for (const utterance of truth.utterances) {
    const isLike =
      likeTo === undefined
        ? utterance.words.some((word) => row.includes(word))
        : utterance.records.has(`episodes/${likeTo.key.replace(/^l/u, "")}`);
    if (isLike) utterance.isExcused = true;
  }
}

export interface RememberOrder {
  readonly episode: number;
  readonly holder: number;
}

/** A process keeps a copy of an episode in its memory. */
export function remember({ episode, holder }: RememberOrder): AsyncCommand<Known, Stage> {
  return command("remember", { episode, holder }, (_known, { world, tally }) =>
    rememberOne(world, { episode, holder }, tally),
  );
}

async function rememberOne(world: World, order: RememberOrder, tally: Tally): Promise<void> {
  const holder = world.holders[order.holder % Math.max(1, world.holders.length)];
  const all = world.episodes();
  const episode = all[order.episode % Math.max(1, all.length)];
  if (holder === undefined || episode === undefined || holder.isAsleep) return;
  tally.add(`a copy in memory: ${await world.remember(holder, episode)}`);
}

const MOST_HOLDERS = 3;

/** Processes that take part come, wake and go. */
export function changeHolders(order: {
  readonly change: "join" | "leave" | "wake";
  readonly holder: number;
  /** What one that joins holds from then on. */
  readonly episodes: readonly number[];
}): AsyncCommand<Known, Stage> {
  return command("changeHolders", order, async (_known, { world, tally }) => {
    if (!world.declared.cache) return;
    const { holders } = world;
    const holder = holders[order.holder % Math.max(1, holders.length)];
    if (order.change === "join") {
      if (holders.length >= MOST_HOLDERS) return;
      await world.join();
      for (const episode of order.episodes) await rememberOne(world, { episode, holder: holders.length - 1 }, tally);
    } else if (holder !== undefined) {
      if (order.change === "leave") await holders.splice(holders.indexOf(holder), 1)[0]?.leave();
      else holder.wake();
    }
    tally.add(`a process: ${order.change}`);
  });
}

export function changeBoundary(declared: Declared): AsyncCommand<Known, Stage> {
  return command("changeBoundary", declared, async (_known, { world }) => {
    // Which processes take part is no matter of the boundary file.
    await world.reopen({ ...declared, cache: world.declared.cache });
  });
}

export function moveClock(hours: number): AsyncCommand<Known, Stage> {
  return command("moveClock", hours, (_known, { world }) => {
    world.moveClock(hours * 3600 * 1000);
  });
}

export function reopen(): AsyncCommand<Known, Stage> {
  return command("reopen", null, async (_known, { world }) => {
    await world.reopen();
  });
}

export function reader(isOpen: boolean): AsyncCommand<Known, Stage> {
  return command("reader", isOpen, (_known, { world }) => {
    if (isOpen) world.openReader();
    else world.closeReader();
  });
}

/** The process dies while a writer of the SDK stands before or behind its own insert. */
export function crashInWrite(order: {
  readonly where: "before" | "after";
  readonly text: number | "new";
  readonly person: number;
}): AsyncCommand<Known, Stage> {
  return command("crashInWrite", order, async (_known, { world, tally }) => {
    const { truth } = world;
    const utterance = order.text === "new" ? truth.newUtterance() : truth.utterance(order.text);
    let copy: string | undefined;
    const dead = new Promise<void>(() => undefined);
    // It is read when the writer gets there: then the process dies.
    const pause = {
      where: order.where,
      get stop() {
        copy = world.copy();
        return dead;
      },
    };
    const writing = world.say(
      utterance,
      truth.person(order.person).index,
      utterance.text,
      { index: true, vector: true, line: false },
      pause,
    );
    await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 20))]);
    if (copy === undefined) return;
    tally.add("crash in a write");
    await world.goOnFrom(copy);
  });
}

/** An operator says that the writers of all open intents are gone. */
export function settle(): AsyncCommand<Known, Stage> {
  return command("settle", null, async (_known, { world }) => {
    await settleIntents(
      world.engine,
      world.engine.ledger.openIntents().map(({ id }) => id),
      NEVER,
    );
  });
}
