// Writes the query that reads a table's rows as artifacts, and turns each answered row into one. It runs nothing.
import type { Artifact, ContentField } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import {
  artifactId,
  artifactKey,
  foldIdentifier,
  type ArtifactKey,
  type ArtifactRef,
  type SubjectIdentifier,
} from "../../../model/ids.ts";
import type { ScanPart } from "../../../surface.ts";
import { quoteName, quoteTable, quoteText } from "../options.ts";
import { fieldOfSent, fieldOfText, spellKey, spellValue } from "../values.ts";
import type { TextRow } from "./connect.ts";
import { identifiersIn, parseExact, parseTexts, sourceKeysIn, valueAt, type Member } from "./json-members.ts";
import { caselessAmong, type Foldings } from "./spellings.ts";
import { isJson, ownColumn, type Join, type Layout, type SourceColumn, type SubjectColumn } from "./layout.ts";

export interface RowQuery {
  /** Expressions over the table, which is called `t`. */
  readonly select: string;
  readonly from: string;
  /** Key order; texts byte by byte. */
  readonly order: string;
  readonly toArtifact: (row: TextRow) => Artifact;
}

/** @param foldings what a scan tells of the persons that other spellings name as well */
export function rowQuery(layout: Layout, part: ScanPart, foldings: Foldings = new Map()): RowQuery {
  const content = part === "all" ? layout.content : [];
  const subjects = layout.subjects.map((locator) => subjectSql(layout, locator));
  const sources = layout.sources.map((locator) => sourceSql(locator));
  const expressions = [
    ...layout.key.map((name) => `${ownColumn(name)}::text`),
    ...subjects,
    ...sources,
    ...content.map(({ name, send }) => `${send === "" ? ownColumn(name) : `${send}(${ownColumn(name)})`}::text`),
  ];
  const subjectsAt = layout.key.length;
  const sourcesAt = subjectsAt + subjects.length;
  const contentAt = sourcesAt + sources.length;
  const fold = createFolder();
  const caseless = caselessAmong(foldings);
  return {
    select: expressions.join(", "),
    from: `${quoteTable(layout.options.table)} AS t`,
    order: layout.key.map((name) => orderBy(layout, name)).join(", "),
    toArtifact(row) {
      const key = keyOf(layout, row);
      const named = gather(layout.subjects, (locator, place) =>
        subjectTexts(layout, locator, key, row[subjectsAt + place] ?? null).map((text) => fold(locator.type, text)),
      );
      const from = gather(layout.sources, (locator, place) =>
        sourceTexts(locator, row[sourcesAt + place] ?? null).map((text): ArtifactRef => ({
          surface: locator.surface,
          key: artifactKey(text),
        })),
      );
      const fields: ContentField[] = [];
      let place = contentAt;
      for (const { name, shape, send } of content) {
        const text = row[place] ?? null;
        place += 1;
        const field = send === "" ? fieldOfText(name, text, shape) : fieldOfSent(name, text);
        if (field !== undefined) fields.push(field);
      }
      const subjects = distinct(named, personName);
      return {
        surface: layout.options.surface,
        key,
        subjects,
        ...(foldings.size === 0 ? {} : { caseless: caseless(subjects) }),
        sources: distinct(from, artifactId),
        content: fields,
      };
    },
  };
}

/** What every locator says of a row; mostly there is one. */
function gather<Locator, Item>(
  locators: readonly Locator[],
  read: (locator: Locator, place: number) => readonly Item[],
): readonly Item[] {
  const [only] = locators;
  return locators.length === 1 && only !== undefined ? read(only, 0) : locators.flatMap(read);
}

/** Rows of one key are one artifact: all subjects and sources, the content of every row. */
export function mergeRows(rows: readonly Artifact[]): Artifact | undefined {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return first;
  return {
    ...first,
    subjects: distinct(
      rows.flatMap(({ subjects }) => subjects),
      personName,
    ),
    sources: distinct(
      rows.flatMap(({ sources }) => sources),
      artifactId,
    ),
    content: rows.flatMap(({ content }): readonly ContentField[] => content),
    ...(first.caseless === undefined
      ? {}
      : {
          caseless: distinct(
            rows.flatMap(({ caseless }) => caseless ?? []),
            personName,
          ),
        }),
  };
}

function orderBy(layout: Layout, name: string): string {
  const column = layout.columns.get(name);
  const isText = column !== undefined && ["text", "varchar", "bpchar", "name", "citext"].includes(column.base);
  return isText && !column.isByteOrdered ? `${ownColumn(name)}::text COLLATE "C"` : ownColumn(name);
}

function keyOf(layout: Layout, row: TextRow): ArtifactKey {
  const parts = layout.key.map((name, place) => {
    const text = row[place] ?? null;
    return text === null ? "" : spellValue(text, layout.columns.get(name)?.base ?? "");
  });
  if (parts.includes("") && (parts.length === 1 || row.slice(0, parts.length).includes(null))) {
    throw new StoreError(
      "KEY_EMPTY",
      "a row of a declared table has an empty key, mend the row or declare another key",
      { place: { surface: layout.options.surface } },
    );
  }
  return artifactKey(spellKey(parts));
}

function subjectSql(layout: Layout, locator: SubjectColumn): string {
  switch (locator.how) {
    case "column":
      return `${ownColumn(locator.column)}::text`;
    case "array":
      return arraySql(locator.column);
    case "json":
      return jsonSql(layout, locator.column, locator.path);
    case "segment":
      return "NULL::text";
    case "via":
      return joinSql(locator.join);
    default:
      return locator satisfies never;
  }
}

