// The fence: from the start of a request, no new write about its person and no derivation from its closure. It must not hold anything but digests.
import { requestId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import { hexArray, type LedgerCore } from "./ledger-core.ts";
import type { Fence } from "./ledger.ts";

/** Whether any fence is up at all: most of the time there is none. */
export function isFenceUp({ connection }: LedgerCore): boolean {
  return connection.get("SELECT 1 FROM fences LIMIT 1") !== undefined;
}

/** Whether any of these digests, as hex, stands under a fence; the caller holds the transaction in which the answer counts. */
export function isAnyFenced({ connection }: LedgerCore, hexes: readonly string[]): boolean {
  if (hexes.length === 0) return false;
  const hit = connection.get(
    "SELECT 1 FROM json_each(?) AS j CROSS JOIN fences AS f ON f.digest = unhex(j.value) LIMIT 1",
    hexArray(hexes),
  );
  return hit !== undefined;
}

export function createFence(core: LedgerCore): Fence {
  const { connection, digests } = core;

  function add(
    request: RequestId,
    fence: { readonly identifiers: readonly SubjectIdentifier[]; readonly refs: readonly ArtifactRef[] },
  ): void {
    const fenced = [
      ...fence.identifiers.map((identifier) => digests.identifierDigest(identifier)),
      ...fence.refs.map((ref) => digests.artifactDigest(ref)),
    ];
    connection.transaction(() => {
      const rows = fenced.flatMap((digest) => [digest, request]);
      connection.runRows("INSERT INTO fences (digest, request) VALUES", [rows, 2], "ON CONFLICT DO NOTHING");
    });
  }

  return {
    raiseFence: add,
    extendFence: (request, refs) => add(request, { identifiers: [], refs }),
    lowerFence(request) {
      connection.transaction(() => {
        connection.run("DELETE FROM fences WHERE request = ?", request);
        connection.flushAfterCommit();
      });
    },
    fencedRequests: () =>
      connection.rows<[string]>("SELECT DISTINCT request FROM fences").map(([request]) => requestId(request)),
    isFenced({ identifiers = [], refs = [], sources = [] }) {
      return isAnyFenced(core, [
        ...identifiers.map((identifier) => digests.hashIdentifier(identifier)),
        ...[...refs, ...sources].map((ref) => digests.hashArtifact(ref)),
      ]);
    },
  };
}
