// Whose the records were that a request about records named: no owner stands on its entries, but a later request about the person must know of it. It must not judge.
import { requestId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import { hexList, hexOf, type LedgerCore, parseJsonBytes, unsealByGuard } from "./ledger-core.ts";

export interface RecordOwners {
  /** Who is tagged on these records, or on what they were made from, as long as the ledger has their tags. */
  ownersOf(refs: readonly ArtifactRef[]): readonly SubjectIdentifier[];
  /** Notes these owners by their digests; the same again changes nothing. */
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

  function ownerRows(refs: readonly ArtifactRef[]): readonly (readonly [digest: Uint8Array, sealed: Uint8Array])[] {
    return connection.rows<[Uint8Array, Uint8Array]>(
      `WITH RECURSIVE up(id) AS (
         SELECT a.id FROM json_each(?) AS j JOIN artifacts AS a ON a.digest = unhex(j.value)
         UNION SELECT d.source FROM up JOIN derivations AS d ON d.derived = up.id
       )
       SELECT DISTINCT i.digest, i.sealed FROM up JOIN artifact_subjects AS s ON s.artifact = up.id
       JOIN identifiers AS i ON i.id = s.subject ORDER BY i.digest`,
      hexList(refs.map((ref) => digests.artifactDigest(ref))),
    );
  }

  return {
    ownersOf: (refs) =>
      ownerRows(refs).map(([digest, sealed]) =>
        parseJsonBytes<SubjectIdentifier>(unsealByGuard(core, `identifiers/${hexOf(digest)}`, sealed)),
      ),
    noteRecordOwners(request, refs) {
      connection.transaction(() => {
        const owners = ownerRows(refs).map(([digest]) => digest);
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
