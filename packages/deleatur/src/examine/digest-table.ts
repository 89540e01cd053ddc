// Digests of artifacts, found by the ref's: a table of words without an object for each. It must not know what was digested.
import { endianness } from "node:os";
import { DIGEST_WORDS } from "./artifact-digests.ts";

/** Of the ref, then of the content. */
const WIDTH = 2 * DIGEST_WORDS;

export interface DigestTable {
  readonly size: number;
  /** Adds, or replaces what the same ref had. */
  add(words: Uint32Array): void;
  compare(words: Uint32Array): "unchanged" | "changed" | "new";
  drop(ref: Uint32Array): void;
  copy(): DigestTable;
  bytes(): Uint8Array;
}

/** Opens a table from its bytes, or begins an empty one. */
export function openDigestTable(bytes: Uint8Array = new Uint8Array()): DigestTable {
  let rows = wordsOf(bytes);
  let count = rows.length / WIDTH;
  let gone = 0;
  /** By the ref's first word, then onward to the first free slot: a row's place and one, 0 where it is free. */
  let slots = new Int32Array(0);
  /** Rows that were dropped; what is never dropped needs none. */
  let isGone: Uint8Array | undefined;

  function index(): void {
    let size = 16;
    while (size < 2 * count + 2) size *= 2;
    slots = new Int32Array(2 * size);
    for (let place = 0; place < count; place += 1) slots[slotOf(rows, place * WIDTH)] = place + 1;
  }

  /** Where the ref stands, or the free slot where it would. */
  function slotOf(words: Uint32Array, from: number): number {
    const mask = slots.length - 1;
    let slot = (words[from] ?? 0) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1;
      if (place < 0 || isSame(words, from, place * WIDTH, DIGEST_WORDS)) return slot;
    }
  }

  function isSame(words: Uint32Array, from: number, at: number, length: number): boolean {
    for (let word = 0; word < length; word += 1) if (words[from + word] !== rows[at + word]) return false;
    return true;
  }

  const placeOf = (words: Uint32Array): number => (slots[slotOf(words, 0)] ?? 0) - 1;
  index();
  return {
    get size() {
      return count - gone;
    },
    add(words) {
      const slot = slotOf(words, 0);
      let place = (slots[slot] ?? 0) - 1;
      if (place < 0) {
        place = count;
        if ((place + 1) * WIDTH > rows.length) rows = grown(rows);
        count += 1;
        slots[slot] = place + 1;
      } else if (isGone?.[place] === 1) {
        isGone[place] = 0;
        gone -= 1;
      }
      for (let word = 0; word < WIDTH; word += 1) rows[place * WIDTH + word] = words[word] ?? 0;
      if (2 * count + 2 > slots.length) index();
    },
    compare(words) {
      const place = placeOf(words);
      if (place < 0 || isGone?.[place] === 1) return "new";
      return isSame(words, DIGEST_WORDS, place * WIDTH + DIGEST_WORDS, DIGEST_WORDS) ? "unchanged" : "changed";
    },
    drop(ref) {
      const place = placeOf(ref);
      if (place < 0) return;
      isGone = sized(isGone, count);
      if (isGone[place] === 1) return;
      isGone[place] = 1;
      gone += 1;
    },
    copy() {
      return openDigestTable(this.bytes());
    },
    bytes() {
      const left = new Uint32Array((count - gone) * WIDTH);
      if (gone === 0) left.set(rows.subarray(0, count * WIDTH));
      else {
        let at = 0;
        for (let place = 0; place < count; place += 1) {
          if (isGone?.[place] === 1) continue;
          left.set(rows.subarray(place * WIDTH, (place + 1) * WIDTH), at);
          at += WIDTH;
        }
      }
      return littleEndian(new Uint8Array(left.buffer));
    },
  };
}

/** As many flags as there are rows, those that there were before as they were. */
function sized(flags: Uint8Array | undefined, count: number): Uint8Array {
  if (flags !== undefined && flags.length >= count) return flags;
  const more = new Uint8Array(count);
  if (flags !== undefined) more.set(flags);
  return more;
}

function grown(rows: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(64 * WIDTH, 2 * rows.length));
  larger.set(rows);
  return larger;
}

function wordsOf(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  return new Uint32Array(littleEndian(Uint8Array.from(bytes)).buffer);
}

/** Of whole words, which may be turned in place. */
function littleEndian(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (endianness() === "BE") Buffer.from(bytes.buffer).swap32();
  return bytes;
}
