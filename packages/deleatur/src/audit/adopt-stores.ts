// `check --adopt`: takes the markers of other ledgers out of the stores of this boundary, by a named and logged act. It must not take out one that nobody named.
import type { Engine } from "../engine.ts";
import { takeCensus } from "../examine/take-census.ts";
import { UsageError } from "../model/errors.ts";
import { markStores } from "../record/mark-stores.ts";

/** @param ledgers ids as `check` shows them @throws UsageError MARKER_UNKNOWN; StoreError where a store cannot be written */
export async function adoptStores(engine: Engine, ledgers: readonly string[], signal: AbortSignal): Promise<void> {
  const census = await takeCensus(engine, signal);
  const there = new Set(census.shared.flatMap((one) => one.ledgers));
  if (ledgers.some((ledger) => !there.has(ledger)))
    throw new UsageError("MARKER_UNKNOWN", "no store of this boundary bears such a marker, see `deleatur check`");
  for (const { surfaces } of census.shared)
    for (const surface of surfaces) await (await engine.open(surface)).unmark(ledgers, signal);
  await markStores(
    engine,
    engine.surfaces.map(({ declaration }) => declaration.id),
    signal,
  );
}
