// Whom or what a request is about: a person by identifiers, or single records.
import type { Boundary, SurfaceDeclaration } from "../model/declaration.ts";
import { UsageError } from "../model/errors.ts";
import { refuseUndeclaredTypes } from "../model/identifier-types.ts";
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

/** What a target may name. */
export type TargetScope = Pick<Boundary, "identifiers"> & {
  readonly surfaces: readonly Pick<SurfaceDeclaration, "id">[];
};

/** Parses a target and holds its types and surfaces against the boundary's. @throws UsageError (never repeats a value) */
export function parseTarget(given: GivenTarget, { identifiers: types, surfaces }: TargetScope): Target {
  const subject = given.subject ?? [];
  const records = given.records ?? [];
  if ((subject.length === 0) === (records.length === 0)) {
    throw new UsageError("BAD_TARGET", "a request names a person by identifiers or a list of records, one of the two", {
      cure: "give identifiers as type:value (`--subject-file FILE`, or - for stdin), or records as surface/key (`--record`)",
    });
  }
  if (records.length > 0) {
    const refs = unique(records.map(parseArtifactId), (ref) => `${ref.surface}/${ref.key}`);
    const declared = surfaces.map(({ id }) => id);
    // A mistyped surface is no record that is gone: nothing could be found there, and nothing would be erased.
    if (!refs.every((ref) => declared.includes(ref.surface)))
      throw new UsageError("SURFACE_UNKNOWN", "a record is in no surface that the boundary declares", {
        cure: `write surface/key with one of ${declared.join(", ")}`,
      });
    return { kind: "records", refs };
  }
  const identifiers = unique(subject.map(parseIdentifier), ({ type, value }) => `${type}:${value}`);
  const none = given.none ?? [];
  refuseUndeclaredTypes(types, [...identifiers.map(({ type }) => type), ...none]);
  return { kind: "person", identifiers, none };
}

function unique<Item>(items: readonly Item[], by: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [by(item), item])).values()];
}
