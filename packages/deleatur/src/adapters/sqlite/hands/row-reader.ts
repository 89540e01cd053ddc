// Reads rows as artifacts for scan, read and rewrite. Read-only; rows of one key are one artifact.
import { canonicalKey } from "@deleatur/verify";
import type { Artifact, ContentField } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import {
  artifactKey,
  foldIdentifier,
  type ArtifactKey,
  type ArtifactRef,
  type SubjectIdentifier,
} from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import { preparing, type Db } from "./connect.ts";
import type { FtsFacts } from "./fts-facts.ts";
import { identifiersInJson, sourceKeysInJson } from "./json-places.ts";
import { collectWords, openVocab, textFromTerms } from "./index-terms.ts";
import { keyCondition } from "./key-condition.ts";
import type { Join, Layout } from "./layout.ts";
import { fieldOfValue, textOfValue, type SqlValue } from "./values.ts";

/** One row: its artifact and the raw values of the columns that were read, by name. */
export interface Row {
  readonly artifact: Artifact;
  readonly values: ReadonlyMap<string, SqlValue>;
}

export interface RowReader {
  /** The artifacts of all rows in key order; rows of one key follow each other and are not merged. */
  artifacts(): IterableIterator<Artifact>;
  rowsOf(key: ArtifactKey): readonly Row[];
}

export function createRowReader(db: Db, layout: Layout): RowReader {
  const hasText = layout.content.length > 0;
  if (layout.fts?.mode === "none" && hasText) collectWords(db, layout.fts);
  else if (layout.fts?.hasDocsize === false) openVocab(db, layout.fts);
  const names = columnsToRead(layout);
  const select = `SELECT ${names.map((name) => layout.columnSql(name)).join(", ")} FROM ${layout.from}`;
  const order = layout.key.map((name) => layout.columnSql(name)).join(", ");
  const prepared = preparing(db);
  const joined = createJoinReader(prepared);
  const condition = keyCondition(layout);
  const fold = createFolder();
  const places = new Map(names.map((name, place) => [name, place]));
  const toArtifact = (raw: SqlValue[]): Artifact => {
    if (layout.fts?.mode === "none" && hasText) putTextTogether(db, layout, layout.fts, raw, places);
    return artifactOf(layout, (name) => raw[places.get(name) ?? -1] ?? null, joined, fold);
  };
  const toRow = (raw: SqlValue[]): Row => {
    const artifact = toArtifact(raw);
    return { artifact, values: new Map(names.map((name, place) => [name, raw[place] ?? null])) };
  };
  return {
    *artifacts() {
      const statement = db.prepare<[], SqlValue[]>(`${select} ORDER BY ${order}`).raw(true);
      for (const raw of statement.iterate()) yield toArtifact(raw);
    },
    rowsOf(key) {
      const found = condition(key);
      if (found === undefined) return [];
      const statement = prepared<SqlValue[], SqlValue[]>(`${select} WHERE ${found.sql}`).raw(true);
      return statement.all(...found.parameters).map(toRow);
    },
  };
}

/** A contentless index answers no text, but its terms are what it holds of anybody. */
function putTextTogether(
  db: Db,
  layout: Layout,
  fts: FtsFacts,
  raw: SqlValue[],
  places: ReadonlyMap<string, number>,
): void {
  const rowid = raw[places.get(layout.key[0] ?? "") ?? -1];
  if (typeof rowid !== "bigint") return;
  const texts = textFromTerms(db, fts, rowid);
  for (const [at, column] of fts.columns.entries()) {
    const place = places.get(column);
    if (place !== undefined && layout.content.includes(column))
      raw[place] = texts[at] === "" ? null : (texts[at] ?? null);
  }
}

/** Merges what was read of the rows of one key into one artifact: all subjects and sources, the content of every row. */
export function mergeRows(rows: readonly Artifact[]): Artifact | undefined {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return first;
  return {
    ...first,
    subjects: distinct(
      rows.flatMap(({ subjects }) => subjects),
      ({ type, value }) => canonicalKey([type, value]),
    ),
    sources: distinct(
      rows.flatMap(({ sources }) => sources),
      ({ surface, key }) => canonicalKey([surface, key]),
    ),
    content: rows.flatMap(({ content }) => content),
  };
}

