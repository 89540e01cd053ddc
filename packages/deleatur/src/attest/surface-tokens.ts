// Makes the tokens of one surface in one epoch (PROOFS §2): a name as it is looked for there. It must not keep a name.
import type { NameKind } from "@deleatur/verify";
import { HASH_BYTES, KeyedHash } from "./fast-hash.ts";

/** `HMAC(K_se, kind || name)` under the key of a surface. */
export function surfaceTokens(key: Uint8Array): (kind: NameKind, name: Uint8Array) => Uint8Array {
  const hash = new KeyedHash(key);
  return (kind, name) => {
    if (name.length !== HASH_BYTES) throw new RangeError("a name is not 32 bytes");
    hash.begin();
    hash.putByte(kind);
    hash.putBytes(name);
    const token = new Uint8Array(HASH_BYTES);
    hash.into(token, 0);
    return token;
  };
}