function sourceSql(locator: SourceColumn): string {
  switch (locator.how) {
    case "column":
    case "json":
      return `${ownColumn(locator.column)}::text`;
    case "array":
      return arraySql(locator.column);
    case "via":
      return joinSql(locator.join);
    default:
      return locator satisfies never;
  }
}

function arraySql(column: string): string {
  return `pg_catalog.to_json(${ownColumn(column)}::text[])::text`;
}

/** Of a JSON column only what stands at the path is sent, and an empty object where something on the way has no such members, or has one twice; of text all of it. */
function jsonSql(layout: Layout, name: string, path: readonly string[]): string {
  const column = layout.columns.get(name);
  if (column === undefined || !isJson(column)) return `${ownColumn(name)}::text`;
  const at = (length: number): string =>
    length === 0
      ? ownColumn(name)
      : `(${ownColumn(name)} #> ARRAY[${path.slice(0, length).map(quoteText).join(", ")}]::text[])`;
  const ends = path.map((step, place) => {
    const items = /^\d+$/.test(step) ? "false" : `pg_catalog.${column.base}_array_length(${at(place)}) > 0`;
    return `CASE pg_catalog.${column.base}_typeof(${at(place)}) WHEN 'array' THEN ${items} WHEN 'object' THEN false WHEN 'null' THEN false ELSE ${at(place)} IS NOT NULL END`;
  });
  // Of a member that occurs twice `#>` answers the last. JSONB has none.
  const twice = (column.base === "json" ? path : []).map(
    (step, place) =>
      `CASE pg_catalog.json_typeof(${at(place)}) WHEN 'object' THEN (SELECT pg_catalog.count(*) FROM pg_catalog.json_object_keys(${at(place)}) AS k WHERE k = ${quoteText(step)}) > 1 ELSE false END`,
  );
  const once = twice.length === 0 ? "" : `WHEN ${twice.join(" OR ")} THEN '{}' `;
  return `CASE ${once}WHEN ${at(path.length)} IS NOT NULL THEN ${at(path.length)}::text WHEN ${ends.join(" OR ")} THEN '{}' END`;
}

function joinSql({ table, on, column, link }: Join): string {
  const name = `j.${quoteName(column)}`;
  return `(SELECT pg_catalog.json_agg(DISTINCT ${name}::text ORDER BY ${name}::text)::text FROM ${quoteTable(table)} AS j
    WHERE j.${quoteName(on)} = ${ownColumn(link)} AND ${name} IS NOT NULL)`;
}

function subjectTexts(layout: Layout, locator: SubjectColumn, key: string, text: string | null): readonly string[] {
  switch (locator.how) {
    case "column":
      return text === null || text === "" ? [] : [spellValue(text, layout.columns.get(locator.column)?.base ?? "")];
    case "segment":
      return [key.split(locator.sep)[locator.segment]].filter((part) => part !== undefined && part !== "") as string[];
    case "array":
    case "via":
      return textsOf(identifiersIn(parseTexts(text)));
    case "json": {
      const members = subjectMembers(layout, locator, text);
      if (members.some((member) => member.text === undefined)) throw unreadSubject(layout);
      return textsOf(members);
    }
    default:
      return locator satisfies never;
  }
}

/** The members at a JSON place, from what the query answered for it. */
function subjectMembers(
  layout: Layout,
  { column, path }: { readonly column: string; readonly path: readonly string[] },
  text: string | null,
): readonly Member[] {
  const found = layout.columns.get(column);
  return identifiersIn(found !== undefined && isJson(found) ? parseExact(text) : valueAt(text, path));
}

function sourceTexts(locator: SourceColumn, text: string | null): readonly string[] {
  if (locator.how === "column") return text === null || text === "" ? [] : [text];
  return textsOf(sourceKeysIn(locator.how === "json" ? parseExact(text) : parseTexts(text)));
}

function textsOf(members: readonly Member[]): readonly string[] {
  return members.flatMap(({ text }) => (text === undefined || text === "" ? [] : [text]));
}

/** Whom an object names nobody can tell; a row that silently names nobody would be left standing. */
function unreadSubject({ options: { surface } }: Layout): StoreError {
  return new StoreError(
    "SUBJECT_UNREADABLE",
    `a row of ${surface} names its person by something that is no text or number, or not where the path leads`,
    {
      place: { surface, field: "subject.json" },
      cure: "point `json` at the value itself, for example payload.user.id, in a column of JSON (not a list of objects, not JSON in a text)",
    },
  );
}

/** Few persons stand on many rows: each is one object, up to so many. */
const KNOWN_PERSONS = 10_000;

function createFolder(): typeof foldIdentifier {
  const known = new Map<string, SubjectIdentifier>();
  return (type, value) => {
    const name = personName({ type, value });
    let person = known.get(name);
    if (person === undefined) {
      person = foldIdentifier(type, value);
      if (known.size < KNOWN_PERSONS) known.set(name, person);
    }
    return person;
  };
}

/** An identifier's type has no NUL in it. */
function personName({ type, value }: SubjectIdentifier): string {
  return `${type}\0${value}`;
}

function distinct<Item>(items: readonly Item[], identity: (item: Item) => string): readonly Item[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [identity(item), item])).values()];
}
