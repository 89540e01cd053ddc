// Names artifacts, contents and identifiers for one epoch (PROOFS §2): what may stand in a manifest, a log entry or a reason. It must not keep what it names.
import {
  artifactDigest,
  artifactNameValue,
  type FieldType,
  identifierNameValue,
  nameKey,
  type NameKind,
  parentNameValue,
  u32,
  utf8,
} from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { keyedHash, sha256 } from "./fast-hash.ts";

export interface EpochNaming {
  /** Kind 01, 32 bytes; with content the second leaf of a surface whose keys are reusable. @throws StoreError NOT_NAMEABLE */
  artifact(ref: ArtifactRef, content?: readonly ContentField[]): Uint8Array;
  /** Kind 02. @throws StoreError NOT_NAMEABLE */
  field(field: ContentField): Uint8Array;
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
    artifact: (ref, content) =>
      nameable(ref.surface, () => {
        const digest = content === undefined ? undefined : artifactDigest(content.map(digestField));
        return name(1, artifactNameValue(ref.surface, ref.key, digest));
      }),
    field: (field) => nameable(undefined, () => name(2, digestField(field))),
    parent: (ref) => nameable(ref.surface, () => name(3, parentNameValue(ref.surface, ref.key))),
    identifier: ({ type, value }) => nameable(undefined, () => name(4, identifierNameValue(type, value))),
  };
}

/** `SHA-256(type || bytes)` of one content field. @throws RangeError where a text is not well-formed */
function digestField(field: ContentField): Uint8Array {
  switch (field.type) {
    case "text":
      return digestTyped(0, utf8(field.text));
    case "bytes":
      return digestTyped(1, field.bytes);
    case "vector":
      return digestTyped(2, littleEndian(field.vector));
    default:
      return field satisfies never;
  }
}

function digestTyped(type: FieldType, bytes: Uint8Array): Uint8Array {
  const message = Buffer.allocUnsafe(1 + bytes.length);
  message[0] = type;
  message.set(bytes, 1);
  return sha256(message);
}

function littleEndian(vector: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * vector.length));
  for (const [i, value] of vector.entries()) view.setFloat32(4 * i, value, true);
  return new Uint8Array(view.buffer);
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
