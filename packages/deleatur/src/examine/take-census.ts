// Takes the census: what exists in each store of the boundary, held against what is declared (DESIGN §4).
import type { BoundSurface } from "../adapters/registry.ts";
import { type CensusReport, censusReport } from "../boundary/census.ts";
import type { Engine } from "../engine.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Container, Probe } from "../surface.ts";

export interface SharedStore {
  readonly container: string;
  readonly surfaces: readonly SurfaceId[];
  /** Ids of the other ledgers. */
  readonly ledgers: readonly string[];
}

export interface Census {
  readonly report: CensusReport;
  /** Stores that could not be listed. */
  readonly unread: ReadonlySet<string>;
  /** Stores that bear the marker of another ledger, with the surfaces in them. */
  readonly shared: readonly SharedStore[];
  /** Probes over containers that no surface declares; quiet and exempt ones, and those that no census pattern reaches, are looked at all the same, a hit makes them undeclared again. */
  readonly strayProbes: readonly { readonly container: string; readonly probe: Probe }[];
}

export async function takeCensus(engine: Engine, signal: AbortSignal): Promise<Census> {
  const containers = new Map<string, readonly Container[]>();
  const binders = new Map<string, BoundSurface>();
  const unread = new Set<string>();
  for (const bound of engine.surfaces) {
    const { store, id } = bound.declaration;
    if (store === undefined || containers.has(store)) continue;
    try {
      const surface = await engine.open(id);
      containers.set(store, await surface.census(signal));
      binders.set(store, bound);
      unread.delete(store);
    } catch {
      signal.throwIfAborted();
      unread.add(store); // why is told by the scan of its surfaces; here it is a store that nobody listed
    }
  }
  const report = censusReport(engine.boundary, containers);
  const strayProbes = report.containers.flatMap(({ state, store, container }) => {
    // What holds no text, vectors or blobs has nothing to be looked for; a view shows what its tables hold.
    const isSeen = state === "declared" || state === "shadow" || state === "silent" || container.kind === "view";
    if (isSeen) return [];
    const probes = binders.get(store)?.containerProbes(container) ?? [];
    return probes.map((probe) => ({ container: container.name, probe }));
  });
  return { report, unread, shared: await findShared(engine, signal), strayProbes };
}

/** Replicas stand in a surface's own stores, so every surface is asked. */
async function findShared(engine: Engine, signal: AbortSignal): Promise<readonly SharedStore[]> {
  const own = engine.ledger.ledgerId();
  const shared: SharedStore[] = [];
  for (const { declaration } of engine.surfaces) {
    const { store, id } = declaration;
    if (store === undefined) continue;
    try {
      const ledgers = [...new Set(await (await engine.open(id)).markers(signal))].filter((ledger) => ledger !== own);
      if (ledgers.length > 0) shared.push({ container: store, surfaces: [id], ledgers });
    } catch {
      signal.throwIfAborted();
      continue; // the scan of this surface will say why it cannot be read
    }
  }
  return shared;
}

/** Stores whose containers nobody could list, but whose surfaces were read: there may be more in them. An unreachable store says so itself. */
export function unlistedStores(
  engine: Engine,
  census: Census,
  unread: { readonly has: (surface: SurfaceId) => boolean },
): readonly string[] {
  return [...census.unread].filter((store) =>
    engine.surfaces.some(({ declaration }) => declaration.store === store && !unread.has(declaration.id)),
  );
}
