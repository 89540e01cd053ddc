// Sets content, sources and subjects of rows to what is given, and reads each back before it counts as rewritten. It never creates a row.
import type { Artifact, ContentField, Rewritten } from "../../../model/artifact.ts";
import { foldIdentifier } from "../../../model/ids.ts";
import { quoteName, quoteTable } from "../options.ts";
import { isRowRefusal, refusalReason } from "../store-errors.ts";
import { fieldOfText, textOfField } from "../values.ts";
import { changedBy, inTransaction, rowsOf, type Db } from "./connect.ts";
import { struckJson } from "../../files/hands/strike-json.ts";
import { hasCascades } from "./find-cascades.ts";
import { parseExact, identifiersIn, sourceKeysIn, type Member } from "./json-members.ts";
import { type Join, type Layout, type SourceColumn, type SubjectColumn } from "./layout.ts";
import { matchKeys, type KeyMatch } from "./match-keys.ts";
import { passingTheFence } from "./own-objects.ts";
import { rowsByKey } from "./read-rows.ts";

/** Why a replacement cannot be stored; the transaction that throws it is rolled back. */
class Unstorable extends Error {}

export async function rewriteRows(
  db: Db,
  layout: Layout,
  replacements: readonly Artifact[],
  signal: AbortSignal,
): Promise<readonly Rewritten[]> {
  const ends: Rewritten[] = [];
  for (const wanted of replacements) {
    signal.throwIfAborted();
    const ref = { surface: layout.options.surface, key: wanted.key };
    try {
      const outcome = await inTransaction(db, () => passingTheFence(db, () => rewriteOne(db, layout, wanted)));
      ends.push({ ...ref, outcome });
    } catch (cause) {
      if (cause instanceof Unstorable) ends.push({ ...ref, outcome: "failed", why: cause.message });
      else if (isRowRefusal(cause)) ends.push({ ...ref, outcome: "failed", why: refusalReason(cause) });
      else throw cause;
    }
  }
  return ends;
}

