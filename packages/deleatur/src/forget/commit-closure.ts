// Settles the epoch's commitments for one request: every surface's state, the roots, and the fixed queries that the closure asks (PROOFS §3).
import type { EpochRoots } from "../attest/epoch-commitments.ts";
import type { Judgement } from "../attest/judgement.ts";
import { type BuiltManifest, buildManifest, type ClosureArtifact } from "../attest/manifest.ts";
import { settleQueries, type SettledQueries } from "../attest/prove-exclusions.ts";
import { uncoveredBy } from "../attest/judge-coverage.ts";
import type { Engine } from "../engine.ts";
import type { Gathered } from "../examine/gather-evidence.ts";
import { openNeedles } from "../examine/kept-needles.ts";
import { digestOfField } from "../examine/scan-epoch.ts";
import type { ContentField } from "../model/artifact.ts";
import { artifactId, type RequestId } from "../model/ids.ts";
import type { PurgedRound } from "./conclude-request.ts";
import { allReplacements } from "./sealed-plan.ts";

export interface CommittedClosure {
  readonly roots: EpochRoots;
  /** Absent where the closure is empty: nothing can be excluded, nothing is attested as erased. */
  readonly built: BuiltManifest | undefined;
  readonly settled: SettledQueries;
  /** Surfaces whose trees still hold something of the closure. */
  readonly stillThere: ReadonlySet<string>;
}

/** Finishes the epoch. The judgement so far says which surfaces stay uncovered. */
export function commitClosure(
  engine: Engine,
  { id, round, target, plan }: PurgedRound,
  { scan, evidence }: Gathered,
  judgement: Judgement,
): CommittedClosure {
  const uncovered = uncoveredBy(judgement.reasons);
  for (const { declaration } of engine.surfaces) {
    const surface = declaration.id;
    const seen = evidence.surfaces.find((one) => one.surface === surface);
    const state = seen === undefined || seen.state === "unknown" ? undefined : seen.state;
    const reason = uncovered.get(surface)?.as ?? (state?.as === "uncovered" ? state.reason : undefined);
    if (reason !== undefined) scan.commitments.setUncovered(surface, reason);
    else if (state?.as === "expiring" && typeof seen?.horizon === "object")
      scan.commitments.setExpiring(surface, seen.horizon);
    else if (state?.as === "covered") scan.commitments.setCovered(surface);
    else scan.commitments.setUncovered(surface, "BLIND");
  }
  const roots = scan.commitments.finish();
  const closure = closureOf(engine, id, round);
  const identifiers = target.kind === "person" ? plan.identifiers : [];
  if (closure.length === 0)
    return { roots, built: undefined, settled: { dropped: [], stillThere: [] }, stillThere: new Set() };
  const built = buildManifest(scan.commitments.names, roots.surfaces, closure, identifiers, target.kind);
  const settled = settleQueries(built, roots, {
    isShared: (field, surface) => scan.isShared(surface, digestOfField(field)),
    isReused(position) {
      const ref = closure[position]?.ref;
      if (ref === undefined || engine.bound(ref.surface).declaration.keys !== "reusable") return false;
      return scan.rows.has(artifactId(ref)) && !isListed(evidence, ref.surface, ref.key);
    },
  });
  return { roots, built, settled, stillThere: new Set(settled.stillThere.map(({ surface }) => surface)) };
}

function isListed({ survivors, back, primaryHolds }: Gathered["evidence"], surface: string, key: string): boolean {
  return [survivors, back, primaryHolds].some(
    (list) => list !== "unknown" && list.some((one) => one.surface === surface && one.key === key),
  );
}

/** Every artifact that was to be erased or rewritten, with its old content; what a rewrite left as it was is not old. */
function closureOf(engine: Engine, id: RequestId, round: number): readonly ClosureArtifact[] {
  const contents = new Map<string, Map<string, ContentField>>();
  for (const { ref, content } of openNeedles(engine, id)) {
    // A reusable key held several artifacts over the rounds; the one that was erased last has the name.
    const isReusable = engine.bound(ref.surface).declaration.keys === "reusable";
    const known = isReusable ? undefined : contents.get(artifactId(ref));
    const fields = known ?? new Map<string, ContentField>();
    for (const field of content) fields.set(`${field.name} ${digestOfField(field)}`, field);
    contents.set(artifactId(ref), fields);
  }
  const stored = new Map<string, ReadonlySet<string>>();
  for (const replacement of allReplacements(engine, id, round)) {
    if (replacement.outcome !== "ready") continue;
    stored.set(artifactId(replacement.artifact), new Set(replacement.artifact.content.map(digestOfField)));
  }
  return engine.ledger.items(id).flatMap(({ ref, action, outcome }): readonly ClosureArtifact[] => {
    if (action === "keep" || action === "unreach") return [];
    const content = [...(contents.get(artifactId(ref))?.values() ?? [])];
    if (action === "erase") return [{ ref, fate: "erased", content }];
    const kept = outcome === "rewritten" ? stored.get(artifactId(ref)) : undefined;
    return [{ ref, fate: "rewritten", content: content.filter((field) => kept?.has(digestOfField(field)) !== true) }];
  });
}
