// What kinds are made of whose copies nobody here can reach: they expire by a declared bound, or nothing is said of them. Such a kind claims nothing and looks at nothing.
import type { Erased, Purged, Rewritten } from "../model/artifact.ts";
import type { SurfaceKindName, SurfaceRole } from "../model/declaration.ts";
import { BoundaryError } from "../model/errors.ts";
import type { Guarantees, Surface, SurfaceEntry, SurfaceKind } from "../surface.ts";

export interface ExpiringOptions {
  /** Longest time that a copy is kept; undefined: unbounded. */
  readonly maxSeconds: number | undefined;
}

export interface ExpiringCopies {
  readonly kind: SurfaceKindName;
  readonly roles: readonly [SurfaceRole, ...SurfaceRole[]];
  readonly outOfReach: readonly string[];
  /** Why nothing can be done. */
  readonly why: string;
  /** Why nothing can be written. */
  readonly noInsertPath: string;
}

/** @param now the clock from which a horizon is counted */
export function expiringKind(copies: ExpiringCopies, now: () => Date): SurfaceKind<ExpiringOptions> {
  const guarantees: Guarantees = {
    scan: "none",
    snapshot: "none",
    deletion: "expiry",
    fence: "none",
    probes: [],
    outOfReach: copies.outOfReach,
  };
  return {
    kind: copies.kind,
    guarantees,
    parse: (entry) => parse(copies, entry),
    open: async (options) => openCopies(copies, guarantees, options, now),
    probes: () => [],
    containerProbes: () => [],
  };
}

function parse({ kind, roles }: ExpiringCopies, { declaration }: SurfaceEntry): ExpiringOptions {
  if (!roles.includes(declaration.role)) {
    throw new BoundaryError(
      "ROLE_UNFIT",
      `surface ${declaration.id} of kind ${kind} has role ${declaration.role}, give it role ${roles[0]}`,
      { place: { surface: declaration.id, field: "role" } },
    );
  }
  return { maxSeconds: declaration.horizon?.maxSeconds };
}

async function* nothing(): AsyncGenerator<never> {}

function openCopies(
  { why, noInsertPath }: ExpiringCopies,
  guarantees: Guarantees,
  { maxSeconds }: ExpiringOptions,
  now: () => Date,
): Surface {
  return {
    guarantees,
    census: async () => [],
    // Not "empty": `guarantees.scan` says that nothing was enumerated.
    scan: nothing,
    read: nothing,
    rewrite: async (replacements): Promise<readonly Rewritten[]> =>
      replacements.map(({ surface, key }) => ({ surface, key, outcome: "failed", why })),
    erase: async (keys): Promise<readonly Erased[]> => {
      if (keys.length === 0) return [];
      throw new BoundaryError("NOTHING_TO_ERASE", `${why}, so no record of it can be named; it expires by its horizon`);
    },
    purgeLock: async () => "none",
    foresee: async () => ({
      bytesStay: false,
      locks: [],
      spareBytes: 0,
      seconds: 0,
      basis: "nothing is purged, it expires",
      refused: [],
    }),
    async purge(): Promise<Purged> {
      if (maxSeconds === undefined) return { outcome: "unsupported", why: `${why} and no horizon bounds it` };
      return {
        outcome: "pending",
        until: new Date(Math.ceil(now().getTime() / 1000 + maxSeconds) * 1000),
        why: "the last copy expires by then",
      };
    },
    offer: async () => ({ outcome: "no-insert-path", why: noInsertPath }),
    plant: async ({ key }) => ({ key, outcome: "unsupported", why: noInsertPath }),
    fence: async () => "none",
    // No fence was raised.
    fences: async () => [],
    unfence: async () => "ended",
    // There is nothing that could bear a marker.
    mark: async () => "unmarked",
    markers: async () => [],
    unmark: async () => {},
    // Nothing was opened.
    close: async () => {},
  };
}
