// What comes between the steps of a running request: other writers, other requests, another process. Each thing happens once, at its moment.
import type { Deleatur } from "../../src/open-deleatur.ts";
import { Crashed } from "./moments.ts";
import { type ForeignAct, writePast } from "./foreign.ts";
import type { Tally } from "./tally.ts";
import type { Target } from "./truth.ts";
import type { Pause, World } from "./world.ts";

export type Intrusion =
  | {
      readonly kind: "say";
      readonly at: number;
      readonly text: number | "new";
      readonly person: number;
      readonly pause: PauseOrder | undefined;
    }
  | {
      readonly kind: "summarise";
      readonly at: number;
      readonly episodes: readonly number[];
      readonly pause: PauseOrder | undefined;
    }
  | {
      readonly kind: "past";
      readonly at: number;
      readonly act: ForeignAct;
      readonly text: number;
      readonly person: number;
    }
  | { readonly kind: "forget"; readonly at: number; readonly person: number };

/** The writer stands still for so many moments. */
export interface PauseOrder {
  readonly where: Pause["where"];
  readonly moments: number;
}

/** The look that a request trusts has begun: what comes past the guard from here on, it could not see. */
const LAST_LOOK = /^epoch started/u;

export interface Interlude {
  /** All that was begun in between, once the run is over. */
  finish(): Promise<void>;
  /** Where the process died, the copy that it left. */
  crashed(): string | undefined;
}

/** Arms the world's moments; the run that follows meets them. */
export function arm(
  world: World,
  intrusions: readonly Intrusion[],
  crashAt: number | undefined,
  tally: Tally,
): Interlude {
  const begun: Promise<unknown>[] = [];
  const waiting: { until: number; go: () => void }[] = [];
  let copy: string | undefined;
  let isLookedAt = false;
  const { moments } = world;
  moments.reset();
  const todo = [...intrusions];
  moments.onMoment = (at, name) => {
    if (copy !== undefined) throw new Crashed("the process is dead");
    if (LAST_LOOK.test(name)) isLookedAt = true;
    if (crashAt !== undefined && at >= crashAt) {
      copy = world.copy();
      tally.add(`crash at ${name.split(" ")[0] ?? ""}`);
      throw new Crashed("the process dies here");
    }
    for (const { go } of waiting.filter(({ until }) => until <= at)) go();
    for (const intrusion of todo.filter((one) => one.at === at)) {
      todo.splice(todo.indexOf(intrusion), 1);
      const late = isLookedAt;
      // Behind the statement that is running: a ledger's transaction is nobody else's.
      begun.push(
        Promise.resolve().then(() =>
          copy === undefined ? intrude(world, intrusion, late, waiting, at, tally) : undefined,
        ),
      );
    }
  };
  return {
    crashed: () => copy,
    async finish() {
      moments.onMoment = undefined;
      for (const { go } of waiting) go();
      await Promise.allSettled(begun);
      await Promise.allSettled(world.writers.splice(0));
    },
  };
}

function pauseOf(
  order: PauseOrder | undefined,
  at: number,
  waiting: { until: number; go: () => void }[],
): Pause | undefined {
  if (order === undefined) return undefined;
  const stop = new Promise<void>((resolve) => {
    waiting.push({ until: at + order.moments, go: resolve });
  });
  return { where: order.where, stop };
}

async function intrude(
  world: World,
  intrusion: Intrusion,
  isLate: boolean,
  waiting: { until: number; go: () => void }[],
  at: number,
  tally: Tally,
): Promise<void> {
  const { truth } = world;
  switch (intrusion.kind) {
    case "say": {
      const utterance = intrusion.text === "new" ? truth.newUtterance() : truth.utterance(intrusion.text);
      const pause = pauseOf(intrusion.pause, at, waiting);
      if (pause !== undefined) tally.add("paused writer");
      tally.add("between the steps: write of the SDK");
      await world.say(
        utterance,
        truth.person(intrusion.person).index,
        utterance.text,
        { index: true, vector: true, line: false },
        pause,
      );
      return;
    }
    case "summarise": {
      const all = world.episodes();
      const ids = intrusion.episodes.flatMap((index) => all[index % Math.max(1, all.length)] ?? []);
      if (ids.length === 0) return;
      const pause = pauseOf(intrusion.pause, at, waiting);
      if (pause !== undefined) tally.add("paused writer");
      tally.add("between the steps: write of the SDK");
      await world.summarise(
        ids.map(({ id }) => id),
        ids.map(({ text }) => text).join(" and "),
        pause,
      );
      return;
    }
    case "past": {
      const utterance = truth.utterance(intrusion.text);
      if (writePast(world, intrusion.act, utterance, intrusion.person)) {
        tally.add("between the steps: write past the guard");
        if (!isLate) return;
        utterance.isLate = true;
        for (const owner of [...utterance.owners, intrusion.person]) truth.person(owner).isLate = true;
      }
      return;
    }
    case "forget": {
      tally.add("between the steps: another forget");
      await forgetQuietly(world, world.memory, { kind: "person", person: truth.person(intrusion.person).index });
      return;
    }
    default:
      intrusion satisfies never;
  }
}

async function forgetQuietly(world: World, memory: Deleatur, target: Target): Promise<void> {
  if (target.kind !== "person") return;
  try {
    const { bystanders } = await memory.forget({
      subject: [world.truth.person(target.person).identifier],
      now: true,
    });
    world.lostBeside += bystanders.lost + bystanders.lostByPolicy;
  } catch (error) {
    world.keepMessage(error);
  }
}
