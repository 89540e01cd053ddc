// Inserts an artifact as a row: its key, subjects, sources and content where the declaration places them, and any fitting value where a column must have one.
import { canonicalKey } from "@deleatur/verify";
import type { Artifact } from "../../../model/artifact.ts";
import { artifactKey, type ArtifactKey } from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import type { Db } from "./connect.ts";
import { partsOfKey } from "./key-condition.ts";
import { isRowid, type Column, type Join, type Layout } from "./layout.ts";
import { candidatesOf, textOfValue, valueOfField, type SqlValue } from "./values.ts";

/** Inserts and answers the key: the given one, or the number that the store gave instead. */
export function insertRow(db: Db, layout: Layout, artifact: Artifact): ArtifactKey {
  const values = new Map<string, SqlValue>();
  setKey(layout, artifact.key, values);
  const isKeyed = layout.key.every((name) => values.has(name));
  const joins: { readonly join: Join; readonly values: readonly string[] }[] = [];
  for (const locator of layout.subjects) {
    const named = artifact.subjects.filter(({ type }) => type === locator.type).map(({ value }) => value);
    const [first] = named;
    if (first === undefined) continue;
    // A number that the store gives itself may be the person's too: then the row is whoever's number it gets.
    const isGiven = locator.how === "column" && isNumbered(layout, locator.column) && !/^\d+$/.test(first);
    if (locator.how === "column" && !isGiven && !values.has(locator.column))
      values.set(locator.column, typed(layout, locator.column, first));
    if (locator.how === "json" && !values.has(locator.column)) values.set(locator.column, nested(locator.path, first));
    if (locator.how === "via") joins.push({ join: locator.join, values: named });
  }
  for (const locator of layout.sources) {
    const keys = artifact.sources.filter(({ surface }) => surface === locator.surface).map(({ key }): string => key);
    const [first] = keys;
    if (first === undefined) continue;
    if (locator.how === "column" && !values.has(locator.column))
      values.set(locator.column, typed(layout, locator.column, first));
    if (locator.how === "json") values.set(locator.column, JSON.stringify(keys));
    if (locator.how === "via") joins.push({ join: locator.join, values: keys });
  }
  for (const field of artifact.content)
    if (layout.columns.has(field.name) && !values.has(field.name)) values.set(field.name, valueOfField(field, null));
  for (const column of layout.columns.values())
    if (column.notNull && !values.has(column.name)) fillIn(layout, column, values);
  // A number that the store gives the row is known when the row stands, so its join rows come behind it; any other value goes before.
  const later = joins.filter(({ join }) => isNumbered(layout, join.link) && !values.has(join.link));
  for (const { join, values: joined } of joins.filter((one) => !later.includes(one)))
    insertJoined(db, join, joined, values);
  const names = [...values.keys()];
  const inserted = db
    .prepare<SqlValue[]>(
      `INSERT INTO ${quoteName(layout.options.table)} (${names.map((name) => (isRowid(name) ? "rowid" : quoteName(name))).join(", ")})
     VALUES (${names.map(() => "?").join(", ")})`,
    )
    .run(...names.map((name) => values.get(name) ?? null));
  for (const { join, values: joined } of later)
    insertJoined(db, join, joined, values.set(join.link, BigInt(inserted.lastInsertRowid)));
  if (layout.key.length > 1)
    return artifactKey(canonicalKey(layout.key.map((name) => textOfValue(values.get(name) ?? null) ?? "")));
  if (isKeyed) return artifact.key;
  // A key that is its source's too was set with the source; any other was numbered by the store.
  const [keyName = ""] = layout.key;
  return artifactKey(String(values.get(keyName) ?? inserted.lastInsertRowid));
}

function setKey(layout: Layout, key: string, values: Map<string, SqlValue>): void {
  const parts = partsOfKey(key, layout.key.length) ?? layout.key.map(() => key);
  for (const [index, name] of layout.key.entries()) {
    const value = typed(layout, name, parts[index] ?? key);
    // A number that the store gives itself: the offered key cannot stand in it.
    const isNumbered =
      isRowid(name) || /^integer$/i.test(layout.columns.get(name)?.type ?? "") || layout.vec?.key.type === "integer";
    if (isNumbered && typeof value !== "bigint") {
      if (layout.vec !== undefined || layout.fts !== undefined) continue;
      if (layout.key.length === 1 && (layout.columns.get(name)?.keyPlace === 1 || isRowid(name))) continue;
    }
    // Of several columns none is numbered by the store.
    const isPart = layout.key.length > 1 && /int/i.test(layout.columns.get(name)?.type ?? "");
    values.set(name, isPart && typeof value !== "bigint" ? numberOf(key) : value);
  }
}

/** Some number below 2^48, the same for the same text. */
function numberOf(text: string): bigint {
  let number = 0n;
  for (const unit of Buffer.from(text, "utf8")) number = BigInt.asUintN(48, number * 31n + BigInt(unit));
  return number;
}

/** An INTEGER PRIMARY KEY, or the rowid itself. */
function isNumbered({ columns, key }: Layout, name: string): boolean {
  return isRowid(name) || (key.length === 1 && key[0] === name && /^integer$/i.test(columns.get(name)?.type ?? ""));
}

function typed(layout: Layout, name: string, text: string): SqlValue {
  const { integer } = candidatesOf(text);
  const type = layout.columns.get(name)?.type ?? "";
  if (integer === undefined) return text;
  if (isRowid(name) || /int/i.test(type)) return integer;
  return layout.vec !== undefined && name === layout.vec.key.name && layout.vec.key.type === "integer" ? integer : text;
}

function nested(path: readonly string[], value: string): string {
  return JSON.stringify(path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value));
}

/** A column that may not be empty and that the artifact says nothing about: the dry run is about the guard, so any fitting value will do. */
function fillIn(layout: Layout, column: Column, values: Map<string, SqlValue>): void {
  if (layout.vec !== undefined || layout.fts !== undefined || layout.key.includes(column.name)) return;
  if (column.hasDefault) return;
  values.set(column.name, /int|real|num|doub|floa|bool|date|time/i.test(column.type) ? 0n : "");
}

function insertJoined(db: Db, join: Join, joined: readonly string[], values: Map<string, SqlValue>): void {
  const link = values.get(join.link) ?? "deleatur-offer";
  values.set(join.link, link);
  const insert = db.prepare<[SqlValue, SqlValue]>(
    `INSERT INTO ${quoteName(join.table)} (${quoteName(join.on)}, ${quoteName(join.column)}) VALUES (?, ?)`,
  );
  for (const value of joined) insert.run(link, value);
}
