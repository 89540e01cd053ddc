// Lays a harvest out once for all plans that are made over it: rows by id and by person, and what is the same for every request.
import type { Engine } from "../engine.ts";
import { lostLineage } from "../examine/lost-lineage.ts";
import { artifactId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { isDerivedRole } from "../record/derived-surface.ts";
import type { Harvest, HarvestedRow } from "../record/harvest.ts";

export interface HarvestIndex {
  readonly rows: ReadonlyMap<string, HarvestedRow>;
  rowsAbout(identifiers: readonly SubjectIdentifier[]): readonly HarvestedRow[];
  /** The identifier types that rows of a surface carry together, each such set once. */
  readonly typeSets: readonly { readonly surface: SurfaceId; readonly types: readonly string[] }[];
  /** Rows of derived surfaces without any source (LINEAGE-3), by surface. */
  readonly withoutLineage: ReadonlyMap<SurfaceId, number>;
  /** Surfaces where a ledger that was set back may lack what the SDK alone was told. */
  readonly lostLineage: readonly SurfaceId[];
}

/** The ledger must have taken the harvest in. */
export function indexHarvest(engine: Engine, { rows }: Harvest): HarvestIndex {
  const byId = new Map<string, HarvestedRow>();
  const byPerson = new Map<string, HarvestedRow[]>();
  const typeSets = new Map<string, { surface: SurfaceId; types: readonly string[] }>();
  const withoutLineage = new Map<SurfaceId, number>();
  for (const row of rows) {
    byId.set(artifactId(row), row);
    for (const tag of row.subjects) {
      const person = `${tag.type}:${tag.value}`;
      const known = byPerson.get(person);
      if (known === undefined) byPerson.set(person, [row]);
      else known.push(row);
    }
    if (row.subjects.length > 0) {
      const types = row.subjects.map(({ type }) => type);
      typeSets.set(`${row.surface} ${types.join(" ")}`, { surface: row.surface, types });
    }
    if (row.sources.length > 0 || !isDerivedRole(engine.bound(row.surface).declaration.role)) continue;
    if (engine.ledger.sourcesOf(row).length > 0) continue;
    withoutLineage.set(row.surface, (withoutLineage.get(row.surface) ?? 0) + 1);
  }
  return {
    rows: byId,
    rowsAbout: (identifiers) => {
      const found = identifiers.flatMap(({ type, value }) => byPerson.get(`${type}:${value}`) ?? []);
      return [...new Set(found)];
    },
    typeSets: [...typeSets.values()],
    withoutLineage,
    lostLineage: [...lostLineage(engine, byId)],
  };
}
