// `review` of held writes: lets one in, once, or discards it, by a named role with a reason code; logged (GUARD-2).
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { utcTime } from "../model/utc-time.ts";
import { type NamedAct, namedAct } from "./named-act.ts";

export interface HeldDecision extends NamedAct {
  readonly held: string;
  /** `released`: the same content about the same persons may be written there once. */
  readonly decision: "released" | "discarded";
}

/** @throws UsageError HELD_UNKNOWN */
export function decideHeld(engine: Engine, { held, decision, role, reason }: HeldDecision): void {
  const { ledger } = engine;
  const act = namedAct({ role, reason });
  ledger.transaction(() => {
    const isDecided = decision === "released" ? ledger.allowHeld(held) : ledger.discardHeld(held);
    if (!isDecided) throw new UsageError("HELD_UNKNOWN", "no held write has this id, see `deleatur review`");
    ledger.append({ type: "held-decided", at: utcTime(engine.clock()), held, decision, ...act });
  });
}
