// Says for each type of key which command answers a page of what stands under it, and what of the answer is a text. It asks nothing.
import { isSeenList, type Seen, seenText } from "./resp.ts";

/** One text under a key: a string, an item, a field's value; `part` is the entry's id or the field's name. */
export interface SeenPart {
  readonly name: string;
  readonly bytes: Buffer;
  readonly part?: Buffer;
}

export interface Page {
  readonly parts: readonly SeenPart[];
  /** From where the next page is read; undefined where this was the last. */
  readonly next: string | undefined;
}

export interface WayToRead {
  /** From where the first page is read. */
  readonly start: string;
  command(from: string): readonly (string | Buffer)[];
  take(seen: Seen, from: string): Page;
}

const PAGE = 500;
const COUNT = String(PAGE);

/** How a key of that type is read; undefined where there is nothing to read. A type that is not known is read as a whole. */
export function wayToRead(key: Buffer, type: string): WayToRead | undefined {
  switch (type) {
    case "string":
      return whole("GET", key);
    case "list":
      return {
        start: "0",
        command: (from) => ["LRANGE", key, from, String(Number(from) + PAGE - 1)],
        take(seen, from) {
          const items = asList(seen);
          // A page that is not full was the end of the list.
          const next = items.length < PAGE ? undefined : String(Number(from) + items.length);
          return { parts: items.flatMap(asValue), next };
        },
      };
    case "hash":
      return scanned("HSCAN", key, (items) =>
        inPairs(items).flatMap(([name, bytes]) =>
          Buffer.isBuffer(name) && Buffer.isBuffer(bytes) ? [{ name: name.toString("utf8"), bytes, part: name }] : [],
        ),
      );
    case "set":
      return scanned("SSCAN", key, (items) => items.flatMap(asValue));
    case "zset":
      return scanned("ZSCAN", key, (items) => inPairs(items).flatMap(([item]) => asValue(item)));
    case "stream":
      return {
        start: "-",
        command: (from) => ["XRANGE", key, from, "+", "COUNT", COUNT],
        take(seen) {
          const entries = asList(seen);
          const last = asList(entries.at(-1))[0];
          return {
            parts: entries.flatMap(partsOfEntry),
            next: entries.length < PAGE ? undefined : `(${seenText(last)}`,
          };
        },
      };
    case "ReJSON-RL":
      return whole("JSON.GET", key);
    case "none":
      return undefined;
    default:
      return whole("DUMP", key);
  }
}

function whole(verb: string, key: Buffer): WayToRead {
  return {
    start: "",
    command: () => [verb, key],
    take: (seen) => ({ parts: asValue(seen), next: undefined }),
  };
}

function scanned(verb: string, key: Buffer, partsOf: (items: readonly Seen[]) => readonly SeenPart[]): WayToRead {
  return {
    start: "0",
    command: (from) => [verb, key, from, "COUNT", COUNT],
    take(seen) {
      const [cursor, items] = asList(seen);
      const next = seenText(cursor);
      return { parts: partsOf(asList(items)), next: next === "0" || next === "" ? undefined : next };
    },
  };
}

function partsOfEntry(entry: Seen): readonly SeenPart[] {
  const [id, fields] = asList(entry);
  const part = Buffer.from(seenText(id));
  return inPairs(asList(fields)).flatMap(([name, bytes]) =>
    Buffer.isBuffer(bytes) ? [{ name: seenText(name), bytes, part }] : [],
  );
}

function asValue(seen: Seen | undefined): readonly SeenPart[] {
  return Buffer.isBuffer(seen) ? [{ name: "value", bytes: seen }] : [];
}

function inPairs(items: readonly Seen[]): readonly (readonly [Seen | undefined, Seen | undefined])[] {
  return Array.from({ length: items.length >> 1 }, (_, at) => [items[2 * at], items[2 * at + 1]]);
}

export function asList(seen: Seen | undefined): readonly Seen[] {
  return seen !== undefined && isSeenList(seen) ? seen : [];
}
