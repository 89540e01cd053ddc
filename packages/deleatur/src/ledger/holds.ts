// Holds: single artifacts that a recorded legal ground keeps. It must not decide whether a ground is lawful.
import { markDropped } from "./compaction.ts";
import type { ArtifactRef } from "../model/ids.ts";
import {
  hexOf,
  jsonBytes,
  now,
  parseJsonBytes,
  plainRef,
  sealByGuard,
  unsealByGuard,
  type LedgerCore,
} from "./ledger-core.ts";

interface Hold {
  readonly ref: ArtifactRef;
  readonly ground: string;
  /** ISO date. */
  readonly until: string;
  readonly since: string;
}

export interface Holds {
  /** A held artifact is `kept`: fenced, not erased, not purged. */
  placeHold(refs: readonly ArtifactRef[], ground: string, until: string): void;
  /** Answers how many holds ended. */
  releaseHold(refs: readonly ArtifactRef[]): number;
  holds(): readonly Hold[];
}

const placeOf = (digest: Uint8Array): string => `holds/${hexOf(digest)}`;

export function createHolds(core: LedgerCore): Holds {
  const { connection, digests } = core;
  return {
    placeHold(refs, ground, until) {
      connection.transaction(() => {
        for (const ref of refs) {
          const digest = digests.artifactDigest(ref);
          connection.run(
            `INSERT INTO holds (artifact, sealed, until, since) VALUES (?, ?, ?, ?)
             ON CONFLICT (artifact) DO UPDATE SET sealed = excluded.sealed, until = excluded.until`,
            digest,
            sealByGuard(core, placeOf(digest), jsonBytes({ ref: plainRef(ref), ground })),
            until,
            now(core),
          );
          connection.run("DELETE FROM adopted_holds WHERE artifact = ?", digest);
          core.outbox.put({ kind: "hold", artifact: digest, until });
        }
      });
    },
    releaseHold(refs) {
      return connection.transaction(() => {
        markDropped(core);
        let ended = 0;
        for (const ref of refs) {
          const artifact = digests.artifactDigest(ref);
          core.outbox.put({ kind: "release", artifact });
          ended +=
            connection.run("DELETE FROM holds WHERE artifact = ?", artifact) +
            connection.run("DELETE FROM adopted_holds WHERE artifact = ?", artifact);
        }
        return ended;
      });
    },
    holds: () =>
      connection
        .all<{ artifact: Uint8Array; sealed: Uint8Array; until: string; since: string }>(
          "SELECT artifact, sealed, until, since FROM holds ORDER BY until, artifact",
        )
        .map(({ artifact, sealed, until, since }): Hold => {
          const { ref, ground } = parseJsonBytes<{ ref: ArtifactRef; ground: string }>(
            unsealByGuard(core, placeOf(artifact), sealed),
          );
          return { ref, ground, until, since };
        }),
  };
}
