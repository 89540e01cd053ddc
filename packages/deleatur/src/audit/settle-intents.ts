// `intents`: ends intents whose writer an operator knows to be gone. The store still decides what became of the write, at the intended key.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { mayStand } from "../record/what-stands.ts";

export interface SettledIntents {
  /** The write is in the store: it belongs to the closure of whom it is about. */
  readonly joined: number;
  readonly aborted: number;
}

/** @throws UsageError INTENT_UNKNOWN */
export async function settleIntents(
  engine: Engine,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<SettledIntents> {
  const open = new Map(engine.ledger.openIntents().map((intent) => [intent.id, intent]));
  const intents = ids.map((id) => {
    const intent = open.get(id);
    if (intent !== undefined) return intent;
    throw new UsageError("INTENT_UNKNOWN", "there is no such open intent, see `deleatur intents`");
  });
  const joined = await mayStand(engine, intents, signal);
  engine.ledger.resolveIntents(
    intents.map((intent) => ({ id: intent.id, how: joined.has(intent) ? "joined" : "aborted" })),
  );
  return { joined: joined.size, aborted: intents.length - joined.size };
}
