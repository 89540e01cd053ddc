// Sums up per surface what became of the closure, from evidence and journal: counts only.
import type { Evidence } from "../attest/evidence.ts";
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
    };
  });
}
