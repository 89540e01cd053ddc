// Erases keys, entries or fields, and counts again on every store that each is gone; replicas follow their primary and are counted too. It purges nothing.
import type { Erased } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import type { RedisOptions } from "../options.ts";
import { isSpelledAsText } from "../key-text.ts";
import { type KeyPlace, placeOf } from "./artifact-keys.ts";
import { type Arg, type Db, Refused } from "./connect.ts";
import { awaitFollowers, type OpenStore, withStores } from "./stores.ts";

const KEYS_A_TRIP = 1_000;
/** Trips that are under way together: the server works on one while another is on its way. */
const TRIPS = 4;

interface Wanted {
  readonly key: ArtifactKey;
  readonly place: KeyPlace;
  /** The Redis key as an argument of a command. */
  readonly name: Arg;
}

type Outcome = "erased" | "absent" | { readonly why: string };

/** @throws StoreError where a store cannot be reached, or none of them takes writes */
export async function eraseKeys(
  options: RedisOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): Promise<readonly Erased[]> {
  const wanted: Wanted[] = [];
  for (const key of new Set(keys)) {
    const place = placeOf(options, key);
    if (place !== undefined)
      wanted.push({ key, place, name: options.each === "key" && isSpelledAsText(key) ? key : place.key });
  }
  const outcomes: Outcome[] = [];
  if (wanted.length > 0)
    await withStores(options, signal, async (stores) => {
      let next = 0;
      const eraseInTurn = async (): Promise<void> => {
        while (next < wanted.length) {
          signal.throwIfAborted();
          const from = next;
          next += KEYS_A_TRIP;
          const ends = await eraseTrip(options, stores, wanted.slice(from, from + KEYS_A_TRIP), signal);
          for (const [at, end] of ends.entries()) outcomes[from + at] = end;
        }
      };
      // Each is waited for before the first failure is thrown, so that none is left unheard.
      for (const end of await Promise.allSettled(Array.from({ length: TRIPS }, eraseInTurn)))
        if (end.status === "rejected") throw end.reason;
    });
  const { surface } = options;
  const answer = (key: ArtifactKey, outcome: Outcome = "absent"): Erased =>
    typeof outcome === "string" ? { surface, key, outcome } : { surface, key, outcome: "failed", why: outcome.why };
  if (wanted.length === keys.length) return wanted.map(({ key }, at) => answer(key, outcomes[at]));
  const places = new Map(wanted.map(({ key }, at) => [key, at]));
  return keys.map((key) => answer(key, outcomes[places.get(key) ?? -1]));
}

/** Answers the outcome of each, in order. */
async function eraseTrip(
  { each }: RedisOptions,
  stores: readonly OpenStore[],
  trip: readonly Wanted[],
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const ends: (Outcome | undefined)[] = trip.map(() => undefined);
  for (const { db } of stores.filter(({ isPrimary }) => isPrimary)) {
    // UNLINK takes the value out at once and frees it behind the scenes: a DEL of a long list would hold up everybody else.
    const replies = each === "key" && (await removeTogether(db, trip)) ? undefined : await removeAll(db, each, trip);
    for (const at of trip.keys()) note(ends, at, replies === undefined ? "erased" : removedAs(replies[at]));
  }
  await awaitFollowers(stores, signal);
  for (const { db, isPrimary } of stores) {
    if (each === "key" && (await countTogether(db, trip)) === 0) continue;
    const left = await db.sendAll(trip.map(({ place }) => presence(each, place)));
    for (const at of trip.keys()) {
      const reply = left[at] ?? null;
      if (reply instanceof Refused) note(ends, at, { why: whyRefused(reply) });
      else if (isThere(reply))
        note(ends, at, { why: isPrimary ? "it is still there when counted again" : "a replica still holds it" });
    }
  }
  return ends.map((end) => end ?? "absent");
}

/** One command for all of them, where every one of them is there; else nothing is done, for then each has to answer for itself. */
async function removeTogether(db: Db, trip: readonly Wanted[]): Promise<boolean> {
  if ((await countTogether(db, trip)) !== trip.length) return false;
  const [removed] = await db.sendAll([["UNLINK", ...trip.map(({ name }) => name)]]);
  return !(removed instanceof Refused);
}

async function countTogether(db: Db, trip: readonly Wanted[]): Promise<number | undefined> {
  const [count] = await db.sendAll([["EXISTS", ...trip.map(({ name }) => name)]]);
  return typeof count === "number" ? count : undefined;
}

async function removeAll(db: Db, each: RedisOptions["each"], trip: readonly Wanted[]): Promise<readonly unknown[]> {
  const replies = await db.sendAll(trip.map(({ place }) => removal(each, "UNLINK", place)));
  // An old server, or a user who was given DEL alone.
  const lacksUnlink = each === "key" && replies.some((reply) => reply instanceof Refused && isUnknown(reply));
  return lacksUnlink ? await db.sendAll(trip.map(({ place }) => removal(each, "DEL", place))) : replies;
}

function isUnknown({ code }: Refused): boolean {
  return code === "NOPERM" || code === "ERR";
}

function removal(each: RedisOptions["each"], verb: "UNLINK" | "DEL", { key, part }: KeyPlace): readonly Arg[] {
  if (each === "key" || part === undefined) return [verb, key];
  return [each === "entry" ? "XDEL" : "HDEL", key, part];
}

function presence(each: RedisOptions["each"], { key, part }: KeyPlace): readonly Arg[] {
  if (each === "key" || part === undefined) return ["EXISTS", key];
  return each === "entry" ? ["XRANGE", key, part, part] : ["HEXISTS", key, part];
}

function isThere(reply: unknown): boolean {
  return Array.isArray(reply) ? reply.length > 0 : reply !== 0;
}

function removedAs(reply: unknown): Outcome {
  if (reply instanceof Refused) return { why: whyRefused(reply) };
  return reply === 1 ? "erased" : "absent";
}

/** What failed on one store stays failed; what was erased from one and absent from another is erased. */
function note(ends: (Outcome | undefined)[], at: number, outcome: Outcome): void {
  const known = ends[at];
  if (typeof known === "object" || (known === "erased" && outcome === "absent")) return;
  ends[at] = outcome;
}

const REASONS: Readonly<Record<string, string>> = {
  NOPERM: "this user may not erase it",
  READONLY: "the server is a read-only replica",
  OOM: "the server is at its maxmemory",
  MISCONF: "the server takes no write because it cannot save",
  WRONGTYPE: "the key has another type than is declared",
};

export function whyRefused({ code }: Refused): string {
  return REASONS[code] ?? `the server refused it (${code})`;
}
