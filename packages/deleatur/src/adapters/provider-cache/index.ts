// The kind `provider-cache`: a model provider's prompt cache, where nothing can be read or deleted. It claims nothing; a declared horizon speaks, or nothing does.
import type { Erased, Purged, Rewritten } from "../../model/artifact.ts";
import { BoundaryError } from "../../model/errors.ts";
import type { Guarantees, Surface, SurfaceEntry, SurfaceKind } from "../../surface.ts";

export interface ProviderCacheOptions {
  /** Longest time that the provider keeps a copy, by contract; undefined: unbounded. */
  readonly maxSeconds: number | undefined;
}

const guarantees: Guarantees = {
  scan: "none",
  snapshot: "none",
  deletion: "expiry",
  fence: "none",
  probes: [],
  outOfReach: ["the provider's copies themselves: they expire, nobody here can look at them or delete them"],
};

const WHY = "a provider's cache cannot be reached";

function parse({ declaration }: SurfaceEntry): ProviderCacheOptions {
  if (declaration.role !== "cache" && declaration.role !== "backup") {
    throw new BoundaryError(
      "ROLE_UNFIT",
      `surface ${declaration.id} of kind provider-cache has role ${declaration.role}, give it role cache`,
      {
        place: { surface: declaration.id, field: "role" },
      },
    );
  }
  return { maxSeconds: declaration.horizon?.maxSeconds };
}

async function* nothing(): AsyncGenerator<never> {}

function openCache({ maxSeconds }: ProviderCacheOptions, now: () => Date): Surface {
  return {
    guarantees,
    census: async () => [],
    // Not "empty": `guarantees.scan` says that nothing was enumerated.
    scan: nothing,
    read: nothing,
    rewrite: async (replacements): Promise<readonly Rewritten[]> =>
      replacements.map(({ surface, key }) => ({ surface, key, outcome: "failed", why: WHY })),
    erase: async (keys): Promise<readonly Erased[]> => {
      if (keys.length === 0) return [];
      throw new BoundaryError("NOTHING_TO_ERASE", `${WHY}, so no record of it can be named; it expires by its horizon`);
    },
    purgeLock: async () => "none",
    async purge(): Promise<Purged> {
      if (maxSeconds === undefined) return { outcome: "unsupported", why: `${WHY} and no horizon bounds it` };
      return {
        outcome: "pending",
        until: new Date(Math.ceil(now().getTime() / 1000 + maxSeconds) * 1000),
        why: "the last copy expires by then",
      };
    },
    offer: async () => ({ outcome: "no-insert-path", why: "only the provider writes to its cache" }),
    plant: async ({ key }) => ({ key, outcome: "unsupported", why: "only the provider writes to its cache" }),
    fence: async () => "none",
    // No fence was raised.
    unfence: async () => "ended",
    // There is nothing that could bear a marker.
    mark: async () => "unmarked",
    markers: async () => [],
    unmark: async () => {},
    // Nothing was opened.
    close: async () => {},
  };
}

/** @param now the clock from which a horizon is counted */
export function createProviderCache(now: () => Date): SurfaceKind<ProviderCacheOptions> {
  return {
    kind: "provider-cache",
    guarantees,
    parse,
    open: async (options) => openCache(options, now),
    probes: () => [],
    containerProbes: () => [],
  };
}

export const providerCache: SurfaceKind<ProviderCacheOptions> = createProviderCache(() => new Date());
