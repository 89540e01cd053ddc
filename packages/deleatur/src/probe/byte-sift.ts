// A first look over bytes: which patterns can stand in them at all. One pass whatever their number; it loses none that the byte matcher would find, and
// what it keeps the matcher looks for byte by byte.
import { open } from "node:fs/promises";
import { endianness } from "node:os";
import { type BytePattern, GRAM, isDistinctive, MIN_RUN, STRIDE } from "./byte-patterns.ts";
import { createPieceFilter, createPieceHash, kindOf, KINDS, type WordHash } from "./piece-filter.ts";
import { fillFrom, unreadable } from "./read-file-bytes.ts";

export interface ByteSift {
  /** @throws StoreError where the file cannot be read */
  readFile(path: string, signal: AbortSignal): Promise<void>;
  /** Bytes that the caller holds, from an offset of zero. */
  read(bytes: Uint8Array): void;
  /** The patterns of which a piece was met. */
  kept(): readonly BytePattern[];
}

const CHUNK = 1 << 22;
/** Of a run of 64 bytes and more, six neighbouring pieces at least are taken from a file: one of every five places of a pattern is enough to meet them. */
const LONG_RUN = 64;
const LONG_STEP = 5;
/** A pattern that is looked for as a whole has 12 bytes at least: each holds the eight of some place that four divides, within its first eleven. */
const SHORT_GRAM = 8;
const SHORT_STRIDE = 4;

export function createByteSift(patterns: readonly BytePattern[]): ByteSift {
  const long = patterns.filter(({ bytes }) => bytes.length >= MIN_RUN);
  const short = patterns.filter(({ bytes }) => bytes.length < MIN_RUN);
  const hash = createPieceHash();
  const pieces = createPieceReader(hash.first);
  const counts = new Float64Array(KINDS);
  for (const pattern of long) pieces.count(pattern, counts);
  const filter = createPieceFilter(counts);
  for (const pattern of long) {
    const count = pieces.fill(pattern);
    const { hashes, kinds } = pieces;
    for (let at = 0; at < count; at += 1) filter.add(kinds[at] ?? 0, hashes[at] ?? 0);
  }
  /** What passed the filter, by kind: two hashes of each place, 64 bits together. Of most kinds it is little, and soon told. */
  const met = Array.from({ length: KINDS }, () => createPairSet());
  const shortPieces = createPairSet();
  for (const { bytes } of short)
    eachShortPiece(bytes, (w0, w1) => shortPieces.add(hash.first(w0, w1, 0, 0), hash.second(w0, w1, 0, 0)));
  const shortMet = createPairSet();
  let copied = new Uint8Array(0);

  /** Looks at every place that `STRIDE` divides, from the first word on; four words are a piece. */
  function readWords(words: Int32Array, count: number): void {
    if (long.length > 0) readLong(words, count);
    if (short.length > 0) readShort(words, count);
  }

  function readLong(words: Int32Array, count: number): void {
    const step = STRIDE / 4;
    for (let at = 0; at + GRAM / 4 <= count; at += step) {
      const w0 = words[at] ?? 0;
      const w1 = words[at + 1] ?? 0;
      const w2 = words[at + 2] ?? 0;
      const w3 = words[at + 3] ?? 0;
      const first = hash.first(w0, w1, w2, w3);
      const kind = kindOf(w0, w1, w2, w3);
      if (filter.has(kind, first)) met[kind]?.add(first, hash.second(w0, w1, w2, w3));
    }
  }

  function readShort(words: Int32Array, count: number): void {
    for (let at = 0; at + SHORT_GRAM / 4 <= count; at += SHORT_STRIDE / 4) {
      const w0 = words[at] ?? 0;
      const w1 = words[at + 1] ?? 0;
      const first = hash.first(w0, w1, 0, 0);
      if (!shortPieces.mayHave(first)) continue;
      const second = hash.second(w0, w1, 0, 0);
      if (shortPieces.has(first, second)) shortMet.add(first, second);
    }
  }

  function isMet(pattern: BytePattern): boolean {
    const count = pieces.fill(pattern);
    const { hashes, kinds, places } = pieces;
    const view = new DataView(pattern.bytes.buffer, pattern.bytes.byteOffset, pattern.bytes.byteLength);
    for (let at = 0; at < count; at += 1) {
      const first = hashes[at] ?? 0;
      const known = met[kinds[at] ?? 0];
      if (known?.mayHave(first) !== true) continue;
      const place = places[at] ?? 0;
      const word = (number: number): number => view.getInt32(place + 4 * number, true);
      if (known.has(first, hash.second(word(0), word(1), word(2), word(3)))) return true;
    }
    return false;
  }

  function isShortMet({ bytes }: BytePattern): boolean {
    let found = false;
    eachShortPiece(bytes, (w0, w1) => {
      found ||= shortMet.has(hash.first(w0, w1, 0, 0), hash.second(w0, w1, 0, 0));
    });
    return found;
  }

  return {
    async readFile(path, signal) {
      const handle = await open(path, "r").catch((cause: unknown) => {
        throw unreadable(path, cause);
      });
      try {
        // A piece that begins in one chunk ends in the next.
        const buffer = new Uint8Array(CHUNK + GRAM);
        for (let base = 0; ; base += CHUNK) {
          signal.throwIfAborted();
          const length = await fillFrom(handle, buffer, base, path);
          if (length === 0) return;
          buffer.fill(0, length, Math.min(buffer.length, length + 3));
          const { words, count } = asWords(buffer, length);
          readWords(words, count);
          if (length < buffer.length) return;
        }
      } finally {
        await handle.close();
      }
    },
    read(bytes) {
      // A copy: on some machines its bytes are turned round.
      const size = (bytes.length + 3) & ~3;
      if (copied.length < size) copied = new Uint8Array(size);
      copied.set(bytes);
      copied.fill(0, bytes.length, size);
      const { words, count } = asWords(copied.subarray(0, size), bytes.length);
      readWords(words, count);
    },
    kept: () => patterns.filter((pattern) => (pattern.bytes.length < MIN_RUN ? isShortMet(pattern) : isMet(pattern))),
  };
}

