// Resolves further identifiers of a person, to a fixpoint: through mapping surfaces (`maps:`), and other spellings where a store itself takes them for the same.
import type { Boundary } from "../model/declaration.ts";
import { foldAs, type Folding, type SubjectIdentifier } from "../model/ids.ts";
import type { HarvestedRow } from "../record/harvest.ts";

/** Of given identifiers: these, all that mapping rows join to them, and every spelling in use that a store's own comparison takes for one of them. */
export type ExpandIdentifiers = (given: readonly SubjectIdentifier[]) => readonly SubjectIdentifier[];

/** Goes through all rows once, for whatever is asked. */
export function openExpansion(boundary: Boundary, rows: readonly HarvestedRow[]): ExpandIdentifiers {
  const mappings = new Map(boundary.surfaces.filter(({ maps }) => maps.length > 0).map(({ id, maps }) => [id, maps]));
  const mapped = rows.filter(({ surface }) => mappings.has(surface));
  const spellings = new Map<Folding, Map<string, Map<string, SubjectIdentifier>>>();
  for (const { caseless = [] } of rows)
    for (const { folding, type, value } of caseless) {
      const alike = spellings.get(folding) ?? new Map<string, Map<string, SubjectIdentifier>>();
      spellings.set(folding, alike);
      const name = foldAs(folding, { type, value });
      alike.set(name, (alike.get(name) ?? new Map<string, SubjectIdentifier>()).set(value, { type, value }));
    }
  return (given) => {
    const found = new Map(given.map((identifier) => [`${identifier.type}:${identifier.value}`, identifier]));
    for (let size = -1; size !== found.size;) {
      size = found.size;
      for (const [folding, alike] of spellings)
        for (const tag of found.values())
          for (const same of alike.get(foldAs(folding, tag))?.values() ?? [])
            found.set(`${same.type}:${same.value}`, same);
      for (const { surface, subjects } of mapped) {
        for (const { from, to } of mappings.get(surface) ?? []) {
          const types = new Set([from.type, to.type]);
          if (!subjects.some(({ type, value }) => types.has(type) && found.has(`${type}:${value}`))) continue;
          for (const tag of subjects) if (types.has(tag.type)) found.set(`${tag.type}:${tag.value}`, tag);
        }
      }
    }
    return [...found.values()];
  };
}
