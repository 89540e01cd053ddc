// Keys, names and tokens of an epoch (PROOFS §2): how an artifact is called without telling what it is. It must not keep or log a key.
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, lp, u32, u64, utf8 } from "./bytes.ts";
import { shortHmac } from "./sha256-block.ts";

/** What a name names: 1 artifact, 2 content field, 3 parent, 4 subject identifier. */
export type NameKind = 1 | 2 | 3 | 4;
/** The type of a content field's bytes: 0 text (UTF-8), 1 bytes, 2 a float32 little-endian vector. */
export type FieldType = 0 | 1 | 2;

function need32(bytes: Uint8Array, what: string): void {
  if (bytes.length !== 32) throw new RangeError(`${what} is not 32 bytes`);
}

function boundarySalt(boundaryId: string): Uint8Array {
  return sha256(concatBytes(utf8("deleatur/boundary/v1\0"), utf8(boundaryId)));
}

/** `N_e`, for the operator and named auditors only, never in a receipt. `epochSecret` is `X_e`, 32 random bytes. */
export function nameKey(epochSecret: Uint8Array, boundaryId: string, epoch: number | bigint): Uint8Array {
  need32(epochSecret, "the epoch secret");
  const info = concatBytes(utf8("deleatur/name-key/v1\0"), u64(epoch));
  return hkdf(sha256, epochSecret, boundarySalt(boundaryId), info, 32);
}

/** `K_se`, the key of one surface in one epoch: in an open receipt, or given to auditors where it is sealed. */
export function epochKey(
  epochSecret: Uint8Array,
  boundaryId: string,
  surfaceId: string,
  epoch: number | bigint,
): Uint8Array {
  need32(epochSecret, "the epoch secret");
  const info = concatBytes(utf8("deleatur/epoch-key/v1\0"), lp(surfaceId), u64(epoch));
  return hkdf(sha256, epochSecret, boundarySalt(boundaryId), info, 32);
}

/** `H("deleatur/key-commit/v1\0" || K_se)`. */
export function keyCommit(key: Uint8Array): Uint8Array {
  need32(key, "an epoch key");
  return sha256(concatBytes(utf8("deleatur/key-commit/v1\0"), key));
}

/** `HMAC(N_e, kind || u32(len) || value)`: the only form in which a manifest, attestation or log entry names anything. */
export function nameOf(key: Uint8Array, kind: NameKind, value: Uint8Array): Uint8Array {
  need32(key, "the name key");
  return hmac(sha256, key, concatBytes(Uint8Array.of(kind), u32(value.length), value));
}

/** The value of kind 1: `lp(surface) || lp(key)`, and the artifact digest behind it for the second leaf of a `reusable` surface. */
export function artifactNameValue(surfaceId: string, key: string, digest?: Uint8Array): Uint8Array {
  if (digest !== undefined) need32(digest, "an artifact digest");
  return concatBytes(lp(surfaceId), lp(key), digest ?? new Uint8Array());
}

/** The value of kind 2: `SHA-256(u8 type || bytes)`; the column's name plays no part. */
export function fieldDigest(type: FieldType, bytes: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(type), bytes));
}

/** The value of kind 3: `lp(surface) || lp(key)`, never a digest. */
export function parentNameValue(surfaceId: string, key: string): Uint8Array {
  return concatBytes(lp(surfaceId), lp(key));
}

/** The value of kind 4: `lp(type) || utf8(identifier)`, the identifier already folded by its type. */
export function identifierNameValue(type: string, identifier: string): Uint8Array {
  return concatBytes(lp(type), utf8(identifier));
}

/** The digest of a whole artifact: SHA-256 of its fields' digests, concatenated in the declared order. */
export function artifactDigest(fieldDigests: readonly Uint8Array[]): Uint8Array {
  for (const digest of fieldDigests) need32(digest, "a field digest");
  return sha256(concatBytes(...fieldDigests));
}

/** `HMAC(K_se, kind || name)`: the name as it is looked for in one surface; the kind is the name's own. For many names under one key. */
export function tokensUnder(key: Uint8Array): (kind: NameKind, name: Uint8Array) => Uint8Array {
  need32(key, "an epoch key");
  const hash = shortHmac(key);
  const message = new Uint8Array(33);
  return (kind, name) => {
    need32(name, "a name");
    message[0] = kind;
    message.set(name, 1);
    return hash(message);
  };
}

/** The token of one name. */
export function tokenOf(key: Uint8Array, kind: NameKind, name: Uint8Array): Uint8Array {
  return tokensUnder(key)(kind, name);
}

/** The key of one lineage leaf: 16 bytes of the source's token (kind 3 or 4), then 16 of the derived artifact's plain kind 1 token. */
export function lineageKey(sourceToken: Uint8Array, artifactToken: Uint8Array): Uint8Array {
  need32(sourceToken, "a source's token");
  need32(artifactToken, "an artifact's token");
  return concatBytes(sourceToken.subarray(0, 16), artifactToken.subarray(0, 16));
}
