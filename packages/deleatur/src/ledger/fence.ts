// The fence: from the start of a request, no new write about its person and no derivation from its closure. It must not hold anything but digests.
import type { ArtifactRef, RequestId, SubjectIdentifier } from "../model/ids.ts";
import { hexList, type LedgerCore } from "./ledger-core.ts";
import type { Fence } from "./ledger.ts";

/** Whether any of these stands under a fence; the caller holds the transaction in which the answer counts. */
export function isAnyFenced({ connection }: LedgerCore, digests: readonly Uint8Array[]): boolean {
  // Most of the time no fence is up.
  if (digests.length === 0 || connection.get("SELECT 1 FROM fences LIMIT 1") === undefined) return false;
  const hit = connection.get(
    "SELECT 1 FROM json_each(?) AS j CROSS JOIN fences AS f ON f.digest = unhex(j.value) LIMIT 1",
    hexList(digests),
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
      for (const digest of fenced)
        connection.run("INSERT INTO fences (digest, request) VALUES (?, ?) ON CONFLICT DO NOTHING", digest, request);
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
    isFenced({ identifiers = [], refs = [], sources = [] }) {
      return isAnyFenced(core, [
        ...identifiers.map((identifier) => digests.identifierDigest(identifier)),
        ...[...refs, ...sources].map((ref) => digests.artifactDigest(ref)),
      ]);
    },
  };
}
