// Runs a part of the histories that every test run has, or the one that `FC_SEED`, `FC_PATH` and `FC_REPLAY_PATH` name; answers what broke.
import { runHistories } from "./run-histories.ts";
import { MUST_MEET } from "./tally.ts";

/** A busy machine is slow: what is proven does not hang on the time. */
export const PATIENCE_MS = 900_000;
/** Two files of so many, so that both cores of a small machine have theirs. */
export const RUNS = 100;
/** Fixed, so that a red run is red for everybody; `npm run long` goes elsewhere. */
export const SEED = 20_261_130;

export async function brokenIn(seed: number): Promise<string | undefined> {
  const { FC_SEED, FC_PATH, FC_REPLAY_PATH } = process.env;
  const { tally, broken } = await runHistories({
    runs: FC_PATH === undefined ? RUNS : 1,
    seed: FC_SEED === undefined ? seed : Number(FC_SEED),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
    ...(FC_REPLAY_PATH === undefined ? {} : { replayPath: FC_REPLAY_PATH }),
  });
  if (broken !== undefined || FC_PATH !== undefined) return broken;
  // A run that met nothing has shown nothing.
  const missed = MUST_MEET.filter((what) => tally.get(what) === 0);
  return missed.length === 0 ? undefined : `never met: ${missed.join(", ")}`;
}
