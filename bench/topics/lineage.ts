// The ledger's price: recording against bare INSERTs of the same rows, closures against a recursive CTE, and what a whole `record` and a harvest take.
import type { Figure, Scene } from "../figure.ts";
import { closures } from "../lineage/closures.ts";
import { recording } from "../lineage/recording.ts";
import { wholeRecord } from "../lineage/whole-record.ts";

export async function bench(scene: Scene): Promise<readonly Figure[]> {
  // Before the closures: what they hold in memory is no part of what a record or a harvest takes.
  const whole = await wholeRecord(scene);
  return [...recording(scene), ...(await closures(scene)), ...whole];
}
