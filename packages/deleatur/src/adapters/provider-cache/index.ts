// The kind `provider-cache`: a model provider's prompt cache, where nothing can be read or deleted. It claims nothing; a declared horizon speaks, or nothing does.
import type { SurfaceKind } from "../../surface.ts";
import { type ExpiringOptions, expiringKind } from "../expiring-copies.ts";

/** @param now the clock from which a horizon is counted */
export function createProviderCache(now: () => Date): SurfaceKind<ExpiringOptions> {
  return expiringKind(
    {
      kind: "provider-cache",
      roles: ["cache", "backup"],
      outOfReach: ["the provider's copies themselves: they expire, nobody here can look at them or delete them"],
      why: "a provider's cache cannot be reached",
      noInsertPath: "only the provider writes to its cache",
    },
    now,
  );
}

export const providerCache: SurfaceKind<ExpiringOptions> = createProviderCache(() => new Date());
