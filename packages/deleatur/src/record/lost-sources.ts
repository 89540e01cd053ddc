// Derived rows with a source that their stores do not have and the ledger never knew: whom it was about nobody can tell (LINEAGE-3). Reads the ledger only.
import type { BoundSurface } from "../adapters/registry.ts";
import type { Engine } from "../engine.ts";
import type { ArtifactRef, SurfaceId } from "../model/ids.ts";
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
  for (const { surface, sources } of rows)
    if (derived.has(surface) && sources.some(isLost)) counts.set(surface, (counts.get(surface) ?? 0) + 1);
  return counts;
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
