// Whether the manifest is the signed one and lists what a closure must (PROOFS §3), and whether each left-out query may be left out.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8 } from "../bytes.ts";
import { canonicalJson } from "../canonical-json.ts";
import { toHex } from "../encodings.ts";
import type { Manifest, ManifestArtifact } from "../receipt.ts";
import { fail, notApplicable, warn, type Finding } from "../report.ts";
import type { AttestedSurface, Dropped, EpochPredicate } from "../statement.ts";
import { allOf } from "./predicate.ts";

function sortedTypes(list: readonly { readonly type: string }[]): string {
  return canonicalJson(list.map(({ type }) => type).toSorted());
}

function artifactFlaw(artifact: ManifestArtifact, surface: AttestedSurface | undefined): string | undefined {
  if (surface === undefined) return "a record of a data location that the statement does not have";
  if ((surface.keys === "reusable") !== (artifact.name01Digest !== null))
    return "a second name stands exactly where keys can be used again";
  return artifact.fate === "rewritten" && artifact.name02.length === 0
    ? "a rewritten record without any old content"
    : undefined;
}

function byId({ surfaces }: EpochPredicate): ReadonlyMap<string, AttestedSurface> {
  return new Map(surfaces.map((surface) => [surface.id, surface]));
}

function hasRepetition(names: readonly string[]): boolean {
  return new Set(names).size !== names.length;
}

/** @param manifest as decoded: sorted, nothing twice */
export function checkManifest(predicate: EpochPredicate, manifest: Manifest | null): readonly Finding[] {
  if (manifest === null) return [fail("a receipt of an epoch without its manifest")];
  const { closure, target, who, boundary } = predicate;
  const { artifacts, identifiers } = manifest;
  const flaws: Finding[] = [];
  if (toHex(sha256(utf8(canonicalJson(manifest)))) !== closure.manifestDigest)
    flaws.push(fail("the manifest is not the one that was signed"));
  if (artifacts.length !== closure.count)
    flaws.push(fail("the manifest does not hold as many records as the closure counts"));
  if (artifacts.length === 0) flaws.push(fail("an empty closure"));
  const surfaces = byId(predicate);
  const seen = new Set<string>();
  for (const artifact of artifacts) {
    const flaw = artifactFlaw(artifact, surfaces.get(artifact.surface));
    if (flaw !== undefined && !seen.has(`${artifact.surface}\0${flaw}`)) flaws.push(fail(flaw, artifact.surface));
    seen.add(`${artifact.surface}\0${flaw ?? ""}`);
  }
  const firsts = artifacts.flatMap(({ name01, name01Digest }) => [
    name01,
    ...(name01Digest === null ? [] : [name01Digest]),
  ]);
  if (hasRepetition(firsts) || hasRepetition(artifacts.map(({ name03 }) => name03)))
    flaws.push(fail("two records of the manifest share a name"));
  if (
    target === "records"
      ? identifiers.length > 0
      : identifiers.length === 0 || sortedTypes(identifiers) !== sortedTypes(who)
  )
    flaws.push(fail("the manifest's identifiers are not those of the request"));
  if ([...identifiers, ...who].some(({ type }) => !boundary.publicForm.identifiers.includes(type)))
    flaws.push(fail("an identifier of a type that the inventory does not declare"));
  return allOf(flaws, `the signed manifest: ${artifacts.length} records, ${identifiers.length} identifiers`);
}

/** A set of (kind, surface, name), to look up what is left out. */
export function droppedKey({ kind, surface, name }: Pick<Dropped, "kind" | "surface" | "name">): string {
  return `${kind}\0${surface}\0${name}`;
}

function droppedFlaw(each: Dropped, names: ManifestNames, all: ReadonlySet<string>): string | undefined {
  if (names.surfaces.get(each.surface)?.alg !== 1) return "a query left out where there is none";
  if (each.kind === 2) return names.content.has(each.name) ? undefined : "a content left out that no record had";
  const artifact = (each.kind === 1 ? names.plain : names.parent).get(each.name);
  if (artifact === undefined || artifact.fate !== "erased") return "a key left out that no erased record had";
  if (names.surfaces.get(artifact.surface)?.keys !== "reusable")
    return "a key left out of a data location whose keys are never used again";
  if (each.kind === 1) return each.surface === artifact.surface ? undefined : "a key left out where it never stood";
  // A retaken key has a lawful row: its own 01 must be left out too, else the edge is to what was erased.
  const own = droppedKey({ kind: 1, surface: artifact.surface, name: artifact.name01 });
  return all.has(own) ? undefined : "a parent left out whose key was not taken again";
}

interface ManifestNames {
  readonly surfaces: ReadonlyMap<string, AttestedSurface>;
  readonly plain: ReadonlyMap<string, ManifestArtifact>;
  readonly parent: ReadonlyMap<string, ManifestArtifact>;
  readonly content: ReadonlySet<string>;
}

/** Whether each dropped query is one of the two kinds that may be dropped; they are counted all the same. */
export function checkDropped(predicate: EpochPredicate, { artifacts }: Manifest): readonly Finding[] {
  const { dropped } = predicate.closure;
  if (dropped.length === 0) return [notApplicable("no query is left out")];
  const names: ManifestNames = {
    surfaces: byId(predicate),
    plain: new Map(artifacts.map((artifact) => [artifact.name01, artifact])),
    parent: new Map(artifacts.map((artifact) => [artifact.name03, artifact])),
    content: new Set(artifacts.flatMap(({ name02 }) => name02)),
  };
  const all = new Set(dropped.map(droppedKey));
  const flaws = dropped.flatMap((each) => {
    const flaw = droppedFlaw(each, names, all);
    return flaw === undefined ? [] : [fail(flaw, each.surface)];
  });
  return flaws.length > 0 ? flaws : [warn(`${dropped.length} queries are left out, as the statement lists`)];
}
