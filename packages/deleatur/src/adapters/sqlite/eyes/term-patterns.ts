// Says as which bytes a term stands in an FTS5 leaf: prefix-compressed, so mostly only its tail with two lengths before it. Pure.
// Format: https://sqlite.org/src/file/ext/fts5/fts5_index.c. A stored term is its index's digit ("0") and the term; each but the first of a page is
// (length shared with the one before, length of the rest, the rest), the first is (length, whole).

export interface TermPattern {
  readonly needle: number;
  readonly term: number;
  readonly bytes: Buffer;
}

/** The shortest tail that is looked for; shorter ones are found by chance in any file. */
const MIN_TAIL = 4;
const MIN_TRIGRAM_TAIL = 3;
/** One-byte lengths only: no tokenizer of use makes longer terms. */
const MAX_TERM = 126;

/** Of how many bytes a part of a term must be to be looked for. */
export function minTail(isTrigram: boolean): number {
  return isTrigram ? MIN_TRIGRAM_TAIL : MIN_TAIL;
}

export function termPatterns(needle: number, term: number, text: string, isTrigram: boolean): readonly TermPattern[] {
  const stored = Buffer.from(`0${text}`, "utf8");
  const shortest = minTail(isTrigram);
  if (stored.length > MAX_TERM || stored.length < shortest + 1) return [];
  const forms = [Buffer.concat([Buffer.of(stored.length), stored])];
  for (let shared = 1; stored.length - shared >= shortest; shared += 1)
    forms.push(Buffer.concat([Buffer.of(shared, stored.length - shared), stored.subarray(shared)]));
  return forms.map((bytes) => ({ needle, term, bytes }));
}

/**
 * As which bytes the start of a living term may stand that are also the whole of a shorter one: `fts5_idx` keeps of the first term of each leaf
 * no more than tells it from the term before (`whate` of `whatever` behind `what`), and the number of its segment, before it, may be its length.
 */
export function separatorForms(text: string): readonly Buffer[] {
  const stored = Buffer.from(`0${text}`, "utf8");
  const longest = Math.min(stored.length - 1, MAX_TERM);
  const forms: Buffer[] = [];
  for (let length = 2; length <= longest; length += 1)
    forms.push(Buffer.concat([Buffer.of(length), stored.subarray(0, length)]));
  return forms;
}

export interface PatternScanner {
  /** Calls back for each pattern that stands in the bytes, with its place. */
  scan(bytes: Uint8Array, found: (pattern: TermPattern, at: number) => void): void;
}

/** Looks for all patterns in one pass: by the last four bytes of each, then byte by byte. */
export function createPatternScanner(patterns: readonly TermPattern[]): PatternScanner {
  const byEnd = new Map<number, TermPattern[]>();
  const mayEnd = new Uint8Array(1 << 16);
  for (const pattern of patterns) {
    const end = pattern.bytes.readInt32LE(pattern.bytes.length - 4);
    mayEnd[end >>> 16] = 1;
    const known = byEnd.get(end);
    if (known === undefined) byEnd.set(end, [pattern]);
    else known.push(pattern);
  }
  return {
    scan(bytes, found) {
      if (byEnd.size === 0) return;
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let last = 0;
      for (let at = 0; at < view.length; at += 1) {
        last = (last >>> 8) | ((view[at] ?? 0) << 24);
        if (at < 3 || mayEnd[last >>> 16] !== 1) continue;
        for (const pattern of byEnd.get(last | 0) ?? []) {
          const start = at + 1 - pattern.bytes.length;
          if (start >= 0 && view.compare(pattern.bytes, 0, pattern.bytes.length, start, at + 1) === 0)
            found(pattern, start);
        }
      }
    },
  };
}
