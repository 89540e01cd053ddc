// Finds what is left of needles in the raw bytes of files: every run of at least 23 bytes, at any offset; it reads the files that it is given and no store.
import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { Needle } from "../model/needle.ts";
import { createByteIndex, viewOf } from "./byte-index.ts";
import { bytePatterns, GRAM, MIN_RUN, STRIDE } from "./byte-patterns.ts";
import type { BytePattern } from "./byte-patterns.ts";
import { createLiveBytes, type LiveBytes } from "./live-bytes.ts";
import type { ByteHit, ByteMatcher } from "./matcher.ts";
import { fillFrom, unreadable } from "./read-file-bytes.ts";
import { createShortSearch } from "./short-search.ts";

export interface ByteOptions {
  /** Content that lives on: what a needle shares with it is explained (never for controls). Streamed once, when the matcher is made. */
  readonly explained?: Iterable<Uint8Array | string>;
}

const CHUNK = 1 << 20;
/** What is read beyond a chunk on either side, so that runs across its borders are seen whole. */
const MARGIN = 1 << 16;
/** So many pieces of a run must be unexplained: fewer can be chance at the border of two live records. */
const MIN_UNEXPLAINED = 4;

/** A hit with the end of the whole run, explained parts included. */
type Run = ByteHit & { readonly end: number };

interface Window {
  readonly bytes: Uint8Array;
  /** Offset in the file of the window's first byte. */
  readonly base: number;
  /** The part of the window whose pieces are looked at; the rest is margin. */
  readonly from: number;
  readonly to: number;
  readonly file: string;
}

/** @param options.explained is read to its end here; texts count as their UTF-8 */
export function createByteMatcher(needles: readonly Needle[], options: ByteOptions = {}): ByteMatcher {
  return createPatternMatcher(bytePatterns(needles), options);
}

