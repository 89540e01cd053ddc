// Undoes what PostgreSQL compresses its values with, pglz and LZ4, wherever such a value may stand in bytes. Pure and lenient: what is no compressed value yields nothing.
// pglz: src/common/pg_lzcompress.c; LZ4 blocks: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md; headers: src/include/varatt.h.

/** No value is larger; and no compression of theirs gains more than this. */
const MOST_RAW = 1 << 30;
const MOST_GAIN = 300;
/** Fewer bytes hold nothing that could be told from chance. */
const LEAST_RAW = 32;
/** The first part of a long value is worth reading from so many bytes on. */
const LEAST_START = 512;
/** A value's part outside of its row. */
const CHUNK_HEADER = 4;
/** Nothing of a row is longer than a page, of the largest size that a server can be built with. */
const LONGEST = 32_768;
/** What one value may unfold to here; what is longer is read up to it. */
const MOST_UNFOLDED = 8 << 20;

/**
 * Every compressed value that begins in the bytes: whole ones as they stand in rows, index entries and the log, and the starts of those that are kept in parts, with
 * as many of their further parts as stand in the same bytes. `step`: where one may begin; 4 in pages, 1 in the log.
 */
export function* compressedValues(bytes: Buffer, step: 1 | 4): Generator<Buffer> {
  for (let at = 0; at + 16 <= bytes.length; at += step) {
    // No length has more than 15 bits, so that most places are passed over by one byte.
    if (bytes[at + 3] !== 0 || (bytes[at + 2] ?? 0) > 1) continue;
    const kind = (bytes[at] ?? 0) & 3;
    if (kind === 2) {
      const value = wholeValue(bytes, at);
      if (value !== undefined) yield value;
    } else if (kind === 0 && ((bytes[at + 1] ?? 0) >= 8 || bytes[at + 2] === 1) && at >= 8 && isFirst(bytes, at)) {
      const value = valueInParts(bytes, at);
      if (value !== undefined) yield value;
    }
  }
}

/** Whether the number of a part before this place is none. */
function isFirst(bytes: Buffer, at: number): boolean {
  return bytes[at - 1] === 0 && bytes[at - 2] === 0 && bytes[at - 3] === 0 && bytes[at - 4] === 0;
}

function wholeValue(bytes: Buffer, at: number): Buffer | undefined {
  const length = bytes.readUInt32LE(at) >>> 2;
  if (length < 12 || length > LONGEST || at + length > bytes.length) return undefined;
  const info = bytes.readUInt32LE(at + 4);
  const raw = info & (MOST_RAW - 1);
  if (raw < LEAST_RAW || raw <= length - 8 || raw > (length - 8) * MOST_GAIN) return undefined;
  const value = decompress(bytes.subarray(at + 8, at + length), info >>> 30, raw);
  return value?.length === Math.min(raw, MOST_UNFOLDED) ? value : undefined;
}

/** A part is a row of its own: the value's number, the part's number, the bytes. The first part begins with the size of the whole. */
function valueInParts(bytes: Buffer, at: number): Buffer | undefined {
  const first = partAt(bytes, at);
  if (first === undefined || first.length < LEAST_START) return undefined;
  const info = first.readUInt32LE(0);
  const raw = info & (MOST_RAW - 1);
  if (raw <= first.length || raw > MOST_RAW - 1 || info >>> 30 > 1) return undefined;
  // The start alone tells whether a compressor wrote this; only then are its further parts looked for.
  const start = decompress(first.subarray(4), info >>> 30, raw);
  if (start === undefined || start.length < LEAST_START) return undefined;
  if (start.length === raw) return start;
  const parts = [first.subarray(4)];
  const mark = Buffer.from(bytes.subarray(at - 8, at));
  let near = at;
  for (let number = 1; ; number += 1) {
    mark.writeUInt32LE(number, 4);
    // Parts are written one after the other: the next stands in the same page or in the one behind.
    const from = Math.max(0, near - LONGEST);
    const next = bytes.subarray(from, near + 2 * LONGEST).indexOf(mark);
    const part = next === -1 ? undefined : partAt(bytes, from + next + 8);
    if (part === undefined) break;
    near = from + next + 8;
    parts.push(part);
  }
  return parts.length === 1 ? start : (decompress(Buffer.concat(parts), info >>> 30, raw) ?? start);
}

