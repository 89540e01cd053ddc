// Lays out what erasures and tombstones say alike, sorted as the verifier wants it. Pure; which of the two it becomes is decided elsewhere.
import {
  type AttestedBoundary,
  type AttestedSurface,
  boundaryDigest,
  canonicalJson,
  compareUtf8,
  type EpochPredicate,
  type ResidualRisk,
  toHex,
  utf8,
} from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";
import { utcTime } from "../model/utc-time.ts";
import type { AttestationInput, EpochEvidence, SurfaceFacts } from "./attestation-input.ts";
import type { CommittedSurface, EpochRoots } from "./epoch-commitments.ts";
import { sha256 } from "./fast-hash.ts";
import type { ResidualRisk as JudgedRisk } from "./judgement.ts";

export function boundaryOf({ boundary: { version, publicForm } }: AttestationInput): AttestedBoundary {
  return { id: publicForm.id, version, digest: toHex(boundaryDigest(publicForm)), publicForm };
}

export interface EpochFacts {
  readonly roots: EpochRoots;
  readonly facts: Omit<EpochPredicate, "statement" | "limits">;
  readonly counts: { readonly erased: number; readonly rewritten: number };
}

/** @throws UsageError where an epoch, its evidence or its log entries are missing */
export function epochFacts(input: AttestationInput, effective: Date, risks: readonly JudgedRisk[]): EpochFacts {
  const { request, roots, evidence, log, boundary: { publicForm } } = input; // prettier-ignore
  const { purgeFinished, epochRoots } = log.indices;
  if (roots === null || evidence === null || purgeFinished === null || epochRoots === null)
    throw new UsageError("EPOCH_MISSING", "an erasure or tombstone needs an epoch after the last purge, scan first");
  const surfaces = roots.surfaces.map((surface) => attestedSurface(surface, evidence, publicForm));
  const horizons = surfaces.map(({ horizon }) => (horizon?.until ?? 0) * 1_000);
  // What already holds when it is signed is effective as of the issue; only an instant to come is rounded up.
  const later = effective > input.issued ? [effective.getTime()] : [];
  const ends = [input.issued.getTime() - (input.issued.getTime() % 1_000), ...later, ...horizons];
  const { manifest } = evidence;
  const erased = manifest.artifacts.filter(({ fate }) => fate === "erased").length;
  return {
    roots,
    counts: { erased, rewritten: manifest.artifacts.length - erased },
    facts: {
      version: 1,
      request: request.id,
      who: request.who,
      target: request.target,
      issued: utcTime(input.issued),
      effective: utcTime(new Date(Math.max(...ends.map(wholeSeconds)))),
      received: request.received ?? null,
      due: request.due ?? null,
      approvals: request.approvals ?? [],
      epoch: roots.epoch,
      boundary: boundaryOf(input),
      surfaces,
      closure: {
        count: manifest.artifacts.length,
        manifestDigest: toHex(sha256(utf8(canonicalJson(manifest)))),
        lineage: evidence.lineage,
        dropped: evidence.dropped,
      },
      denylist: { count: evidence.denylist.count, scope: evidence.denylist.scope.toSorted(compareUtf8) },
      probes: evidence.probes.toSorted((a, b) => compareUtf8(probeKey(a), probeKey(b))),
      intents: evidence.intents,
      bystanders: evidence.bystanders,
      residualRisks: risks.map(residualRisk).toSorted((a, b) => compareUtf8(a.surface, b.surface)),
      exemptions: publicForm.exemptions,
      quiet: publicForm.census.quiet,
      log: { origin: log.origin, indices: { request: log.indices.request, purgeFinished, epochRoots } },
    },
  };
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}

function probeKey({ surface, name, depth }: EpochEvidence["probes"][number]): string {
  return `${surface}\0${name}\0${depth}`;
}

function residualRisk({ surface, code, text, deadline, cure }: JudgedRisk): ResidualRisk {
  if (surface === undefined || code === "SURFACES_NOT_NAMED")
    throw new UsageError("RISK_WITHOUT_SURFACE", "a tombstone's residual risk names its surface");
  return { surface, code, text, deadline: utcTime(deadline), cure };
}

function attestedSurface(
  surface: CommittedSurface,
  { surfaces }: EpochEvidence,
  form: AttestationInput["boundary"]["publicForm"],
): AttestedSurface {
  const facts = surfaces.find(({ id }) => id === surface.id);
  const declared = form.surfaces.find(({ id }) => id === surface.id);
  if (facts === undefined || declared === undefined) {
    throw new UsageError("SURFACE_UNKNOWN", "a committed surface has no facts, or is not in the public form", {
      place: { surface: surface.id },
    });
  }
  const { id, alg, keys, keyCommit, commitment } = surface;
  const { adapter, fence, outOfReach } = facts;
  const common = { id, alg, role: declared.role, adapter, fence, keyCommit, commitment, keys, outOfReach };
  const unscanned = { scan: "none", snapshot: "none", lineageFrom: null, roots: null } as const;
  switch (surface.alg) {
    case 1: {
      const { snapshot, lineageFrom, deletion } = facts;
      const { roots } = surface;
      return {
        ...common,
        scan: "full",
        snapshot,
        lineageFrom,
        roots,
        horizon: horizonOf(facts),
        uncovered: null,
        deletion,
      };
    }
    case 2:
      return { ...common, ...unscanned, horizon: surface.horizon, uncovered: null, deletion: "expiry" };
    case 3:
      return { ...common, ...unscanned, horizon: null, uncovered: surface.uncovered, deletion: null };
    default:
      return surface satisfies never;
  }
}

function horizonOf({ horizon }: SurfaceFacts): AttestedSurface["horizon"] {
  return horizon === undefined ? null : { until: Math.ceil(horizon.until.getTime() / 1_000), basis: horizon.basis };
}
