// Binds each declared surface to its kind: the one place that knows which kinds exist. Nothing is opened here.
import {
  type Boundary,
  type StoreConnection,
  SURFACE_KINDS,
  type SurfaceDeclaration,
  type SurfaceKindName,
} from "../model/declaration.ts";
import { BoundaryError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Container, Guarantees, Participation, Probe, Surface, SurfaceEntry, SurfaceKind } from "../surface.ts";
import { backup } from "./backup/index.ts";
import { jsonlFiles, textFiles } from "./files/index.ts";
import { outsideKinds } from "./outside-kinds.ts";
import { inProcess } from "./in-process/index.ts";
import { postgresTable } from "./postgres/index.ts";
import { providerCache } from "./provider-cache/index.ts";
import { redisKind } from "./redis/index.ts";
import { sqliteFts, sqliteTable, sqliteVec } from "./sqlite/index.ts";

/** A declared surface with its kind applied: what the engine works with. */
export interface BoundSurface {
  readonly declaration: SurfaceDeclaration;
  readonly guarantees: Guarantees;
  open(): Promise<Surface>;
  probes(): readonly Probe[];
  containerProbes(container: Container): readonly Probe[];
}

const BINDERS: Readonly<Record<SurfaceKindName, (entry: SurfaceEntry) => BoundSurface>> = {
  sqlite: (entry) => bind(sqliteTable, entry),
  "sqlite-fts": (entry) => bind(sqliteFts, entry),
  "sqlite-vec": (entry) => bind(sqliteVec, entry),
  postgres: (entry) => bind(postgresTable, entry),
  jsonl: (entry) => bind(jsonlFiles, entry),
  text: (entry) => bind(textFiles, entry),
  redis: (entry) => bind(redisKind(entry.declaration), entry),
  "provider-cache": (entry) => bind(providerCache, entry),
  backup: (entry) => bind(backup, entry),
  "in-process": (entry) => bind(inProcess, entry),
};

/** Binds every surface of a boundary. @throws BoundaryError where a declaration lacks what its kind needs */
export function bindSurfaces(
  boundary: Boundary,
  participation: (surface: SurfaceId) => Participation,
  kinds: readonly SurfaceKind<unknown>[] = [],
): readonly BoundSurface[] {
  const outside = outsideKinds(kinds);
  return boundary.surfaces.map((declaration) =>
    binderOf(
      declaration,
      outside,
    )({
      declaration: withMappedSubjects(declaration),
      connections: connectionsOf(boundary, declaration),
      boundary,
      participation: () => participation(declaration.id),
    }),
  );
}

function binderOf(
  { id, kind }: SurfaceDeclaration,
  outside: ReadonlyMap<string, SurfaceKind<unknown>>,
): (entry: SurfaceEntry) => BoundSurface {
  // It was seen to be one of its names.
  if (Object.hasOwn(BINDERS, kind)) return BINDERS[kind as SurfaceKindName];
  const given = outside.get(kind);
  if (given !== undefined) return (entry) => bind(given, entry);
  const all = [...SURFACE_KINDS, ...outside.keys()].join(", ");
  throw new BoundaryError("UNKNOWN_KIND", `surface ${id} is of kind ${kind}, which is not a kind that exists`, {
    place: { surface: id, field: "kind" },
    cure: `use one of the kinds that exist: ${all}; one of your own is given by openDeleatur(file, { kinds }) or --adapter`,
  });
}

function bind<Options>(kind: SurfaceKind<Options>, entry: SurfaceEntry): BoundSurface {
  const options = kind.parse(entry);
  return {
    declaration: entry.declaration,
    guarantees: kind.guarantees,
    open: () => kind.open(options),
    probes: () => kind.probes(options),
    containerProbes: (container) => kind.containerProbes(options, container),
  };
}

function connectionsOf(boundary: Boundary, declaration: SurfaceDeclaration): readonly StoreConnection[] {
  const names = declaration.store === undefined ? [] : [declaration.store, ...declaration.replicas];
  return names.map((name) => {
    const connection = boundary.connect.stores.get(name);
    if (connection === undefined) {
      throw new BoundaryError("STORE_UNKNOWN", `the store of surface ${declaration.id} is not under connect`, {
        place: { surface: declaration.id, store: name },
        cure: `add ${name} under connect`,
      });
    }
    return connection;
  });
}

/** The columns of a mapping name the person too, so a scan reads them back as identifiers. */
function withMappedSubjects(declaration: SurfaceDeclaration): SurfaceDeclaration {
  const mapped = declaration.maps
    .flatMap((mapping) => [mapping.from, mapping.to])
    .filter(
      ({ column, type }) =>
        !declaration.subject.some((known) => "column" in known && known.column === column && known.type === type),
    );
  return mapped.length === 0 ? declaration : { ...declaration, subject: [...declaration.subject, ...mapped] };
}
