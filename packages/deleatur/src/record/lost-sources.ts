// Derived rows with a source that their stores do not have and the ledger never knew, or that lead in a circle and to no record: whom they are about nobody can tell (LINEAGE-3). Reads the ledger only.
import type { BoundSurface } from "../adapters/registry.ts";
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type SurfaceId } from "../model/ids.ts";
import { isDerivedRole } from "./derived-surface.ts";
import type { HarvestedRow } from "./harvest.ts";

type Row = Pick<HarvestedRow, "surface" | "key" | "sources">;

/** How many there are, by surface. `isThere`: whether a row was read. What a source's surface holds is known only where all of it was read. */
export function countLostSources(
  engine: Engine,
  rows: Iterable<Row>,
  isThere: (ref: ArtifactRef) => boolean,
  unread: { readonly has: (surface: SurfaceId) => boolean },
): ReadonlyMap<SurfaceId, number> {
  const counts = new Map<SurfaceId, number>();
  const derived = surfacesWhere(engine, ({ declaration }) => isDerivedRole(declaration.role));
  const read = surfacesWhere(
    engine,
    ({ declaration: { id }, guarantees }) => guarantees.scan === "complete" && !unread.has(id),
  );
  const known = new Map<string, boolean>();
  const isLost = (ref: ArtifactRef): boolean => {
    if (!read.has(ref.surface) || isThere(ref)) return false;
    const name = `${ref.surface}/${ref.key}`;
    const isKnown = known.get(name) ?? isKnownTo(engine, ref);
    known.set(name, isKnown);
    return !isKnown;
  };
  const count = (surface: SurfaceId): unknown => counts.set(surface, (counts.get(surface) ?? 0) + 1);
  const round = circularSurfaces(engine);
  const circular: Row[] = [];
  for (const row of rows) {
    if (derived.has(row.surface) && row.sources.some(isLost)) count(row.surface);
    else if (round.has(row.surface) && row.sources.length > 0) circular.push(row);
  }
  for (const { surface } of withoutOrigin(circular, round)) count(surface);
  return counts;
}

/** Surfaces that derive from themselves by way of others. */
function circularSurfaces({ surfaces }: Engine): ReadonlySet<SurfaceId> {
  const above = new Map(
    surfaces.map(({ declaration: { id, derivedFrom } }) => [id, derivedFrom.map(({ surface }) => surface)]),
  );
  const isCircular = (start: SurfaceId): boolean => {
    const met = new Set<SurfaceId>(above.get(start));
    for (const surface of met) for (const next of above.get(surface) ?? []) met.add(next);
    return met.has(start);
  };
  return new Set([...above.keys()].filter(isCircular));
}

/** Of rows in a circle of surfaces, those that no row outside of it leads to. */
function withoutOrigin(rows: readonly Row[], round: ReadonlySet<SurfaceId>): readonly Row[] {
  const derivedOf = new Map<string, Row[]>();
  for (const row of rows)
    for (const source of row.sources) {
      const known = derivedOf.get(artifactId(source));
      if (known === undefined) derivedOf.set(artifactId(source), [row]);
      else known.push(row);
    }
  const grounded = new Set(rows.filter(({ sources }) => sources.some(({ surface }) => !round.has(surface))));
  // The set grows while it is walked.
  for (const row of grounded) for (const next of derivedOf.get(artifactId(row)) ?? []) grounded.add(next);
  return rows.filter((row) => !grounded.has(row));
}

/** The same where the rows are a list that can be gone through twice: only what is named as a source is looked for. */
export function countLostSourcesOf(
  engine: Engine,
  rows: readonly Row[],
  unread: { readonly has: (surface: SurfaceId) => boolean },
): ReadonlyMap<SurfaceId, number> {
  const missing = new Map<string, Set<string>>();
  for (const { sources } of rows)
    for (const { surface, key } of sources) {
      const keys = missing.get(surface);
      if (keys === undefined) missing.set(surface, new Set([key]));
      else keys.add(key);
    }
  for (const { surface, key } of rows) missing.get(surface)?.delete(key);
  return countLostSources(engine, rows, ({ surface, key }) => missing.get(surface)?.has(key) !== true, unread);
}

/** Whom it was about is known to the ledger, or it is erased and what came of it was reached then. */
function isKnownTo({ ledger }: Engine, ref: ArtifactRef): boolean {
  return ledger.artifact(ref) !== undefined || ledger.wasErased([ref])[0] === true;
}

function surfacesWhere({ surfaces }: Engine, matches: (bound: BoundSurface) => boolean): ReadonlySet<SurfaceId> {
  return new Set(surfaces.filter(matches).map(({ declaration }) => declaration.id));
}