/** An assignment, with the values of its parameters. */
interface Change {
  readonly column: string;
  /** SQL with `?` for each value. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

async function rewriteOne(db: Db, layout: Layout, wanted: Artifact): Promise<"rewritten" | "absent"> {
  const match = matchKeys(layout, [wanted.key], "t");
  if (match === undefined) return "absent";
  const table = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
  await db.client.query(`SELECT 1 FROM ${table} WHERE ${match.where} FOR UPDATE OF t`, [...match.values]);
  const rows = (await rowsByKey(db, layout, [wanted.key])).get(wanted.key) ?? [];
  const [row] = rows;
  if (row === undefined) return "absent";
  if (rows.length > 1) throw new Unstorable("several rows share this key");
  const names = new Set(layout.content.map(({ name }) => name));
  if (wanted.content.some(({ name }) => !names.has(name))) throw new Unstorable("a content field has no column");
  const expected = await asStored(db, layout, wanted.content);
  const changes = [
    ...contentChanges(layout, wanted.content),
    ...(await subjectChanges(db, layout, match, row, wanted)),
    ...(await sourceChanges(db, layout, match, wanted)),
  ];
  if (changes.length > 0) await update(db, layout, match, changes);
  await requireReadBack(db, layout, { ...wanted, content: expected });
  return "rewritten";
}

async function update(db: Db, layout: Layout, match: KeyMatch, changes: readonly Change[]): Promise<void> {
  const values: unknown[] = [...match.values];
  const assignments = changes.map(({ column, sql, values: own }) => {
    let place = values.length;
    values.push(...own);
    return `${quoteName(column)} = ${sql.replaceAll("?", () => `$${(place += 1)}`)}`;
  });
  const from = match.using === "" ? "" : `FROM ${match.using}`;
  const text = `UPDATE ${quoteTable(layout.options.table)} AS t SET ${assignments.join(", ")} ${from} WHERE ${match.where}`;
  if ((await changedBy(db, text, values)) === 0) throw new Unstorable("the store did not take the change");
}

function typeOf(layout: Layout, column: string): string {
  return layout.columns.get(column)?.type ?? "text";
}

function contentChanges(layout: Layout, content: readonly ContentField[]): readonly Change[] {
  const byName = new Map(content.map((field) => [field.name, field]));
  return layout.content.flatMap(({ name, shape }): readonly Change[] => {
    if (layout.columns.get(name)?.isGenerated === true) return [];
    const field = byName.get(name);
    const text = field === undefined ? null : textOfField(field, shape);
    return [{ column: name, sql: `?::text::${typeOf(layout, name)}`, values: [text] }];
  });
}

/** The fields as the column types spell them: JSON without its blanks, a vector at the type's precision. */
async function asStored(db: Db, layout: Layout, content: readonly ContentField[]): Promise<readonly ContentField[]> {
  const known = content.flatMap((field) => {
    const column = layout.content.find(({ name }) => name === field.name);
    return column === undefined ? [] : [{ field, column }];
  });
  if (known.length === 0) return [];
  const [row = []] = await rowsOf(
    db,
    `SELECT ${known.map(({ column }, place) => `$${place + 1}::text::${typeOf(layout, column.name)}::text`).join(", ")}`,
    known.map(({ field, column }) => textOfField(field, column.shape)),
  );
  return known.flatMap(({ column }, place) => fieldOfText(column.name, row[place] ?? null, column.shape) ?? []);
}

async function subjectChanges(
  db: Db,
  layout: Layout,
  match: KeyMatch,
  row: Artifact,
  wanted: Artifact,
): Promise<readonly Change[]> {
  const isWanted = (type: string, text: string): boolean => {
    const folded = foldIdentifier(type, text);
    return wanted.subjects.some((identifier) => identifier.type === folded.type && identifier.value === folded.value);
  };
  const present = new Set(row.subjects.map(({ type, value }) => JSON.stringify([type, value])));
  const added = wanted.subjects.filter(({ type, value }) => !present.has(JSON.stringify([type, value])));
  const changes: Change[] = [];
  for (const locator of layout.subjects) {
    const text = await textAt(db, layout, match, locator);
    switch (locator.how) {
      case "column": {
        if (text === null || isWanted(locator.type, text)) break;
        const next = added.findIndex(({ type }) => type === locator.type);
        const value = next === -1 ? null : (added.splice(next, 1)[0]?.value ?? null);
        changes.push({ column: locator.column, sql: `?::text::${typeOf(layout, locator.column)}`, values: [value] });
        break;
      }
      case "array":
        changes.push(
          ...keepInArray(
            layout,
            locator.column,
            identifiersIn(parseExact(text)),
            (one) => isWanted(locator.type, one),
            [],
          ),
        );
        break;
      case "json":
        changes.push(...withoutInJson(layout, locator, text, (one) => isWanted(locator.type, one)));
        break;
      case "segment":
        // The key stays what it is; the reading back refuses where a person stands in it who must go.
        break;
      case "via":
        await removeJoined(db, layout, match, locator.join, (one) => isWanted(locator.type, one));
        break;
      default:
        locator satisfies never;
    }
  }
  return changes;
}

async function sourceChanges(db: Db, layout: Layout, match: KeyMatch, wanted: Artifact): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const locator of layout.sources) {
    const keys: readonly string[] = wanted.sources
      .filter(({ surface }) => surface === locator.surface)
      .map(({ key }) => key);
    const text = await textAt(db, layout, match, locator);
    switch (locator.how) {
      case "column":
        if (text !== null && !keys.includes(text))
          changes.push({
            column: locator.column,
            sql: `?::text::${typeOf(layout, locator.column)}`,
            values: [keys[0] ?? null],
          });
        break;
      case "array":
        changes.push(
          ...keepInArray(layout, locator.column, identifiersIn(parseExact(text)), (one) => keys.includes(one), keys),
        );
        break;
      case "json":
        changes.push(...keepInJson(layout, locator.column, sourceKeysIn(parseExact(text)), keys, text));
        break;
      case "via":
        await removeJoined(db, layout, match, locator.join, (one) => keys.includes(one));
        break;
      default:
        locator satisfies never;
    }
  }
  return changes;
}

/** What stands in a column now, as its text. */
async function textAt(
  db: Db,
  layout: Layout,
  match: KeyMatch,
  locator: SubjectColumn | SourceColumn,
): Promise<string | null> {
  if (locator.how === "segment" || locator.how === "via") return null;
  const column = `t.${quoteName(locator.column)}`;
  const sql = locator.how === "array" ? `pg_catalog.to_json(${column}::text[])::text` : `${column}::text`;
  const from = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
  const [row] = await rowsOf(db, `SELECT ${sql} FROM ${from} WHERE ${match.where}`, match.values);
  return row?.[0] ?? null;
}

/** The places, from 1, of the members that stay. Null where all of them do. */
function staying(members: readonly Member[], isKept: (text: string) => boolean): readonly number[] | null {
  const kept = members.flatMap(({ text }, place) => (text === undefined || isKept(text) ? [place + 1] : []));
  return kept.length === members.length ? null : kept;
}

function keepInArray(
  layout: Layout,
  name: string,
  members: readonly Member[],
  isKept: (text: string) => boolean,
  wanted: readonly string[],
): readonly Change[] {
  const kept = staying(members, isKept);
  const known = new Set(members.map(({ text }) => text));
  const added = wanted.filter((key) => !known.has(key));
  if (kept === null && added.length === 0) return [];
  const column = `t.${quoteName(name)}`;
  const stay =
    kept === null
      ? `coalesce(${column}, '{}')`
      : `ARRAY(SELECT u.x FROM pg_catalog.unnest(${column}) WITH ORDINALITY AS u(x, n) WHERE u.n = ANY (?::int8[]) ORDER BY u.n)`;
  const more = added.length === 0 ? "" : ` || ?::${typeOf(layout, name)}`;
  return [
    {
      column: name,
      sql: `${stay}${more}`,
      values: [...(kept === null ? [] : [kept]), ...(more === "" ? [] : [added])],
    },
  ];
}

