// Reads whole values of keys, of whatever type, with when they expire; many keys a round trip. It knows nothing of fields, people or sources.
import { StoreError } from "../../../model/errors.ts";
import { isSpelledAsText, spellKey } from "../key-text.ts";
import { type Arg, bytesOf, type Db, infoOf, listOf, Refused, type Reply, textOf } from "./connect.ts";
import { readTogether } from "./read-together.ts";

export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly (readonly [name: Buffer, value: Buffer])[];
}

export type Value =
  | { readonly type: "string"; readonly bytes: Buffer }
  | { readonly type: "hash"; readonly fields: readonly (readonly [name: Buffer, value: Buffer])[] }
  | { readonly type: "items"; readonly of: "list" | "set" | "zset"; readonly items: readonly Buffer[] }
  | { readonly type: "stream"; readonly entries: readonly StreamEntry[] }
  /** A type of a module, as the server would dump it. */
  | { readonly type: "dump"; readonly bytes: Buffer };

export interface KeyValue {
  readonly key: Buffer;
  readonly spelled: string;
  readonly value: Value;
  readonly expires?: Date;
}

const KEYS_A_TRIP = 200;
/** So often a key may change its type under our eyes before it counts as unreadable. */
const MAX_TRIES = 5;

/**
 * The keys that are there, in the order in which they were given, a trip at a time; what expired meanwhile is absent. @throws StoreError
 * @param fields of hashes, where only these are wanted
 */
export async function* readValues(
  db: Db,
  keys: readonly Buffer[],
  signal: AbortSignal,
  fields?: readonly string[],
): AsyncGenerator<readonly KeyValue[]> {
  const way: Way = { takesScripts: keys.length > FEW, types: new Guess() };
  const read = (from: number): Promise<readonly (KeyValue | undefined)[]> => {
    const trip = readTrip(db, keys.slice(from, from + KEYS_A_TRIP).map(spelledOf), way, fields);
    trip.catch(() => undefined); // told where it is waited for
    return trip;
  };
  let coming = read(0);
  for (let from = 0; from < keys.length; from += KEYS_A_TRIP) {
    signal.throwIfAborted();
    const values = await coming;
    // The server works on the next trip while this one is taken apart.
    if (from + KEYS_A_TRIP < keys.length) coming = read(from + KEYS_A_TRIP);
    yield values.filter((one) => one !== undefined);
  }
}

/** A key with its spelling, and as an argument: as text where it is some, which the client sends in one piece with the rest of a command. */
interface SpelledKey {
  readonly key: Buffer;
  readonly spelled: string;
  readonly name: Arg;
}

function spelledOf(key: Buffer): SpelledKey {
  const spelled = spellKey(key);
  return { key, spelled, name: isSpelledAsText(spelled) ? spelled : key };
}

/** What one reading has learnt of its server and its keys. */
interface Way {
  takesScripts: boolean;
  readonly types: Guess;
}

/** By the place of each key; undefined where it is not there. */
async function readTrip(
  db: Db,
  keys: readonly SpelledKey[],
  way: Way,
  fields: readonly string[] | undefined,
): Promise<readonly (KeyValue | undefined)[]> {
  if (keys.length === 0) return [];
  const names = keys.map(({ name }) => name);
  const together = way.takesScripts ? await readTogether(db, names, fields) : undefined;
  if (together?.length !== keys.length) {
    way.takesScripts = false;
    return await readApart(db, keys, way.types, 0);
  }
  const read: (KeyValue | undefined)[] = [];
  const large: number[] = [];
  for (const [at, one] of keys.entries()) {
    const { type = "none", expires = null, reply = null } = together[at] ?? {};
    if (type !== "none" && reply === null) large.push(at);
    const value = reply === null ? undefined : valueOf(type, reply, fields);
    read.push(value === undefined ? undefined : keyValue(one, value, instantOf(expires, 0)));
  }
  if (large.length > 0) {
    const apart = await readApart(
      db,
      large.flatMap((at) => keys[at] ?? []),
      way.types,
      0,
    );
    for (const [order, at] of large.entries()) read[at] = apart[order];
  }
  return read;
}

function keyValue(
  { key, spelled }: SpelledKey,
  value: Value,
  expires: Date | "gone" | undefined,
): KeyValue | undefined {
  if (expires === "gone") return undefined;
  return { key, spelled, value, ...(expires === undefined ? {} : { expires }) };
}

