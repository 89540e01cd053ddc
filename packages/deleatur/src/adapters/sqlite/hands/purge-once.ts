// Lets several surfaces of one store share one purge: the file is purged again only when it changed, or when the same surface asks twice.
import { existsSync, statSync } from "node:fs";
import type { Purged } from "../../../model/artifact.ts";
import type { PurgePolicy } from "../../../model/declaration.ts";
import type { SqliteFile } from "../options.ts";
import { filesOf, realFile } from "../real-file.ts";
import { purgeStore } from "./purge-store.ts";

interface LastPurge {
  readonly fingerprint: string;
  readonly outcome: Purged;
  readonly method: PurgePolicy["method"];
  readonly served: Set<string>;
}

/** By real path. A cache of this process only: losing it costs a second purge, never a missing one. */
const lastPurges = new Map<string, LastPurge>();

export function purgeOnce(target: SqliteFile, surface: string, policy: PurgePolicy, signal: AbortSignal): Purged {
  const path = realFile(target.file);
  const last = lastPurges.get(path);
  if (
    last !== undefined &&
    !last.served.has(surface) &&
    policy.method === last.method &&
    last.fingerprint === fingerprintOf(path)
  ) {
    last.served.add(surface);
    return last.outcome;
  }
  lastPurges.delete(path);
  const outcome = purgeStore(target, policy, signal);
  if (outcome.outcome === "purged")
    lastPurges.set(path, {
      fingerprint: fingerprintOf(path),
      outcome,
      method: policy.method,
      served: new Set([surface]),
    });
  return outcome;
}

/** Says that the store was written by us, so that no two writes within one tick of the file system's clock are taken for one. */
export function forgetPurge(target: SqliteFile): void {
  lastPurges.delete(realFile(target.file));
}

function fingerprintOf(path: string): string {
  return filesOf(path)
    .map((file) => {
      if (!existsSync(file)) return "";
      const { ino, size, mtimeNs } = statSync(file, { bigint: true });
      return size === 0n ? "" : `${ino}:${size}:${mtimeNs}`;
    })
    .join("|");
}
