// Compares what is declared with what exists in each store (DESIGN §4). Pure: adapters list the containers, the judge weighs the answer.
import type { Boundary } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Container } from "../surface.ts";
import { foldTable } from "./container-names.ts";
import { matchesPattern } from "./glob.ts";

/** What the declaration says about one container that exists. */
export type CensusState =
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

export type CensusEntry = CensusState & { readonly store: string; readonly container: Container };

export interface CensusReport {
  /** Every container but our own, sorted by store and name. */
  readonly containers: readonly CensusEntry[];
  readonly undeclared: readonly Container[];
  /** Declared containers, replicas included, that the census did not find. */
  readonly missing: readonly { readonly surface: SurfaceId; readonly container: string }[];
  /** Declared stores that were not listed at all: nothing is known about them. */
  readonly unlisted: readonly string[];
}

const OURS = /^deleatur_/i;

/** `store.table`, folded as SQLite folds; adapters may name an owner with or without its store. */
function fullName(store: string, name: string): string {
  return foldTable(name.startsWith(`${store}.`) ? name : `${store}.${name}`);
}

interface Declared {
  readonly tables: ReadonlyMap<string, SurfaceId>;
  /** Stores of files are one container each. */
  readonly fileStores: ReadonlyMap<string, SurfaceId>;
  readonly exempt: ReadonlyMap<string, string>;
  readonly exemptStores: ReadonlyMap<string, string>;
}

function whatIsDeclared(boundary: Boundary): Declared {
  const tables = new Map<string, SurfaceId>();
  const fileStores = new Map<string, SurfaceId>();
  for (const surface of boundary.surfaces) {
    for (const store of surface.store === undefined ? [] : [surface.store, ...surface.replicas]) {
      if (surface.table === undefined) fileStores.set(store, surface.id);
      else tables.set(fullName(store, surface.table), surface.id);
    }
  }
  const exempt = new Map<string, string>();
  const exemptStores = new Map<string, string>();
  for (const { name, store, table } of boundary.exempt) {
    if (store === undefined) continue;
    if (table === undefined) exemptStores.set(store, name);
    else exempt.set(fullName(store, table), name);
  }
  return { tables, fileStores, exempt, exemptStores };
}

function stateOf(store: string, container: Container, declared: Declared, boundary: Boundary): CensusState {
  const name = fullName(store, container.name);
  const surface = declared.tables.get(name) ?? declared.fileStores.get(store);
  if (surface !== undefined) return { state: "declared", surface };
  const exemption = declared.exempt.get(name) ?? declared.exemptStores.get(store);
  if (exemption !== undefined) return { state: "exempt", exemption };
  if (container.owner !== undefined) return { state: "shadow", owner: container.owner };
  const patterned = container.name.startsWith(`${store}.`) ? container.name : `${store}.${container.name}`;
  if (!boundary.census.include.some((pattern) => matchesPattern(pattern, patterned))) return { state: "outside" };
  const pattern = boundary.census.quiet.find((candidate) => matchesPattern(candidate, patterned));
  if (pattern !== undefined) return { state: "quiet", pattern };
  // A view keeps nothing of its own: what it shows stands in tables that the census sees.
  return container.holds.length === 0 || container.kind === "view" ? { state: "silent" } : { state: "undeclared" };
}

function isOurs(store: string, container: Container): boolean {
  const table = container.name.startsWith(`${store}.`) ? container.name.slice(store.length + 1) : container.name;
  return container.kind !== "file" && OURS.test(table);
}

/** The census of all stores; a store that could not be listed is absent from the map and comes back as `unlisted`. */
export function censusReport(
  boundary: Boundary,
  containersByStore: ReadonlyMap<string, readonly Container[]>,
): CensusReport {
  const declared = whatIsDeclared(boundary);
  const entries: CensusEntry[] = [];
  const present = new Set<string>();
  for (const [store, containers] of containersByStore) {
    for (const container of containers) {
      present.add(fullName(store, container.name));
      if (!isOurs(store, container))
        entries.push({ ...stateOf(store, container, declared, boundary), store, container });
    }
  }
  const containers = entries.toSorted((a, b) => order(a.store, b.store) || order(a.container.name, b.container.name));
  const wanted = boundary.surfaces.flatMap(({ id, store, replicas, table }) =>
    store === undefined ? [] : [store, ...replicas].map((each) => ({ surface: id, store: each, table })),
  );
  return {
    containers,
    undeclared: containers.flatMap((entry) => (entry.state === "undeclared" ? [entry.container] : [])),
    missing: wanted.flatMap(({ surface, store, table }) =>
      table !== undefined && containersByStore.has(store) && !present.has(fullName(store, table))
        ? [{ surface, container: `${store}.${table}` }]
        : [],
    ),
    unlisted: [...new Set(wanted.map(({ store }) => store))]
      .filter((store) => !containersByStore.has(store))
      .toSorted(),
  };
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