/** The JSON without the identifiers at a path that are not kept. It is edited here: of two members of one name the server's own functions would lose one. */
function withoutInJson(
  layout: Layout,
  { column, path }: { readonly column: string; readonly path: readonly string[] },
  text: string | null,
  isKept: (text: string) => boolean,
): readonly Change[] {
  const left = struckJson(text ?? "", path, (_item, source) => {
    const identifier = parseExact(source);
    return typeof identifier === "string" && !isKept(identifier);
  });
  if (left === undefined) return [];
  return [{ column, sql: `?::text::${typeOf(layout, column)}`, values: [left] }];
}

/** The members of a JSON array at the places of one parameter. */
function memberSql(array: string): string {
  return `(SELECT coalesce(pg_catalog.jsonb_agg(e.x ORDER BY e.n), '[]') FROM pg_catalog.jsonb_array_elements(${array}) WITH ORDINALITY AS e(x, n) WHERE e.n = ANY (?::int8[]))`;
}

/** The JSON array with exactly these source keys: kept ones stand as they stood, new ones are appended as text. */
function keepInJson(
  layout: Layout,
  name: string,
  members: readonly Member[],
  wanted: readonly string[],
  text: string | null,
): readonly Change[] {
  const known = new Set(members.map((member) => member.text));
  const added = wanted.filter((key) => !known.has(key));
  const kept = staying(members, (key) => wanted.includes(key));
  if (kept === null && added.length === 0) return [];
  const json = `(t.${quoteName(name)})::jsonb`;
  const array = `CASE pg_catalog.jsonb_typeof(${json}) WHEN 'array' THEN ${json} ELSE pg_catalog.jsonb_build_array(${json}) END`;
  const places = kept ?? members.map((_, place) => place + 1);
  const stay = text === null ? "'[]'::jsonb" : memberSql(array);
  return [
    {
      column: name,
      sql: `(${stay} || ?::jsonb)::text::${typeOf(layout, name)}`,
      values: [...(text === null ? [] : [places]), JSON.stringify(added)],
    },
  ];
}

async function removeJoined(
  db: Db,
  layout: Layout,
  match: KeyMatch,
  join: Join,
  isKept: (text: string) => boolean,
): Promise<void> {
  const from = `${quoteTable(layout.options.table)} AS t${match.using === "" ? "" : `, ${match.using}`}`;
  const links = `SELECT t.${quoteName(join.link)} FROM ${from} WHERE ${match.where}`;
  const joined = await rowsOf(
    db,
    `SELECT DISTINCT j.${quoteName(join.column)}::text FROM ${quoteTable(join.table)} AS j WHERE j.${quoteName(join.on)} IN (${links})`,
    match.values,
  );
  const going = joined.flatMap(([text]) => (text === null || text === undefined || isKept(text) ? [] : [text]));
  if (going.length === 0) return;
  if (!join.isOwned) throw new Unstorable("the row that names the person is shared with other records");
  const place = match.values.length + 1;
  const which = `j.${quoteName(join.on)} IN (${links}) AND j.${quoteName(join.column)}::text = ANY ($${place}::text[])`;
  const values = [...match.values, going];
  if (await hasCascades(db, join, which, values))
    throw new Unstorable("rows of another table hang on the row that names the person (ON DELETE CASCADE)");
  await changedBy(db, `DELETE FROM ${quoteTable(join.table)} AS j WHERE ${which}`, values);
}

/** Nothing counts as rewritten that does not read back as asked (a trigger or a key may have had its own way). */
async function requireReadBack(db: Db, layout: Layout, wanted: Artifact): Promise<void> {
  const found = (await rowsByKey(db, layout, [wanted.key])).get(wanted.key)?.[0];
  if (found === undefined) throw new Unstorable("the row is not there after the rewrite");
  const isSameSet = (part: (artifact: Artifact) => readonly string[]): boolean =>
    JSON.stringify(part(found).toSorted()) === JSON.stringify(part(wanted).toSorted());
  if (!isSameSet(({ subjects }) => subjects.map(({ type, value }) => JSON.stringify([type, value]))))
    throw new Unstorable("the persons it names cannot be set to what is asked");
  if (!isSameSet(({ sources }) => sources.map(({ surface, key }) => JSON.stringify([surface, key]))))
    throw new Unstorable("its sources cannot be set to what is asked");
  if (!isSameSet(({ content }) => content.map(fieldIdentity)))
    throw new Unstorable("its content reads back otherwise than it was written");
}

function fieldIdentity(field: ContentField): string {
  switch (field.type) {
    case "text":
      return JSON.stringify([field.name, "text", field.text]);
    case "bytes":
      return JSON.stringify([field.name, "bytes", Buffer.from(field.bytes).toString("base64")]);
    case "vector":
      return JSON.stringify([field.name, "vector", [...field.vector]]);
    default:
      return field satisfies never;
  }
}
