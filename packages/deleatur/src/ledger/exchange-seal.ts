// Seals bytes from one process to another: only the private half that lives in the receiver's memory opens them, and only who has the ledger's keys can have made them.
import { createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, type KeyObject } from "node:crypto";
import { concatBytes, utf8 } from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";
import type { LedgerKeys } from "./keys.ts";
import { deriveKey, seal, unseal } from "./seal.ts";

/** A pair of X25519 keys. The private half is never written anywhere: when its holder is gone, what was sealed to it is noise. */
export interface ExchangePair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

const RAW_BYTES = 32;

export function makeExchangePair(): ExchangePair {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  const jwk = publicKey.export({ format: "jwk" });
  return { publicKey: new Uint8Array(Buffer.from(jwk.x ?? "", "base64url")), privateKey };
}

function toKeyObject(raw: Uint8Array): KeyObject {
  return createPublicKey({
    key: { kty: "OKP", crv: "X25519", x: Buffer.from(raw).toString("base64url") },
    format: "jwk",
  });
}

/** The guard's key goes in as well: without the ledger's keys nobody makes or reads a message. */
function messageKey(keys: LedgerKeys, privateKey: KeyObject, other: Uint8Array, ends: Uint8Array): Uint8Array {
  const shared = diffieHellman({ privateKey, publicKey: toKeyObject(other) });
  const salt = deriveKey(keys.guardSeal, "participants");
  return new Uint8Array(hkdfSync("sha256", shared, salt, concatBytes(utf8("deleatur/participant/v1\0"), ends), 32));
}

/** One-time public key || nonce || tag || ciphertext; `place` is authenticated. */
export function sealTo(
  keys: LedgerKeys,
  receiver: Uint8Array,
  place: string,
  value: Uint8Array,
  random: (bytes: number) => Uint8Array,
): Uint8Array {
  const once = makeExchangePair();
  const key = messageKey(keys, once.privateKey, receiver, concatBytes(once.publicKey, receiver));
  return concatBytes(once.publicKey, seal(key, utf8(place), value, random));
}

/** Opens what `sealTo` made for this pair and place. @throws LedgerError SEAL_BROKEN */
export function unsealFrom(keys: LedgerKeys, receiver: ExchangePair, place: string, sealed: Uint8Array): Uint8Array {
  const once = sealed.subarray(0, RAW_BYTES);
  if (once.length < RAW_BYTES)
    throw new LedgerError("SEAL_BROKEN", "a message between processes is cut short, ask again");
  const key = messageKey(keys, receiver.privateKey, once, concatBytes(once, receiver.publicKey));
  return unseal(key, utf8(place), sealed.subarray(RAW_BYTES));
}
