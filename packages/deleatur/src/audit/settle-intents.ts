// `intents`: ends intents whose writer an operator knows to be gone. The store still decides what became of the write, at the intended key.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { artifactId } from "../model/ids.ts";
import { areThere } from "../record/what-stands.ts";

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
  const there = await areThere(
    engine,
    intents.map(({ ref }) => ref),
    signal,
  );
  const joined = intents.filter(({ ref }) => there.has(artifactId(ref)));
  engine.ledger.resolveIntents(
    intents.map(({ id, ref }) => ({ id, how: there.has(artifactId(ref)) ? "joined" : "aborted" })),
  );
  return { joined: joined.length, aborted: intents.length - joined.length };
}
