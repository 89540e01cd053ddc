// Sums up per surface what became of the closure, from evidence and journal: counts only.
import type { Evidence, SurfaceEvidence } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { SurfaceOutcome } from "./outcome.ts";

export function surfaceOutcomes(
  engine: Engine,
  evidence: Evidence,
  items: readonly RequestItem[],
  unread: ReadonlyMap<SurfaceId, string>,
): readonly SurfaceOutcome[] {
  return evidence.surfaces.map((seen): SurfaceOutcome => {
    const { label } = engine.surfaces.find(({ declaration }) => declaration.id === seen.surface)?.declaration ?? {
      label: seen.surface,
    };
    const troubles = troublesOf(seen, items, unread);
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

function troublesOf(
  { surface, purge }: SurfaceEvidence,
  items: readonly RequestItem[],
  unread: ReadonlyMap<string, string>,
): readonly string[] {
  const failed = items.filter(({ ref, outcome }) => ref.surface === surface && outcome === "failed");
  const said = purge !== "unknown" && "why" in purge ? purge.why : undefined;
  const code = unread.get(surface);
  const notRead = code === undefined ? undefined : `it could not be read: ${code}`;
  return [...new Set([...failed.map(({ why }) => why), said, notRead])].filter((why) => why !== undefined);
}