/** The same over patterns that are made already, perhaps sifted. */
export function createPatternMatcher(patterns: readonly BytePattern[], options: ByteOptions = {}): ByteMatcher {
  const long = patterns.filter(({ bytes }) => bytes.length >= MIN_RUN);
  const short = patterns.filter(({ bytes }) => bytes.length < MIN_RUN);
  const index = createByteIndex(long.map(({ bytes }) => bytes));
  const explainedAt = new Uint8Array(index.pool.length);
  const shortSearch = createShortSearch(short.map(({ bytes }) => bytes));
  const explainedShort = new Set<number>();

  /** The whole run that content which lives on shares with a pattern around one piece. */
  function explainRun(live: LiveBytes, poolAt: number, at: number): void {
    const [start, end] = index.range(index.patternAt(poolAt));
    const [from, to] = live.rangeAt(at);
    const { pool } = index;
    const { bytes } = live;
    let left = 0;
    while (poolAt - left > start && at - left > from && pool[poolAt - left - 1] === bytes[at - left - 1]) left++;
    let right = GRAM;
    while (poolAt + right < end && at + right < to && pool[poolAt + right] === bytes[at + right]) right++;
    explainedAt.fill(1, poolAt - left, poolAt + right - GRAM + 1);
  }

  function explain(live: LiveBytes): void {
    const { bytes, length } = live;
    const part = bytes.subarray(0, length);
    // The same filter as over a file: where a run is long enough to be reported, it is long enough to be explained.
    index.scan(viewOf(part), 0, length, STRIDE, (at, hash) => {
      if (!live.isWithin(at, GRAM)) return;
      index.find(hash, part, at, (poolAt) => explainRun(live, poolAt, at));
    });
    shortSearch.scan(part, (pattern, at) => {
      const wanted = short[pattern];
      if (wanted?.control === false && live.isWithin(at, wanted.bytes.length)) explainedShort.add(pattern);
    });
  }

  const live = createLiveBytes(explain);

  function explainContent(content: Uint8Array | string): void {
    live.add(content);
    if (typeof content !== "string") return;
    // An index folds what it holds: the folded form of live content is live too.
    const folded = content.toLowerCase();
    if (content !== folded) live.add(folded);
  }

  for (const content of options.explained ?? []) explainContent(content);

  /** The longest stretch of unexplained pieces of a run, in pieces. */
  function unexplained(poolStart: number, poolEnd: number): number {
    let longest = 0;
    let stretch = 0;
    for (let at = poolStart; at + GRAM <= poolEnd; at++) {
      stretch = explainedAt[at] === 1 ? 0 : stretch + 1;
      if (stretch > longest) longest = stretch;
    }
    return longest;
  }

  /** `covered`: by diagonal (place in the pool less offset in the file), the file offset up to which it has been walked. */
  function scanLong(window: Window, covered: Map<number, number>, hits: Run[]): void {
    const { bytes, base } = window;
    const confirm = (poolAt: number, at: number): void => {
      const diagonal = poolAt - (base + at);
      if ((covered.get(diagonal) ?? -1) >= base + at + GRAM) return;
      const owner = index.patternAt(poolAt);
      const pattern = long[owner];
      if (pattern === undefined) return;
      const [start, end] = index.range(owner);
      let left = 0;
      while (poolAt - left > start && at - left > 0 && index.pool[poolAt - left - 1] === bytes[at - left - 1]) left++;
      let right = GRAM;
      while (poolAt + right < end && at + right < bytes.length && index.pool[poolAt + right] === bytes[at + right])
        right++;
      covered.set(diagonal, base + at + right);
      if (left + right < pattern.minRun) return;
      const pieces = pattern.control ? left + right - GRAM + 1 : unexplained(poolAt - left, poolAt + right);
      if (pieces < MIN_UNEXPLAINED) return;
      const runEnd = base + at + right;
      for (const needle of pattern.needles)
        hits.push({ needle, file: window.file, offset: base + at - left, bytes: pieces + GRAM - 1, end: runEnd });
    };
    const first = window.from + ((STRIDE - ((base + window.from) % STRIDE)) % STRIDE);
    index.scan(viewOf(bytes), first, window.to, STRIDE, (at, hash) =>
      index.find(hash, bytes, at, (poolAt) => confirm(poolAt, at)),
    );
  }

  function scanShort(window: Window, hits: Run[]): void {
    shortSearch.scan(window.bytes, (place, at) => {
      const pattern = short[place];
      if (pattern === undefined || explainedShort.has(place) || at < window.from || at >= window.to) return;
      const offset = window.base + at;
      const bytes = pattern.bytes.length;
      for (const needle of pattern.needles)
        hits.push({ needle, file: window.file, offset, bytes, end: offset + bytes });
    });
  }

  function scanWindow(window: Window, covered: Map<number, number>): ByteHit[] {
    const hits: Run[] = [];
    live.flush();
    if (long.length > 0) scanLong(window, covered, hits);
    if (short.length > 0) scanShort(window, hits);
    return dropContained(hits);
  }

  async function* scanFile(path: string, signal: AbortSignal): AsyncGenerator<ByteHit> {
    const file = basename(path);
    const handle = await open(path, "r").catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
    try {
      const covered = new Map<number, number>();
      const buffer = new Uint8Array(CHUNK + 2 * MARGIN);
      for (let start = 0; ; start += CHUNK) {
        signal.throwIfAborted();
        const base = Math.max(0, start - MARGIN);
        const length = await fillFrom(handle, buffer.subarray(0, start + CHUNK + MARGIN - base), base, path);
        const from = start - base;
        if (length <= from) return;
        const window = { bytes: buffer.subarray(0, length), base, from, to: Math.min(length, from + CHUNK), file };
        for (const hit of scanWindow(window, covered)) yield hit;
        for (const [diagonal, until] of covered) if (until < start + CHUNK) covered.delete(diagonal);
      }
    } finally {
      await handle.close();
    }
  }

  return {
    scanFile,
    explain: explainContent,
    scanChunk: (bytes, baseOffset) =>
      scanWindow({ bytes, base: baseOffset, from: 0, to: bytes.length, file: "" }, new Map()),
  };
}

/** Several forms of one needle can match the same place: the longest run stands for all that lie within it. */
function dropContained(hits: readonly Run[]): ByteHit[] {
  const reach = new Map<number, number>();
  const kept: ByteHit[] = [];
  for (const { end, ...hit } of hits.toSorted((a, b) => a.offset - b.offset || b.end - a.end || b.bytes - a.bytes)) {
    if ((reach.get(hit.needle) ?? -1) >= end) continue;
    reach.set(hit.needle, end);
    kept.push(hit);
  }
  return kept;
}
