// Lays a harvest out once for all plans that are made over it: rows by id and by person, and what is the same for every request.
import type { Engine } from "../engine.ts";
import { lostLineage } from "../examine/lost-lineage.ts";
import { artifactId, parseArtifactId, type ArtifactRef, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { groupBy } from "../model/group-by.ts";
import { isDerivedRole } from "../record/derived-surface.ts";
import type { TypeInUse } from "../ledger/types-in-use.ts";
import type { Harvest, HarvestedRow } from "../record/harvest.ts";
import { countLostSourcesOf } from "../record/lost-sources.ts";
import { type ExpandIdentifiers, openExpansion } from "./expand-identifiers.ts";

export interface RowsById {
  /** Says which rows will be asked for: they are looked for together. What was not said is looked for by itself. */
  expect(refs: readonly ArtifactRef[]): void;
  get(id: string): HarvestedRow | undefined;
  has(id: string): boolean;
}

export interface HarvestIndex {
  readonly rows: RowsById;
  rowsAbout(identifiers: readonly SubjectIdentifier[]): readonly HarvestedRow[];
  readonly expand: ExpandIdentifiers;
  /** The identifier types that rows of a surface carry together, each such set once. */
  readonly typeSets: readonly { readonly surface: SurfaceId; readonly types: readonly string[] }[];
  /** Types by which the ledger alone may know the persons of rows that are there, where it knows them by none of the `told`. */
  untoldTypes(told: readonly string[]): readonly TypeInUse[];
  /** Rows of derived surfaces without any source, or with one that nobody knows (LINEAGE-3), by surface. */
  readonly withoutLineage: ReadonlyMap<SurfaceId, number>;
  /** Surfaces where a ledger that was set back may lack what the SDK alone was told. */
  readonly lostLineage: readonly SurfaceId[];
  readonly unread: Harvest["unread"];
}

/** The ledger must have taken the harvest in. */
export function indexHarvest(engine: Engine, harvest: Harvest): HarvestIndex {
  const rows = rowsById(harvest.rows);
  rows.expect(engine.ledger.metSinceSetBack());
  return {
    rows,
    rowsAbout: whoseRows(harvest.rows),
    expand: openExpansion(engine.boundary, harvest.rows),
    typeSets: typeSetsOf(harvest.rows),
    untoldTypes: untoldTypesOf(engine, rows),
    withoutLineage: withoutLineage(engine, harvest),
    lostLineage: [...lostLineage(engine, { has: (ref) => rows.has(artifactId(ref)) })],
    unread: harvest.unread,
  };
}

/** Rows are asked for by the list: nothing is laid out for the many that nobody asks about. */
function rowsById(rows: readonly HarvestedRow[]): RowsById {
  const known = new Map<string, HarvestedRow | undefined>();
  const expect = (refs: readonly ArtifactRef[]): void => {
    const unknown = refs.filter((ref) => !known.has(artifactId(ref)));
    if (unknown.length === 0) return;
    const wanted = new Map(
      [...groupBy(unknown, ({ surface }) => surface)].map(([surface, members]) => [
        surface,
        new Set(members.map(({ key }) => key)),
      ]),
    );
    for (const ref of unknown) known.set(artifactId(ref), undefined);
    for (const row of rows) if (wanted.get(row.surface)?.has(row.key) === true) known.set(artifactId(row), row);
  };
  const get = (id: string): HarvestedRow | undefined => {
    if (!known.has(id)) expect([parseArtifactId(id)]);
    return known.get(id);
  };
  return { expect, get, has: (id) => get(id) !== undefined };
}

/** Few persons stand on many rows, and a scan has one object for each of them: what a person is called is asked of those. */
function whoseRows(rows: readonly HarvestedRow[]): HarvestIndex["rowsAbout"] {
  const byTag = new Map<SubjectIdentifier, HarvestedRow[]>();
  for (const row of rows) {
    for (const tag of row.subjects) {
      const known = byTag.get(tag);
      if (known === undefined) byTag.set(tag, [row]);
      else known.push(row);
    }
  }
  return (identifiers) => {
    const wanted = new Set(identifiers.map(({ type, value }) => `${type}:${value}`));
    const found = new Set<HarvestedRow>();
    for (const [{ type, value }, own] of byTag)
      if (wanted.has(`${type}:${value}`)) for (const row of own) found.add(row);
    return [...found];
  };
}

function typeSetsOf(rows: readonly HarvestedRow[]): HarvestIndex["typeSets"] {
  const sets = new Map<string, { surface: SurfaceId; types: readonly string[] }>();
  let last: HarvestedRow | undefined;
  for (const row of rows) {
    const { surface, subjects } = row;
    if (subjects.length === 0) continue;
    // Rows of one surface mostly carry the same types.
    const isSame =
      last?.surface === surface &&
      last.subjects.length === subjects.length &&
      subjects.every(({ type }, at) => last?.subjects[at]?.type === type);
    last = row;
    if (isSame) continue;
    const types = subjects.map(({ type }) => type);
    sets.set(`${surface} ${types.join(" ")}`, { surface, types });
  }
  return [...sets.values()];
}

/** Requests that run together mostly tell the same types: asked once for those. */
function untoldTypesOf({ ledger }: Engine, rows: RowsById): HarvestIndex["untoldTypes"] {
  const known = new Map<string, readonly TypeInUse[]>();
  const isThere = (told: readonly string[], one: TypeInUse): boolean => {
    for (const refs of ledger.untoldArtifacts(told, one)) {
      rows.expect(refs);
      if (refs.some((ref) => rows.has(artifactId(ref)))) return true;
    }
    return false;
  };
  return (given) => {
    const told = given.toSorted();
    const found = known.get(told.join(" ")) ?? ledger.untoldTypes(told).filter((one) => isThere(told, one));
    known.set(told.join(" "), found);
    return found;
  };
}

function withoutLineage(engine: Engine, { rows, unread }: Harvest): ReadonlyMap<SurfaceId, number> {
  const counts = new Map(countLostSourcesOf(engine, rows, unread));
  for (const row of rows) {
    if (row.sources.length > 0 || !isDerivedRole(engine.bound(row.surface).declaration.role)) continue;
    if (engine.ledger.sourcesOf(row).length > 0) continue;
    counts.set(row.surface, (counts.get(row.surface) ?? 0) + 1);
  }
  return counts;
}
