// Reads a snapshot (RDB, versions 1 to 12 and Valkey's 80) to its end and its checksum, and yields what does not stand in it as it is: compressed texts and packed numbers.
import { inflateLzf } from "./lzf.ts";
import type { FileCursor } from "./file-cursor.ts";
import { intsetNumbers, listpackNumbers, ziplistNumbers } from "./packed-numbers.ts";

/** What a decoded text or row of numbers is, and where in the file it stands. Content of any person. */
export interface Unpacked {
  readonly offset: number;
  readonly bytes: Buffer;
}

type Unpacking = Generator<Unpacked, Buffer>;

/** A length of a made-up file must not take all memory. */
const MAX_TEXT = 1 << 30;

/** True where a file begins as a snapshot does; an append-only file may, and goes on behind it. */
export function isSnapshot(start: Buffer): boolean {
  return start.toString("latin1", 0, 5) === "REDIS" || start.toString("latin1", 0, 6) === "VALKEY";
}

/** @throws RangeError where it is cut off, of a kind that is not known, or where its checksum is not that of its bytes */
export function* seeSnapshot(cursor: FileCursor): Generator<Unpacked> {
  const start = cursor.bytes(9);
  const version = Number(start.toString("latin1", start[0] === 0x56 ? 6 : 5));
  if (!isSnapshot(start) || !(version >= 1)) throw new RangeError("the file is no snapshot");
  for (;;) {
    const opcode = cursor.byte();
    switch (opcode) {
      case 255:
        checkEnd(cursor, version);
        return;
      case 254: // a database's number
        plainLength(cursor);
        break;
      case 253:
        cursor.bytes(4);
        break;
      case 252:
        cursor.bytes(8);
        break;
      case 251: // sizes of the tables to come
        plainLength(cursor);
        plainLength(cursor);
        break;
      case 250:
        yield* seeText(cursor);
        yield* seeText(cursor);
        break;
      case 249:
        cursor.byte();
        break;
      case 248:
        plainLength(cursor);
        break;
      case 247:
        plainLength(cursor);
        yield* seeModule(cursor);
        break;
      case 245:
        yield* seeText(cursor);
        break;
      case 244: // a slot of a cluster and its sizes
        for (let count = 0; count < 3; count += 1) plainLength(cursor);
        break;
      default:
        yield* seeText(cursor);
        yield* seeValue(cursor, opcode);
    }
  }
}

function checkEnd(cursor: FileCursor, version: number): void {
  if (version < 5) return;
  const digest = cursor.digest();
  const stored = Buffer.from(cursor.bytes(8));
  // Eight zeros: the server was told to write none.
  if (!stored.equals(digest) && stored.some((byte) => byte !== 0))
    throw new RangeError("the checksum is not that of the file");
}

function* seeValue(cursor: FileCursor, type: number): Generator<Unpacked> {
  switch (type) {
    case 0:
      yield* seeText(cursor);
      return;
    case 1:
    case 2:
      yield* seeTexts(cursor, plainLength(cursor));
      return;
    case 3:
      yield* seeScored(cursor, skipTextScore);
      return;
    case 5:
      yield* seeScored(cursor, () => void cursor.bytes(8));
      return;
    case 4:
      yield* seeTexts(cursor, 2 * plainLength(cursor));
      return;
    case 7:
      plainLength(cursor);
      yield* seeModule(cursor);
      return;
    case 9: // zipmap: texts as they are
      yield* seeText(cursor);
      return;
    case 11:
      yield* seePacked(cursor, intsetNumbers);
      return;
    case 10:
    case 12:
    case 13:
      yield* seePacked(cursor, ziplistNumbers);
      return;
    case 14:
      for (let left = plainLength(cursor); left > 0; left -= 1) yield* seePacked(cursor, ziplistNumbers);
      return;
    case 16:
    case 17:
    case 20:
      yield* seePacked(cursor, listpackNumbers);
      return;
    case 18:
      for (let left = plainLength(cursor); left > 0; left -= 1) {
        // 1: a text by itself, too large to be packed with others.
        if (plainLength(cursor) === 1) yield* seeText(cursor);
        else yield* seePacked(cursor, listpackNumbers);
      }
      return;
    case 15:
    case 19:
    case 21:
      yield* seeStream(cursor, type);
      return;
    case 24: // a hash whose fields expire: the earliest time, then each with its own
      cursor.bytes(8);
      for (let left = plainLength(cursor); left > 0; left -= 1) {
        plainLength(cursor);
        yield* seeTexts(cursor, 2);
      }
      return;
    case 25:
      cursor.bytes(8);
      yield* seePacked(cursor, listpackNumbers);
      return;
    default:
      throw new RangeError("a value is of a type that is not known");
  }
}

