// Asks the trees of an epoch the fixed queries: which may be left out, which are still there, and proofs of all others (PROOFS §3). It must not hide a hit.
import {
  compareBytes,
  compareUtf8,
  type Dropped,
  equalBytes,
  fromHex,
  MAX_MULTIPROOF_QUERIES,
  type NameKind,
  type ProofGroup,
  toBase64,
  type TreeNumber,
} from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import type { EpochRoots, SurfaceTrees } from "./epoch-commitments.ts";
import { type BuiltManifest, fixedQueries, type FixedQuery } from "./manifest.ts";

/** What the engine knows of the artifacts that survive; asked only about queries that are in a tree. */
export interface LawfulSurvivors {
  /** Whether every artifact of the surface that holds this old content is another person's. */
  isShared(content: ContentField, surface: string): boolean;
  /** Whether a lawful row has taken the key of this artifact again (its position in the closure that was given). */
  isReused(position: number): boolean;
}

/** A query that is in a tree and may not be left out: something of the target is still there. */
export interface StillThere {
  readonly surface: string;
  /** 1 the artifact itself, 2 its content, 3 something derived from it, 4 something about the person. */
  readonly kind: NameKind;
  /** Positions in the closure that was given; none for an identifier. */
  readonly artifacts: readonly number[];
}

export interface SettledQueries {
  /** Sorted as a statement wants them. */
  readonly dropped: readonly Dropped[];
  /** Where there is one, nothing may be attested as erased. */
  readonly stillThere: readonly StillThere[];
}

/** Settles what may be left out. Only a query that is in a tree is ever left out, and only where a lawful survivor explains it. */
export function settleQueries(built: BuiltManifest, roots: EpochRoots, lawful: LawfulSurvivors): SettledQueries {
  const { manifest, positions } = built;
  const positionsOf = (query: FixedQuery): readonly number[] => query.artifacts.map((i) => positions[i] ?? -1);
  const asked = fixedQueries(manifest, roots.surfaces);
  const hits = asked.flatMap(({ surface, tree, queries }) => {
    const trees = roots.tree(surface);
    return queries.filter((query) => isIn(trees, tree, query)).map((query) => ({ surface, query }));
  });
  // A retaken key: its plain 01 is left out where it stands, and only then its 03 elsewhere.
  const retaken = new Set<number>();
  for (const { query } of hits) {
    const [i = -1] = query.artifacts;
    const artifact = manifest.artifacts[i];
    if (query.kind === 1 && artifact?.name01Digest != null && lawful.isReused(positions[i] ?? -1)) retaken.add(i);
  }
  const dropped: Dropped[] = [];
  const stillThere: StillThere[] = [];
  for (const { surface, query } of hits) {
    const { kind, name } = query;
    const content = kind === 2 ? built.contents.get(name) : undefined;
    if (kind === 2 && content !== undefined && lawful.isShared(content, surface))
      dropped.push({ kind, surface, name, why: "shared" });
    else if ((kind === 1 || kind === 3) && retaken.has(query.artifacts[0] ?? -1))
      dropped.push({ kind, surface, name, why: "reused" });
    else stillThere.push({ surface, kind, artifacts: positionsOf(query) });
  }
  // What is asked instead of a retaken key may be there itself.
  for (const { surface, tree, queries } of fixedQueries(manifest, roots.surfaces, dropped)) {
    for (const query of queries) {
      const [i = -1] = query.artifacts;
      const isInstead = query.kind === 1 && query.name === manifest.artifacts[i]?.name01Digest;
      if (isInstead && isIn(roots.tree(surface), tree, query))
        stillThere.push({ surface, kind: 1, artifacts: positionsOf(query) });
    }
  }
  return { dropped: dropped.toSorted((a, b) => compareUtf8(keyOf(a), keyOf(b))), stillThere };
}

function keyOf({ kind, surface, name }: Dropped): string {
  return `${kind}\0${surface}\0${name}`;
}

/** All proof groups of a receipt: two for each covered surface. @throws UsageError NOT_EXCLUDED where a query is still in its tree */
export function proveExclusions(
  { manifest }: BuiltManifest,
  roots: EpochRoots,
  dropped: readonly Dropped[],
): readonly ProofGroup[] {
  return fixedQueries(manifest, roots.surfaces, dropped).map(({ surface, tree, queries }) => {
    const trees = roots.tree(surface);
    const asked = queries.map((query) => queryOf(trees, tree, query)).toSorted(compareBytes);
    const distinct = asked.filter((query, i) => i === 0 || !equalBytes(asked[i - 1] ?? query.subarray(0, 0), query));
    const whole = tree === 0 ? trees.membership : trees.lineage;
    const runs = Array.from({ length: Math.ceil(distinct.length / MAX_MULTIPROOF_QUERIES) }, (_, i) =>
      distinct.slice(i * MAX_MULTIPROOF_QUERIES, (i + 1) * MAX_MULTIPROOF_QUERIES),
    );
    return { surface, tree, format: "DXM1", proofs: runs.map((run) => toBase64(whole.proveAll(run))) };
  });
}

function queryOf(trees: SurfaceTrees, tree: TreeNumber, { kind, name }: FixedQuery): Uint8Array {
  const token = trees.token(kind, fromHex(name));
  return tree === 0 ? token : token.subarray(0, 16);
}

function isIn(trees: SurfaceTrees, tree: TreeNumber, query: FixedQuery): boolean {
  return (tree === 0 ? trees.membership : trees.lineage).has(queryOf(trees, tree, query));
}
