// `check`: holds the configuration against what really exists and tells, by the same judge, the best that could be attested.
import { type BestOutcome, bestOutcome, type ToldSurface } from "../attest/best-outcome.ts";
import type { Engine } from "../engine.ts";
import {
  type ForeseenPurge,
  foresee,
  foreseenOf,
  foreseeUndeclared,
  type Hindered,
  hinderedOf,
} from "../examine/foresee.ts";
import { type SharedStore, takeCensus } from "../examine/take-census.ts";
import type { AnchorState } from "../ledger/anchor.ts";
import { lostLineageOf } from "../examine/lost-lineage.ts";
import { ledgerEvidence } from "../examine/ledger-evidence.ts";
import { DeleaturError } from "../model/errors.ts";
import { surfaceId } from "../model/ids.ts";
import { isDerivedRole } from "../record/derived-surface.ts";
import { countLostSourcesOf } from "../record/lost-sources.ts";
import { findLostFences, type LostFences } from "./lost-fences.ts";
import { errorCode, harvestLineage } from "../record/harvest.ts";

export interface CheckedSurface {
  readonly surface: string;
  readonly label: string;
  readonly kind: string;
  readonly isReachable: boolean;
  /** What went wrong, as a code and our own words. */
  readonly why?: string;
  readonly rows: number;
  readonly rowsWithoutLineage: number;
}

export interface Check {
  readonly surfaces: readonly CheckedSurface[];
  readonly undeclared: readonly string[];
  readonly missing: readonly string[];
  /** Stores that bear another ledger's marker. */
  readonly shared: readonly SharedStore[];
  /** What each purge would lock and take, and what stands in its way. */
  readonly purges: readonly ForeseenPurge[];
  /** Probes that could not look, and acts that a store would refuse. */
  readonly hindered: readonly Hindered[];
  /** Fences behind which no open request stands. */
  readonly fences: readonly LostFences[];
  /** The ledger against its anchor, read whole. */
  readonly anchor: AnchorState;
  /** Requests whose do-not-store entries are past their term: they stand until somebody lifts them. */
  readonly expired: number;
  readonly best: BestOutcome;
}

/** Opens every surface and reads every row's lineage; writes nothing. */
export async function checkBoundary(engine: Engine, signal: AbortSignal): Promise<Check> {
  const failures = new Map<string, string>();
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    try {
      await engine.open(declaration.id);
    } catch (error) {
      failures.set(
        declaration.id,
        error instanceof DeleaturError ? `${error.code}: ${error.message}` : errorCode(error),
      );
    }
  }
  const harvest = await harvestLineage(engine, signal);
  for (const [surface, code] of harvest.unread) if (!failures.has(surface)) failures.set(surface, code);
  const census = await takeCensus(engine, signal);
  const lostSources = countLostSourcesOf(engine, harvest.rows, harvest.unread);
  const surfaces = engine.surfaces.map(({ declaration: { id, label, kind, role } }): CheckedSurface => {
    const rows = harvest.rows.filter((row) => row.surface === id);
    const sourceless = isDerivedRole(role)
      ? rows.filter((row) => row.sources.length === 0 && engine.ledger.sourcesOf(row).length === 0).length
      : 0;
    const without = sourceless + (lostSources.get(id) ?? 0);
    const why = failures.get(id);
    return {
      surface: id,
      label,
      kind,
      isReachable: why === undefined,
      ...(why === undefined ? {} : { why }),
      rows: rows.length,
      rowsWithoutLineage: without,
    };
  });
  const foreseen = await foresee(engine, failures, signal);
  const lost = lostLineageOf(engine, harvest.rows);
  const anchor = engine.ledger.verifyAnchor();
  const undeclared = await foreseeUndeclared(engine, census, failures, signal);
  const told = new Map<string, ToldSurface>(
    surfaces.map(({ surface, isReachable, why, rows, rowsWithoutLineage }) => [
      surface,
      {
        isReachable,
        ...(why === undefined ? {} : { why }),
        rowsWithoutEdge: rowsWithoutLineage,
        isLineageLost: lost.has(surfaceId(surface)),
        isUnbounded: harvest.unbounded?.has(surfaceId(surface)) === true,
        needsCanary: rows === 0,
        ...foreseenOf(foreseen, surfaceId(surface)),
        guarantees: engine.surfaces.find(({ declaration }) => declaration.id === surface)!.guarantees,
      },
    ]),
  );
  return {
    surfaces,
    undeclared,
    missing: census.report.missing.map(({ container }) => container),
    shared: census.shared,
    purges: foreseen.purges,
    hindered: hinderedOf(foreseen),
    fences: await findLostFences(engine, signal),
    anchor,
    expired: engine.ledger.endedTerms().length,
    best: bestOutcome(engine.boundary, {
      surfaces: told,
      undeclared,
      shared: census.shared,
      ledger: ledgerEvidence(anchor),
    }),
  };
}
