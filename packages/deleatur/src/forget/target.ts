// Whom or what a request is about: a person by identifiers, or single records.
import { UsageError } from "../model/errors.ts";
import { type ArtifactRef, parseArtifactId, parseIdentifier, type SubjectIdentifier } from "../model/ids.ts";

export type Target =
  | {
      readonly kind: "person";
      readonly identifiers: readonly SubjectIdentifier[];
      /** Identifier types that the operator states the person does not have (LINEAGE-7); logged and attested. */
      readonly none: readonly string[];
    }
  | { readonly kind: "records"; readonly refs: readonly ArtifactRef[] };

export interface GivenTarget {
  /** `type:value` identifiers of one person. */
  readonly subject?: readonly string[];
  /** `surface/key` records. */
  readonly records?: readonly string[];
  /** Identifier types that this person has none of. */
  readonly none?: readonly string[];
}

/** Parses a target and holds its types against the boundary's. @throws UsageError (never repeats a value) */
export function parseTarget(given: GivenTarget, types: readonly string[]): Target {
  const subject = given.subject ?? [];
  const records = given.records ?? [];
  if ((subject.length === 0) === (records.length === 0)) {
    throw new UsageError("BAD_TARGET", "a request names a person by identifiers or a list of records, one of the two", {
      cure: "give identifiers as type:value, or records as surface/key",
    });
  }
  if (records.length > 0)
    return { kind: "records", refs: unique(records.map(parseArtifactId), (ref) => `${ref.surface}/${ref.key}`) };
  const identifiers = unique(subject.map(parseIdentifier), ({ type, value }) => `${type}:${value}`);
  const none = given.none ?? [];
  for (const type of [...identifiers.map((identifier) => identifier.type), ...none]) {
    if (!types.includes(type)) {
      throw new UsageError("IDENTIFIER_TYPE_UNKNOWN", "an identifier's type is not among the boundary's identifiers", {
        cure: `use one of ${types.join(", ")}, or add the type to identifiers`,
      });
    }
  }
  return { kind: "person", identifiers, none };
}

function unique<Item>(items: readonly Item[], by: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [by(item), item])).values()];
}