/** Types whose command is refused for a key of another type, and answers of a key that is not there what it never answers of one that is. */
const SURE: ReadonlySet<string> = new Set(["string", "hash", "list", "set", "zset"]);

/** Keys of one pattern mostly have one type: the next is read as the last was, and asked for its type only where it is refused. */
class Guess {
  #last: string | undefined;
  get type(): string | undefined {
    return this.#last;
  }
  note(type: string | undefined): void {
    this.#last = type !== undefined && SURE.has(type) ? type : undefined;
  }
}

/** By the place of each key, over commands for each; undefined where it is not there. */
async function readApart(
  db: Db,
  keys: readonly SpelledKey[],
  types: Guess,
  tries: number,
): Promise<readonly (KeyValue | undefined)[]> {
  const { type: guessed } = types;
  const known =
    guessed === undefined
      ? (await db.sendAll(keys.map(({ name }) => ["TYPE", name]))).map(nameOf)
      : keys.map(() => guessed);
  // Before the values: a time to live that is given meanwhile comes later than this look.
  const isEverlasting = keys.length > FEW && (await hasNoTerms(db));
  const asked = keys.flatMap((one, at) => {
    const type = known[at] ?? "none";
    return type === "none" ? [] : [{ ...one, at, type }];
  });
  const replies = await db.sendAll(asked.map(({ name, type }) => commandFor(type, name)));
  const names = asked.map(({ name }) => name);
  const expiries = isEverlasting ? [] : await readExpiries(db, names);
  const read: (KeyValue | undefined)[] = keys.map(() => undefined);
  const others: number[] = [];
  for (const [order, { at, type, ...one }] of asked.entries()) {
    const reply = replies[order] ?? null;
    if (reply instanceof Refused) {
      if (reply.code !== "WRONGTYPE" || tries >= MAX_TRIES) throw reply.error;
      others.push(at);
      continue;
    }
    const value = valueOf(type, reply);
    read[at] = value === undefined ? undefined : keyValue(one, value, expiries[order]);
    if (read[at] !== undefined) types.note(type);
  }
  if (others.length > 0) {
    // Of another type than the last, or its type was changed under our eyes.
    if (2 * others.length > asked.length) types.note(undefined);
    const wanted = others.flatMap((at) => keys[at] ?? []);
    const again = await readApart(db, wanted, new Guess(), tries + 1);
    for (const [order, at] of others.entries()) read[at] = again[order];
  }
  return read;
}

function nameOf(reply: Reply | Refused): string {
  if (reply instanceof Refused) throw reply.error;
  return textOf(reply);
}

function commandFor(type: string, key: Arg): readonly Arg[] {
  switch (type) {
    case "string":
      return ["GET", key];
    case "hash":
      return ["HGETALL", key];
    case "list":
      return ["LRANGE", key, "0", "-1"];
    case "set":
      return ["SMEMBERS", key];
    case "zset":
      return ["ZRANGE", key, "0", "-1"];
    case "stream":
      return ["XRANGE", key, "-", "+"];
    case "ReJSON-RL":
      return ["JSON.GET", key];
    default:
      return ["DUMP", key];
  }
}

/** Undefined where the key was gone when it was read: an empty hash, list or set does not exist, an empty stream does. @param names the fields that were asked for */
function valueOf(type: string, reply: Reply, names?: readonly string[]): Value | undefined {
  if (type === "hash" && names !== undefined) return { type, fields: namedFields(names, listOf(reply)) };
  switch (type) {
    case "string":
    case "ReJSON-RL":
      return reply === null ? undefined : { type: "string", bytes: bytesOf(reply) };
    case "hash": {
      const fields = pairsOf(listOf(reply));
      return fields.length === 0 ? undefined : { type: "hash", fields };
    }
    case "list":
    case "set":
    case "zset": {
      const items = listOf(reply).map(bytesOf);
      return items.length === 0 ? undefined : { type: "items", of: type, items };
    }
    case "stream":
      return { type: "stream", entries: listOf(reply).map(entryOf) };
    default:
      return reply === null ? undefined : { type: "dump", bytes: bytesOf(reply) };
  }
}

function entryOf(reply: Reply): StreamEntry {
  const [id = null, fields = []] = listOf(reply);
  return { id: textOf(id), fields: pairsOf(listOf(fields)) };
}

function pairsOf(flat: readonly Reply[]): readonly (readonly [Buffer, Buffer])[] {
  const pairs: (readonly [Buffer, Buffer])[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2)
    pairs.push([bytesOf(flat[at] ?? null), bytesOf(flat[at + 1] ?? null)]);
  return pairs;
}

