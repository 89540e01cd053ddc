// Whose the records were that a request about records named: no owner stands on its entries, but a later request about the person must know of it. It must not judge.
import { requestId, type ArtifactRef, type RequestId } from "../model/ids.ts";
import { hexList, type LedgerCore } from "./ledger-core.ts";

export interface RecordOwners {
  /** Notes who is tagged on these records, or on what they were made from, while the ledger still has their tags; the same again changes nothing. */
  noteRecordOwners(request: RequestId, refs: readonly ArtifactRef[]): void;
  /** The requests about records of one of these persons (`identifierDigest`). */
  recordRequestsOf(owners: readonly Uint8Array[]): readonly RequestId[];
}

/** Puts rows into the table, whoever says so. Answers the owners that were new. */
export function storeRecordOwners(
  { connection }: LedgerCore,
  request: string,
  owners: readonly Uint8Array[],
): readonly Uint8Array[] {
  return owners.filter(
    (owner) => connection.run("INSERT INTO record_owners VALUES (?, ?) ON CONFLICT DO NOTHING", owner, request) > 0,
  );
}

export function createRecordOwners(core: LedgerCore): RecordOwners {
  const { connection, digests } = core;
  return {
    noteRecordOwners(request, refs) {
      connection.transaction(() => {
        const owners = connection
          .rows<[Uint8Array]>(
            `WITH RECURSIVE up(id) AS (
               SELECT a.id FROM json_each(?) AS j JOIN artifacts AS a ON a.digest = unhex(j.value)
               UNION SELECT d.source FROM up JOIN derivations AS d ON d.derived = up.id
             )
             SELECT DISTINCT i.digest FROM up JOIN artifact_subjects AS s ON s.artifact = up.id
             JOIN identifiers AS i ON i.id = s.subject ORDER BY i.digest`,
            hexList(refs.map((ref) => digests.artifactDigest(ref))),
          )
          .map(([owner]) => owner);
        const news = storeRecordOwners(core, request, owners);
        if (news.length > 0) core.outbox.put({ kind: "record-owners", request, owners: news });
      });
    },
    recordRequestsOf: (owners) =>
      connection
        .rows<[string]>(
          `SELECT DISTINCT o.request FROM json_each(?) AS j CROSS JOIN record_owners AS o ON o.owner = unhex(j.value)
           ORDER BY o.request`,
          hexList(owners),
        )
        .map(([request]) => requestId(request)),
  };
}
