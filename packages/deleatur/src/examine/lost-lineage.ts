// Where a ledger that was set back may lack what the SDK alone was told of a row: persons and sources that no column names. Reads the ledger only.
import type { Engine } from "../engine.ts";
import type { SurfaceDeclaration } from "../model/declaration.ts";
import { artifactId, type ArtifactRef, type SurfaceId } from "../model/ids.ts";

/** Surfaces with a row that a harvest alone has entered since then. `isThere`: what a scan has read. */
export function lostLineage(
  engine: Engine,
  isThere: { readonly has: (ref: ArtifactRef) => boolean },
): ReadonlySet<SurfaceId> {
  return toldBySdk(
    engine,
    engine.ledger.metSinceSetBack().filter((ref) => isThere.has(ref)),
  );
}

/** The same before a harvest has entered what was just read: a row that the ledger does not know counts as well. */
export function lostLineageOf(engine: Engine, rows: readonly ArtifactRef[]): ReadonlySet<SurfaceId> {
  const { ledger } = engine;
  if (!ledger.wasSetBack()) return new Set();
  const met = new Set(ledger.metSinceSetBack().map(artifactId));
  return toldBySdk(
    engine,
    rows.filter((ref) => met.has(artifactId(ref)) || ledger.artifact(ref) === undefined),
  );
}

function toldBySdk(engine: Engine, refs: readonly ArtifactRef[]): ReadonlySet<SurfaceId> {
  const surfaces = new Set(refs.map(({ surface }) => surface));
  return new Set([...surfaces].filter((surface) => isToldBySdk(engine.bound(surface).declaration)));
}

/** Whether the SDK may have been told more of a row than its store says: then a ledger that was set back has lost it, and no harvest brings it back. */
function isToldBySdk({ role, writers, subject, derivedFrom }: SurfaceDeclaration): boolean {
  if (writers !== "sdk") return false;
  return role === "derived" || role === "cache" || (subject.length === 0 && derivedFrom.length === 0);
}
