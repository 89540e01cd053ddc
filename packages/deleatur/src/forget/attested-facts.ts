// Turns the evidence of a round into the facts that a statement carries: surfaces, probe runs, lineage counts. No key, no identifier, no content.
import type { Dropped, Manifest, NotApplicable, ProbeRun, SurfaceState } from "@deleatur/verify";
import { REQUIRED_PROBES } from "@deleatur/verify";
import type { EpochEvidence, SurfaceFacts } from "../attest/attestation-input.ts";
import type { Evidence, SurfaceEvidence } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { SurfaceRuns } from "../examine/look-with-probes.ts";
import { declaredHorizon } from "../attest/best-outcome.ts";
import type { RequestId } from "../model/ids.ts";
import type { Judged } from "./attest-request.ts";
import type { PurgedRound } from "./conclude-requests.ts";
import { openPlan } from "./sealed-plan.ts";
import { VERSION } from "../version.ts";

export function epochEvidence(
  engine: Engine,
  round: PurgedRound,
  { gathered, evidence }: Judged,
  manifest: Manifest,
  dropped: readonly Dropped[],
): EpochEvidence {
  const { ledger } = engine;
  return {
    surfaces: engine.surfaces.map((bound) => surfaceFacts(engine, round, bound)),
    manifest,
    dropped,
    lineage: edgesOf(engine, round),
    denylist: {
      count: ledger.denylistCount(round.id),
      scope: engine.surfaces.flatMap(({ declaration, guarantees }) =>
        guarantees.scan !== "none" && declaration.writers !== "foreign" ? [declaration.id] : [],
      ),
    },
    probes: evidence.surfaces.flatMap((seen) => probeRuns(seen, gathered.runs, gathered.suspects)),
    intents: { unresolved: evidence.intents === "unknown" ? 1 : evidence.intents.unresolved },
    bystanders:
      evidence.bystanders === "unknown"
        ? { checked: 0, intact: 0, lost: 0 }
        : {
            checked: evidence.bystanders.intact + evidence.bystanders.lost,
            intact: evidence.bystanders.intact,
            lost: evidence.bystanders.lost,
          },
  };
}

function surfaceFacts(
  engine: Engine,
  { id, round, purge }: PurgedRound,
  bound: Engine["surfaces"][number],
): SurfaceFacts {
  const { declaration, guarantees } = bound;
  const horizon = guarantees.scan === "none" ? "none" : declaredHorizon(declaration, new Date(purge.finishedAt));
  return {
    id: declaration.id,
    adapter: { kind: declaration.kind, version: VERSION },
    snapshot: guarantees.snapshot,
    lineageFrom: declaration.derivedFrom.length > 0 ? "both" : "ledger",
    fence: guarantees.scan === "none" ? "none" : fenceStrength(engine, id, round, declaration.id),
    deletion: guarantees.deletion,
    outOfReach: guarantees.outOfReach,
    ...(typeof horizon === "object" ? { horizon } : {}),
  };
}

/** The strength that the surface itself answered when the fence was raised. */
function fenceStrength(engine: Engine, id: RequestId, round: number, surface: string): SurfaceFacts["fence"] {
  const step = engine.ledger.steps(id).find(({ name }) => name === `${round}/fence`);
  const strengths = (step?.detail ?? {}) as Readonly<Record<string, "strong" | "leased" | "none">>;
  return strengths[surface] ?? "leased";
}

/** Edges of all rounds' closures; what an operator confirmed counts as declared. */
function edgesOf(engine: Engine, { id, round }: PurgedRound): EpochEvidence["lineage"] {
  const sum = { recorded: 0, declared: 0, inferred: 0 };
  for (let at = 1; at <= round; at += 1) {
    const edges = openPlan(engine, id, at)?.edges;
    if (edges === undefined) continue;
    sum.recorded += edges.recorded;
    sum.declared += edges.declared;
    sum.inferred += edges.inferred;
  }
  return sum;
}

const IDLE: Readonly<Record<(typeof REQUIRED_PROBES)[number], NotApplicable | undefined>> = {
  key: undefined,
  exact: "NO_TEXT",
  excerpt: "NO_TEXT",
  neighbour: "NO_VECTORS",
  bytes: "NOT_FILE_LEVEL",
  "re-ingest": "NO_INSERT_PATH",
};

/** All required probes of one surface: those that ran, those that were blind, and why the others had nothing to do. */
function probeRuns(
  { surface, probes, reingest, required, scan }: SurfaceEvidence,
  runs: readonly SurfaceRuns[],
  suspects: Judged["gathered"]["suspects"],
): readonly ProbeRun[] {
  if (scan !== "unknown" && scan.complete && probes.length === 0) return [];
  return REQUIRED_PROBES.map((name): ProbeRun => {
    const own = probes.filter((probe) => probe.name === name && probe.status !== "not-applicable");
    const isIdle = own.length === 0 && (name === "re-ingest" ? reingest === "no-path" : !required.includes(name));
    const isBlind = own.length === 0 || own.some(({ status }) => status !== "ran");
    const why = runs.find((one) => one.surface === surface && one.run.name === name && one.run.why !== undefined)?.run
      .why;
    const open = name === "excerpt" ? suspects.filter((suspect) => suspect.surface === surface).length : 0;
    return {
      surface,
      name,
      depth: own[0]?.depth ?? (name === "bytes" ? "bytes" : name === "neighbour" ? "index" : "api"),
      outcome: isIdle ? "not-applicable" : isBlind ? "blind" : "ran",
      why: isIdle ? (IDLE[name] ?? "NO_INSERT_PATH") : isBlind ? (why ?? "it did not run") : null,
      controls: {
        taken: own.reduce((sum, { controls }) => sum + controls.taken, 0),
        found: own.reduce((sum, { controls }) => sum + controls.found, 0),
        floor: null,
      },
      survivors: 0,
      suspects: { open, reviewed: 0 },
    };
  });
}

/** Counts by surface, for a refusal. */
export function surfaceStates(engine: Engine, id: RequestId, evidence: Evidence): readonly SurfaceState[] {
  const items = engine.ledger.itemCounts(id);
  return evidence.surfaces.map(({ surface, erase, purge, state }) => {
    const counts = erase === "unknown" ? { erased: 0, absent: 0, rewritten: 0, failed: 0 } : erase;
    const total = items.reduce((sum, item) => sum + (item.surface === surface ? item.count : 0), 0);
    const outcome = purge === "unknown" ? "not-run" : purge.outcome;
    const isBlind = state !== "unknown" && state.as === "uncovered" && state.reason === "BLIND";
    return {
      id: surface,
      ...counts,
      pending: outcome === "pending" ? counts.erased + counts.rewritten : 0,
      unsupported: outcome === "unsupported" ? total : 0,
      blind: isBlind ? total : 0,
    };
  });
}
