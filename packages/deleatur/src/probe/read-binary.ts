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
 * so that a truncated document, or one inside another format, yields its strings too. Bytes that are text throughout can be no more than one
 * string: there every other header is a letter. The same holds within a string, but for short ones, whose header may pass for one.
 */
export function* msgpackStrings(bytes: Uint8Array): Generator<string> {
  const last = isUtf8(bytes, 0, bytes.length) ? 1 : bytes.length;
  let taken = 0;
  for (let at = 0; at < last; at++) {
    const [start, length] = announced(bytes, at);
    const end = start + length;
    if (length < MIN_STRING || end > bytes.length || (at < taken && length > 255)) continue;
    if (!isUtf8(bytes, start, end) || !hasTextRun(bytes.subarray(start, end), MIN_STRING)) continue;
    taken = Math.max(taken, end);
    yield Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString("utf8");
  }
}

function announced(bytes: Uint8Array, at: number): readonly [start: number, length: number] {
  const header = bytes[at] ?? 0;
  if (header >= 0xa0 && header <= 0xbf) return [at + 1, header & 0x1f];
  const width = STRING_HEADERS.get(header) ?? 0;
  if (width === 0 || at + 1 + width > bytes.length) return [at, 0];
  let length = 0;
  for (let i = 1; i <= width; i++) length = length * 256 + (bytes[at + i] ?? 0);
  return [at + 1 + width, length];
}

/** How many bytes of length follow the headers of str and bin. */
const STRING_HEADERS: ReadonlyMap<number, number> = new Map([
  [0xd9, 1],
  [0xc4, 1],
  [0xda, 2],
  [0xc5, 2],
  [0xdb, 4],
  [0xc6, 4],
]);

/** Whether a part is UTF-8, control characters included. */
function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end;) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : sequenceLength(bytes, at);
    if (length === 0 || at + length > end) return false;
    at += length;
  }
  return true;
}
