// Lists the keys of a pattern by SCAN to its end; what a rehash shows twice is kept once, and our own marks are nobody's keys. It reads no value.
import { compareUtf8 } from "@deleatur/verify";
import { artifactKey } from "../../../model/ids.ts";
import { spellKey } from "../key-text.ts";
import { FENCE_KEY, isFenceNotes, MARKER_KEY, MARKER_VALUE } from "../options.ts";
import { StoreError } from "../../../model/errors.ts";
import { bytesOf, type Db, listOf, Refused, textOf } from "./connect.ts";

const NOTES = Buffer.from(FENCE_KEY);
const OURS = Buffer.from("deleatur:");
const KEYS_A_STEP = "1000";

/** One step after the other, until the server says that it is through. A step may answer nothing, or keys that were answered before. */
export async function* scanKeys(
  db: Db,
  pattern: string,
  signal: AbortSignal,
  type?: string,
): AsyncGenerator<readonly Buffer[]> {
  const only = type === undefined ? [] : ["TYPE", type];
  let cursor = "0";
  do {
    signal.throwIfAborted();
    const [next = "0", keys = []] = listOf(
      await db.send("SCAN", cursor, "MATCH", pattern, "COUNT", KEYS_A_STEP, ...only),
    );
    cursor = textOf(next);
    yield listOf(keys).map(bytesOf);
  } while (cursor !== "0");
}

export interface ListedKey {
  readonly spelled: string;
  readonly key: Buffer;
}

/** Every key of the pattern, each once, in the order of their spelling. @throws StoreError KEY_TOO_LONG */
export async function listKeys(db: Db, pattern: string, signal: AbortSignal): Promise<readonly ListedKey[]> {
  const found = new Map<string, Buffer>();
  for await (const step of scanKeys(db, pattern, signal)) for (const key of step) found.set(spellKey(key), key);
  for (const key of await markersAmong(db, [...found.values()])) found.delete(spellKey(key));
  return inByteOrder([...found.keys()]).flatMap((spelled) => {
    const key = found.get(spelled);
    return key === undefined ? [] : [{ spelled: spelledKey(db, spelled), key }];
  });
}

/** Where no character is written in surrogates, the order of UTF-16 units is that of the bytes, and needs no comparison of our own. */
function inByteOrder(spellings: readonly string[]): readonly string[] {
  const isPlain = !spellings.some((text) => /[\ud800-\udfff]/.test(text));
  return isPlain ? spellings.toSorted() : spellings.toSorted(compareUtf8);
}

/** Markers of ledgers and the notes of their fences: by their name and by what is in them, so that nothing else hides behind the name. */
export async function markersAmong(db: Db, keys: readonly Buffer[]): Promise<readonly Buffer[]> {
  const named = keys.filter(
    (key) => key.equals(NOTES) || (key.subarray(0, OURS.length).equals(OURS) && MARKER_KEY.test(key.toString())),
  );
  const values = await db.sendAll(named.map((key) => [key.equals(NOTES) ? "HGETALL" : "GET", key]));
  return named.filter((key, at) => {
    const value = values[at] ?? null;
    if (value instanceof Refused) return false;
    return key.equals(NOTES) ? isFenceNotes(listOf(value).map(textOf)) : textOf(value) === MARKER_VALUE;
  });
}

function spelledKey({ store }: Db, spelled: string): string {
  if (spelled.length <= 60_000) return artifactKey(spelled);
  throw new StoreError("KEY_TOO_LONG", `store ${store.name} holds a key of more than 60,000 characters, shorten it`, {
    place: { store: store.name },
    cure: "shorten the key",
  });
}
