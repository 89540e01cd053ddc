// What an application hands over when its process takes part: how to list, and to let go of, what it holds in its memory. It must not know the ledger.
import type { GivenWrite } from "../record/given-write.ts";

/** What is held under one key. */
export interface HeldEntry extends GivenWrite {
  /** When the memory drops it by itself, where it does (a cache with a time to live): what is about to go is no control, and its loss is nobody's. */
  readonly expires?: Date;
}

/** A cache, a scratchpad or a buffer, as its application sees it. */
export interface ProcessMemory {
  /** Everything that is held now, each time afresh. Sources and subjects may be left out where `record` or `derive` told them. Holds personal data. */
  entries(): Iterable<HeldEntry> | AsyncIterable<HeldEntry>;
  /** Lets go of these keys: deletes them, and overwrites what can be overwritten. Keys that are not held are no error. */
  evict(keys: readonly string[], signal: AbortSignal): void | Promise<void>;
  /**
   * Puts in content about nobody, that is listed and let go of again at once. Only asked for where nothing else is held: without it, an empty memory
   * cannot be told from one that does not list, and counts as not seen.
   */
  put?(canary: { readonly key: string; readonly text: string }): void | Promise<void>;
}

/** A `Map`, or a library's cache that has the same members (`lru-cache` has). */
export interface MapLike<Value> {
  entries(): Iterable<readonly [string, Value]>;
  delete(key: string): unknown;
  /** What a library lets in besides (`lru-cache`: undefined) is no part of what it lists. */
  set(key: string, value: NoInfer<Value>): unknown;
  /** Drops what has run out but is still held; asked for before each listing. */
  purgeStale?(): unknown;
}

/**
 * @param describe what one value says, and when it expires where it does; its sources and subjects may be left out where `derive` told them
 * @param ofCanary a value that says this text, so that an empty cache can be shown to list
 */
export function memoryOf<Value>(
  cache: MapLike<Value>,
  describe: (value: Value, key: string) => Omit<HeldEntry, "key">,
  ofCanary?: (text: string) => Value,
): ProcessMemory {
  return {
    *entries() {
      cache.purgeStale?.();
      for (const [key, value] of cache.entries()) yield { key, ...describe(value, key) };
    },
    evict(keys) {
      for (const key of keys) cache.delete(key);
    },
    ...(ofCanary === undefined ? {} : { put: ({ key, text }) => void cache.set(key, ofCanary(text)) }),
  };
}
