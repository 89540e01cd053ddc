// The ledger's price: recording against bare INSERTs of the same rows, closures against a recursive CTE, and what a whole `record` and a harvest take.
import type { Figure, Scene } from "../figure.ts";
import { closures } from "../lineage/closures.ts";
import { recording } from "../lineage/recording.ts";

export async function bench(scene: Scene): Promise<readonly Figure[]> {
  return [...(process.env["ONLY"] === "c" ? [] : recording(scene)), ...(await closures(scene))];
}
