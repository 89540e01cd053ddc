// Seals bytes from one process to another: only the private half that lives in the receiver's memory opens them, and only who has the ledger's keys can have made them.
import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
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
/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_X25519 = Buffer.from("302e020100300506032b656e04220420", "hex");

/**
 * Any 32 bytes are a private key (RFC 7748 §5). Not Node's `generateKeyPairSync`: its key, exported as JWK, is locked while text is made of it, and a garbage
 * collection at that moment that frees the key's own job locks it again on the same thread, which then waits for ever (seen under Node 20.20).
 */
export function makeExchangePair(): ExchangePair {
  const der = Buffer.concat([PKCS8_X25519, randomBytes(RAW_BYTES)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });
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