function partAt(bytes: Buffer, at: number): Buffer | undefined {
  if (at + CHUNK_HEADER > bytes.length) return undefined;
  const header = bytes.readUInt32LE(at);
  const length = header >>> 2;
  return (header & 3) !== 0 || length <= CHUNK_HEADER + 4 || length > LONGEST || at + length > bytes.length
    ? undefined
    : bytes.subarray(at + CHUNK_HEADER, at + length);
}

/** As far as it goes: the start of a value is decoded like all of it. Undefined for what no compressor wrote. */
function decompress(source: Buffer, method: number, raw: number): Buffer | undefined {
  const size = Math.min(raw, MOST_UNFOLDED);
  if (method === 0) return pglz(source, size);
  return method === 1 ? lz4(source, size) : undefined;
}

/** What is being decoded: of very many tries few are any value, so that all of them share one place. */
class Output {
  #bytes: Buffer = Buffer.allocUnsafe(1 << 16);
  length = 0;
  limit = 0;

  begin(limit: number): this {
    this.length = 0;
    this.limit = limit;
    return this;
  }

  #room(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + count));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }

  put(byte: number): void {
    this.#room(1);
    this.#bytes[this.length] = byte;
    this.length += 1;
  }

  take(source: Buffer, from: number, count: number): void {
    const taken = Math.min(count, this.limit - this.length);
    this.#room(taken);
    source.copy(this.#bytes, this.length, from, from + taken);
    this.length += taken;
  }

  /** Copies from what is there already; the copy may run into itself. */
  repeat(back: number, count: number): boolean {
    if (back === 0 || back > this.length) return false;
    const taken = Math.min(count, this.limit - this.length);
    this.#room(taken);
    for (let done = 0; done < taken; done += 1)
      this.#bytes[this.length + done] = this.#bytes[this.length + done - back] ?? 0;
    this.length += taken;
    return true;
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.length));
  }
}

const output = new Output();

function pglz(source: Buffer, size: number): Buffer | undefined {
  // Nothing can be repeated yet, so the first is no repetition.
  if (((source[0] ?? 1) & 1) === 1) return undefined;
  output.begin(size);
  let at = 0;
  while (at < source.length && output.length < size) {
    let control = source[at] ?? 0;
    at += 1;
    for (let bit = 0; bit < 8 && at < source.length && output.length < size; bit += 1, control >>= 1) {
      if ((control & 1) === 0) {
        output.put(source[at] ?? 0);
        at += 1;
        continue;
      }
      const head = source[at] ?? 0;
      let length = (head & 0x0f) + 3;
      const back = ((head & 0xf0) << 4) | (source[at + 1] ?? 0);
      at += 2;
      if (length === 18) {
        length += source[at] ?? 0;
        at += 1;
      }
      if (at > source.length) return output.bytes();
      if (!output.repeat(back, length)) return undefined;
    }
  }
  return output.bytes();
}

function lz4(source: Buffer, size: number): Buffer | undefined {
  if ((source[0] ?? 0) >> 4 === 0) return undefined;
  output.begin(size);
  let at = 0;
  const more = (length: number): number => {
    let total = length;
    if (length !== 15) return total;
    for (;;) {
      const byte = source[at] ?? 0;
      at += 1;
      total += byte;
      if (byte !== 255) return total;
    }
  };
  while (at < source.length && output.length < size) {
    const token = source[at] ?? 0;
    at += 1;
    const literals = more(token >> 4);
    output.take(source, at, Math.min(literals, source.length - at));
    at += literals;
    if (at + 2 > source.length) return output.bytes();
    const back = source.readUInt16LE(at);
    at += 2;
    if (!output.repeat(back, more(token & 0x0f) + 4)) return undefined;
  }
  return output.bytes();
}
