// Bytes as text: hex, base64 and base64url, decoded strictly so that each byte string has one spelling. It must not forgive anything.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** By character code: the value of a lower-case hex digit, else 255. */
const HEX_VALUE = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code));
  return value === -1 ? 255 : value;
});
const ASCII = new TextDecoder();
const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte] ?? "";
  return text;
}

/** Decodes lower-case hex; anything else, upper case included, is refused. @throws RangeError */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  let isHex = text.length % 2 === 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const high = HEX_VALUE[text.charCodeAt(2 * i)] ?? 255;
    const low = HEX_VALUE[text.charCodeAt(2 * i + 1)] ?? 255;
    if (high > 15 || low > 15) isHex = false;
    bytes[i] = (high << 4) | low;
  }
  if (!isHex) throw new RangeError("not lower-case hex of whole bytes");
  return bytes;
}

function encode(bytes: Uint8Array, alphabet: string, padding: string): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let end = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = Math.min(3, bytes.length - i);
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let j = 0; j <= left; j += 1) codes[end++] = alphabet.charCodeAt((group >> (18 - 6 * j)) & 63);
    if (padding === "") continue;
    for (let j = left + 1; j < 4; j += 1) codes[end++] = padding.charCodeAt(0);
  }
  return ASCII.decode(codes.subarray(0, end));
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
