// `intents`: ends intents whose writer an operator knows to be gone. The store still decides what became of the write, at the intended key.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { isThere } from "../record/write-under-intent.ts";

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
  let [joined, aborted] = [0, 0];
  for (const { id, ref } of intents) {
    const wasWritten = await isThere(engine, ref, signal);
    engine.ledger.resolveIntent(id, wasWritten ? "joined" : "aborted");
    if (wasWritten) joined += 1;
    else aborted += 1;
  }
  return { joined, aborted };
}
