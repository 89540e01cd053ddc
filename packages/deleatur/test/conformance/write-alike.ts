// Writes the same records under the same keys into every store that a bench laid, as an application with replicas does.
import { type BenchRecord, impossible, type Wrote } from "../../src/conformance/index.ts";

/** The first store chooses the keys, or takes those that are given; what it refuses is written nowhere. */
export async function writeAlike<Store>(
  stores: readonly Store[],
  records: readonly BenchRecord[],
  write: (store: Store, records: readonly BenchRecord[]) => Wrote | Promise<Wrote>,
): Promise<Wrote> {
  const [own, ...replicas] = stores;
  if (own === undefined) return impossible("no store was laid");
  const wrote = await write(own, records);
  if (wrote.outcome !== "written") return wrote;
  const copies = records.map((record, place) => ({ ...record, key: wrote.keys[place] ?? "" }));
  for (const replica of replicas) await write(replica, copies);
  return wrote;
}

/** The store's own name, then those of its replicas. */
export function storeNames(replicas: number): readonly string[] {
  return ["memory", ...Array.from({ length: replicas }, (_, place) => `copy${place + 1}`)];
}
