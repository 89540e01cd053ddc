// Sums up per surface what became of the closure, from evidence and journal: counts only.
import type { Evidence, SurfaceEvidence } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import type { SurfaceOutcome } from "./outcome.ts";

export function surfaceOutcomes(
  engine: Engine,
  evidence: Evidence,
  items: readonly RequestItem[],
): readonly SurfaceOutcome[] {
  return evidence.surfaces.map((seen): SurfaceOutcome => {
    const { label } = engine.surfaces.find(({ declaration }) => declaration.id === seen.surface)?.declaration ?? {
      label: seen.surface,
    };
    const troubles = troublesOf(seen, items);
    const state = seen.state === "unknown" ? undefined : seen.state;
    return {
      surface: seen.surface,
      label,
      role: seen.role,
      ...(seen.erase === "unknown" ? { erased: 0, absent: 0, rewritten: 0, failed: 0 } : seen.erase),
      kept: items.filter(({ ref, action }) => ref.surface === seen.surface && action === "keep").length,
      purge: seen.purge === "unknown" ? "not-run" : seen.purge.outcome,
      state: state?.as ?? "uncovered",
      ...(state?.as === "uncovered" ? { why: state.reason } : {}),
      ...(troubles.length === 0 ? {} : { troubles }),
    };
  });
}

function troublesOf({ surface, purge }: SurfaceEvidence, items: readonly RequestItem[]): readonly string[] {
  const failed = items.filter(({ ref, outcome }) => ref.surface === surface && outcome === "failed");
  const said = purge !== "unknown" && "why" in purge ? purge.why : undefined;
  return [...new Set([...failed.map(({ why }) => why), said])].filter((why) => why !== undefined);
}
