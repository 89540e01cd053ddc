// Gives hashes, strings and JSON new content, sources and people, in one transaction that a write of somebody else's undoes. What cannot be changed in place is told.
import type { Artifact, Rewritten } from "../../../model/artifact.ts";
import { artifactId } from "../../../model/ids.ts";
import type { RedisOptions } from "../options.ts";
import { spellKey } from "../key-text.ts";
import { type KeyPlace, placeOf } from "./artifact-keys.ts";
import { partAt } from "./artifacts.ts";
import { type Arg, type Db, Refused } from "./connect.ts";
import { whyRefused } from "./erase-keys.ts";
import { editHash, editText, type Edit } from "./edit-value.ts";
import { readParts } from "./read-artifact.ts";
import { readValues, type Value } from "./read-values.ts";
import { awaitFollowers, withStores } from "./stores.ts";

const MAX_TRIES = 5;

/** @throws StoreError */
export async function rewriteValues(
  options: RedisOptions,
  replacements: readonly Artifact[],
  signal: AbortSignal,
): Promise<readonly Rewritten[]> {
  return await withStores(options, signal, async (stores) => {
    const outcomes: Rewritten[] = [];
    for (const next of replacements) {
      const ref = { surface: options.surface, key: next.key };
      let outcome: Rewritten = { ...ref, outcome: "absent" };
      for (const { db } of stores.filter(({ isPrimary }) => isPrimary)) {
        const done = await rewriteOne(db, next, options, signal);
        if (typeof done !== "string") outcome = { ...ref, outcome: "failed", why: done.why };
        else if (outcome.outcome !== "failed" && done === "rewritten") outcome = { ...ref, outcome: done };
      }
      outcomes.push(outcome);
    }
    await awaitFollowers(stores, signal);
    return outcomes;
  });
}

async function rewriteOne(
  db: Db,
  next: Artifact,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<"rewritten" | "absent" | { readonly why: string }> {
  const place = placeOf(options, next.key);
  if (place === undefined) return "absent";
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    signal.throwIfAborted();
    await db.send("WATCH", place.key);
    const value = await valueAt(db, place, options, signal);
    const edit = value === undefined ? "absent" : editOf(value, place, next, options);
    if (edit === "absent" || "why" in edit) {
      await db.send("UNWATCH");
      return edit;
    }
    const replies = await db.sendAll([["MULTI"], ...edit.commands, ["EXEC"]]);
    const refused = replies.find((reply) => reply instanceof Refused);
    if (refused instanceof Refused) return { why: whyRefused(refused) };
    // Nil: somebody wrote to it meanwhile, and nothing was done.
    if (replies.at(-1) === null) continue;
    const after = await valueAt(db, place, options, signal);
    return after !== undefined && keepsMore(after, place, next, options)
      ? { why: "a person or a source to be removed stands there still" }
      : "rewritten";
  }
  return { why: "the key is written to so often that it could not be changed, run again" };
}

async function valueAt(
  db: Db,
  place: KeyPlace,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<Value | undefined> {
  if (options.each !== "key") return await partAt(db, place, options);
  for await (const [found] of readValues(db, [place.key], signal)) return found?.value;
  return undefined;
}

function editOf(value: Value, place: KeyPlace, next: Artifact, options: RedisOptions): Edit {
  const { key, part } = place;
  if (options.each === "entry") return { why: "an entry of a stream cannot be changed, say shared: destroy" };
  if (keepsByKey(place, next, options)) return { why: "a person to be removed is part of the key" };
  if (value.type === "hash") return editHash(key, value.fields, next, options);
  if (value.type !== "string") return { why: "a list, a set or a stream is not changed in place, say shared: destroy" };
  const edited = editText(value.bytes.toString("utf8"), next, options);
  if (typeof edited !== "string") return edited;
  const set: readonly Arg[] = part === undefined ? ["SET", key, edited, "KEEPTTL"] : ["HSET", key, part, edited];
  return { commands: [set] };
}

function keepsByKey({ key }: KeyPlace, next: Artifact, options: RedisOptions): boolean {
  const segments = options.subjects.filter((locator) => "segment" in locator);
  const { subjects } = readParts({ type: "items", of: "list", items: [] }, spellKey(key), {
    ...options,
    subjects: segments,
  });
  return subjects.some((own) => !next.subjects.some(({ type, value }) => type === own.type && value === own.value));
}

/** The last look at what was written: it must name nobody, and no source, beyond what it was to keep. */
function keepsMore(value: Value, { key }: KeyPlace, next: Artifact, options: RedisOptions): boolean {
  const { subjects, sources } = readParts(value, spellKey(key), options);
  const kept = new Set(next.sources.map(artifactId));
  return (
    sources.some((source) => !kept.has(artifactId(source))) ||
    subjects.some((own) => !next.subjects.some(({ type, value: name }) => type === own.type && name === own.value))
  );
}
