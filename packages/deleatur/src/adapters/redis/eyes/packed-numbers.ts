// Reads the numbers out of listpacks, ziplists and intsets, where a text of digits is kept as a number; every other text in them stands as it is. Pure.

/** A text of fewer digits is nothing that is looked for. */
const MIN_DIGITS = 12;

/** Listpack: total bytes, count, then entries with their length behind them. @throws RangeError where it is none */
export function listpackNumbers(bytes: Buffer): readonly string[] {
  const total = bytes.readUInt32LE(0);
  if (total !== bytes.length || bytes[total - 1] !== 0xff) throw new RangeError("a listpack is longer than it says");
  const numbers: string[] = [];
  for (let at = 6; at < total - 1;) {
    const { size, number } = listpackEntry(bytes, at);
    if (number !== undefined) numbers.push(String(number));
    // The length of an entry stands once more behind it, seven bits a byte.
    at += size + (size <= 127 ? 1 : size < 16_383 ? 2 : size < 2_097_151 ? 3 : size < 268_435_455 ? 4 : 5);
  }
  return numbers.filter(({ length }) => length >= MIN_DIGITS);
}

function listpackEntry(bytes: Buffer, at: number): { readonly size: number; readonly number?: bigint | number } {
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { size: 1 };
  if (first < 0xc0) return { size: 1 + (first & 0x3f) };
  if (first < 0xe0) return { size: 2 };
  if (first < 0xf0) return { size: 2 + (((first & 0x0f) << 8) | bytes.readUInt8(at + 1)) };
  switch (first) {
    case 0xf0:
      return { size: 5 + bytes.readUInt32LE(at + 1) };
    case 0xf1:
      return { size: 3 };
    case 0xf2:
      return { size: 4 };
    case 0xf3:
      return { size: 5 };
    case 0xf4:
      return { size: 9, number: bytes.readBigInt64LE(at + 1) };
    default:
      throw new RangeError("an entry of a listpack is of no kind that is known");
  }
}

/** Ziplist, as Redis 6 writes it: bytes, tail, count, then entries with the length of the one before in front. @throws RangeError */
export function ziplistNumbers(bytes: Buffer): readonly string[] {
  const total = bytes.readUInt32LE(0);
  if (total !== bytes.length || bytes[total - 1] !== 0xff) throw new RangeError("a ziplist is longer than it says");
  const numbers: string[] = [];
  for (let at = 10; at < total - 1;) {
    at += bytes.readUInt8(at) === 0xfe ? 5 : 1;
    const first = bytes.readUInt8(at);
    if (first < 0x40) at += 1 + first;
    else if (first < 0x80) at += 2 + (((first & 0x3f) << 8) | bytes.readUInt8(at + 1));
    else if (first === 0x80) at += 5 + bytes.readUInt32BE(at + 1);
    else if (first === 0xe0) {
      numbers.push(String(bytes.readBigInt64LE(at + 1)));
      at += 9;
    } else if (first === 0xc0) at += 3;
    else if (first === 0xd0) at += 5;
    else if (first === 0xf0) at += 4;
    else if (first === 0xfe) at += 2;
    else if (first > 0xf0 && first < 0xfe) at += 1;
    else throw new RangeError("an entry of a ziplist is of no kind that is known");
  }
  return numbers.filter(({ length }) => length >= MIN_DIGITS);
}

/** Intset: the width of its numbers, how many, then the numbers. @throws RangeError */
export function intsetNumbers(bytes: Buffer): readonly string[] {
  const [width, count] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  if (![2, 4, 8].includes(width) || bytes.length !== 8 + width * count) throw new RangeError("an intset is no such");
  if (width !== 8) return [];
  const numbers = Array.from({ length: count }, (_, at) => String(bytes.readBigInt64LE(8 + 8 * at)));
  return numbers.filter(({ length }) => length >= MIN_DIGITS);
}
