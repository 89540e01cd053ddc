// C2SP signed notes and log checkpoints (c2sp.org/signed-note, tlog-checkpoint), Ed25519 type 0x01. A note's text must be ignored unless verified.
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes, textOf, utf8 } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { fromBase64, toBase64, toHex } from "./encodings.ts";

export interface NoteSignature {
  readonly name: string;
  /** Four bytes. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** A key that a verifier trusts for notes. `name` is the log's origin. */
export interface NoteVerifier {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

export type NoteResult =
  | { readonly ok: true; readonly text: string; readonly signers: readonly NoteVerifier[] }
  | { readonly ok: false; readonly reason: "malformed" | "no known key" | "signature of a known key fails" };

const ED25519_TYPE = 0x01;
const MAX_NOTE_BYTES = 65_536;
const MAX_SIGNATURES = 64;

/** A key name of a note: not empty, no white space, no plus sign. */
function isKeyName(name: string): boolean {
  return name.length > 0 && !/[\s+]/u.test(name);
}

/** `SHA-256(name || 0x0A || type || key)[:4]`. */
export function noteKeyId(name: string, publicKey: Uint8Array, type: number = ED25519_TYPE): Uint8Array {
  return sha256(concatBytes(utf8(name), Uint8Array.of(0x0a, type), publicKey)).slice(0, 4);
}

/** The three lines of a checkpoint, each with its newline: exactly the bytes to sign. @throws RangeError */
export function formatCheckpoint(checkpoint: Checkpoint): string {
  const { origin, size, root } = checkpoint;
  if (origin.length === 0 || hasControl(origin)) throw new RangeError("a log origin is one non-empty line");
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError("a tree size is a whole number from 0");
  if (root.length !== 32) throw new RangeError("a tree root is 32 bytes");
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** A note: the text, a blank line, one line for each signature. @throws RangeError on a bad key name or text */
export function formatNote(text: string, signatures: readonly NoteSignature[]): string {
  if (!text.endsWith("\n")) throw new RangeError("a note's text ends in a newline");
  const lines = signatures.map(({ name, keyId, signature }) => {
    if (!isKeyName(name)) throw new RangeError("a note's key name has no white space and no plus sign");
    return `— ${name} ${toBase64(concatBytes(keyId, signature))}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 0x20) return true;
  return false;
}

function parseSignature(line: string): NoteSignature | undefined {
  const [dash, name, encoded, ...rest] = line.split(" ");
  if (dash !== "—" || name === undefined || encoded === undefined || rest.length > 0 || !isKeyName(name))
    return undefined;
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(encoded);
  } catch {
    // Not base64: the line is no signature.
    return undefined;
  }
  return bytes.length > 4 ? { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) } : undefined;
}

/** Takes a note apart without verifying it; undefined where it is malformed. Hostile input. */
export function parseNote(
  note: string,
): { readonly text: string; readonly signatures: readonly NoteSignature[] } | undefined {
  if (note.length > MAX_NOTE_BYTES || !note.isWellFormed() || hasControl(note.replaceAll("\n", ""))) return undefined;
  const split = note.lastIndexOf("\n\n");
  if (split <= 0 || !note.endsWith("\n")) return undefined;
  const lines = note.slice(split + 2).split("\n");
  lines.pop();
  if (lines.length === 0 || lines.length > MAX_SIGNATURES) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = parseSignature(line);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { text: note.slice(0, split + 1), signatures };
}

/**
 * Verifies a note against trusted keys: signatures of unknown keys are ignored (witnesses, other types), one that bears a known
 * name and key id and fails rejects the whole note. `signers` are distinct keys. Hostile input; never throws.
 */
export function verifyNote(note: string | Uint8Array, verifiers: readonly NoteVerifier[]): NoteResult {
  let text: string;
  try {
    text = typeof note === "string" ? note : textOf(note);
  } catch {
    // Not UTF-8: no note.
    return { ok: false, reason: "malformed" };
  }
  const parsed = parseNote(text);
  if (parsed === undefined) return { ok: false, reason: "malformed" };
  const message = utf8(parsed.text);
  const signers: NoteVerifier[] = [];
  for (const { name, keyId, signature } of parsed.signatures) {
    for (const verifier of verifiers) {
      if (verifier.name !== name || !equalBytes(noteKeyId(name, verifier.publicKey), keyId)) continue;
      if (!verifyEd25519(verifier.publicKey, message, signature))
        return { ok: false, reason: "signature of a known key fails" };
      if (!signers.some((known) => equalBytes(known.publicKey, verifier.publicKey))) signers.push(verifier);
    }
  }
  return signers.length === 0 ? { ok: false, reason: "no known key" } : { ok: true, text: parsed.text, signers };
}

/** Reads a checkpoint's three lines; undefined for anything else, extension lines included (PROOFS §5). */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, size, encoded, end, ...rest] = text.split("\n");
  if (origin === undefined || size === undefined || encoded === undefined || end !== "" || rest.length > 0)
    return undefined;
  if (origin.length === 0 || hasControl(origin) || !/^(0|[1-9][0-9]{0,15})$/.test(size)) return undefined;
  if (!Number.isSafeInteger(Number(size)) || !/^[A-Za-z0-9+/]{43}=$/.test(encoded)) return undefined;
  try {
    return { origin, size: Number(size), root: fromBase64(encoded) };
  } catch {
    // A second spelling of the root: refused.
    return undefined;
  }
}

/** Parses a C2SP verifier key, `name+keyid+base64(type || key)`, of type Ed25519. @throws RangeError */
export function parseVerifierKey(vkey: string): NoteVerifier {
  const [name, id, encoded, ...more] = vkey.split("+");
  // Base64 may hold plus signs itself.
  const bytes = fromBase64([encoded ?? "", ...more].join("+"));
  if (name === undefined || !isKeyName(name) || bytes.length !== 33 || bytes[0] !== ED25519_TYPE)
    throw new RangeError("not an Ed25519 verifier key of the form name+keyid+base64");
  const publicKey = bytes.slice(1);
  if (id !== toHex(noteKeyId(name, publicKey))) throw new RangeError("the key id does not follow from name and key");
  return { name, publicKey };
}
