// Inserts an artifact as a row: its key, subjects, sources and content where the declaration places them, and any fitting value where a column must have one.
import type { Artifact } from "../../../model/artifact.ts";
import { artifactKey, type ArtifactKey } from "../../../model/ids.ts";
import { quoteName, quoteTable } from "../options.ts";
import { partsOfKey, textOfField } from "../values.ts";
import type { Column } from "./columns.ts";
import { rowsOf, type Db } from "./connect.ts";
import { isArray, type Join, type Layout } from "./layout.ts";
import { keySql } from "./match-keys.ts";

/** What a column is set to: a value as text, or SQL of ours. */
type Written = { readonly text: string } | { readonly sql: string };

/** Inserts and answers the key: the given one, or what the store gave instead. */
export async function insertRow(db: Db, layout: Layout, artifact: Artifact): Promise<ArtifactKey> {
  const values = new Map<string, Written>();
  const joins: { readonly join: Join; readonly texts: readonly string[] }[] = [];
  const set = (name: string, written: Written | undefined): void => {
    if (written !== undefined && !values.has(name) && layout.columns.get(name)?.isGenerated !== true)
      values.set(name, written);
  };
  for (const locator of layout.sources) {
    const keys = artifact.sources.filter(({ surface }) => surface === locator.surface).map(({ key }): string => key);
    if (keys.length === 0) continue;
    if (locator.how === "via") joins.push({ join: locator.join, texts: keys });
    else if (locator.how === "json") set(locator.column, { text: JSON.stringify(keys) });
    else set(locator.column, fitting(layout, locator.column, keys));
  }
  const parts = partsOfKey(artifact.key, layout.key.length) ?? layout.key.map(() => artifact.key);
  for (const [place, name] of layout.key.entries()) set(name, fitting(layout, name, [parts[place] ?? artifact.key]));
  for (const locator of layout.subjects) {
    const named = artifact.subjects.filter(({ type }) => type === locator.type).map(({ value }) => value);
    const [first] = named;
    if (first === undefined || locator.how === "segment") continue;
    if (locator.how === "via") joins.push({ join: locator.join, texts: named });
    else if (locator.how === "json") set(locator.column, { text: nested(locator.path, first) });
    else set(locator.column, fitting(layout, locator.column, named));
  }
  for (const field of artifact.content) {
    const column = layout.content.find(({ name }) => name === field.name);
    const dimensions = layout.columns.get(field.name)?.dimensions ?? 0;
    if (column === undefined) continue;
    const fits = field.type !== "vector" || dimensions === 0 || field.vector.length === dimensions;
    const fitted = fits ? field : { ...field, vector: field.vector.slice(0, dimensions) };
    set(field.name, { text: textOfField(fitted, column.shape) });
  }
  for (const column of layout.columns.values())
    if (column.notNull && !column.hasDefault && !column.isGenerated) set(column.name, filler(layout, column));
  const key = await insert(db, layout, values);
  for (const { join, texts } of joins) await insertJoined(db, layout, join, texts, key);
  return key;
}

async function insert(db: Db, layout: Layout, values: ReadonlyMap<string, Written>): Promise<ArtifactKey> {
  const parameters: string[] = [];
  const sql = [...values].map(([name, written]) => {
    if ("sql" in written) return written.sql;
    parameters.push(written.text);
    return `$${parameters.length}::text::${layout.columns.get(name)?.type ?? "text"}`;
  });
  const table = quoteTable(layout.options.table);
  const hasIdentity = [...values.keys()].some((name) => layout.columns.get(name)?.isIdentity === true);
  const columns =
    values.size === 0
      ? "DEFAULT VALUES"
      : `(${[...values.keys()].map(quoteName).join(", ")}) ${hasIdentity ? "OVERRIDING SYSTEM VALUE " : ""}VALUES (${sql.join(", ")})`;
  const [row] = await rowsOf(db, `INSERT INTO ${table} AS t ${columns} RETURNING ${keySql(layout, "t")}`, parameters);
  return artifactKey(row?.[0] ?? "");
}

