// Bytes as text: hex, base64 and base64url, decoded strictly so that each byte string has one spelling. It must not forgive anything.

const HEX = "0123456789abcdef";
const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += (HEX[byte >> 4] ?? "") + (HEX[byte & 15] ?? "");
  return text;
}

/** Decodes lower-case hex; anything else, upper case included, is refused. @throws RangeError */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) throw new RangeError("not lower-case hex of whole bytes");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function encode(bytes: Uint8Array, alphabet: string, padding: string): string {
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const left = Math.min(3, bytes.length - i);
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let j = 0; j < 4; j += 1) pieces.push(j <= left ? alphabet.charAt((group >> (18 - 6 * j)) & 63) : padding);
  }
  return pieces.join("");
}

const VALUE_OF: ReadonlyMap<string, Uint8Array> = new Map(
  [STANDARD, URL_SAFE].map((alphabet) => {
    const values = new Uint8Array(128).fill(255);
    for (let i = 0; i < 64; i += 1) values[alphabet.charCodeAt(i)] = i;
    return [alphabet, values];
  }),
);

function decode(text: string, length: number, alphabet: string): Uint8Array {
  const values = VALUE_OF.get(alphabet);
  if (length % 4 === 1) throw new RangeError("base64 of an impossible length");
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let offset = 0;
  for (let i = 0; i < length; i += 1) {
    const value = values?.[text.charCodeAt(i)] ?? 255;
    if (value === 255) throw new RangeError("a character outside the base64 alphabet");
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[offset] = (buffer >> bits) & 255;
      offset += 1;
    }
  }
  if ((buffer & ((1 << bits) - 1)) !== 0) throw new RangeError("base64 with unused bits set, a second spelling");
  return bytes;
}

/** Standard base64 with padding (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  return encode(bytes, STANDARD, "=");
}

/** Decodes standard base64: padding required, no white space, unused bits zero, so that no second spelling passes. @throws RangeError */
export function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0) throw new RangeError("base64 without its padding");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode(text, text.length - padding, STANDARD);
}

/** URL-safe base64 without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE, "");
}

/** Decodes URL-safe base64 without padding, as strictly as `fromBase64`. @throws RangeError */
export function fromBase64Url(text: string): Uint8Array {
  return decode(text, text.length, URL_SAFE);
}
