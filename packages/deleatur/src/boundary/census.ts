// Compares what is declared with what exists in each store (DESIGN §4). Pure: adapters list the containers, the judge weighs the answer.
import { compareUtf8 } from "@deleatur/verify";
import type { Boundary } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Container } from "../surface.ts";
import { containerPart, foldContainer } from "./container-names.ts";
import { matchesPattern } from "./glob.ts";

/** What the declaration says about one container that exists. */
type CensusState =
  | { readonly state: "declared"; readonly surface: SurfaceId }
  | { readonly state: "exempt"; readonly exemption: string }
  /** Part of a virtual table; it stands or falls with its owner. */
  | { readonly state: "shadow"; readonly owner: string }
  /** Matches a quiet pattern: probed like the others, and undeclared again where a probe hits. */
  | { readonly state: "quiet"; readonly pattern: string }
  /** Holds neither text nor vectors nor blobs. */
  | { readonly state: "silent" }
  /** No include pattern of the census reaches it. */
  | { readonly state: "outside" }
  | { readonly state: "undeclared" };

type CensusEntry = CensusState & { readonly store: string; readonly container: Container };

export interface CensusReport {
  /** Every container but our own, each once, sorted by name. */
  readonly containers: readonly CensusEntry[];
  readonly undeclared: readonly Container[];
  /** Declared containers, replicas included, that the census did not find. */
  readonly missing: readonly { readonly surface: SurfaceId; readonly container: string }[];
  /** Declared stores that were not listed at all: nothing is known about them. */
  readonly unlisted: readonly string[];
}

interface Declared {
  /** By `store.table`, folded as its store folds; a surface of files is `store.*`, one of keys `store.pattern`. */
  readonly surfaces: ReadonlyMap<string, SurfaceId>;
  readonly exempt: ReadonlyMap<string, string>;
  readonly exemptStores: ReadonlyMap<string, string>;
}

function whatIsDeclared(boundary: Boundary): Declared {
  const surfaces = new Map<string, SurfaceId>();
  for (const { id, store, replicas, table, pattern } of boundary.surfaces)
    for (const each of store === undefined ? [] : [store, ...replicas])
      surfaces.set(foldContainer(boundary, each, `${each}.${containerPart({ table, pattern })}`), id);
  const exempt = new Map<string, string>();
  const exemptStores = new Map<string, string>();
  for (const { name, store, table } of boundary.exempt) {
    if (store === undefined) continue;
    if (table === undefined) exemptStores.set(store, name);
    else exempt.set(foldContainer(boundary, store, `${store}.${table}`), name);
  }
  return { surfaces, exempt, exemptStores };
}

/** The store that a container's name begins with: the listing of a surface also names its replicas' containers. */
function storeOf(listed: string, container: Container, boundary: Boundary): string {
  const store = container.name.slice(0, Math.max(0, container.name.indexOf(".")));
  return boundary.connect.stores.has(store) ? store : listed;
}

function stateOf(store: string, container: Container, declared: Declared, boundary: Boundary): CensusState {
  const { name, kind, holds, owner } = container;
  const surface = declared.surfaces.get(foldContainer(boundary, store, name));
  if (surface !== undefined) return { state: "declared", surface };
  const exemption = declared.exempt.get(foldContainer(boundary, store, name)) ?? declared.exemptStores.get(store);
  if (exemption !== undefined) return { state: "exempt", exemption };
  if (owner !== undefined) return { state: "shadow", owner };
  if (!boundary.census.include.some((pattern) => matchesPattern(pattern, name))) return { state: "outside" };
  const quiet = boundary.census.quiet.find((pattern) => matchesPattern(pattern, name));
  if (quiet !== undefined) return { state: "quiet", pattern: quiet };
  // A view keeps nothing of its own: what it shows stands in tables that the census sees.
  return holds.length === 0 || kind === "view" ? { state: "silent" } : { state: "undeclared" };
}

/** By what the adapter says, not by its name: a table of somebody else's that is called like ours must not hide. */
function isOurs({ owner }: Container): boolean {
  return owner === "deleatur";
}

/** The census of all stores; a store that could not be listed is absent from the map and comes back as `unlisted`. */
export function censusReport(
  boundary: Boundary,
  containersByStore: ReadonlyMap<string, readonly Container[]>,
): CensusReport {
  const declared = whatIsDeclared(boundary);
  const entries = new Map<string, CensusEntry>();
  const present = new Set<string>();
  const listed = new Set(containersByStore.keys());
  for (const [key, containers] of containersByStore) {
    for (const container of containers) {
      const store = storeOf(key, container, boundary);
      listed.add(store);
      present.add(foldContainer(boundary, store, container.name));
      if (!isOurs(container))
        entries.set(container.name, { ...stateOf(store, container, declared, boundary), store, container });
    }
  }
  const containers = [...entries.values()].toSorted((a, b) => compareUtf8(a.container.name, b.container.name));
  const wanted = boundary.surfaces.flatMap(({ id, store, replicas, table }) =>
    store === undefined ? [] : [store, ...replicas].map((each) => ({ surface: id, store: each, table })),
  );
  return {
    containers,
    undeclared: containers.flatMap((entry) => (entry.state === "undeclared" ? [entry.container] : [])),
    missing: wanted.flatMap(({ surface, store, table }) =>
      table !== undefined && listed.has(store) && !present.has(foldContainer(boundary, store, `${store}.${table}`))
        ? [{ surface, container: `${store}.${table}` }]
        : [],
    ),
    unlisted: [...new Set(wanted.map(({ store }) => store))]
      .filter((store) => !listed.has(store))
      .toSorted(compareUtf8),
  };
}
