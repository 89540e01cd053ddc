// Harvests declared lineage: reads keys, persons and sources from the stores' own columns, so that the ledger knows what was never recorded.
import type { Engine } from "../engine.ts";
import type { Artifact, CaselessIdentifier } from "../model/artifact.ts";
import type { ArtifactRef, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import { outlivesTtl } from "../model/time-to-live.ts";
import type { ScanPart } from "../surface.ts";

/** The lineage of one scanned row, without its content. */
export interface HarvestedRow extends ArtifactRef {
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly caseless?: readonly CaselessIdentifier[];
}

export interface Harvest {
  readonly rows: readonly HarvestedRow[];
  /** Surfaces that could not be scanned, and why (a code, no content). */
  readonly unread: ReadonlyMap<SurfaceId, string>;
  /** Surfaces with a record that outlives the time to live that is declared for them; not told where nobody asks. */
  readonly unbounded?: ReadonlySet<SurfaceId>;
}

/** Artifacts that are looked up in the ledger together; as many are held at once. */
const PART = 512;

/** The same for who sees several artifacts at once. Those of an unread surface that were read before it failed are shown too. */
export async function scanParts(
  engine: Engine,
  step: string,
  visit: (part: readonly Artifact[]) => void,
  signal: AbortSignal,
  ended: (surface: SurfaceId) => void = () => undefined,
): Promise<ReadonlyMap<SurfaceId, string>> {
  let part: Artifact[] = [];
  const flush = (): void => {
    const full = part;
    part = [];
    if (full.length > 0) visit(full);
  };
  return await scanAll(
    engine,
    step,
    (artifact) => {
      part.push(artifact);
      if (part.length === PART) flush();
    },
    signal,
    "all",
    (surface) => {
      flush();
      ended(surface);
    },
  );
}

/** Scans every surface that can be scanned; `visit` sees each artifact, with its content unless lineage alone is asked for, `ended` the end of each surface, read or not. Writes nothing. */
export async function scanAll(
  engine: Engine,
  step: string,
  visit: (artifact: Artifact) => void,
  signal: AbortSignal,
  part: ScanPart = "all",
  ended: (surface: SurfaceId) => void = () => undefined,
): Promise<ReadonlyMap<SurfaceId, string>> {
  const unread = new Map<SurfaceId, string>();
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    engine.report({ step, phase: "started", surface: declaration.id });
    let done = 0;
    try {
      const surface = await engine.open(declaration.id);
      try {
        for await (const artifact of surface.scan(signal, part)) {
          visit(artifact);
          done += 1;
          if (done % 1000 === 0) engine.report({ step, phase: "progress", surface: declaration.id, done });
        }
      } finally {
        ended(declaration.id);
      }
    } catch (error) {
      signal.throwIfAborted();
      unread.set(declaration.id, errorCode(error));
    }
    engine.report({ step, phase: "finished", surface: declaration.id, done });
  }
  return unread;
}

/** Reads the declared lineage of all surfaces; content is left out, unless a survey sees the same artifacts. */
export async function harvestLineage(
  engine: Engine,
  signal: AbortSignal,
  survey?: (artifact: Artifact) => void,
): Promise<Harvest> {
  const rows: HarvestedRow[] = [];
  const unbounded = new Set<SurfaceId>();
  const now = engine.clock();
  const unread = await scanAll(
    engine,
    survey === undefined ? "scan" : "survey",
    (artifact) => {
      survey?.(artifact);
      const { surface, key, subjects, sources, expires, caseless } = artifact;
      rows.push({ surface, key, subjects, sources, ...(caseless === undefined ? {} : { caseless }) });
      if (outlivesTtl(engine.bound(surface).declaration, expires, now)) unbounded.add(surface);
    },
    signal,
    survey === undefined ? "lineage" : "all",
  );
  return { rows, unread, unbounded };
}

/** Enters a harvest into the ledger with origin `declared`. */
export function recordHarvest(engine: Engine, { rows }: Harvest): void {
  engine.ledger.recordHarvest(rows);
}

/** Enters some rows only, of which the ledger was found to know too little. */
export function recordRows({ ledger }: Engine, rows: readonly HarvestedRow[]): void {
  ledger.recordArtifacts(
    rows.map((row) => ({ ref: row, subjects: row.subjects, sources: row.sources, origin: "declared" })),
  );
}

/** The stable code of an error, or its class: what may stand in evidence. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "UNKNOWN";
}
