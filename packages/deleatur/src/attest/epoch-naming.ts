// Names artifacts, contents and identifiers for one epoch (PROOFS §2): what may stand in a manifest, a log entry or a reason. It must not keep what it names.
import { nameKey, type NameKind } from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import type { ArtifactRef, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import { HASH_BYTES, KeyedHash, MESSAGE_AT, sha256Into } from "./fast-hash.ts";
import { digestOfField, isNameable } from "./field-digest.ts";

/** Lays names of 32 bytes into a target. `digests` and `digest` are the fields' (`digestOfField`). @throws StoreError NOT_NAMEABLE */
export interface NameWriter {
  /** Kind 01. */
  artifact(surface: SurfaceId, key: string, target: Uint8Array, at: number): void;
  /** Kind 01 with content: the second leaf of a surface whose keys are reusable. */
  whole(ref: ArtifactRef, content: readonly ContentField[], digests: readonly string[], target: Uint8Array, at: number): void; // prettier-ignore
  /** Kind 02. */
  field(field: ContentField, digest: string, target: Uint8Array, at: number): void;
  /** Kind 03. */
  parent(ref: ArtifactRef, target: Uint8Array, at: number): void;
  /** Kind 04. */
  identifier(identifier: SubjectIdentifier, target: Uint8Array, at: number): void;
}

/** The same names, each in an array of its own. */
export interface EpochNaming {
  /** With content the second leaf of a surface whose keys are reusable. @throws StoreError NOT_NAMEABLE */
  artifact(ref: ArtifactRef, content?: readonly ContentField[]): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  field(field: ContentField): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  parent(ref: ArtifactRef): Uint8Array;
  /** @throws StoreError NOT_NAMEABLE */
  identifier(identifier: SubjectIdentifier): Uint8Array;
  readonly writer: NameWriter;
}

/** Derives the name key of an epoch; the key stays inside. `epochSecret` is X_e, 32 random bytes. */
export function createEpochNaming(epochSecret: Uint8Array, boundaryId: string, epoch: number): EpochNaming {
  const writer = createNameWriter(new KeyedHash(nameKey(epochSecret, boundaryId, epoch)));
  return {
    artifact: (ref, content) =>
      named((name) => {
        if (content === undefined) writer.artifact(ref.surface, ref.key, name, 0);
        else writer.whole(ref, content, content.map(digestOfField), name, 0);
      }),
    field: (field) => named((name) => writer.field(field, digestOfField(field), name, 0)),
    parent: (ref) => named((name) => writer.parent(ref, name, 0)),
    identifier: (identifier) => named((name) => writer.identifier(identifier, name, 0)),
    writer,
  };
}

function named(write: (target: Uint8Array) => void): Uint8Array {
  const name = new Uint8Array(HASH_BYTES);
  write(name);
  return name;
}

/** `HMAC(N_e, kind || u32(len) || value)`. */
function createNameWriter(hash: KeyedHash): NameWriter {
  let fields = Buffer.alloc(8 * HASH_BYTES);

  const begin = (kind: NameKind): void => {
    hash.begin();
    hash.putByte(kind);
    hash.end += 4;
  };
  const finish = (target: Uint8Array, at: number): void => {
    hash.setWord(MESSAGE_AT + 1, hash.end - MESSAGE_AT - 5);
    hash.into(target, at);
  };
  const record = (kind: 1 | 3, surface: SurfaceId, key: string, target: Uint8Array, at: number): void => {
    try {
      begin(kind);
      hash.putShortText(surface);
      hash.putShortText(key);
    } catch (cause) {
      throw notNameable(cause, surface);
    }
    finish(target, at);
  };

  return {
    artifact: (surface, key, target, at) => record(1, surface, key, target, at),
    whole({ surface, key }, content, digests, target, at) {
      const length = content.length * HASH_BYTES;
      if (length > fields.length) fields = Buffer.alloc(2 * length);
      try {
        begin(1);
        hash.putShortText(surface);
        hash.putShortText(key);
        for (const [place, field] of content.entries())
          putDigest(field, digests[place] ?? "", fields, place * HASH_BYTES);
      } catch (cause) {
        throw notNameable(cause, surface);
      }
      sha256Into(fields.subarray(0, length), DIGEST, 0);
      hash.putBytes(DIGEST);
      finish(target, at);
    },
    field(field, digest, target, at) {
      begin(2);
      try {
        putDigest(field, digest, DIGEST, 0);
      } catch (cause) {
        throw notNameable(cause, undefined);
      }
      hash.putBytes(DIGEST);
      finish(target, at);
    },
    parent: ({ surface, key }, target, at) => record(3, surface, key, target, at),
    identifier({ type, value }, target, at) {
      try {
        begin(4);
        hash.putShortText(type);
        hash.putText(value);
      } catch (cause) {
        throw notNameable(cause, undefined);
      }
      finish(target, at);
    },
  };
}

const DIGEST = Buffer.alloc(HASH_BYTES);
/** By the code of a hex digit: its value. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, "0123456789abcdef".indexOf(String.fromCharCode(code))),
);

/** Lays the 32 bytes of a field's digest. @throws RangeError where a text is not well-formed */
function putDigest(field: ContentField, digest: string, target: Uint8Array, at: number): void {
  if (!isNameable(field)) throw new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
  if (digest.length !== 2 * HASH_BYTES) throw new RangeError("a field's digest is 64 hex digits");
  for (let i = 0; i < HASH_BYTES; i += 1) {
    const high = HEX[digest.charCodeAt(2 * i)] ?? 0;
    target[at + i] = (high << 4) | (HEX[digest.charCodeAt(2 * i + 1)] ?? 0);
  }
}

function notNameable(cause: unknown, surface: string | undefined): unknown {
  if (!(cause instanceof RangeError)) return cause;
  return new StoreError("NOT_NAMEABLE", "a key or text is too long or not well-formed, so it cannot be committed to", {
    ...(surface === undefined ? {} : { place: { surface } }),
    cure: "attest this surface as uncovered (UNSUPPORTED), or mend the row",
    cause,
  });
}
