// Signs a statement: a DSSE envelope over its canonical JSON, checked before it leaves. It must not change what it signs.
import { createHash } from "node:crypto";
import {
  canonicalJson,
  type Envelope,
  pae,
  publicKeyPem,
  type Statement,
  STATEMENT_PAYLOAD_TYPE,
  toBase64,
  utf8,
  verifyEd25519,
} from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";

/** Who signs: `LedgerKeys` is one. */
export interface StatementSigner {
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

export interface SignedStatement {
  readonly envelope: Envelope;
  /** The bytes under the signature's PAE. */
  readonly payload: Uint8Array;
}

/** Hex of SHA-256 of the key's SPKI: a hint for people and tools, no decision rests on it. */
export function keyIdOf(publicKey: Uint8Array): string {
  const der = publicKeyPem(publicKey).replaceAll(/-----[^-]+-----|\n/g, "");
  return createHash("sha256").update(der, "base64").digest("hex");
}

/** @throws LedgerError KEY_WRONG where the signature does not verify under the signer's own public key */
export function signStatement(statement: Statement, signer: StatementSigner): SignedStatement {
  const payload = utf8(canonicalJson(statement));
  const message = pae(STATEMENT_PAYLOAD_TYPE, payload);
  const signature = signer.sign(message);
  if (!verifyEd25519(signer.publicKey, message, signature)) {
    throw new LedgerError(
      "KEY_WRONG",
      "a signature does not verify under the ledger's own public key, nothing was signed",
      {
        cure: "restore the signing key from an export with `deleatur keys import`",
      },
    );
  }
  const signatures = [{ keyid: keyIdOf(signer.publicKey), sig: toBase64(signature) }];
  return { envelope: { payload: toBase64(payload), payloadType: STATEMENT_PAYLOAD_TYPE, signatures }, payload };
}
