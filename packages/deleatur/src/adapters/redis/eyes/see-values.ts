// Reads what stands under keys for the probes, by a way of its own: page by page, every field and item, declared or not. Content of any person: it stays in memory.
import { FENCE_KEY, isFenceNotes, MARKER_KEY, MARKER_VALUE } from "../options.ts";
import { spellKey } from "../key-text.ts";
import { Refusal, type Seen, seenText } from "./resp.ts";
import type { Sight } from "./see-server.ts";
import { asList, type Page, type SeenPart, type WayToRead, wayToRead } from "./ways-to-read.ts";

export interface SeenKey {
  readonly key: Buffer;
  readonly spelled: string;
}

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
  if (seen.has(FENCE_KEY)) {
    const [notes] = await sight.askAll([["HGETALL", FENCE_KEY]]);
    if (isFenceNotes(asList(notes).map(seenText))) seen.delete(FENCE_KEY);
  }
  return Array.from(seen, ([spelled, key]) => ({ spelled, key }));
}

const TYPES_A_TRIP = 2_000;

/** Of each key its type, in trips; `none` where it is gone. */
async function seeTypes(sight: Sight, keys: readonly SeenKey[]): Promise<readonly string[]> {
  const types: string[] = [];
  for (let from = 0; from < keys.length; from += TYPES_A_TRIP) {
    const trip = keys.slice(from, from + TYPES_A_TRIP).map(({ key }) => ["TYPE", key]);
    for (const type of await sight.askAll(trip)) types.push(seenText(type));
  }
  return types;
}

/** A key, and what stands under it or a page of that. Most keys are one page, and each is told of once at least. */
export interface SeenUnder extends SeenKey {
  readonly parts: readonly SeenPart[];
  readonly isFirst: boolean;
}

/** So much is asked for at once, by the size of what came before: a trip of small values takes many keys. */
const BYTES_A_TRIP = 1 << 20;
const FIRST_KEYS = 20;
const MOST_KEYS = 1_000;

const NOTHING: Page = { parts: [], next: undefined };

/**
 * Everything that stands under these keys, those of one type alone where one is given, many keys at once; nothing where one is gone, or has another type by now. What does not fit on one page comes by itself, page
 * by page. The server reads on while the caller looks. @throws StoreError
 */
export async function* seeUnder(
  sight: Sight,
  asked: readonly SeenKey[],
  signal: AbortSignal,
  only?: string,
): AsyncGenerator<readonly SeenUnder[]> {
  const types = await seeTypes(sight, asked);
  const keys = asked.flatMap((key, at) => {
    const type = types[at] ?? "none";
    return only === undefined || only === type ? [{ ...key, way: wayToRead(key.key, type) }] : [];
  });
  const begin = (from: number, count: number): Trip => {
    const trip = keys.slice(from, from + count);
    const pages = askGently(
      sight,
      trip.map(({ way }) => way?.command(way.start)),
    );
    pages.catch(() => undefined); // told where it is waited for
    return { trip, pages };
  };
  let count = FIRST_KEYS;
  let coming = begin(0, count);
  for (let at = count; coming.trip.length > 0; at += count) {
    signal.throwIfAborted();
    const { trip } = coming;
    const seen = await coming.pages;
    const pages = trip.map(({ way }, place) => way?.take(seen[place] ?? null, way.start) ?? NOTHING);
    const bytes = pages.reduce((sum, { parts }) => parts.reduce((size, part) => size + part.bytes.length, sum), 1);
    const fitting = Math.floor((BYTES_A_TRIP * trip.length) / bytes);
    count = Math.max(1, Math.min(MOST_KEYS, 4 * trip.length, fitting));
    coming = begin(at, count);
    yield trip.map(({ key, spelled }, place) => ({ key, spelled, isFirst: true, parts: pages[place]?.parts ?? [] }));
    for (const [place, { next }] of pages.entries()) {
      const one = trip[place];
      if (one?.way !== undefined && next !== undefined) yield* seeFurther(sight, one, one.way, next, signal);
    }
  }
}

interface Trip {
  readonly trip: readonly (SeenKey & { readonly way: WayToRead | undefined })[];
  readonly pages: Promise<readonly Seen[]>;
}

async function* seeFurther(
  sight: Sight,
  { key, spelled }: SeenKey,
  way: WayToRead,
  start: string,
  signal: AbortSignal,
): AsyncGenerator<readonly SeenUnder[]> {
  for (let from: string | undefined = start; from !== undefined;) {
    signal.throwIfAborted();
    const [seen = null] = await askGently(sight, [way.command(from)]);
    const { parts, next }: Page = way.take(seen, from);
    yield [{ key, spelled, isFirst: false, parts }];
    from = next;
  }
}

/** A key that changed its type under our eyes shows nothing under the old one: what it holds now was written later. @throws StoreError for every other refusal */
async function askGently(
  sight: Sight,
  commands: readonly (readonly (string | Buffer)[] | undefined)[],
): Promise<readonly Seen[]> {
  const answers = await sight.askAll(commands.flatMap((command) => (command === undefined ? [] : [command])));
  let at = 0;
  const seen: Seen[] = [];
  for (const command of commands) {
    const answer = command === undefined ? null : (answers[at] ?? null);
    if (command !== undefined) at += 1;
    if (command === undefined || !(answer instanceof Refusal)) seen.push(answer);
    // Asked again, it is thrown as what it is.
    else seen.push(answer.words.startsWith("WRONGTYPE") ? null : await sight.ask(...command));
  }
  return seen;
}
