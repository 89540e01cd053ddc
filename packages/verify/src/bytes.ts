// Byte strings: joining, comparing, big-endian integers and length-prefixed text. It must not know any format.

const ENCODER = new TextEncoder();

/** The UTF-8 bytes of a text. @throws RangeError where the text is not well-formed (a lone surrogate): refused, never replaced. */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
  return ENCODER.encode(text);
}

/** The text of UTF-8 bytes, a byte order mark kept as a character. @throws RangeError where the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new RangeError("bytes are not valid UTF-8", { cause });
  }
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Ascending by unsigned bytes, a prefix first: negative, zero or positive, as `Array.prototype.sort` takes it. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** UTF-8 puts what UTF-16 writes in surrogates behind all other characters. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Ascending by UTF-8 bytes, which is not the order of UTF-16 units (PROOFS §2). @throws RangeError on ill-formed text. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  if (!a.isWellFormed() || !b.isWellFormed())
    throw new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

function bigEndian(value: number | bigint, width: 2 | 4 | 8): Uint8Array {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new RangeError("an integer beyond 2^53 - 1 must be given as a bigint");
  if (typeof value === "number" && value >= 0 && value < (width === 2 ? 0x1_0000 : 0x1_0000_0000)) {
    const short = new Uint8Array(width);
    for (let i = 0; i < Math.min(width, 4); i += 1) short[width - 1 - i] = value >>> (8 * i);
    return short;
  }
  let rest = BigInt(value);
  if (rest < 0n || rest >= 1n << BigInt(8 * width)) throw new RangeError(`integer does not fit in ${width} bytes`);
  const bytes = new Uint8Array(width);
  for (let i = width - 1; i >= 0; i -= 1) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/** Two bytes, big-endian. @throws RangeError where the value does not fit. */
export function u16(value: number): Uint8Array {
  return bigEndian(value, 2);
}

/** Four bytes, big-endian. @throws RangeError where the value does not fit. */
export function u32(value: number): Uint8Array {
  return bigEndian(value, 4);
}

/** Eight bytes, big-endian. @throws RangeError where the value does not fit. */
export function u64(value: number | bigint): Uint8Array {
  return bigEndian(value, 8);
}

/** `lp(x) = u16(len) || UTF-8` (PROOFS §2). @throws RangeError over 65,535 bytes or on ill-formed text: refused, never truncated. */
export function lp(text: string): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length > 65_535)
    throw new RangeError("text is longer than 65535 UTF-8 bytes and cannot be length-prefixed");
  return concatBytes(u16(bytes.length), bytes);
}
