// Names artifacts, contents and identifiers for one epoch (PROOFS §2): what may stand in a manifest, a log entry or a reason. It must not keep what it names.
import { artifactNameValue, identifierNameValue, nameKey, type NameKind, parentNameValue, u32 } from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { keyedHash, sha256 } from "./fast-hash.ts";
import { digestOfField, isNameable } from "./field-digest.ts";

export interface EpochNaming {
  /** Kind 01, 32 bytes; with content the second leaf of a surface whose keys are reusable. @throws StoreError NOT_NAMEABLE */
  artifact(ref: ArtifactRef, content?: readonly ContentField[], digests?: readonly string[]): Uint8Array;
  /** Kind 02. `digest` is the field's, where it was made before. @throws StoreError NOT_NAMEABLE */
  field(field: ContentField, digest?: string): Uint8Array;
  /** Kind 03. @throws StoreError NOT_NAMEABLE */
  parent(ref: ArtifactRef): Uint8Array;
  /** Kind 04. @throws StoreError NOT_NAMEABLE */
  identifier(identifier: SubjectIdentifier): Uint8Array;
}

/** Derives the name key of an epoch; the key stays inside. `epochSecret` is X_e, 32 random bytes. */
export function createEpochNaming(epochSecret: Uint8Array, boundaryId: string, epoch: number): EpochNaming {
  const hash = keyedHash(nameKey(epochSecret, boundaryId, epoch));
  const name = (kind: NameKind, value: Uint8Array): Uint8Array => hash(Uint8Array.of(kind), u32(value.length), value);
  return {
    artifact: (ref, content, digests = content?.map(digestOfField)) =>
      nameable(ref.surface, () => {
        const fields = content?.map((field, at) => bytesOf(field, digests?.[at] ?? ""));
        const digest = fields === undefined ? undefined : sha256(Buffer.concat(fields));
        return name(1, artifactNameValue(ref.surface, ref.key, digest));
      }),
    field: (field, digest = digestOfField(field)) => nameable(undefined, () => name(2, bytesOf(field, digest))),
    parent: (ref) => nameable(ref.surface, () => name(3, parentNameValue(ref.surface, ref.key))),
    identifier: ({ type, value }) => nameable(undefined, () => name(4, identifierNameValue(type, value))),
  };
}

/** The bytes of a field's digest. @throws RangeError where a text is not well-formed */
function bytesOf(field: ContentField, digest: string): Uint8Array {
  if (!isNameable(field)) throw new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
  return Buffer.from(digest, "hex");
}

function nameable<Value>(surface: string | undefined, act: () => Value): Value {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new StoreError("NOT_NAMEABLE", "a key or text is too long or not well-formed, so it cannot be committed to", {
      ...(surface === undefined ? {} : { place: { surface } }),
      cure: "attest this surface as uncovered (UNSUPPORTED), or mend the row",
      cause,
    });
  }
}
