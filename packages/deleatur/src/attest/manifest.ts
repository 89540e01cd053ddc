// Builds the manifest of a closure, names only, and the fixed queries that follow from it (PROOFS §3). The prover chooses none of them.
import {
  compareUtf8,
  type Dropped,
  type HexDigest,
  type Manifest,
  type ManifestArtifact,
  type NameKind,
  toHex,
  type TreeNumber,
} from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import type { CommittedSurface, EpochCommitments, EpochRoots } from "./epoch-commitments.ts";

/** One artifact of the closure with its content as it was before the erase, fields in declared order. */
export interface ClosureArtifact {
  readonly ref: ArtifactRef;
  readonly fate: "erased" | "rewritten";
  readonly content: readonly ContentField[];
}

export interface BuiltManifest {
  readonly manifest: Manifest;
  /** For each artifact of the manifest its position in the closure that was given. */
  readonly positions: readonly number[];
  /** The old contents by their names. Personal data: in memory only. */
  readonly contents: ReadonlyMap<HexDigest, ContentField>;
}

/**
 * The manifest of a closure in the names of its epoch. A rewritten artifact without any content asks for nothing and is left out.
 * @throws UsageError where an artifact stands twice, its surface is unknown, or a target of persons has no identifier
 */
export function buildManifest(
  names: EpochCommitments["names"],
  surfaces: EpochRoots["surfaces"],
  closure: readonly ClosureArtifact[],
  identifiers: readonly SubjectIdentifier[],
  target: "person" | "records",
): BuiltManifest {
  if ((target === "person") !== identifiers.length > 0) {
    throw new UsageError("BAD_TARGET", "a manifest has identifiers exactly where its target is a person");
  }
  const keysOf = new Map<string, "unique" | "reusable">(surfaces.map(({ id, keys }) => [id, keys]));
  const contents = new Map<HexDigest, ContentField>();
  const nameField = (field: ContentField): HexDigest => {
    const name = toHex(names.field(field));
    contents.set(name, field);
    return name;
  };
  const artifacts = closure
    .map((artifact, position) => ({
      artifact: nameArtifact(names, nameField, artifact, keysOf.get(artifact.ref.surface)),
      position,
    }))
    .filter(({ artifact }) => artifact.fate === "erased" || artifact.name02.length > 0)
    .toSorted((a, b) => compareUtf8(a.artifact.name01, b.artifact.name01));
  if (new Set(artifacts.map(({ artifact }) => artifact.name01)).size !== artifacts.length)
    throw new UsageError("CLOSURE_REPEATS", "an artifact stands twice in the closure, give it once");
  const named = new Map(
    identifiers.map((identifier) => [toHex(names.identifier(identifier)), identifier.type] as const),
  );
  return {
    manifest: {
      artifacts: artifacts.map(({ artifact }) => artifact),
      identifiers: [...named]
        .map(([name04, type]) => ({ type, name04 }))
        .toSorted((a, b) => compareUtf8(a.name04, b.name04)),
    },
    positions: artifacts.map(({ position }) => position),
    contents,
  };
}

function nameArtifact(
  names: EpochCommitments["names"],
  nameField: (field: ContentField) => HexDigest,
  { ref, fate, content }: ClosureArtifact,
  keys: "unique" | "reusable" | undefined,
): ManifestArtifact {
  if (keys === undefined) {
    throw new UsageError("SURFACE_UNKNOWN", "an artifact of the closure is in no surface of the epoch", {
      place: { surface: ref.surface },
    });
  }
  return {
    surface: ref.surface,
    fate,
    name01: toHex(names.artifact(ref)),
    name01Digest: keys === "reusable" ? toHex(names.artifact(ref, content)) : null,
    name02: [...new Set(content.map(nameField))].toSorted(compareUtf8),
    name03: toHex(names.parent(ref)),
  };
}

/** One name that must be absent. `artifacts`: positions in the manifest of those it comes from; none for an identifier. */
export interface FixedQuery {
  readonly kind: NameKind;
  readonly name: HexDigest;
  readonly artifacts: readonly number[];
}

/** What one tree of one covered surface is asked. */
export interface TreeQueries {
  readonly surface: string;
  readonly tree: TreeNumber;
  readonly queries: readonly FixedQuery[];
}

/** The fixed queries of every covered surface, surfaces in the order of their ids, tree 0 first; what `dropped` lists is left out. */
export function fixedQueries(
  manifest: Manifest,
  surfaces: readonly Pick<CommittedSurface, "id" | "alg">[],
  dropped: readonly Dropped[] = [],
): readonly TreeQueries[] {
  const left = new Set(dropped.map(({ kind, surface, name }) => `${kind} ${name} ${surface}`));
  const contents = new Map<HexDigest, number[]>();
  for (const [i, { name02 }] of manifest.artifacts.entries())
    for (const name of name02) contents.set(name, [...(contents.get(name) ?? []), i]);
  const covered = surfaces.filter(({ alg }) => alg === 1).toSorted((a, b) => compareUtf8(a.id, b.id));
  return covered.flatMap(({ id }): readonly TreeQueries[] => {
    const isAsked = (kind: NameKind, name: HexDigest): boolean => left.size === 0 || !left.has(`${kind} ${name} ${id}`);
    const membership: FixedQuery[] = [];
    const lineage: FixedQuery[] = [];
    for (const [i, { fate, surface, name01, name01Digest, name03 }] of manifest.artifacts.entries()) {
      if (fate === "rewritten") continue;
      if (isAsked(3, name03)) lineage.push({ kind: 3, name: name03, artifacts: [i] });
      if (surface !== id) continue;
      if (isAsked(1, name01)) membership.push({ kind: 1, name: name01, artifacts: [i] });
      // The key was taken again by a lawful row: the whole artifact is asked for instead.
      else if (name01Digest !== null) membership.push({ kind: 1, name: name01Digest, artifacts: [i] });
    }
    for (const [name, artifacts] of contents) if (isAsked(2, name)) membership.push({ kind: 2, name, artifacts });
    for (const { name04 } of manifest.identifiers) lineage.push({ kind: 4, name: name04, artifacts: [] });
    return [
      { surface: id, tree: 0, queries: membership },
      { surface: id, tree: 1, queries: lineage },
    ];
  });
}
