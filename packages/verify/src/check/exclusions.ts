// The fixed queries (PROOFS §3) and their exclusion in every covered surface. The prover chooses none of them, and may leave none out unlisted.
import { compareBytes, equalBytes } from "../bytes.ts";
import { fromBase64, fromHex } from "../encodings.ts";
import { tokensUnder, type NameKind } from "../epoch-names.ts";
import { MAX_MULTIPROOF_QUERIES, verifyExclusions } from "../exclusion-multiproof.ts";
import { verifyExclusion } from "../exclusion-proof.ts";
import type { Manifest, ProofGroup } from "../receipt.ts";
import { fail, pass, type Finding } from "../report.ts";
import type { TreeNumber } from "../sparse-tree.ts";
import type { AttestedSurface, EpochPredicate } from "../statement.ts";
import type { SurfaceKeys } from "./commitments.ts";
import { droppedKey } from "./manifest.ts";
import { allOf } from "./predicate.ts";

interface NamedQuery {
  readonly kind: NameKind;
  readonly name: string;
}

/** The names that must be absent from one tree of one covered surface, each once. */
export interface TreeQueries {
  readonly surface: AttestedSurface;
  readonly tree: TreeNumber;
  readonly queries: readonly NamedQuery[];
}

/** At most how many queries there can be, told before any list of them is made; what is left out lowers it by little. */
export function queryBound(predicate: EpochPredicate, manifest: Manifest): number {
  const covered = predicate.surfaces.filter(({ alg }) => alg === 1).length;
  const contents = manifest.artifacts.reduce((sum, { name02 }) => sum + name02.length, 0);
  const { artifacts, identifiers } = manifest;
  return artifacts.length + covered * (contents + artifacts.length + identifiers.length);
}

/** The fixed queries of every covered surface, in the order of the proof groups. Holds names only: tokens need the keys. */
export function fixedQueries(predicate: EpochPredicate, manifest: Manifest): readonly TreeQueries[] {
  const dropped = new Set(predicate.closure.dropped.map(droppedKey));
  const erased = manifest.artifacts.filter(({ fate }) => fate === "erased");
  const contents = [...new Set(manifest.artifacts.flatMap(({ name02 }) => name02))];
  return predicate.surfaces
    .filter(({ alg }) => alg === 1)
    .flatMap((surface): readonly TreeQueries[] => {
      const isAsked = (kind: 1 | 2 | 3, name: string): boolean =>
        dropped.size === 0 || !dropped.has(droppedKey({ kind, surface: surface.id, name }));
      const membership: NamedQuery[] = [];
      for (const artifact of erased) {
        if (artifact.surface !== surface.id) continue;
        if (isAsked(1, artifact.name01)) membership.push({ kind: 1, name: artifact.name01 });
        // The key was taken again by a lawful row: the whole artifact is asked for instead.
        else if (artifact.name01Digest !== null) membership.push({ kind: 1, name: artifact.name01Digest });
      }
      for (const name of contents) if (isAsked(2, name)) membership.push({ kind: 2, name });
      const lineage: NamedQuery[] = [];
      for (const { name03 } of erased) if (isAsked(3, name03)) lineage.push({ kind: 3, name: name03 });
      for (const { name04 } of manifest.identifiers) lineage.push({ kind: 4, name: name04 });
      return [
        { surface, tree: 0, queries: membership },
        { surface, tree: 1, queries: lineage },
      ];
    });
}

/** Whether there are enough queries, and the proofs that so many take, before any is computed. */
export function checkQueries(
  predicate: EpochPredicate,
  all: readonly TreeQueries[],
  groups: readonly ProofGroup[],
): readonly Finding[] {
  const total = all.reduce((sum, { queries }) => sum + queries.length, 0);
  const flaws: Finding[] = [];
  const count = (kind: NameKind): number =>
    all.reduce((sum, { queries }) => sum + queries.filter((query) => query.kind === kind).length, 0);
  if (all.length === 0) flaws.push(fail("no data location is covered, so nothing is excluded anywhere"));
  if (predicate.target === "records" && count(1) === 0)
    flaws.push(fail("an erasure of records that asks for no record"));
  if (predicate.target === "person" && count(4) === 0)
    flaws.push(fail("an erasure of a person that asks for no identifier"));
  if (groups.length !== all.length) flaws.push(fail("proofs are not two groups for each covered data location"));
  for (const [i, { surface, tree, queries }] of all.entries()) {
    const group = groups[i];
    if (group?.surface !== surface.id || group.tree !== tree)
      flaws.push(fail("no proofs where they should stand", surface.id));
    else if (group.proofs.length !== proofsFor(group.format, queries.length))
      flaws.push(fail("not as many proofs as its queries take", surface.id));
  }
  return allOf(flaws, `${total} queries in ${all.length / 2} covered data locations, each with a proof`);
}

/** How many proofs a group carries for so many queries. */
function proofsFor(format: ProofGroup["format"], queries: number): number {
  return format === "DXP1" ? queries : Math.ceil(queries / MAX_MULTIPROOF_QUERIES);
}

/** The tokens of a tree's queries, cut to its width, ascending, each once. */
function tokensOf({ tree, queries }: TreeQueries, key: Uint8Array): readonly Uint8Array[] {
  const token = tokensUnder(key);
  const tokens = queries.map(({ kind, name }) => token(kind, fromHex(name)));
  const cut = tree === 0 ? tokens : tokens.map((token) => token.subarray(0, 16));
  return cut
    .toSorted(compareBytes)
    .filter((token, i, sorted) => i === 0 || !equalBytes(sorted[i - 1] ?? token.subarray(0, 0), token));
}

/** One finding for each tree of each covered surface: all its queries excluded, or why the first one is not. */
export function checkExclusions(
  all: readonly TreeQueries[],
  groups: readonly ProofGroup[],
  keys: SurfaceKeys,
): readonly Finding[] {
  return all.map((asked, i): Finding => {
    const { surface, tree } = asked;
    const key = keys.get(surface.id);
    const group = groups[i];
    const what = tree === 0 ? "contents and keys" : "derivations and identifiers";
    if (key === undefined || group === undefined || surface.roots === null)
      return fail(`${what}: no key, proofs or roots`, surface.id);
    const root = fromHex(tree === 0 ? surface.roots.membership : surface.roots.lineage);
    const tokens = tokensOf(asked, key);
    if (proofsFor(group.format, tokens.length) !== group.proofs.length)
      return fail(`${what}: not as many proofs as its queries take`, surface.id);
    const flaw = firstFlaw(tree, root, tokens, group);
    if (flaw !== undefined) return fail(`${what}: ${flaw}`, surface.id);
    return { ...pass(`${what}: none of ${tokens.length} is there`), surface: surface.id };
  });
}

/** Why the first proof that does not hold does not. */
function firstFlaw(
  tree: TreeNumber,
  root: Uint8Array,
  tokens: readonly Uint8Array[],
  { format, proofs }: ProofGroup,
): string | undefined {
  const run = format === "DXP1" ? 1 : MAX_MULTIPROOF_QUERIES;
  for (const [j, text] of proofs.entries()) {
    const queries = tokens.slice(j * run, (j + 1) * run);
    const proof = fromBase64(text);
    const result =
      format === "DXP1"
        ? verifyExclusion(tree, root, queries[0] ?? new Uint8Array(), proof)
        : verifyExclusions(tree, root, queries, proof);
    if (!result.ok) return `proof ${j + 1} of ${proofs.length} does not hold: ${result.reason}`;
  }
  return undefined;
}
