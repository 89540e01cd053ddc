// Settles an epoch's commitments: every surface's state and the roots, once; and for each request the fixed queries that its closure asks (PROOFS §3).
import type { UncoveredReason } from "@deleatur/verify";
import type { CommittedSurface, EpochRoots } from "../attest/epoch-commitments.ts";
import type { Judgement } from "../attest/judgement.ts";
import { type BuiltManifest, buildManifest, type ClosureArtifact } from "../attest/manifest.ts";
import { settleQueries, type SettledQueries } from "../attest/prove-exclusions.ts";
import { uncoveredBy } from "../attest/judge-coverage.ts";
import type { Engine } from "../engine.ts";
import type { Gathered, Inquiry } from "../examine/gather-evidence.ts";
import { digestOfField } from "../attest/field-digest.ts";
import type { ContentField } from "../model/artifact.ts";
import { artifactId, type RequestId, type SurfaceId } from "../model/ids.ts";
import type { PurgedRound } from "./conclude-requests.ts";
import { allReplacements } from "./sealed-plan.ts";

export interface CommittedClosure {
  readonly roots: EpochRoots;
  /** Absent where the closure is empty: nothing can be excluded, nothing is attested as erased. */
  readonly built: BuiltManifest | undefined;
  readonly settled: SettledQueries;
  /** Surfaces whose trees still hold something of the closure. */
  readonly stillThere: ReadonlySet<string>;
}

/** How each surface stands in the commitment; sorted as the boundary is. */
export type Coverage = readonly (
  | { readonly surface: SurfaceId; readonly as: "covered" }
  | { readonly surface: SurfaceId; readonly as: "expiring"; readonly until: Date; readonly basis: string }
  | { readonly surface: SurfaceId; readonly as: "uncovered"; readonly reason: UncoveredReason }
)[];

/** What the judgement so far leaves uncovered stays uncovered. */
export function coverageOf(engine: Engine, { evidence }: Gathered, judgement: Judgement): Coverage {
  const uncovered = uncoveredBy(judgement.reasons);
  return engine.surfaces.map(({ declaration: { id: surface } }): Coverage[number] => {
    const seen = evidence.surfaces.find((one) => one.surface === surface);
    const state = seen === undefined || seen.state === "unknown" ? undefined : seen.state;
    const reason = uncovered.get(surface)?.as ?? (state?.as === "uncovered" ? state.reason : undefined);
    if (reason !== undefined) return { surface, as: "uncovered", reason };
    if (state?.as === "expiring" && typeof seen?.horizon === "object")
      return { surface, as: "expiring", ...seen.horizon };
    return state?.as === "covered" ? { surface, as: "covered" } : { surface, as: "uncovered", reason: "BLIND" };
  });
}

/** Finishes the epoch as one coverage has it: its roots are logged once, whatever number of requests they serve. */
export function commitEpoch({ scan }: Gathered, coverage: Coverage): EpochRoots {
  for (const one of coverage) {
    if (one.as === "uncovered") scan.commitments.setUncovered(one.surface, one.reason);
    else if (one.as === "expiring") scan.commitments.setExpiring(one.surface, one);
    else scan.commitments.setCovered(one.surface);
  }
  return scan.commitments.finish();
}

/** Asks the roots what the closure of one request wants to know, as it was inquired about; a surface that this request leaves uncovered is not asked. */
export function commitClosure(
  engine: Engine,
  { id, round, target, plan }: PurgedRound,
  inquired: Pick<Inquiry, "needles" | "items">,
  { scan, evidence }: Gathered,
  roots: EpochRoots,
  coverage: Coverage,
): CommittedClosure {
  const closure = closureOf(engine, id, round, inquired);
  const identifiers = target.kind === "person" ? plan.identifiers : [];
  if (closure.length === 0)
    return { roots, built: undefined, settled: { dropped: [], stillThere: [] }, stillThere: new Set() };
  const built = buildManifest(scan.commitments.names, roots.surfaces, closure, identifiers, target.kind);
  const uncovered = new Map(coverage.flatMap((one) => (one.as === "uncovered" ? [[one.surface, one.reason]] : [])));
  const asked: EpochRoots = {
    ...roots,
    surfaces: roots.surfaces.map((surface): CommittedSurface => {
      const reason = uncovered.get(surface.id);
      return reason === undefined || surface.alg === 3 ? surface : { ...surface, alg: 3, uncovered: { reason } };
    }),
  };
  const settled = settleQueries(built, asked, {
    isShared: (field, surface) => scan.isShared(surface, digestOfField(field)),
    isReused(position) {
      const ref = closure[position]?.ref;
      if (ref === undefined || engine.bound(ref.surface).declaration.keys !== "reusable") return false;
      return scan.rows.has(ref) && !isListed(evidence, ref.surface, ref.key);
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
function closureOf(
  engine: Engine,
  id: RequestId,
  round: number,
  { needles, items }: Pick<Inquiry, "needles" | "items">,
): readonly ClosureArtifact[] {
  const contents = new Map<string, Map<string, ContentField>>();
  for (const { ref, content } of needles) {
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
  return items.flatMap(({ ref, action, outcome }): readonly ClosureArtifact[] => {
    if (action === "keep" || action === "unreach") return [];
    const content = [...(contents.get(artifactId(ref))?.values() ?? [])];
    if (action === "erase") return [{ ref, fate: "erased", content }];
    const kept = outcome === "rewritten" ? stored.get(artifactId(ref)) : undefined;
    return [{ ref, fate: "rewritten", content: content.filter((field) => kept?.has(digestOfField(field)) !== true) }];
  });
}
