// Ed25519 (RFC 8032) under one strict policy, and public keys as people hand them over. It must not sign and must not throw on hostile signatures.
import { ed25519 } from "@noble/curves/ed25519.js";
import { equalBytes } from "./bytes.ts";
import { fromBase64, toBase64 } from "./encodings.ts";

// DER of SubjectPublicKeyInfo { AlgorithmIdentifier { 1.3.101.112 }, BIT STRING of 32 bytes } (RFC 8410 §4), without the key.
const SPKI_PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
const PEM = /^-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n?-----END PUBLIC KEY-----\s*$/;

/** Whether 32 bytes are a canonical point of the prime-order subgroup and not its identity. */
function isSoundPoint(bytes: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(bytes, false);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    // Not the encoding of a point at all.
    return false;
  }
}

/**
 * Verifies one signature. The policy, stricter than RFC 8032: A and R are canonical encodings of points of the prime-order
 * subgroup, neither is of small order, and S < L. Under it the equation with and without the cofactor agree, so that no two
 * conforming verifiers can differ about a signature that passes here.
 */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  if (!isSoundPoint(publicKey) || !isSoundPoint(signature.subarray(0, 32))) return false;
  return ed25519.verify(signature, message, publicKey, { zip215: false });
}

/** Parses a public key: a PEM `PUBLIC KEY` block (SPKI), or base64 of the 32 raw bytes or of the SPKI DER. @throws RangeError */
export function parsePublicKey(text: string): Uint8Array {
  const pem = PEM.exec(text.trim());
  const bytes = fromBase64(pem?.[1] === undefined ? text.trim() : pem[1].replaceAll(/\r?\n/g, ""));
  const isSpki = bytes.length === 44 && equalBytes(bytes.subarray(0, 12), SPKI_PREFIX);
  const key = isSpki ? bytes.slice(12) : bytes;
  if (key.length !== 32) throw new RangeError("not an Ed25519 public key: PEM (SPKI) or base64 of 32 bytes is wanted");
  if (!isSoundPoint(key)) throw new RangeError("not a sound Ed25519 public key: no point of the prime-order subgroup");
  return key;
}

/** The PEM `PUBLIC KEY` block of a raw public key. */
export function publicKeyPem(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new RangeError("an Ed25519 public key is 32 bytes");
  const der = new Uint8Array(44);
  der.set(SPKI_PREFIX);
  der.set(publicKey, 12);
  return `-----BEGIN PUBLIC KEY-----\n${toBase64(der)}\n-----END PUBLIC KEY-----\n`;
}
