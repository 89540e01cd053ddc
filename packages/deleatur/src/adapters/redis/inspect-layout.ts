// Looks into a Redis database for `init`: which first parts many keys have in common, and what stands under them, told in facts and never in contents. It writes nothing.
import type { ColumnLayout, InspectKeys, KeysLayout } from "../../boundary/store-layout.ts";
import { countFacts } from "../../boundary/value-facts.ts";
import { markersAmong, scanKeys } from "./hands/list-keys.ts";
import { type Db, textOf, withDb } from "./hands/connect.ts";
import { readValues, type Value } from "./hands/read-values.ts";

/** So many keys of a group are looked into; the rest is counted. */
const LOOKED_AT = 200;
/** A first part that fewer keys have, or that is no plain word, may be a person's name: it is not written into a draft. */
const MIN_KEYS = 2;
const WORD = /^[a-z][a-z_-]{1,31}:/;
/** More groups than anybody declares one by one. */
const MAX_GROUPS = 100;

/** @throws StoreError */
export const inspectKeys: InspectKeys = async (url, signal) => {
  const store = { name: "the server", url, database: Number(new URL(url).pathname.slice(1) || "0"), data: undefined };
  return await withDb(store, signal, async (db) => {
    const groups = new Map<string, Buffer[]>();
    const counts = new Map<string, number>();
    let others = 0;
    for await (const keys of scanKeys(db, "*", signal)) {
      const marks = new Set(await markersAmong(db, keys));
      for (const key of keys) {
        if (marks.has(key)) continue;
        const prefix = WORD.exec(key.toString("utf8"))?.[0];
        if (prefix === undefined || (!groups.has(prefix) && groups.size >= MAX_GROUPS)) {
          others += 1;
          continue;
        }
        const group = groups.get(prefix) ?? [];
        groups.set(prefix, group);
        if (group.length < LOOKED_AT) group.push(key);
        counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
      }
    }
    const layouts: KeysLayout[] = [];
    for (const [prefix, keys] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const layout =
        keys.length < MIN_KEYS ? undefined : await layoutOf(db, prefix, keys, counts.get(prefix) ?? 0, signal);
      if (layout === undefined) others += counts.get(prefix) ?? 0;
      else layouts.push(layout);
    }
    return { groups: layouts, others };
  });
};

async function layoutOf(
  db: Db,
  prefix: string,
  keys: readonly Buffer[],
  count: number,
  signal: AbortSignal,
): Promise<KeysLayout | undefined> {
  const [first] = keys;
  if (first === undefined) return undefined;
  const values = new Map<string, unknown[]>();
  for await (const trip of readValues(db, keys, signal))
    for (const { value } of trip)
      for (const [name, one] of fieldsOf(value)) values.set(name, [...(values.get(name) ?? []), one]);
  const fields = Array.from(values, ([name, list]): ColumnLayout => ({
    name,
    declaredType: "",
    facts: countFacts(list),
  }));
  return { type: "redis", prefix, valueType: textOf(await db.send("TYPE", first)), keys: count, fields };
}

/** Fields by name; JSON text by its own; what has none is `value`. */
function fieldsOf(value: Value): readonly (readonly [name: string, value: unknown])[] {
  switch (value.type) {
    case "hash":
      return value.fields.map(([name, bytes]) => [name.toString("utf8"), asText(bytes)]);
    case "stream":
      return value.entries
        .slice(0, LOOKED_AT)
        .flatMap(({ fields }) => fields.map(([name, bytes]) => [name.toString("utf8"), asText(bytes)] as const));
    case "items":
      return value.items.slice(0, LOOKED_AT).map((item) => ["value", asText(item)]);
    case "string":
    case "dump":
      return [["value", asText(value.bytes)]];
    default:
      return value satisfies never;
  }
}

function asText(bytes: Buffer): string | Uint8Array {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") || text.includes("\0") ? new Uint8Array(bytes) : text;
}
