// The person code (PROOFS §4): 32 random bytes as a letter can carry them, and the digest that binds a receipt to a person by it.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes, lp, utf8 } from "./bytes.ts";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_BYTES = 32;
// 32 + 3 bytes are 280 bits: 56 letters of 5 bits with none left over, so one code has one spelling.
const CHECK_BYTES = 3;
const GROUP = 7;

function checkOf(code: Uint8Array): Uint8Array {
  return sha256(concatBytes(utf8("deleatur/person-code/v1\0"), code)).slice(0, CHECK_BYTES);
}

/** Eight groups of seven letters of Crockford's base 32: the 32 bytes and a check of 24 bits against slips of the pen. */
export function formatPersonCode(code: Uint8Array): string {
  if (code.length !== CODE_BYTES) throw new RangeError("a person code is 32 bytes");
  const bytes = concatBytes(code, checkOf(code));
  let letters = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      letters += ALPHABET.charAt((buffer >> bits) & 31);
    }
  }
  return letters.match(new RegExp(`.{${GROUP}}`, "g"))?.join("-") ?? letters;
}

/** Reads a person code as a person types it: any case, spaces and hyphens ignored, O for 0, I and L for 1. @throws RangeError where the check fails */
export function parsePersonCode(text: string): Uint8Array {
  if (text.length > 1_000) throw new RangeError("not a person code: too long");
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  if (letters.length !== 56) throw new RangeError("not a person code: 56 letters and digits are wanted");
  const bytes = new Uint8Array(CODE_BYTES + CHECK_BYTES);
  let buffer = 0;
  let bits = 0;
  let offset = 0;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) throw new RangeError("not a person code: a letter that no code has");
    buffer = ((buffer << 5) | value) & 0x1fff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[offset] = (buffer >> bits) & 255;
      offset += 1;
    }
  }
  const code = bytes.slice(0, CODE_BYTES);
  if (!equalBytes(checkOf(code), bytes.slice(CODE_BYTES)))
    throw new RangeError("not a person code: a letter was misread, copy it from the letter again");
  return code;
}

/** `HMAC-SHA256(r, "deleatur/who/v1\0" || lp(type) || identifier)`; the identifier already folded by its type. */
export function whoDigest(personCode: Uint8Array, type: string, identifier: string): Uint8Array {
  if (personCode.length !== CODE_BYTES) throw new RangeError("a person code is 32 bytes");
  return hmac(sha256, personCode, concatBytes(utf8("deleatur/who/v1\0"), lp(type), utf8(identifier)));
}
