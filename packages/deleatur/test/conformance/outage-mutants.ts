// Stores that are broken in one way when trouble comes, as data: each answers more than it did while its store is away, held, read-only or full.
import { setTimeout as sleep } from "node:timers/promises";
import type { Erased, Purged } from "../../src/model/artifact.ts";
import type { Surface } from "../../src/surface.ts";
import type { ConformanceSubject } from "../../src/conformance/index.ts";
import { collect, nothing, erased, keysOf, type Mutant, mutant, withKind, withSurface } from "./bend-store.ts";

/** Key by key, as a store without batches does it. */
const swallowingErase: ConformanceSubject = withSurface((surface) => ({
  async erase(keys, signal) {
    const answers: Erased[] = [];
    for (const key of keys) {
      answers.push(...(await surface.erase([key], signal).catch(() => [erased(key)])));
      await sleep(1);
    }
    return answers;
  },
}));

export const OUTAGE_MUTANTS: readonly Mutant[] = [
  mutant(
    "unreachable",
    "a scan of a store that is away is empty",
    withSurface((surface) => ({
      async *scan(signal) {
        try {
          yield* surface.scan(signal);
        } catch {
          return;
        }
      },
    })),
  ),
  mutant(
    "down-at-open",
    "a store that cannot be opened is an empty one",
    withKind((kind) => {
      let known: Surface | undefined;
      return {
        async open(options) {
          try {
            known = await kind.open(options);
            return known;
          } catch (cause) {
            if (known === undefined) throw cause;
            return { ...known, scan: nothing };
          }
        },
      };
    }),
  ),
  mutant(
    "down-while-scanning",
    "a scan that loses its store ends as if it were whole",
    withSurface((surface) => ({
      async *scan(signal) {
        const keys = await keysOf(surface, signal);
        for (let at = 0; at < keys.length; at += 100)
          yield* await collect(surface.read(keys.slice(at, at + 100), signal)).catch(() => []);
      },
    })),
  ),
  mutant("killed-in-erase", "an erase swallows what goes wrong in a batch", swallowingErase),
  mutant(
    "killed-in-purge",
    "a purge swallows what goes wrong",
    withSurface((surface) => ({
      purge: (signal) => surface.purge(signal).catch((): Purged => ({ outcome: "purged", method: "some" })),
    })),
  ),
  mutant(
    "reader-holds",
    "a purge that a reader hinders answers purged (C06)",
    withSurface((surface) => ({
      async purge(signal) {
        const purged = await surface.purge(signal);
        return purged.outcome === "pending" ? { outcome: "purged", method: "checkpoint" } : purged;
      },
    })),
  ),
  mutant("read-only", "an erase swallows that the store may not be written", swallowingErase),
  mutant("disk-full", "an erase swallows that there is no room", swallowingErase),
];
