// Brackets a run in the log: started, then finished with how it ended (LOG-1). A run without its end was cut off.
import { toHex } from "@deleatur/verify";
import type { Engine } from "../engine.ts";
import { utcTime } from "../model/utc-time.ts";
import { errorCode } from "../record/harvest.ts";

/** Runs an act of a verb that writes; what looks only is not logged. */
export async function bracketRun<Result>(
  engine: Engine,
  verb: string,
  act: () => Promise<Result> | Result,
  signal: AbortSignal,
): Promise<Result> {
  const { ledger, clock } = engine;
  const run = toHex(engine.random(16));
  ledger.append({ type: "run-started", at: utcTime(clock()), run, verb });
  try {
    const result = await act();
    ledger.append({ type: "run-finished", at: utcTime(clock()), run, outcome: "done" });
    return result;
  } catch (error) {
    const outcome = signal.aborted ? "interrupted" : "failed";
    ledger.append({ type: "run-finished", at: utcTime(clock()), run, outcome, code: errorCode(error) });
    throw error;
  }
}
