// Runs every surface's own probes, and those over undeclared containers, and says for each surface which of its eyes saw.
import type { ProbeEvidence } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { SurfaceDeclaration } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Needle, ProbeName } from "../model/needle.ts";
import { type ProbeRun, runProbes } from "../probe/run-probes.ts";
import type { Probe } from "../surface.ts";
import type { Census } from "./take-census.ts";

/** One probe's run as it counts for one surface, or for an undeclared container. */
export interface SurfaceRuns {
  readonly surface: SurfaceId | undefined;
  readonly container: string | undefined;
  readonly run: ProbeRun;
  readonly evidence: ProbeEvidence;
}

/** Fewer controls than all may be found by probes that measure likeness; ours find every excerpt and every identical vector, so the floor is all. `meanwhile` is done while probes that look by themselves do. */
export async function lookWithProbes(
  engine: Engine,
  needles: readonly Needle[],
  groupOf: (needle: number) => number,
  census: Census,
  meanwhile: () => Promise<void>,
  signal: AbortSignal,
): Promise<readonly SurfaceRuns[]> {
  const controls = needles.filter(({ fate }) => fate === "control");
  const placed = engine.surfaces.flatMap((bound) =>
    bound.guarantees.scan === "none" ? [] : bound.probes().map((probe) => ({ surface: bound.declaration.id, probe })),
  );
  const owner = new Map<Probe, SurfaceId>(placed.map(({ surface, probe }) => [probe, surface]));
  const runs = await runProbes(
    placed.map(({ probe }) => probe),
    needles,
    {
      groupOf,
      meanwhile,
      controlsOf: (probe) => controls.filter(({ ref }) => ref.surface === owner.get(probe)).map(({ index }) => index),
      started: (probe, done, total) =>
        engine.report({ step: `probe ${probe.name}`, phase: "progress", surface: owner.get(probe) ?? "", done, total }),
    },
    signal,
  );
  const byLook = new Map(runs.map((run) => [JSON.stringify([run.name, run.scope]), run]));
  const declared = placed.flatMap(({ surface, probe }): readonly SurfaceRuns[] => {
    const run = byLook.get(JSON.stringify([probe.name, probe.scope]));
    if (run === undefined) return [];
    const why = notApplicable(engine.bound(surface).declaration, run.name);
    return [{ surface, container: undefined, run, evidence: toEvidence(run, why !== undefined) }];
  });
  const strays: SurfaceRuns[] = [];
  for (const { container, probe } of census.strayProbes) {
    // Nobody declared what is in there, so no control can be chosen: hits count, their absence proves nothing.
    const [run] = await runProbes([probe], needles, { groupOf, controlsOf: () => [] }, signal);
    if (run !== undefined) strays.push({ surface: undefined, container, run, evidence: toEvidence(run, false) });
  }
  return [...declared, ...strays];
}

/** Kinds that hold text whatever is declared of it. */
export function isTextual(kind: SurfaceDeclaration["kind"]): boolean {
  return kind === "sqlite-fts" || kind === "text" || kind === "redis" || kind === "in-process";
}

/** Why a probe has nothing to do in a surface. */
export function notApplicable(
  { kind, content, vector }: SurfaceDeclaration,
  probe: ProbeName,
): "NO_TEXT" | "NO_VECTORS" | undefined {
  const hasText = content.length > 0 || isTextual(kind);
  if (probe === "excerpt" && !hasText) return "NO_TEXT";
  if (probe === "exact" && !hasText && vector === undefined) return "NO_TEXT";
  if (probe === "neighbour" && vector === undefined) return "NO_VECTORS";
  return undefined;
}

function toEvidence(run: ProbeRun, isIdle: boolean): ProbeEvidence {
  return {
    name: run.name,
    depth: run.depth,
    status: isIdle ? "not-applicable" : run.status,
    controls: { taken: isIdle ? 0 : run.controlsTaken, found: isIdle ? 0 : run.controlsFound },
  };
}
