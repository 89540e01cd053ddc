// What a matcher is: pure eyes that compare one passage, or the bytes of one file, with all needles. It reads no store and never repeats content.
import type { Finding, Passage } from "../model/needle.ts";
import type { View } from "./unfold-content.ts";

/** A finding as a matcher makes it; the probe adds its own name and depth. */
export type MatcherFinding = Omit<Finding, "probe" | "depth">;

export interface Matcher {
  /** At most one finding for each needle and each way of matching. `views`: the passage unfolded, where it was before. @throws StoreError where it unfolds beyond the bound (blind) */
  match(passage: Passage, views?: readonly View[]): readonly MatcherFinding[];
}

/** A run of a needle's bytes in a file, compared byte for byte. */
export interface ByteHit {
  readonly needle: number;
  /** Base name of the file; empty for a chunk that is no file. */
  readonly file: string;
  /** Where the run starts. */
  readonly offset: number;
  /** How many bytes of it are distinctive: not explained by content that lives on. */
  readonly bytes: number;
}

export interface ByteMatcher {
  /** @throws StoreError where the file cannot be read */
  scanFile(path: string, signal: AbortSignal): AsyncIterable<ByteHit>;
  /** Takes in content that lives on, where it comes piece by piece; before anything is scanned. */
  explain(content: Uint8Array | string): void;
  /** Scans bytes that the caller holds (a decoded page, a decompressed block); runs do not cross from one chunk to the next. */
  scanChunk(bytes: Uint8Array, baseOffset: number): readonly ByteHit[];
}
