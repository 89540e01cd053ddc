// Tells text from noise in bytes and pulls msgpack strings out of them; pure.

/** Length of the UTF-8 sequence at `at`, 0 where there is none or where it is a control character other than white space. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80)
    return first >= 0x20 ? (first === 0x7f ? 0 : 1) : first === 9 || first === 10 || first === 13 ? 1 : 0;
  const length =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** True where at least `min` bytes in a row are UTF-8 text. */
export function hasTextRun(bytes: Uint8Array, min: number): boolean {
  let run = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    run = length === 0 ? 0 : run + length;
    if (run >= min) return true;
    at += length === 0 ? 1 : length;
  }
  return false;
}

/** True where eight UTF-16 units in a row share their high byte, which text in one alphabet does and noise does not. */
export function hasUtf16Run(bytes: Uint8Array, start: number, littleEndian: boolean): boolean {
  let run = 0;
  let last = -1;
  for (let at = start; at + 1 < bytes.length; at += 2) {
    const high = bytes[littleEndian ? at + 1 : at] ?? 0;
    const low = bytes[littleEndian ? at : at + 1] ?? 0;
    const isText = high < 0xd8 && (high !== 0 || low >= 0x20 || low === 9 || low === 10 || low === 13);
    run = isText ? (high === last ? run + 1 : 1) : 0;
    last = high;
    if (run >= 8) return true;
  }
  return false;
}

/** Shortest string that is pulled out: what is shorter can match nothing on its own. */
const MIN_STRING = 8;

/**
 * Every string or binary that a msgpack header announces and that is valid UTF-8 to its announced end. Headers are looked for at every offset,
 * so that a truncated document, or one inside another format, yields its strings too.
 */
export function* msgpackStrings(bytes: Uint8Array): Generator<string> {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; at++) {
    const [start, length] = announced(bytes, at);
    if (length < MIN_STRING || start + length > bytes.length) continue;
    if (!isTextThrough(bytes, start, start + length)) continue;
    yield strict.decode(bytes.subarray(start, start + length));
  }
}

function announced(bytes: Uint8Array, at: number): readonly [start: number, length: number] {
  const header = bytes[at] ?? 0;
  if (header >= 0xa0 && header <= 0xbf) return [at + 1, header & 0x1f];
  const width =
    header === 0xd9 || header === 0xc4
      ? 1
      : header === 0xda || header === 0xc5
        ? 2
        : header === 0xdb || header === 0xc6
          ? 4
          : 0;
  if (width === 0 || at + 1 + width > bytes.length) return [at, 0];
  let length = 0;
  for (let i = 1; i <= width; i++) length = length * 256 + (bytes[at + i] ?? 0);
  return [at + 1 + width, length];
}

function isTextThrough(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end;) {
    const length = sequenceLength(bytes, at);
    if (length === 0 || at + length > end) return false;
    at += length;
  }
  return true;
}