/** The pieces of one pattern after another, in arrays that are used again. */
interface PieceReader {
  hashes: Int32Array;
  places: Int32Array;
  kinds: Uint8Array;
  /** Fills them with every place of a pattern that is looked for. Answers how many. */
  fill(pattern: BytePattern): number;
  /** Adds at least as many to the counts by kind. */
  count(pattern: BytePattern, counts: Float64Array): void;
}

function createPieceReader(hash: WordHash): PieceReader {
  const reader: PieceReader = {
    hashes: new Int32Array(0),
    places: new Int32Array(0),
    kinds: new Uint8Array(0),
    fill(pattern) {
      const { bytes } = pattern;
      if (reader.hashes.length < bytes.length) {
        reader.hashes = new Int32Array(2 * bytes.length);
        reader.places = new Int32Array(2 * bytes.length);
        reader.kinds = new Uint8Array(2 * bytes.length);
      }
      const { hashes, places, kinds } = reader;
      const step = stepOf(pattern);
      let [w0, w1, w2, w3] = [0, 0, 0, 0];
      let wait = GRAM - 1;
      let count = 0;
      for (let end = 0; end < bytes.length; end += 1) {
        w0 = (w0 >>> 8) | (w1 << 24);
        w1 = (w1 >>> 8) | (w2 << 24);
        w2 = (w2 >>> 8) | (w3 << 24);
        w3 = (w3 >>> 8) | ((bytes[end] ?? 0) << 24);
        if (wait > 0) {
          wait -= 1;
          continue;
        }
        wait = step - 1;
        // Four like words may be a rule or a row of zeros, which is nobody's.
        if (w0 === w1 && w1 === w2 && w2 === w3 && !isDistinctive(bytes, end - GRAM + 1)) continue;
        hashes[count] = hash(w0, w1, w2, w3);
        kinds[count] = kindOf(w0, w1, w2, w3);
        places[count] = end - GRAM + 1;
        count += 1;
      }
      return count;
    },
    count(pattern, counts) {
      const { bytes } = pattern;
      const step = stepOf(pattern);
      // Of a pattern of one kind of bytes, all pieces are of one kind: every sixteenth tells.
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const word = (at: number): number => view.getInt32(at, true);
      for (let at = 0; at + GRAM <= bytes.length; at += GRAM) {
        const kind = kindOf(word(at), word(at + 4), word(at + 8), word(at + 12));
        counts[kind] = (counts[kind] ?? 0) + GRAM / step;
      }
    },
  };
  return reader;
}

