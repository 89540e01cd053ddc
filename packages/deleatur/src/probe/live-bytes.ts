// Lays many pieces of live content one behind the other, so that they are looked through together; it forgets them when they have been.
import { STRIDE } from "./byte-patterns.ts";

export interface LiveBytes {
  readonly bytes: Uint8Array;
  /** How many of them are laid. */
  readonly length: number;
  /** Start and end of the content that a place belongs to. */
  rangeAt(at: number): readonly [start: number, end: number];
  /** Whether so many bytes from a place on are of one content: what lies between two is nobody's. */
  isWithin(at: number, length: number): boolean;
}

export interface LiveBytesWriter {
  /** Lays one content, a text as its UTF-8; what was laid before may be looked through and forgotten. */
  add(content: Uint8Array | string): void;
  /** The rest. */
  flush(): void;
}

const ROOM = 1 << 20;

/** Each content begins at a place that `STRIDE` divides, as if it were looked through alone. */
export function createLiveBytes(look: (live: LiveBytes) => void, room: number = ROOM): LiveBytesWriter {
  let bytes = Buffer.alloc(0);
  let starts: number[] = [];
  let ends: number[] = [];
  let length = 0;

  /** The last content that begins at or before a place. */
  function contentAt(at: number): number {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function flush(): void {
    if (starts.length > 0) {
      look({
        bytes,
        length,
        rangeAt(at) {
          const content = contentAt(at);
          return [starts[content] ?? 0, ends[content] ?? 0];
        },
        isWithin: (at, size) => at + size <= (ends[contentAt(at)] ?? 0),
      });
    }
    starts = [];
    ends = [];
    length = 0;
  }

  return {
    add(content) {
      // A UTF-16 unit becomes three bytes at the most.
      const most = typeof content === "string" ? 3 * content.length : content.length;
      const start = Math.ceil(length / STRIDE) * STRIDE;
      if (start + most > bytes.length) {
        flush();
        if (most > bytes.length) bytes = Buffer.alloc(Math.max(room, 2 * most));
        add(content, 0);
      } else add(content, start);
    },
    flush,
  };

  function add(content: Uint8Array | string, start: number): void {
    if (typeof content === "string") length = start + bytes.write(content, start, "utf8");
    else {
      bytes.set(content, start);
      length = start + content.length;
    }
    starts.push(start);
    ends.push(length);
  }
}