function columnsToRead(layout: Layout): readonly string[] {
  const names = [...layout.key, ...layout.content];
  if (layout.vector !== undefined) names.push(layout.vector);
  for (const locator of [...layout.subjects, ...layout.sources]) {
    if (locator.how === "via") names.push(locator.join.link);
    else if (locator.how !== "segment") names.push(locator.column);
  }
  return [...new Set(names)];
}

type JoinReader = (join: Join, link: SqlValue) => readonly SqlValue[];

function createJoinReader(prepared: ReturnType<typeof preparing>): JoinReader {
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

function artifactOf(
  layout: Layout,
  valueOf: (name: string) => SqlValue,
  joined: JoinReader,
  fold: typeof foldIdentifier,
): Artifact {
  const key = keyOf(layout.key.map(valueOf));
  return {
    surface: layout.options.surface,
    key,
    subjects: distinct(subjectsOf(layout, key, valueOf, joined, fold), ({ type, value }) =>
      canonicalKey([type, value]),
    ),
    sources: distinct(sourcesOf(layout, valueOf, joined), ({ surface, key }) => canonicalKey([surface, key])),
    content: contentOf(layout, valueOf),
  };
}

function keyOf(values: readonly SqlValue[]): ArtifactKey {
  const texts = values.map((value) => textOfValue(value) ?? "");
  if (texts.length === 1 && texts[0] === "") {
    throw new StoreError(
      "KEY_EMPTY",
      "a row of a declared table has an empty key, mend the row or declare another key",
    );
  }
  return artifactKey(texts.length === 1 ? (texts[0] ?? "") : canonicalKey(texts));
}

function subjectsOf(
  layout: Layout,
  key: ArtifactKey,
  valueOf: (name: string) => SqlValue,
  joined: JoinReader,
  fold: typeof foldIdentifier,
): readonly SubjectIdentifier[] {
  return layout.subjects.flatMap((locator) => {
    const texts = ((): readonly (string | undefined)[] => {
      switch (locator.how) {
        case "column":
          return [textOfValue(valueOf(locator.column))];
        case "json":
          return identifiersInJson(valueOf(locator.column), locator.path) ?? refuseUnread(layout);
        case "segment":
          return [key.split(locator.sep)[locator.segment]];
        case "via":
          return joined(locator.join, valueOf(locator.join.link)).map(textOfValue);
        default:
          return locator satisfies never;
      }
    })();
    return texts.flatMap((text) => (text === undefined || text === "" ? [] : [fold(locator.type, text)]));
  });
}

/** Whom an object names nobody can tell; a row that silently names nobody would be left standing. */
function refuseUnread({ options: { surface } }: Layout): never {
  throw new StoreError(
    "SUBJECT_UNREADABLE",
    `a row of ${surface} names its person by something that is no text or number`,
    {
      place: { surface, field: "subject.json" },
      cure: "point `json` at the value itself, for example payload.user.id",
    },
  );
}

function sourcesOf(layout: Layout, valueOf: (name: string) => SqlValue, joined: JoinReader): readonly ArtifactRef[] {
  return layout.sources.flatMap((locator) => {
    const keys = ((): readonly (string | undefined)[] => {
      switch (locator.how) {
        case "column":
          return [textOfValue(valueOf(locator.column))];
        case "json":
          return sourceKeysInJson(valueOf(locator.column));
        case "via":
          return joined(locator.join, valueOf(locator.join.link)).map(textOfValue);
        default:
          return locator satisfies never;
      }
    })();
    return keys.flatMap((key) =>
      key === undefined || key === "" ? [] : [{ surface: locator.surface, key: artifactKey(key) }],
    );
  });
}

function contentOf(layout: Layout, valueOf: (name: string) => SqlValue): readonly ContentField[] {
  const fields = layout.content.map((name) => fieldOfValue(name, valueOf(name), false));
  if (layout.vector !== undefined) fields.push(fieldOfValue(layout.vector, valueOf(layout.vector), true));
  return fields.filter((field) => field !== undefined);
}

function distinct<Item>(items: readonly Item[], identity: (item: Item) => string): readonly Item[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [identity(item), item])).values()];
}
