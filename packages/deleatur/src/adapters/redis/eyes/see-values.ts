// Reads what stands under keys for the probes, by a way of its own: page by page, every field and item, declared or not. Content of any person: it stays in memory.
import { MARKER_KEY, MARKER_VALUE } from "../options.ts";
import { spellKey } from "../key-text.ts";
import { isSeenList, Refusal, type Seen, seenText } from "./resp.ts";
import type { Sight } from "./see-server.ts";

/** One text under a key: a string, an item, a field's value; `part` is the entry's id or the field's name. */
export interface SeenPart {
  readonly name: string;
  readonly bytes: Buffer;
  readonly part?: Buffer;
}

export interface SeenKey {
  readonly key: Buffer;
  readonly spelled: string;
}

const PAGE = "500";
const KEYS_A_STEP = "1000";

/** All keys of the database that are meant, each once; our own markers are nobody's. @throws StoreError */
export async function seeKeys(
  sight: Sight,
  isMeant: (key: Buffer) => boolean,
  signal: AbortSignal,
): Promise<readonly SeenKey[]> {
  const seen = new Map<string, Buffer>();
  let cursor = "0";
  do {
    signal.throwIfAborted();
    const [next, keys] = asList(await sight.ask("SCAN", cursor, "COUNT", KEYS_A_STEP));
    cursor = seenText(next);
    for (const key of asList(keys)) if (Buffer.isBuffer(key) && isMeant(key)) seen.set(spellKey(key), Buffer.from(key));
  } while (cursor !== "0" && cursor !== "");
  const named = [...seen.keys()].filter((key) => MARKER_KEY.test(key));
  const values = await sight.askAll(named.map((key) => ["GET", key]));
  for (const [at, key] of named.entries()) if (seenText(values[at]) === MARKER_VALUE) seen.delete(key);
  return Array.from(seen, ([spelled, key]) => ({ spelled, key }));
}

const TYPES_A_TRIP = 500;

/** Of each key its type, in trips; `none` where it is gone by now. */
export async function seeTypes(sight: Sight, keys: readonly SeenKey[]): Promise<readonly string[]> {
  const types: string[] = [];
  for (let from = 0; from < keys.length; from += TYPES_A_TRIP) {
    const trip = keys.slice(from, from + TYPES_A_TRIP).map(({ key }) => ["TYPE", key]);
    types.push(...(await sight.askAll(trip)).map(seenText));
  }
  return types;
}

/** Everything that stands under a key of that type; nothing where it is gone, or has another type by now. @throws StoreError */
export async function* seeParts(sight: Sight, key: Buffer, type: string): AsyncGenerator<SeenPart> {
  switch (type) {
    case "string":
      yield* whole(await askGently(sight, "GET", key));
      return;
    case "list":
      yield* pages(sight, (from) => ["LRANGE", key, String(from), String(from + Number(PAGE) - 1)]);
      return;
    case "hash":
      for await (const [name, bytes] of pairs(sight, "HSCAN", key))
        yield { name: name.toString("utf8"), bytes, part: name };
      return;
    case "set":
      for await (const item of items(sight, "SSCAN", key)) yield { name: "value", bytes: item };
      return;
    case "zset":
      for await (const [item] of pairs(sight, "ZSCAN", key)) yield { name: "value", bytes: item };
      return;
    case "stream":
      yield* seeEntries(sight, key);
      return;
    case "ReJSON-RL":
      yield* whole(await askGently(sight, "JSON.GET", key));
      return;
    case "none":
      return;
    default:
      yield* whole(await askGently(sight, "DUMP", key));
  }
}

function* whole(seen: Seen): Generator<SeenPart> {
  if (Buffer.isBuffer(seen)) yield { name: "value", bytes: seen };
}

async function* pages(sight: Sight, command: (from: number) => readonly (string | Buffer)[]): AsyncGenerator<SeenPart> {
  for (let from = 0; ;) {
    const page = asList(await askGently(sight, ...command(from)));
    for (const item of page) if (Buffer.isBuffer(item)) yield { name: "value", bytes: item };
    if (page.length === 0) return;
    from += page.length;
  }
}

async function* items(sight: Sight, command: string, key: Buffer): AsyncGenerator<Buffer> {
  let cursor = "0";
  do {
    const [next, page] = asList(await askGently(sight, command, key, cursor, "COUNT", PAGE));
    cursor = seenText(next);
    for (const item of asList(page)) if (Buffer.isBuffer(item)) yield item;
  } while (cursor !== "0" && cursor !== "");
}

async function* pairs(sight: Sight, command: string, key: Buffer): AsyncGenerator<readonly [Buffer, Buffer]> {
  let name: Buffer | undefined;
  for await (const item of items(sight, command, key)) {
    if (name === undefined) name = item;
    else {
      yield [name, item];
      name = undefined;
    }
  }
}

async function* seeEntries(sight: Sight, key: Buffer): AsyncGenerator<SeenPart> {
  for (let after = "-"; ;) {
    const page = asList(await askGently(sight, "XRANGE", key, after, "+", "COUNT", PAGE));
    for (const entry of page) {
      const [id, fields] = asList(entry);
      const flat = asList(fields);
      after = `(${seenText(id)}`;
      for (let at = 0; at + 1 < flat.length; at += 2) {
        const bytes = flat[at + 1];
        if (Buffer.isBuffer(bytes)) yield { name: seenText(flat[at]), bytes, part: Buffer.from(seenText(id)) };
      }
    }
    if (page.length === 0) return;
  }
}

/** A key that changed its type under our eyes shows nothing under the old one: what it holds now was written later. @throws StoreError for every other refusal */
async function askGently(sight: Sight, ...args: readonly (string | Buffer)[]): Promise<Seen> {
  const [seen = null] = await sight.askAll([args]);
  if (!(seen instanceof Refusal)) return seen;
  return seen.words.startsWith("WRONGTYPE") ? null : await sight.ask(...args);
}

export function asList(seen: Seen | undefined): readonly Seen[] {
  return seen !== undefined && isSeenList(seen) ? seen : [];
}
