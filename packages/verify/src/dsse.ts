// DSSE envelopes (Dead Simple Signing Envelope 1.0.2): what is signed and by how many distinct keys. It must not look into the payload.
import { concatBytes, equalBytes, utf8 } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { fromBase64 } from "./encodings.ts";

export interface EnvelopeSignature {
  /** An unauthenticated hint; no decision rests on it. */
  readonly keyid: string;
  /** Base64 of 64 bytes. */
  readonly sig: string;
}

export interface Envelope {
  /** Base64 of the signed bytes. */
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly EnvelopeSignature[];
}

/** The payload type of every statement. */
export const STATEMENT_PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** Pre-authentication encoding: the bytes under the signature. */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = utf8(payloadType);
  return concatBytes(utf8(`DSSEv1 ${type.length} `), type, utf8(` ${payload.length} `), payload);
}

/** The distinct trusted keys that signed, in the order of `trusted`; a key that signs twice counts once. `payload` and signatures are hostile. */
export function envelopeSigners(
  payloadType: string,
  payload: Uint8Array,
  signatures: readonly EnvelopeSignature[],
  trusted: readonly Uint8Array[],
): readonly Uint8Array[] {
  const message = pae(payloadType, payload);
  const decoded: Uint8Array[] = [];
  for (const { sig } of signatures) {
    try {
      decoded.push(fromBase64(sig));
    } catch {
      // A signature that is no base64 is by nobody; others may still count.
      continue;
    }
  }
  const distinct = trusted.filter((key, i) => !trusted.slice(0, i).some((earlier) => equalBytes(earlier, key)));
  return distinct.filter((key) => decoded.some((signature) => verifyEd25519(key, message, signature)));
}
