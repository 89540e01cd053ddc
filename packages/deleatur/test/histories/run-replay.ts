// Runs a replay of a history and holds it against the truth: what was forgotten and not lifted is gone again, and nothing of anybody else is.
import type { ReplayOutcome } from "../../src/audit/replay.ts";
import { rowsOf } from "./oracle.ts";
import { hold, judgeExit, judgeReceipt, lookBefore } from "./properties.ts";
import { refuse } from "./run-request.ts";
import type { Tally } from "./tally.ts";
import type { World } from "./world.ts";

/** Answers whether the memory is whole again. */
export async function replay(world: World, held: ReadonlySet<string>, tally: Tally): Promise<boolean> {
  const before = lookBefore(world, world.asked);
  let outcome: ReplayOutcome;
  try {
    outcome = await world.memory.replay({ now: true });
  } catch (error) {
    refuse(world, error, tally);
    return false;
  }
  tally.add(`replay ${outcome.state}`);
  if (outcome.rolledBack !== undefined) tally.add("replay of a ledger that was set back");
  for (const request of outcome.requests) {
    tally.add("replay of a request");
    judgeExit(request);
    judgeReceipt(world, request, tally);
  }
  const after = rowsOf(world.directory);
  const changed = [...before.bystanders].filter(([place, row]) => after.get(place) !== row);
  const lost = outcome.requests.reduce((sum, { bystanders }) => sum + bystanders.lost + bystanders.lostByPolicy, 0);
  hold(
    changed.length <= lost,
    () => `a replay changed rows of others and says ${lost} lost: ${changed.map(([place]) => place).join(", ")}`,
  );
  if (outcome.state !== "whole") return false;
  judgeGone(world, held);
  return true;
}

/** What a ground keeps stays, and so does what a person let in. */
function judgeGone({ truth, directory }: World, held: ReadonlySet<string>): void {
  const rows = [...rowsOf(directory)].filter(([place]) => !held.has(place));
  const values = truth.people.filter(({ shutOut: requests }) => requests.size > 0).map(({ value }) => value);
  const named = rows.filter(([, row]) => held.size === 0 && values.some((value) => row.includes(value)));
  hold(
    named.length === 0,
    () => `a replay is whole, and a forgotten person is named in ${named.map(([place]) => place).join(", ")}`,
  );
  const texts = truth.utterances.filter(
    ({ shutOut: requests, isAllowed, isExcused }) => requests.size > 0 && !isAllowed && !isExcused,
  );
  const back = rows.filter(([place, row]) =>
    texts.some(({ erasedFrom, text }) => erasedFrom.has(place) && row.includes(text)),
  );
  hold(
    back.length === 0,
    () => `a replay is whole, and what was erased is at ${back.map(([place]) => place).join(", ")}`,
  );
}