/** Fields that the hash does not have are answered as null. */
function namedFields(names: readonly string[], values: readonly Reply[]): readonly (readonly [Buffer, Buffer])[] {
  return names.flatMap((name, at) => {
    const value = values[at] ?? null;
    return value === null ? [] : [[Buffer.from(name, "utf8"), bytesOf(value)] as const];
  });
}

/** When each of the keys expires. Redis 6 has no PEXPIRETIME, but tells how long it is until then. */
async function readExpiries(db: Db, keys: readonly Arg[]): Promise<readonly (Date | "gone" | undefined)[]> {
  const times = await db.sendAll(keys.map((key) => ["PEXPIRETIME", key]));
  const isOld = times.some((reply) => reply instanceof Refused && reply.code === "ERR");
  if (!isOld) return times.map((reply) => instantOf(reply, 0));
  const now = await serverTime(db);
  return (await db.sendAll(keys.map((key) => ["PTTL", key]))).map((reply) => instantOf(reply, now));
}

/** Of more keys than these it is worth to ask first whether anything in the database expires. */
const FEW = 8;

/** Whether the server counts no key of the database that has a time to live. One that does not say so is asked key by key. */
async function hasNoTerms(db: Db): Promise<boolean> {
  const keyspace = await db.ask("INFO", "keyspace");
  const own = keyspace === undefined ? undefined : infoOf(keyspace).get(`db${db.store.database}`);
  return own !== undefined && /(?:^|,)expires=0(?:,|$)/.test(own);
}

/** -1: it never expires; -2: it is gone. */
function instantOf(reply: Reply | Refused, from: number): Date | "gone" | undefined {
  if (reply instanceof Refused) throw reply.error;
  if (typeof reply !== "number" || reply === -1) return undefined;
  return reply < 0 ? "gone" : new Date(from + reply);
}

export async function readExpiry(db: Db, key: Arg): Promise<Date | undefined> {
  const [expires] = await readExpiries(db, [key]);
  return expires === "gone" ? undefined : expires;
}

/** The server's own clock, in milliseconds. */
async function serverTime(db: Db): Promise<number> {
  const [seconds = null, micros = null] = listOf(await db.send("TIME"));
  return Number(textOf(seconds)) * 1000 + Math.floor(Number(textOf(micros)) / 1000);
}

const ENTRIES_A_TRIP = "1000";

/** The entries of one stream, a page at a time. @throws StoreError TYPE_UNFIT where the key is no stream */
export async function* readEntries(db: Db, key: Buffer, signal: AbortSignal): AsyncGenerator<StreamEntry> {
  for (let after = "-"; ;) {
    signal.throwIfAborted();
    const [reply = null] = await db.sendAll([["XRANGE", key, after, "+", "COUNT", ENTRIES_A_TRIP]]);
    if (reply instanceof Refused) throw reply.code === "WRONGTYPE" ? unfitType(db, "stream") : reply.error;
    const page = listOf(reply).map(entryOf);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = `(${last.id}`;
  }
}

/** One entry of a stream; undefined where it is not there. */
export async function readEntry(db: Db, key: Buffer, id: string): Promise<StreamEntry | undefined> {
  const [entry] = listOf(await db.send("XRANGE", key, id, id));
  return entry === undefined ? undefined : entryOf(entry);
}

/** The fields of one hash, by HSCAN to its end; each once. @throws StoreError TYPE_UNFIT where the key is no hash */
export async function readFields(
  db: Db,
  key: Buffer,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly [Buffer, Buffer]>> {
  const fields = new Map<string, readonly [Buffer, Buffer]>();
  let cursor = "0";
  do {
    signal.throwIfAborted();
    const [reply = null] = await db.sendAll([["HSCAN", key, cursor, "COUNT", ENTRIES_A_TRIP]]);
    if (reply instanceof Refused) throw reply.code === "WRONGTYPE" ? unfitType(db, "hash") : reply.error;
    const [next = "0", page = []] = listOf(reply);
    cursor = textOf(next);
    for (const pair of pairsOf(listOf(page))) fields.set(pair[0].toString("latin1"), pair);
  } while (cursor !== "0");
  return fields;
}

function unfitType({ store }: Db, wanted: string): StoreError {
  return new StoreError("TYPE_UNFIT", `store ${store.name}: a key of the pattern is no ${wanted}, narrow the pattern`, {
    place: { store: store.name },
    cure: "narrow the pattern, or leave out each",
  });
}
