// The kind `backup`: dumps, base backups, archived logs and snapshots that lie elsewhere. It reads none of them and claims nothing; their retention speaks, or nothing does.
import type { SurfaceKind } from "../../surface.ts";
import { type ExpiringOptions, expiringKind } from "../expiring-copies.ts";

/** @param now the clock from which a horizon is counted */
export function createBackup(now: () => Date): SurfaceKind<ExpiringOptions> {
  return expiringKind(
    {
      kind: "backup",
      roles: ["backup"],
      outOfReach: ["the backups themselves: they end with their retention, what is restored from one is for `replay`"],
      why: "a backup is not opened",
      noInsertPath: "a backup is made of a store, nobody writes into it",
    },
    now,
  );
}

export const backup: SurfaceKind<ExpiringOptions> = createBackup(() => new Date());