/** A value that the column takes; what it cannot hold is left to the store, or filled in where there must be one. */
function fitting(layout: Layout, name: string, texts: readonly string[]): Written | undefined {
  const column = layout.columns.get(name);
  const [first] = texts;
  if (column === undefined || first === undefined) return undefined;
  const element = isArray(column) ? column.base.slice(1) : column.base;
  if (!texts.every((text) => takes(element, text))) return undefined;
  if (!isArray(column))
    return { text: element === "bytea" ? `\\x${Buffer.from(first, "base64url").toString("hex")}` : first };
  const quoted = texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  return { text: `{${quoted.join(",")}}` };
}

function takes(base: string, text: string): boolean {
  if (/^int[248]$/.test(base)) return /^-?\d{1,9}$/.test(text) || (base === "int8" && /^-?\d{1,18}$/.test(text));
  if (base === "uuid") return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  if (/^(?:numeric|float[48])$/.test(base)) return /^-?\d+(?:\.\d+)?$/.test(text);
  if (base === "bytea") return Buffer.from(text, "base64url").toString("base64url") === text;
  return ["text", "varchar", "bpchar", "name", "citext"].includes(base);
}

/** The value at a path, as a JSON text of objects. */
function nested(path: readonly string[], value: string): string {
  return JSON.stringify(path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value));
}

/** Something for a column that must not be empty: a row that exists where it refers to one, else what its type takes. */
function filler(layout: Layout, column: Column): Written | undefined {
  const dependence = layout.dependences.find(({ columns }) => columns.length === 1 && columns[0] === column.name);
  if (dependence !== undefined)
    return { sql: `(SELECT ${quoteName(dependence.to[0] ?? "")} FROM ${quoteTable(dependence.table)} LIMIT 1)` };
  const isKey = layout.key.includes(column.name);
  const { base } = column;
  // Not the next number: that may be an erased record's, which is fenced.
  if (/^int[248]$/.test(base)) return { sql: isKey ? randomNumber(base) : "0" };
  if (base === "uuid") return { sql: "pg_catalog.gen_random_uuid()" };
  if (/^(?:numeric|float[48]|money)$/.test(base)) return { sql: "0" };
  if (/^(?:timestamp|timestamptz|date)$/.test(base)) return { sql: "pg_catalog.now()" };
  if (/^(?:time|timetz)$/.test(base)) return { text: "00:00" };
  if (base === "interval") return { text: "0" };
  if (base === "bool") return { sql: "false" };
  if (base === "json" || base === "jsonb") return { text: "{}" };
  if (isArray(column)) return { text: "{}" };
  if (base === "vector" || base === "halfvec")
    return column.dimensions === 0 ? { text: "[0]" } : { text: `[${Array(column.dimensions).fill("0").join(",")}]` };
  const [label] = column.labels;
  return { text: label ?? "" };
}

function randomNumber(base: string): string {
  const from = base === "int2" ? 15_000 : 1_000_000_000;
  return `pg_catalog.floor(${from} * (1 + pg_catalog.random()))::${base}`;
}

async function insertJoined(
  db: Db,
  layout: Layout,
  { table, on, column, link }: Join,
  texts: readonly string[],
  key: ArtifactKey,
): Promise<void> {
  const own = quoteTable(layout.options.table);
  for (const text of texts)
    await db.client.query(
      `INSERT INTO ${quoteTable(table)} (${quoteName(on)}, ${quoteName(column)})
       SELECT t.${quoteName(link)}, (pg_catalog.json_populate_record(NULL::${quoteTable(table)}, pg_catalog.json_build_object($1::text, $2::text))).${quoteName(column)}
       FROM ${own} AS t WHERE ${keySql(layout, "t")} = $3`,
      [column, text, key],
    );
}

export function joinsOf(layout: Layout): readonly Join[] {
  return [...layout.subjects, ...layout.sources].flatMap((locator) => (locator.how === "via" ? [locator.join] : []));
}

/** The part of a join row that names somebody; for a dry run that is stopped before anything else of it counts. */
export async function offerJoined(db: Db, { table, column }: Join, text: string): Promise<void> {
  const name = quoteName(column);
  await db.client.query(
    `INSERT INTO ${quoteTable(table)} (${name})
     SELECT (pg_catalog.json_populate_record(NULL::${quoteTable(table)}, pg_catalog.json_build_object($1::text, $2::text))).${name}`,
    [column, text],
  );
}
