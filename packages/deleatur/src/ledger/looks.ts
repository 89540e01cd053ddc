// What looks at the stores after a request is closed leave behind: replays that run, likenesses that were kept, ends of watches. It must not judge.
import { requestId, type ArtifactRef, type RequestId, type SurfaceId } from "../model/ids.ts";
import { hexList, now, type LedgerCore } from "./ledger-core.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";
import { openRef } from "./lineage.ts";
import { createRecordOwners, type RecordOwners } from "./record-owners.ts";
import { createTypesInUse, type TypesInUse } from "./types-in-use.ts";

export interface WatchEnd {
  /** ISO time by the ledger's clock. */
  readonly ended: string;
  readonly isClean: boolean;
}

export interface Looks extends RecordOwners, TypesInUse {
  /** The requests that filed something for one of these persons (`identifierDigest`) and were not lifted whole. */
  guardedFor(owners: readonly Uint8Array[]): readonly RequestId[];
  /** A request that a replay opened, until `endReplay`. */
  noteReplay(request: RequestId): void;
  endReplay(request: RequestId): void;
  openReplays(): readonly RequestId[];
  /** Live artifacts whose key was erased once, as this ledger knows from its anchor alone, with the request that did. What it erased itself and has as living was recorded again since. */
  livesUnderErased(): readonly { readonly ref: ArtifactRef; readonly request: RequestId }[];
  /** Live artifacts that a harvest alone has entered since the ledger was set back: persons and sources that only the SDK was told of them may be lost. */
  metSinceSetBack(): readonly ArtifactRef[];
  /** Whether this ledger was ever set back: then what the SDK alone was told may be lost. */
  wasSetBack(): boolean;
  /** `tag`: the keyed digest of all that it says; empty where it says nothing. */
  keepLikeness(ref: ArtifactRef, tag: Uint8Array): void;
  /** Whether it was kept as it stands. */
  isKeptLikeness(ref: ArtifactRef, tag: Uint8Array): boolean;
  noteWatch(surfaces: ReadonlyMap<SurfaceId, boolean>): void;
  watchEnd(surface: SurfaceId): WatchEnd | undefined;
}

export function createLooks(core: LedgerCore): Looks {
  const { connection, digests } = core;
  return {
    ...createRecordOwners(core),
    ...createTypesInUse(core),
    guardedFor: (owners) =>
      connection
        .rows<[string]>(
          `SELECT DISTINCT request FROM json_each(?) AS j CROSS JOIN guarded_owners AS o ON o.owner = unhex(j.value)
           JOIN guarded_requests USING (guard) ORDER BY request`,
          hexList(owners),
        )
        .map(([request]) => requestId(request)),
    noteReplay: (request) =>
      void connection.run("INSERT INTO replays (request) VALUES (?) ON CONFLICT DO NOTHING", request),
    endReplay: (request) => void connection.run("DELETE FROM replays WHERE request = ?", request),
    openReplays: () =>
      connection.rows<[string]>("SELECT request FROM replays ORDER BY request").map(([id]) => requestId(id)),
    livesUnderErased: () =>
      connection
        .all<{ digest: Uint8Array; surface: string; sealed: Uint8Array; request: string }>(
          `SELECT a.digest, a.surface, a.sealed, min(e.request) AS request FROM erased_contents AS e
           JOIN artifacts AS a ON a.digest = e.artifact WHERE a.state = ? AND e.fate = 'erased'
           AND NOT EXISTS (SELECT 1 FROM lifted_requests AS l WHERE l.request = e.request)
           AND NOT EXISTS (SELECT 1 FROM erasures AS own WHERE own.artifact = e.artifact AND own.request = e.request)
           GROUP BY a.digest`,
          STATE.live,
        )
        .map(({ request, ...row }) => ({ ref: openRef(core, row), request: requestId(request) })),
    metSinceSetBack: () =>
      connection
        .all<{ digest: Uint8Array; surface: string; sealed: Uint8Array }>(
          `SELECT a.digest, a.surface, a.sealed FROM anchor_state AS s JOIN artifacts AS a ON a.id > s.known_before
           WHERE a.state = ? AND a.known_by <> ?`,
          STATE.live,
          ORIGINS.indexOf("recorded"),
        )
        .map((row) => openRef(core, row)),
    wasSetBack: () => connection.get("SELECT 1 FROM anchor_state WHERE known_before IS NOT NULL") !== undefined,
    keepLikeness: (ref, tag) =>
      void connection.run(
        "INSERT INTO kept_likenesses VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        digests.artifactDigest(ref),
        tag,
        now(core),
      ),
    isKeptLikeness: (ref, tag) =>
      connection.get(
        "SELECT 1 FROM kept_likenesses WHERE artifact = ? AND tag = ?",
        digests.artifactDigest(ref),
        tag,
      ) !== undefined,
    noteWatch: (surfaces) =>
      connection.transaction(() => {
        for (const [surface, isClean] of surfaces)
          connection.run(
            `INSERT INTO watch_runs VALUES (?, ?, ?)
             ON CONFLICT (surface) DO UPDATE SET ended = excluded.ended, is_clean = excluded.is_clean`,
            surface,
            now(core),
            isClean ? 1 : 0,
          );
      }),
    watchEnd(surface) {
      const row = connection.get<{ ended: string; is_clean: number }>(
        "SELECT ended, is_clean FROM watch_runs WHERE surface = ?",
        surface,
      );
      return row === undefined ? undefined : { ended: row.ended, isClean: row.is_clean === 1 };
    },
  };
}
