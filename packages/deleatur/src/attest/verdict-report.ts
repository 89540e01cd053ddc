// Counts a judgement for downstream reports: confirmed deletion and partial propagation apart, per surface and in total (VERDICT-6). Pure; no names, no keys.
import type { ArtifactMention, Evidence, Known, SurfaceEvidence } from "./evidence.ts";
import type { Judgement, ReasonCode, Verdict } from "./judgement.ts";

/** Artifacts whose deletion the evidence shows. */
export interface ConfirmedDeletion {
  readonly erased: number;
  readonly rewritten: number;
  /** Not there any more when the erase came. */
  readonly absent: number;
}

/** Artifacts that the deletion has not reached, or not shown to have reached. */
export interface PartialPropagation {
  readonly survivors: number;
  readonly stillHeld: number;
  readonly failed: number;
  /** Erased, while a reason stands against this surface: unpurged, unseen, uncovered. */
  readonly unconfirmed: number;
  /** Kept under a recorded ground: lawful, and not deleted. */
  readonly kept: number;
}

export interface SurfaceReport {
  readonly surface: string;
  readonly confirmed: ConfirmedDeletion;
  readonly partial: PartialPropagation;
}

export interface VerdictReport {
  readonly verdict: Verdict | undefined;
  readonly surfaces: readonly SurfaceReport[];
  readonly total: Omit<SurfaceReport, "surface">;
  /** Survivors in containers that no surface declares: in no surface's counts, but in none's confirmation either. */
  readonly elsewhere: number;
}

/** Reasons that say nothing against the deletion in the surface that they name. */
const BESIDE: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "KEPT",
  "HORIZON_OPEN",
  "GUARD_NOT_SHOWN",
  "BYSTANDER_LOST",
]);

/** The part of the evidence that is counted. */
export interface CountedEvidence {
  readonly surfaces: readonly Pick<SurfaceEvidence, "surface" | "erase">[];
  readonly survivors: Evidence["survivors"];
  readonly primaryHolds: Evidence["primaryHolds"];
  readonly back: Evidence["back"];
  readonly kept: Known<readonly ArtifactMention[]>;
}

/** The part of the judgement that counts. */
export interface CountedJudgement {
  readonly verdict?: Verdict | undefined;
  readonly reasons: Judgement["reasons"];
}

/** The counts of one judgement. What nobody looked for is confirmed nowhere. */
export function verdictReport(evidence: CountedEvidence, judgement: CountedJudgement): VerdictReport {
  const isLookedFor =
    evidence.survivors !== "unknown" && evidence.primaryHolds !== "unknown" && evidence.back !== "unknown";
  const doubted = new Set(judgement.reasons.flatMap(({ code, surface }) => (BESIDE.has(code) ? [] : (surface ?? []))));
  const surfaces = evidence.surfaces.map((one) =>
    reportSurface(evidence, one, isLookedFor && judgement.verdict !== undefined && !doubted.has(one.surface)),
  );
  const declared = new Set(evidence.surfaces.map((one) => one.surface));
  return {
    verdict: judgement.verdict,
    surfaces,
    total: {
      confirmed: {
        erased: sum(surfaces, (one) => one.confirmed.erased),
        rewritten: sum(surfaces, (one) => one.confirmed.rewritten),
        absent: sum(surfaces, (one) => one.confirmed.absent),
      },
      partial: {
        survivors: sum(surfaces, (one) => one.partial.survivors),
        stillHeld: sum(surfaces, (one) => one.partial.stillHeld),
        failed: sum(surfaces, (one) => one.partial.failed),
        unconfirmed: sum(surfaces, (one) => one.partial.unconfirmed),
        kept: sum(surfaces, (one) => one.partial.kept),
      },
    },
    elsewhere: known(evidence.survivors).filter(({ surface }) => surface === undefined || !declared.has(surface))
      .length,
  };
}

function reportSurface(
  evidence: CountedEvidence,
  { surface, erase }: CountedEvidence["surfaces"][number],
  isConfirmed: boolean,
): SurfaceReport {
  const counts = erase === "unknown" ? { erased: 0, rewritten: 0, absent: 0, failed: 0 } : erase;
  const within = (list: Known<readonly ArtifactMention[]>): number =>
    known(list).filter((one) => one.surface === surface).length;
  return {
    surface,
    confirmed: isConfirmed
      ? { erased: counts.erased, rewritten: counts.rewritten, absent: counts.absent }
      : { erased: 0, rewritten: 0, absent: 0 },
    partial: {
      survivors: within(evidence.survivors),
      stillHeld: within(evidence.primaryHolds) + within(evidence.back),
      failed: counts.failed,
      unconfirmed: isConfirmed ? 0 : counts.erased + counts.rewritten + counts.absent,
      kept: within(evidence.kept),
    },
  };
}

function known<T>(list: Known<readonly T[]>): readonly T[] {
  return list === "unknown" ? [] : list;
}

function sum(surfaces: readonly SurfaceReport[], of: (one: SurfaceReport) => number): number {
  return surfaces.reduce((total, one) => total + of(one), 0);
}
