// Makes an artifact of one row that was read, by steps that are laid out once for all rows of a surface. Reads the row, and the join tables that its locators name.
import { canonicalKey } from "@deleatur/verify";
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
import { quoteName } from "../options.ts";
import type { preparing } from "./connect.ts";
import { identifiersInJson, sourceKeysInJson } from "./json-places.ts";
import type { Join, Layout, SourceColumn, SubjectColumn } from "./layout.ts";
import { fieldOfValue, textOfValue, type SqlValue } from "./values.ts";

type Prepared = ReturnType<typeof preparing>;
type Texts = readonly (string | undefined)[];
/** Reads what a locator points to out of a row. */
type Reading = (raw: readonly SqlValue[], key: ArtifactKey) => Texts;

/** `places`: where the columns stand in a row, by name. */
export function artifactMaker(
  layout: Layout,
  places: ReadonlyMap<string, number>,
  prepared: Prepared,
): (raw: readonly SqlValue[]) => Artifact {
  const { surface } = layout.options;
  const placeOf = (name: string): number => places.get(name) ?? -1;
  const keyOf = keyMaker(layout.key.map(placeOf));
  const fold = createFolder();
  const joined = createJoinReader(prepared);
  const subjects = layout.subjects.map((locator) => ({
    type: locator.type,
    read: subjectReading(layout, locator, placeOf, joined),
  }));
  const sources = layout.sources.map((locator) => ({
    surface: locator.surface,
    read: sourceReading(layout, locator, placeOf, joined),
  }));
  const fields = layout.content.map((name) => ({ name, place: placeOf(name), isVector: false }));
  if (layout.vector !== undefined) fields.push({ name: layout.vector, place: placeOf(layout.vector), isVector: true });
  return (raw) => {
    const key = keyOf(raw);
    const persons: SubjectIdentifier[] = [];
    for (const { type, read } of subjects)
      for (const text of read(raw, key)) if (text !== undefined && text !== "") persons.push(fold(type, text));
    const origins: ArtifactRef[] = [];
    for (const { surface: source, read } of sources)
      for (const text of read(raw, key))
        if (text !== undefined && text !== "") origins.push({ surface: source, key: artifactKey(text) });
    const content: ContentField[] = [];
    for (const { name, place, isVector } of fields) {
      const field = fieldOfValue(name, raw[place] ?? null, isVector);
      if (field !== undefined) content.push(field);
    }
    return { surface, key, subjects: distinctSubjects(persons), sources: distinctSources(origins), content };
  };
}

function keyMaker(places: readonly number[]): (raw: readonly SqlValue[]) => ArtifactKey {
  const [first = -1] = places;
  if (places.length !== 1)
    return (raw) => artifactKey(canonicalKey(places.map((place) => textOfValue(raw[place] ?? null) ?? "")));
  return (raw) => {
    const text = textOfValue(raw[first] ?? null) ?? "";
    if (text === "") throw emptyKey();
    return artifactKey(text);
  };
}

function emptyKey(): StoreError {
  return new StoreError("KEY_EMPTY", "a row of a declared table has an empty key, mend the row or declare another key");
}

function subjectReading(
  layout: Layout,
  locator: SubjectColumn,
  placeOf: (name: string) => number,
  joined: JoinReader,
): Reading {
  switch (locator.how) {
    case "column":
      return columnReading(placeOf(locator.column));
    case "json": {
      const place = placeOf(locator.column);
      return (raw) => identifiersInJson(raw[place] ?? null, locator.path) ?? refuseUnread(layout);
    }
    case "segment":
      return (_raw, key) => [key.split(locator.sep)[locator.segment]];
    case "via":
      return joinReading(locator.join, placeOf, joined);
    default:
      return locator satisfies never;
  }
}

function sourceReading(
  layout: Layout,
  locator: SourceColumn,
  placeOf: (name: string) => number,
  joined: JoinReader,
): Reading {
  switch (locator.how) {
    case "column":
      return columnReading(placeOf(locator.column));
    case "json": {
      const place = placeOf(locator.column);
      return (raw) => sourceKeysInJson(raw[place] ?? null) ?? refuseSources(layout);
    }
    case "via":
      return joinReading(locator.join, placeOf, joined);
    default:
      return locator satisfies never;
  }
}

function columnReading(place: number): Reading {
  return (raw) => [textOfValue(raw[place] ?? null)];
}

function joinReading(join: Join, placeOf: (name: string) => number, joined: JoinReader): Reading {
  const place = placeOf(join.link);
  return (raw) => joined(join, raw[place] ?? null).map(textOfValue);
}

type JoinReader = (join: Join, link: SqlValue) => readonly SqlValue[];

function createJoinReader(prepared: Prepared): JoinReader {
  return (join, link) => {
    if (link === null) return [];
    const statement = prepared<[SqlValue], [SqlValue]>(
      `SELECT DISTINCT ${quoteName(join.column)} FROM ${quoteName(join.table)} WHERE ${quoteName(join.on)} = ? ORDER BY 1`,
    );
    return statement
      .raw(true)
      .all(link)
      .map(([value]) => value);
  };
}

/** Few persons stand on many rows: each is one object, up to so many. */
const KNOWN_PERSONS = 10_000;

function createFolder(): typeof foldIdentifier {
  const known = new Map<string, SubjectIdentifier>();
  return (type, value) => {
    // An identifier's type has no NUL in it.
    const name = `${type}\0${value}`;
    let person = known.get(name);
    if (person === undefined) {
      person = foldIdentifier(type, value);
      if (known.size < KNOWN_PERSONS) known.set(name, person);
    }
    return person;
  };
}

/** A source that cannot be told would leave its row behind when the source goes. */
function refuseSources({ options: { surface } }: Layout): never {
  throw new StoreError(
    "SOURCES_UNREADABLE",
    `a row of ${surface} lists a source that is no key beside others that are`,
    {
      place: { surface, field: "derivedFrom" },
      cure: "have the column hold a JSON array of keys and nothing else, and rewrite such rows",
    },
  );
}

/** Whom an object names nobody can tell; a row that silently names nobody would be left standing. */
function refuseUnread({ options: { surface } }: Layout): never {
  throw new StoreError(
    "SUBJECT_UNREADABLE",
    `a row of ${surface} names its person by something that is no text or number, or holds no JSON text`,
    {
      place: { surface, field: "subject.json" },
      cure: "point `json` at the value itself, for example payload.user.id, in a column of JSON as text (not JSONB, not a list of objects)",
    },
  );
}

export function distinctSubjects(items: readonly SubjectIdentifier[]): readonly SubjectIdentifier[] {
  // An identifier's type has no NUL in it.
  return distinct(items, ({ type, value }) => `${type}\0${value}`);
}

export function distinctSources(items: readonly ArtifactRef[]): readonly ArtifactRef[] {
  return distinct(items, artifactId);
}

function distinct<Item>(items: readonly Item[], identity: (item: Item) => string): readonly Item[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [identity(item), item])).values()];
}
