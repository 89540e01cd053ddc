// Calls the roll of the processes that hold memory before a step that needs their answers: one that is alive and silent is waited for, never passed over (DESIGN §4).
import type { Engine } from "../engine.ts";
import type { RequestId } from "../model/ids.ts";
import { askAll } from "../participate/ask-participants.ts";
import type { Carriage } from "./carriage.ts";
import type { RequestOutcome } from "./outcome.ts";
import { waitingOutcome } from "./waiting-outcome.ts";

interface RollCall {
  /** A process is silent that nobody knows to be dead. */
  readonly isSilent: boolean;
  /** When the latest lease of those runs out, where it has not yet. */
  readonly until: Date | undefined;
}

export type Roll = () => Promise<RollCall>;

/** A roll that is called when it is first asked for, and stands for all requests of a step. */
export function callRoll(engine: Engine, signal: AbortSignal): Roll {
  let called: Promise<RollCall> | undefined;
  return () => (called ??= call(engine, signal));
}

/** The end of a request that has to wait for a silent process. */
export function answerSilent(engine: Engine, id: RequestId, { isSilent, until }: RollCall): RequestOutcome | undefined {
  return isSilent ? waitingOutcome(engine, id, "lease", until) : undefined;
}

/** Calls the roll for all that are on their way. */
export async function waitForSilent(engine: Engine, carriage: Carriage, signal: AbortSignal): Promise<void> {
  const roll = callRoll(engine, signal);
  await carriage.each(async ({ id }) => answerSilent(engine, id, await roll()));
}

async function call(engine: Engine, signal: AbortSignal): Promise<RollCall> {
  const { ledger, random, answerMs } = engine;
  const silent: Date[] = [];
  for (const { declaration } of engine.surfaces) {
    if (declaration.kind !== "in-process") continue;
    const desk = { ledger, keys: ledger.keys, random, answerMs };
    const answers = await askAll(desk, declaration.id, { act: "call" }, signal);
    for (const { state, from } of answers) if (state === "silent") silent.push(from.leaseUntil);
  }
  const [latest] = silent.toSorted((a, b) => b.getTime() - a.getTime());
  return { isSilent: silent.length > 0, until: latest !== undefined && latest > engine.clock() ? latest : undefined };
}
