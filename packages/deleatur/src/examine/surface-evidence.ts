// What was seen in one declared surface, put into the judge's words; what nobody looked at is said to be unknown.
import { declaredHorizon } from "../attest/best-outcome.ts";
import type { EraseCounts, PurgeEvidence, SurfaceEvidence, SurfaceState } from "../attest/evidence.ts";
import type { BoundSurface } from "../adapters/registry.ts";
import type { Engine } from "../engine.ts";
import type { Purged } from "../model/artifact.ts";
import type { Writers } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import { isDerivedRole } from "../record/derived-surface.ts";
import { countLostSources } from "../record/lost-sources.ts";
import type { Inquiry } from "./gather-evidence.ts";
import { notApplicable } from "./look-with-probes.ts";
import { lostLineage } from "./lost-lineage.ts";
import type { EpochScan, SharedScan } from "./scan-epoch.ts";

/** Codes of a store that was not spoken to at all; any other was reached and not seen. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  "STORE_MISSING",
  "STORE_LOCKED",
  "STORE_UNREACHABLE",
  "STORE_REFUSED",
  "STORE_UNTRUSTED",
  "STORE_POOLED",
]);

export type SurfaceLineage = ReadonlyMap<SurfaceId, SurfaceEvidence["lineage"]>;

export interface SurfaceSight {
  readonly inquiry: Inquiry;
  readonly scan: EpochScan;
  readonly lineage: SurfaceLineage;
  readonly probes: SurfaceEvidence["probes"];
  readonly reingest: SurfaceEvidence["reingest"];
  /** Whether a watch ended a look at it within the declared time. */
  readonly isWatched: boolean;
}

export function surfaceEvidence(bound: BoundSurface, sight: SurfaceSight): SurfaceEvidence {
  const { declaration, guarantees } = bound;
  const { inquiry, scan } = sight;
  const { id, role } = declaration;
  const why = scan.unread.get(id);
  const isScanned = guarantees.scan === "complete" && why === undefined;
  return {
    surface: id,
    role,
    state: stateOf(bound, sight),
    scan:
      guarantees.scan === "none"
        ? { complete: true, snapshot: "none" }
        : { complete: isScanned, snapshot: guarantees.snapshot },
    erase: eraseCounts(bound, inquiry),
    purge: purgeEvidence(bound, sight, inquiry.purge?.get(id)),
    required: guarantees.probes.filter((probe) => notApplicable(declaration, probe) === undefined),
    probes: sight.probes,
    writers: writersOf(bound, scan),
    watched: sight.isWatched,
    reingest: sight.reingest,
    lineage: sight.lineage.get(id) ?? "not-derived",
    deletion: guarantees.deletion,
    eventual: "none",
    horizon: declaredHorizon(declaration, inquiry.horizonFrom),
    replicas: declaration.replicas.map((store) => ({ store, reached: isScanned })),
  };
}

function writersOf({ declaration: { id, writers } }: BoundSurface, scan: EpochScan): Writers {
  return writers === "sdk" && scan.unrecorded.has(id) ? "foreign" : writers;
}

function stateOf(bound: BoundSurface, { inquiry, scan, reingest, isWatched }: SurfaceSight): SurfaceState {
  const { declaration, guarantees } = bound;
  const { id, role } = declaration;
  if (guarantees.scan === "none") {
    const horizon = declaredHorizon(declaration, inquiry.horizonFrom);
    const isBounded = typeof horizon === "object" && (role === "cache" || role === "backup");
    return isBounded ? { as: "expiring" } : { as: "uncovered", reason: "UNBOUNDED" };
  }
  const why = scan.unread.get(id);
  if (why !== undefined) {
    return { as: "uncovered", reason: OUT_OF_REACH.has(why) ? "UNREACHABLE" : "BLIND" };
  }
  if (inquiry.items.some(({ ref, action }) => ref.surface === id && action === "keep")) {
    return { as: "uncovered", reason: "KEPT" };
  }
  if (inquiry.purge?.get(id)?.outcome === "unsupported") return { as: "uncovered", reason: "UNSUPPORTED" };
  // It says that its store bounds each record, and the store says otherwise.
  if (scan.unbounded.has(id)) return { as: "uncovered", reason: "UNBOUNDED" };
  // A writer that is watched is seen after it wrote, not refused.
  if (isWatched && reingest !== "no-path" && writersOf(bound, scan) === "foreign")
    return { as: "uncovered", reason: "WATCHED_ONLY" };
  return { as: "covered" };
}

function eraseCounts({ declaration }: BoundSurface, { items }: Inquiry): EraseCounts {
  const own = items.filter(({ ref, action }) => ref.surface === declaration.id && action !== "keep");
  const count = (outcome: string): number => own.filter((item) => item.outcome === outcome).length;
  return { erased: count("erased"), absent: count("absent"), rewritten: count("rewritten"), failed: count("failed") };
}

function purgeEvidence(
  bound: BoundSurface,
  { inquiry, scan }: SurfaceSight,
  purged: Purged | undefined,
): PurgeEvidence {
  // What expires by itself has nothing to purge: its horizon speaks. What is out of reach and where nothing was erased is unreachable, not unpurged.
  if (bound.guarantees.scan === "none" || purged === undefined) return { outcome: "not-run" };
  const { erased, rewritten } = eraseCounts(bound, inquiry);
  if (erased + rewritten === 0 && scan.unread.has(bound.declaration.id)) return { outcome: "not-run" };
  switch (purged.outcome) {
    case "purged":
      return { outcome: "purged" };
    case "pending":
      return { outcome: "pending", why: purged.why, ...(purged.until === undefined ? {} : { until: purged.until }) };
    case "unsupported":
    case "failed":
      return { outcome: purged.outcome, why: purged.why };
  }
}

/** What the lineage of each derived surface lacks; the same for every request that the epoch serves. */
export function lineageOfSurfaces(engine: Engine, scan: SharedScan): SurfaceLineage {
  const found = new Map<SurfaceId, { rowsWithoutEdge: number; inferredOnly: number; complete: boolean } | "unknown">();
  for (const { declaration, guarantees } of engine.surfaces) {
    if (!isDerivedRole(declaration.role) || guarantees.scan === "none") continue;
    // Nobody read its rows: what is out of reach is said to be that, not to lack its lineage.
    const isUnread = scan.unread.has(declaration.id);
    found.set(declaration.id, isUnread ? "unknown" : { rowsWithoutEdge: 0, inferredOnly: 0, complete: true });
  }
  // What a store names itself was declared by this very scan.
  for (const row of scan.sourceless) {
    const counts = found.get(row.surface);
    if (counts === undefined || counts === "unknown") continue;
    const known = engine.ledger.sourcesOf(row);
    if (known.length === 0 && row.sources.length === 0) counts.rowsWithoutEdge += 1;
    else if (known.length > 0 && known.every(({ origin }) => origin === "inferred")) counts.inferredOnly += 1;
  }
  for (const [surface, lost] of countLostSources(
    engine,
    scan.rows.values(),
    (ref) => scan.rows.has(ref),
    scan.unread,
  )) {
    const counts = found.get(surface);
    if (counts !== undefined && counts !== "unknown") counts.rowsWithoutEdge += lost;
  }
  for (const surface of lostLineage(engine, scan.rows)) {
    const counts = found.get(surface) ?? { rowsWithoutEdge: 0, inferredOnly: 0, complete: false };
    if (counts !== "unknown") found.set(surface, { ...counts, complete: false });
  }
  return found;
}
