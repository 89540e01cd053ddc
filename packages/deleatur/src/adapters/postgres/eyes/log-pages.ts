// Takes the headers of the write-ahead log's pages out, so that a value which runs over several pages is seen in one piece. Pure.
// src/include/access/xlog_internal.h: a short header on each page, a long one on the first of a file.

const PAGE = 8192;
const SHORT = 24;
const LONG = 40;

/** `base`: where the bytes begin in their file, on a page's border. */
export function withoutPageHeaders(bytes: Buffer, base: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PAGE) {
    const header = base + at === 0 ? LONG : SHORT;
    pieces.push(bytes.subarray(Math.min(at + header, bytes.length), at + PAGE));
  }
  return Buffer.concat(pieces);
}
