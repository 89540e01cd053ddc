// Writes streams anew from which entries were taken: XDEL only flags an entry, and its text stays in memory and in every snapshot until its whole block is empty.
import type { RedisOptions } from "../options.ts";
import { type Arg, bytesOf, type Db, listOf, Refused, type Reply, textOf } from "./connect.ts";
import { spellKey } from "../key-text.ts";
import { scanKeys } from "./list-keys.ts";
import { readEntries, readExpiry, type StreamEntry } from "./read-values.ts";

/** What one transaction can reasonably hold: a longer stream is told, and not touched. */
const MAX_ENTRIES = 200_000;
const MAX_TRIES = 5;

/** Answers why not all could be written anew; undefined where none of them holds a flagged entry any more. */
export async function rebuildStreams(db: Db, options: RedisOptions, signal: AbortSignal): Promise<string | undefined> {
  const streams = new Map<string, Buffer>();
  for await (const keys of scanKeys(db, options.pattern, signal, "stream"))
    for (const key of keys) streams.set(spellKey(key), key);
  for (const key of streams.values()) {
    const why = await rebuildStream(db, key, signal);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function rebuildStream(db: Db, key: Buffer, signal: AbortSignal): Promise<string | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    signal.throwIfAborted();
    await db.send("WATCH", key);
    const stream = await stateOf(db, key);
    if (stream === "none" || stream.maxDeleted === "0-0") {
      await db.send("UNWATCH");
      return undefined;
    }
    if (stream.maxDeleted === undefined || stream.length > MAX_ENTRIES) {
      await db.send("UNWATCH");
      return stream.maxDeleted === undefined
        ? "a server before version 7 does not tell enough of a stream to write it anew"
        : "a stream is too long to be written anew in one piece, trim it";
    }
    const entries: StreamEntry[] = [];
    for await (const entry of readEntries(db, key, signal)) entries.push(entry);
    const expires = await readExpiry(db, key);
    const commands = anew(key, stream, entries, expires);
    const replies = await db.sendAll([["MULTI"], ...commands, ["EXEC"]]);
    const last = replies.at(-1) ?? null;
    const refused = replies.find((reply) => reply instanceof Refused);
    if (refused instanceof Refused) return `the server refused to write a stream anew (${refused.code})`;
    // Nil: somebody wrote to it meanwhile, and nothing was done.
    if (last !== null) return undefined;
  }
  return "a stream is written to so often that it could not be written anew, run again";
}

interface StreamState {
  readonly length: number;
  readonly lastId: string;
  readonly maxDeleted: string | undefined;
  readonly groups: readonly Group[];
}

interface Group {
  readonly name: Buffer;
  readonly lastId: string;
  readonly consumers: readonly Buffer[];
  readonly pending: readonly {
    readonly id: string;
    readonly consumer: Buffer;
    readonly time: string;
    readonly count: string;
  }[];
}

async function stateOf(db: Db, key: Buffer): Promise<StreamState | "none"> {
  const [reply = null] = await db.sendAll([["XINFO", "STREAM", key, "FULL", "COUNT", "0"]]);
  if (reply instanceof Refused) {
    if (reply.code === "ERR") return "none";
    throw reply.error;
  }
  const facts = named(reply);
  const text = (name: string): string => textOf(facts.get(name) ?? "");
  return {
    length: Number(text("length")),
    lastId: text("last-generated-id"),
    maxDeleted: facts.has("max-deleted-entry-id") ? text("max-deleted-entry-id") : undefined,
    groups: listOf(facts.get("groups") ?? null).map(groupOf),
  };
}

function groupOf(reply: Reply): Group {
  const facts = named(reply);
  return {
    name: bytesOf(facts.get("name") ?? null),
    lastId: textOf(facts.get("last-delivered-id") ?? "0-0"),
    consumers: listOf(facts.get("consumers") ?? null).map((one) => bytesOf(named(one).get("name") ?? null)),
    pending: listOf(facts.get("pel") ?? facts.get("pending") ?? null).map((one) => {
      const [id = null, consumer = null, time = null, count = null] = listOf(one);
      return { id: textOf(id), consumer: bytesOf(consumer), time: textOf(time), count: textOf(count) };
    }),
  };
}

function named(reply: Reply): ReadonlyMap<string, Reply> {
  const flat = listOf(reply);
  return new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[textOf(name), flat[at + 1] ?? null] as const] : [])));
}

/** Ids are a time and a number. */
function isLater(id: string, than: string): boolean {
  const [time = 0n, place = 0n] = id.split("-").map(BigInt);
  const [otherTime = 0n, otherPlace = 0n] = than.split("-").map(BigInt);
  return time > otherTime || (time === otherTime && place > otherPlace);
}

/** The same stream in the same key: entries under their ids, groups where they stood, what is pending to whom it was delivered. */
function anew(
  key: Buffer,
  { lastId, groups }: StreamState,
  entries: readonly StreamEntry[],
  expires: Date | undefined,
): readonly (readonly Arg[])[] {
  const commands: (readonly Arg[])[] = [["UNLINK", key]];
  // A stream without entries is made by a group, or by an entry that is taken out again.
  if (entries.length === 0) commands.push(["XADD", key, "MAXLEN", "0", lastId === "0-0" ? "0-1" : lastId, "x", "y"]);
  for (const { id, fields } of entries) commands.push(["XADD", key, id, ...fields.flat()]);
  // What was taken out is not counted any more: how far a group lags behind is known again.
  commands.push(["XSETID", key, lastId, "ENTRIESADDED", String(entries.length), "MAXDELETEDID", "0-0"]);
  for (const group of groups) {
    const read = entries.filter(({ id }) => !isLater(id, group.lastId)).length;
    commands.push(["XGROUP", "CREATE", key, group.name, group.lastId, "ENTRIESREAD", String(read)]);
    for (const consumer of group.consumers) commands.push(["XGROUP", "CREATECONSUMER", key, group.name, consumer]);
    for (const { id, consumer, time, count } of group.pending) {
      const claim = ["XCLAIM", key, group.name, consumer, "0", id];
      commands.push([...claim, "TIME", time, "RETRYCOUNT", count, "FORCE", "JUSTID"]);
    }
  }
  if (expires !== undefined) commands.push(["PEXPIREAT", key, String(expires.getTime())]);
  return commands;
}
