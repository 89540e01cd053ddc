// The working context that every part of the flow is handed: boundary, ledger, open surfaces, clock, randomness, progress.
import { bindSurfaces, type BoundSurface } from "./adapters/registry.ts";
import type { RequestOutcome } from "./forget/outcome.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Artifact } from "./model/artifact.ts";
import type { Boundary } from "./model/declaration.ts";
import { UsageError } from "./model/errors.ts";
import type { RequestId, SurfaceId } from "./model/ids.ts";
import { ANSWER_MS, openParticipation } from "./participate/participation.ts";
import { createOwnParticipants, type OwnParticipants } from "./participate/take-part.ts";
import type { ReportProgress } from "./progress.ts";
import type { Surface, SurfaceKind } from "./surface.ts";

/** Writes the new text of a shared artifact from its surviving sources (LINEAGE-5). Sources hold personal data of others. */
export type Rederiver = (sources: readonly Artifact[], signal: AbortSignal) => Promise<string>;

export interface Engine {
  readonly boundary: Boundary;
  readonly ledger: Ledger;
  /** In the order of the boundary: by the UTF-8 bytes of their id. */
  readonly surfaces: readonly BoundSurface[];
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly report: ReportProgress;
  /** Runs of words that one request files at most: one person must not block everybody (GUARD-2). */
  readonly maxRuns: number;
  readonly rederivers: Map<string, Rederiver>;
  /** Requests that this very process is working on: a second call joins the first. */
  readonly running: Map<RequestId, Promise<RequestOutcome>>;
  /** Surfaces whose stores bear this ledger's marker. */
  readonly marked: Set<SurfaceId>;
  /** Surfaces that stand in the memory of this very process. */
  readonly ownParticipants: OwnParticipants;
  /** How long a process that takes part may be silent before a run waits for it no longer, in ms. */
  readonly answerMs: number;
  /** The declared surface of this id. @throws UsageError */
  bound(id: SurfaceId): BoundSurface;
  /** Opens a surface once and keeps it open until `close`. */
  open(id: SurfaceId): Promise<Surface>;
  close(): Promise<void>;
}

export interface EngineParts {
  readonly boundary: Boundary;
  readonly ledger: Ledger;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly report: ReportProgress;
  readonly answerMs?: number;
  readonly maxRuns?: number;
  /** Kinds of surfaces that do not ship. */
  readonly kinds?: readonly SurfaceKind<unknown>[];
}

/** About as many words as eight novels have. */
const MAX_RUNS = 1_000_000;

/** Puts the parts together; stores are opened when first used. @throws BoundaryError */
export function createEngine(parts: EngineParts): Engine {
  const { answerMs = ANSWER_MS } = parts;
  const surfaces = bindSurfaces(parts.boundary, (surface) => openParticipation(parts, surface, answerMs), parts.kinds);
  const ownParticipants = createOwnParticipants(parts);
  const byId = new Map(surfaces.map((surface) => [surface.declaration.id, surface]));
  let isClosed = false;
  const opened = new Map<SurfaceId, Promise<Surface>>();
  const bound = (id: SurfaceId): BoundSurface => {
    const surface = byId.get(id);
    if (surface === undefined) {
      throw new UsageError("SURFACE_UNKNOWN", "no surface of this name is declared", {
        place: { surface: id },
        cure: `name one of ${[...byId.keys()].join(", ")}`,
      });
    }
    return surface;
  };
  return {
    ...parts,
    answerMs,
    maxRuns: parts.maxRuns ?? MAX_RUNS,
    surfaces,
    ownParticipants,
    rederivers: new Map(),
    running: new Map(),
    marked: new Set(),
    bound,
    open(id) {
      const known = opened.get(id);
      if (known !== undefined) return known;
      const opening = bound(id).open();
      opened.set(id, opening);
      // A failed opening is not remembered: the store may be repaired and tried again.
      opening.catch(() => opened.delete(id));
      return opening;
    },
    async close() {
      // A second call finds nothing open.
      if (isClosed) return;
      isClosed = true;
      try {
        await ownParticipants.close();
      } finally {
        const surfacesToClose = await Promise.allSettled(opened.values());
        opened.clear();
        for (const surface of surfacesToClose) if (surface.status === "fulfilled") await surface.value.close();
        parts.ledger.close();
      }
    },
  };
}
