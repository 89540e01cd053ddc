// Resolves further identifiers of a person through mapping surfaces (`maps:`), to a fixpoint.
import type { Boundary } from "../model/declaration.ts";
import type { SubjectIdentifier } from "../model/ids.ts";
import type { HarvestedRow } from "../record/harvest.ts";

/** The given identifiers and all that mapping rows join to them. */
export function expandIdentifiers(
  boundary: Boundary,
  given: readonly SubjectIdentifier[],
  rows: readonly HarvestedRow[],
): readonly SubjectIdentifier[] {
  const mappings = new Map(boundary.surfaces.filter(({ maps }) => maps.length > 0).map(({ id, maps }) => [id, maps]));
  const mapped = rows.filter(({ surface }) => mappings.has(surface));
  const found = new Map(given.map((identifier) => [`${identifier.type}:${identifier.value}`, identifier]));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { surface, subjects } of mapped) {
      for (const { from, to } of mappings.get(surface) ?? []) {
        const types = new Set([from.type, to.type]);
        if (!subjects.some(({ type, value }) => types.has(type) && found.has(`${type}:${value}`))) continue;
        for (const tag of subjects) if (types.has(tag.type)) found.set(`${tag.type}:${tag.value}`, tag);
      }
    }
  }
  return [...found.values()];
}