function* seeTexts(cursor: FileCursor, count: number): Generator<Unpacked> {
  for (let left = count; left > 0; left -= 1) yield* seeText(cursor);
}

function* seeScored(cursor: FileCursor, skipScore: (cursor: FileCursor) => void): Generator<Unpacked> {
  for (let left = plainLength(cursor); left > 0; left -= 1) {
    yield* seeText(cursor);
    skipScore(cursor);
  }
}

/** A score as its decimal text; 253 to 255 stand for no number and the two infinities. */
function skipTextScore(cursor: FileCursor): void {
  const length = cursor.byte();
  if (length < 253) cursor.bytes(length);
}

function* seePacked(cursor: FileCursor, numbersOf: (bytes: Buffer) => readonly string[]): Generator<Unpacked> {
  const offset = cursor.position;
  const numbers = numbersOf(yield* seeText(cursor));
  if (numbers.length > 0) yield { offset, bytes: Buffer.from(numbers.join("\n")) };
}

/** Blocks of entries, then where the stream stands, then its groups with what is pending in them. */
function* seeStream(cursor: FileCursor, type: number): Generator<Unpacked> {
  for (let left = plainLength(cursor); left > 0; left -= 1) {
    yield* seeText(cursor);
    yield* seePacked(cursor, listpackNumbers);
  }
  const numbers = type === 15 ? 3 : 8;
  for (let left = numbers; left > 0; left -= 1) plainLength(cursor);
  for (let groups = plainLength(cursor); groups > 0; groups -= 1) {
    yield* seeText(cursor);
    for (let left = type === 15 ? 2 : 3; left > 0; left -= 1) plainLength(cursor);
    for (let left = plainLength(cursor); left > 0; left -= 1) {
      cursor.bytes(16 + 8);
      plainLength(cursor);
    }
    for (let consumers = plainLength(cursor); consumers > 0; consumers -= 1) {
      yield* seeText(cursor);
      cursor.bytes(type === 21 ? 16 : 8);
      for (let left = plainLength(cursor); left > 0; left -= 1) cursor.bytes(16);
    }
  }
}

/** What a module wrote, part by part until it says that it is through. */
function* seeModule(cursor: FileCursor): Generator<Unpacked> {
  for (;;) {
    switch (plainLength(cursor)) {
      case 0:
        return;
      case 1:
      case 2:
        plainLength(cursor);
        break;
      case 3:
        cursor.bytes(4);
        break;
      case 4:
        cursor.bytes(8);
        break;
      case 5:
        yield* seeText(cursor);
        break;
      default:
        throw new RangeError("a module wrote what is not known");
    }
  }
}

/** A text, yielded where it does not stand in the file as it is; answered in any case. */
function* seeText(cursor: FileCursor): Unpacking {
  const offset = cursor.position;
  const { length, encoding } = lengthOf(cursor);
  if (encoding === undefined) return cursor.bytes(length);
  switch (encoding) {
    case 0:
      return Buffer.from(String(cursor.bytes(1).readInt8(0)));
    case 1:
      return Buffer.from(String(cursor.bytes(2).readInt16LE(0)));
    case 2:
      return Buffer.from(String(cursor.bytes(4).readInt32LE(0)));
    case 3: {
      const packed = plainLength(cursor);
      const whole = plainLength(cursor);
      const bytes = inflateLzf(cursor.bytes(packed), whole);
      yield { offset, bytes };
      return bytes;
    }
    default:
      throw new RangeError("a text is encoded in a way that is not known");
  }
}

function plainLength(cursor: FileCursor): number {
  const { length, encoding } = lengthOf(cursor, Number.MAX_SAFE_INTEGER);
  if (encoding !== undefined) throw new RangeError("an encoding stands where a length should");
  return length;
}

function lengthOf(cursor: FileCursor, max: number = MAX_TEXT): { readonly length: number; readonly encoding?: number } {
  const first = cursor.byte();
  switch (first >> 6) {
    case 0:
      return { length: first & 0x3f };
    case 1:
      return { length: ((first & 0x3f) << 8) | cursor.byte() };
    case 2: {
      // Ids and times are as long as 64 bits; of them only that they are there counts.
      const length = first === 0x81 ? Number(cursor.bytes(8).readBigUInt64BE(0)) : cursor.bytes(4).readUInt32BE(0);
      if (max === MAX_TEXT && length > max) throw new RangeError("a text is longer than any can be");
      return { length };
    }
    default:
      return { length: 0, encoding: first & 0x3f };
  }
}
