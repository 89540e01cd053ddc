// Seals bytes with AES-256-GCM under a random nonce, bound to the place where they stand. It must not keep a plaintext or name one in an error.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { utf8 } from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key of its own for each purpose, derived from one of the ledger's keys. */
export function deriveKey(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, new Uint8Array(), utf8(`deleatur/${purpose}/v1\0`), 32));
}

/** nonce || tag || ciphertext; `place` is authenticated, so that a value moved to another row does not open. */
export function seal(
  key: Uint8Array,
  place: Uint8Array,
  value: Uint8Array,
  random: (bytes: number) => Uint8Array,
): Uint8Array {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(place);
  const body = cipher.update(value);
  const end = cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body, end]);
}

/** Opens what `seal` made for the same place. @throws LedgerError SEAL_BROKEN where key, place or bytes are others */
export function unseal(key: Uint8Array, place: Uint8Array, sealed: Uint8Array): Uint8Array {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(place);
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw sealBroken(cause);
  }
}

export function sealBroken(cause?: unknown): LedgerError {
  return new LedgerError(
    "SEAL_BROKEN",
    "a sealed value of the ledger does not open with its key, restore ledger and keys of the same day",
    { cure: "restore the ledger and its keys from the same backup", cause },
  );
}