/** Where pieces are left out, as the zeros of a sparse vector are, the one of five that is met may be such: there every place is taken. */
function stepOf({ bytes, minRun }: BytePattern): number {
  return minRun >= LONG_RUN && !mayLeaveOut(bytes) ? LONG_STEP : 1;
}

/** Whether four like words stand in it. */
function mayLeaveOut(bytes: Uint8Array): boolean {
  let like = 0;
  for (let at = 4; at < bytes.length; at += 1) {
    like = bytes[at] === bytes[at - 4] ? like + 1 : 0;
    if (like === GRAM - 4) return true;
  }
  return false;
}

/** Bytes behind the end count as zeros: more places are looked at, none is lost. */
function asWords(bytes: Uint8Array, length: number): { readonly words: Int32Array; readonly count: number } {
  const padded = (length + 3) & ~3;
  const isAligned = bytes.byteOffset % 4 === 0 && bytes.length >= padded;
  const own = isAligned ? bytes : new Uint8Array(padded);
  if (!isAligned) own.set(bytes.subarray(0, length));
  if (endianness() === "BE") Buffer.from(own.buffer, own.byteOffset, padded).swap32();
  return { words: new Int32Array(own.buffer, own.byteOffset, padded / 4), count: padded / 4 };
}

/** The first four places of a short pattern: one of them is looked at in a file, wherever it stands. */
function eachShortPiece(bytes: Uint8Array, piece: (w0: number, w1: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < SHORT_STRIDE && at + SHORT_GRAM <= bytes.length; at += 1)
    piece(view.getInt32(at, true), view.getInt32(at + 4, true));
}

interface PairSet {
  add(first: number, second: number): void;
  mayHave(first: number): boolean;
  has(first: number, second: number): boolean;
}

/** A set of pairs of whole numbers in flat arrays; it grows. */
function createPairSet(): PairSet {
  let bits = 12;
  let size = 0;
  let pairs = new Int32Array(2 << bits);
  let used = new Uint8Array(1 << bits);

  function slotOf(first: number, second: number): number {
    const mask = (1 << bits) - 1;
    let slot = Math.imul(first, 0x85ebca6b) >>> (32 - bits);
    while (used[slot] === 1 && (pairs[2 * slot] !== first || pairs[2 * slot + 1] !== second)) slot = (slot + 1) & mask;
    return slot;
  }

  function put(first: number, second: number): void {
    const slot = slotOf(first, second);
    if (used[slot] === 1) return;
    used[slot] = 1;
    pairs[2 * slot] = first;
    pairs[2 * slot + 1] = second;
    size += 1;
  }

  function grow(): void {
    const [old, oldUsed] = [pairs, used];
    bits += 1;
    size = 0;
    pairs = new Int32Array(2 << bits);
    used = new Uint8Array(1 << bits);
    for (let slot = 0; slot < oldUsed.length; slot += 1)
      if (oldUsed[slot] === 1) put(old[2 * slot] ?? 0, old[2 * slot + 1] ?? 0);
  }

  return {
    add(first, second) {
      put(first, second);
      if (2 * size > used.length) grow();
    },
    mayHave: (first) => used[Math.imul(first, 0x85ebca6b) >>> (32 - bits)] === 1,
    has: (first, second) => used[slotOf(first, second)] === 1,
  };
}
