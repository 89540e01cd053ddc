// Names artifacts, contents and identifiers for one epoch (PROOFS §2): what may stand in a manifest, a log entry or a reason. It must not keep what it names.
import { nameKey } from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { HASH_BYTES, KeyedHash, sha256Into } from "./fast-hash.ts";
import { digestOfField } from "./field-digest.ts";
import { layDigest, layField, layIdentifier, layRecord, layWholeRecord } from "./name-messages.ts";

export interface EpochNaming {
  /** With content the second leaf of a surface whose keys are reusable. @throws StoreError NOT_NAMEABLE */
  artifact(ref: ArtifactRef, content?: readonly ContentField[]): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  field(field: ContentField): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  parent(ref: ArtifactRef): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  identifier(identifier: SubjectIdentifier): Uint8Array;
}

/** Derives the name key of an epoch; the key stays inside. `epochSecret` is X_e, 32 random bytes. */
export function createEpochNaming(epochSecret: Uint8Array, boundaryId: string, epoch: number): EpochNaming {
  const hash = new KeyedHash(nameKey(epochSecret, boundaryId, epoch));
  const named = (lay: () => void): Uint8Array => {
    const name = new Uint8Array(HASH_BYTES);
    hash.begin();
    lay();
    hash.into(name, 0);
    return name;
  };
  return {
    artifact: ({ surface, key }, content) =>
      named(() => {
        if (content === undefined) {
          layRecord(hash, 1, surface, key);
          return;
        }
        layWholeRecord(hash, surface, key);
        const from = hash.end;
        for (const field of content) layDigest(hash, field, digestOfField(field));
        const digests = hash.room.subarray(from, hash.end);
        hash.end = from;
        hash.skip(HASH_BYTES);
        sha256Into(digests, hash.room, from);
      }),
    field: (field) => named(() => layField(hash, field, digestOfField(field))),
    parent: ({ surface, key }) => named(() => layRecord(hash, 3, surface, key)),
    identifier: (identifier) => named(() => layIdentifier(hash, identifier)),
  };
}
