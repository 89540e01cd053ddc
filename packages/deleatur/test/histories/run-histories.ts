// Runs so many histories from a seed, some side by side, and answers what they met; the first that breaks a property is shrunk and named so that it can be run again.
import * as fc from "fast-check";
import type { AsyncCommand, RunDetails } from "fast-check";
import type { Declared } from "./boundary.ts";
import type { Known, Stage } from "./commands.ts";
import { firstDeclared, history } from "./generators.ts";
import { judgePrivacy } from "./properties.ts";
export { MUTANTS } from "./mutants.ts";
export { LONG_MUST_MEET, Tally } from "./tally.ts";
import { Tally } from "./tally.ts";
import type { Target } from "./truth.ts";
import { endWorld, newWorld, type World } from "./world.ts";

export interface HistoriesOrder {
  readonly runs: number;
  readonly seed: number;
  /** Of one failed history, as its report names them. */
  readonly path?: string;
  readonly replayPath?: string;
  /** Whether some crashes are a real SIGKILL of a process of its own. */
  readonly kills?: boolean;
  /** Stop at the first broken history, unshrunk. */
  readonly endOnFailure?: boolean;
  readonly onHistory?: (tally: Tally) => void;
}

export interface HistoriesReport {
  readonly tally: Tally;
  /** How to see it again, and what broke; absent where all held. */
  readonly broken: string | undefined;
}

/** While one waits for a file to settle the others go on. */
export const LANES = 3;

export async function runHistories(order: HistoriesOrder): Promise<HistoriesReport> {
  const tally = new Tally();
  const lanes = order.path === undefined ? LANES : 1;
  let isOver = false;
  const shares = Array.from({ length: lanes }, (_, lane) => Math.floor((order.runs + lane) / lanes));
  const ended = await Promise.all(
    shares.map(async (runs, lane) => {
      if (runs === 0) return undefined;
      // A broken lane ends the others.
      const details = await runLane({ ...order, runs, seed: order.seed + lane }, tally, () => isOver);
      if (details.failed) isOver = true;
      return details.failed ? describe(details) : undefined;
    }),
  );
  return { tally, broken: ended.find((one) => one !== undefined) };
}

type Details = RunDetails<[number, Declared, Iterable<AsyncCommand<Known, Stage>>]>;

async function runLane(order: HistoriesOrder, tally: Tally, isOver: () => boolean): Promise<Details> {
  const property = fc.asyncProperty(
    fc.nat(),
    firstDeclared,
    history(order.replayPath, order.kills === true),
    async (seed, declared, commands) => {
      if (isOver()) return;
      const world: World = await newWorld(seed, declared);
      try {
        await fc.asyncModelRun(
          () => ({
            model: {
              snapshots: world.snapshots.length,
              open: new Map<string, Target>(),
              held: new Set<string>(),
              isSetBack: false,
            },
            real: { world, tally },
          }),
          commands,
        );
        judgePrivacy(world);
      } finally {
        await endWorld(world);
      }
      tally.add("histories");
      order.onHistory?.(tally);
    },
  );
  return fc.check(property, {
    seed: order.seed,
    numRuns: order.runs,
    ...(order.path === undefined ? {} : { path: order.path }),
    ...(order.endOnFailure === undefined ? {} : { endOnFailure: order.endOnFailure }),
  });
}

function describe(details: Details): string {
  const { seed, counterexamplePath, counterexample, errorInstance, numRuns, numShrinks } = details;
  const shown = fc.stringify(counterexample);
  const replay = /replayPath="([^"]*)"/u.exec(shown)?.[1];
  return [
    `broken after ${numRuns} histories of this seed and ${numShrinks} shrinks`,
    `again: FC_SEED=${seed} FC_PATH=${counterexamplePath ?? ""}${replay === undefined ? "" : ` FC_REPLAY_PATH='${replay}'`}`,
    shown,
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance),
  ].join("\n");
}
