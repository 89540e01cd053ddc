// Enumerates and reads the artifacts of a surface over all of its stores; what a replica alone still holds is read there. It changes nothing.
import type { Artifact } from "../../../model/artifact.ts";
import { type ArtifactKey, artifactKey } from "../../../model/ids.ts";
import type { ScanPart } from "../../../surface.ts";
import { spellKey } from "../key-text.ts";
import type { RedisOptions } from "../options.ts";
import { keyOfPart, type KeyPlace, placeOf } from "./artifact-keys.ts";
import { type Db, openDb } from "./connect.ts";
import { type ListedKey, listKeys } from "./list-keys.ts";
import { readParts } from "./read-artifact.ts";
import {
  readEntries,
  readEntry,
  readExpiry,
  readFields,
  readValues,
  type StreamEntry,
  type Value,
} from "./read-values.ts";

/** Every artifact in the order of its Redis key. @throws StoreError where one of the stores cannot be read to its end */
export function scanArtifacts(options: RedisOptions, part: ScanPart, signal: AbortSignal): AsyncGenerator<Artifact> {
  return overStores(options, signal, async function* (dbs) {
    const lists: (readonly ListedKey[])[] = [];
    for (const db of dbs) lists.push(await listKeys(db, options.pattern, signal));
    const seen = new Set<string>();
    for (const [at, db] of dbs.entries()) {
      const isFirst = at === 0;
      const own = (lists[at] ?? []).filter(({ spelled }) => options.each !== "key" || !seen.has(spelled));
      if (dbs.length > 1) for (const { spelled } of own) seen.add(spelled);
      if (options.each === "key") {
        yield* wholeKeys(db, own, options, signal, part);
        continue;
      }
      for await (const artifact of partsOf(db, own, options, signal)) {
        if (dbs.length > 1) {
          if (!isFirst && seen.has(`part ${artifact.key}`)) continue;
          seen.add(`part ${artifact.key}`);
        }
        yield [artifact];
      }
    }
  });
}

/** The artifacts of these keys that exist. @throws StoreError */
export function readArtifacts(
  options: RedisOptions,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  return overStores(options, signal, async function* (dbs) {
    const found = new Set<ArtifactKey>();
    for (const db of dbs) {
      const left = [...new Set(keys)].filter((key) => !found.has(key));
      if (options.each === "key") {
        for await (const artifacts of readKeys(db, left, options, signal)) {
          for (const { key } of artifacts) found.add(key);
          yield artifacts;
        }
        continue;
      }
      for await (const artifact of readSingle(db, left, options, signal)) {
        found.add(artifact.key);
        yield [artifact];
      }
    }
  });
}

async function* readKeys(
  db: Db,
  keys: readonly ArtifactKey[],
  options: RedisOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly Artifact[]> {
  const listed = keys.flatMap((key): ListedKey[] => {
    const place = placeOf(options, key);
    return place === undefined ? [] : [{ spelled: key, key: place.key }];
  });
  yield* wholeKeys(db, listed, options, signal);
}

/** A trip at a time: what is handed on one by one is waited for one by one. */
async function* wholeKeys(
  db: Db,
  listed: readonly ListedKey[],
  options: RedisOptions,
  signal: AbortSignal,
  part: ScanPart = "all",
): AsyncGenerator<readonly Artifact[]> {
  const keys = listed.map(({ key }) => key);
  const fields = part === "all" ? undefined : lineageFields(options);
  for await (const trip of readValues(db, keys, signal, fields))
    yield trip.map(({ spelled, value, expires }) =>
      toArtifact(options, artifactKey(spelled), spelled, value, expires, part),
    );
}

/** The fields of a hash that can name people or sources: of a dotted path every start of it may be one. */
function lineageFields({ subjects, sources }: RedisOptions): readonly string[] {
  const paths = [...subjects, ...sources].flatMap((locator) => ("path" in locator ? [locator.path] : []));
  const names = paths.flatMap((path) => {
    const parts = path.split(".");
    return parts.map((_, at) => parts.slice(0, at + 1).join("."));
  });
  // A command wants one name at least.
  return names.length === 0 ? [""] : [...new Set(names)];
}

async function* partsOf(
  db: Db,
  listed: readonly ListedKey[],
  options: RedisOptions,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  for (const { spelled, key } of listed) {
    const expires = await readExpiry(db, key);
    if (options.each === "entry") {
      for await (const entry of readEntries(db, key, signal))
        yield toArtifact(options, keyOfPart(spelled, Buffer.from(entry.id)), spelled, valueOfEntry(entry), expires);
    } else {
      for (const [name, bytes] of (await readFields(db, key, signal)).values())
        yield toArtifact(options, keyOfPart(spelled, name), spelled, { type: "string", bytes }, expires);
    }
  }
}

async function* readSingle(
  db: Db,
  keys: readonly ArtifactKey[],
  options: RedisOptions,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  for (const key of keys) {
    signal.throwIfAborted();
    const place = placeOf(options, key);
    const value = place === undefined ? undefined : await partAt(db, place, options);
    if (place === undefined || value === undefined) continue;
    yield toArtifact(options, key, spellKey(place.key), value, await readExpiry(db, place.key));
  }
}

/** The value of one entry or field; undefined where it is not there. */
export async function partAt(
  db: Db,
  { key, part = Buffer.alloc(0) }: KeyPlace,
  { each }: RedisOptions,
): Promise<Value | undefined> {
  if (each === "field") {
    const bytes = await db.send("HGET", key, part);
    return Buffer.isBuffer(bytes) ? { type: "string", bytes } : undefined;
  }
  const id = part.toString("utf8");
  // What is no id of an entry is the key of none.
  if (!/^\d+-\d+$/.test(id)) return undefined;
  const entry = await readEntry(db, key, id);
  return entry === undefined ? undefined : valueOfEntry(entry);
}

function valueOfEntry({ fields }: StreamEntry): Value {
  return { type: "hash", fields };
}

function toArtifact(
  options: RedisOptions,
  key: ArtifactKey,
  redisKey: string,
  value: Value,
  expires: Date | undefined,
  part: ScanPart = "all",
): Artifact {
  const { surface } = options;
  const parts = readParts(value, redisKey, options, part);
  return { surface, key, ...parts, ...(expires === undefined ? {} : { expires }) };
}

/** All stores at once, closed in any case: a scan is whole only where each of them could be opened. */
async function* overStores(
  { stores }: RedisOptions,
  signal: AbortSignal,
  work: (dbs: readonly Db[]) => AsyncGenerator<readonly Artifact[]>,
): AsyncGenerator<Artifact> {
  const opened: { readonly db: Db; readonly close: () => void }[] = [];
  try {
    for (const store of stores) opened.push(await openDb(store, signal));
    for await (const artifacts of work(opened.map(({ db }) => db))) for (const artifact of artifacts) yield artifact;
  } finally {
    for (const { close } of opened) close();
  }
}
