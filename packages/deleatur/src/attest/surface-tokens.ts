// Makes the tokens of one surface in one epoch (PROOFS §2): a name as it is looked for there. It must not keep a name.
import type { NameKind } from "@deleatur/verify";
import { HASH_BYTES, KeyedHash, MESSAGE_AT } from "./fast-hash.ts";
import type { TokenBuffer } from "./token-buffer.ts";

/** `HMAC(K_se, kind || name)`. A name is laid into `name` at `nameAt`, and its token made from there. */
export class SurfaceTokens {
  readonly name: Uint8Array;
  readonly nameAt: number = MESSAGE_AT + 1;
  readonly #hash: KeyedHash;

  constructor(key: Uint8Array) {
    this.#hash = new KeyedHash(key);
    this.name = this.#hash.room;
  }

  into(kind: NameKind, target: Uint8Array, at: number): void {
    this.name[MESSAGE_AT] = kind;
    this.#hash.end = this.nameAt + HASH_BYTES;
    this.#hash.into(target, at);
  }

  /** The token of a name that was laid, behind those that stand there. */
  add(kind: NameKind, tokens: TokenBuffer): void {
    const at = tokens.next();
    this.into(kind, tokens.bytes, at);
  }

  of(kind: NameKind, name: Uint8Array): Uint8Array {
    if (name.length !== HASH_BYTES) throw new RangeError("a name is not 32 bytes");
    this.name.set(name, this.nameAt);
    const token = new Uint8Array(HASH_BYTES);
    this.into(kind, token, 0);
    return token;
  }
}
