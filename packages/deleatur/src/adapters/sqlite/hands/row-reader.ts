// Reads rows as artifacts for scan, read and rewrite. Read-only; rows of one key are one artifact.
import type { Artifact } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { isCaseIgnored } from "./column-collation.ts";
import { preparing, type Db } from "./connect.ts";
import type { FtsFacts } from "./fts-facts.ts";
import { collectWords, openVocab, textFromTerms } from "./index-terms.ts";
import { keyCondition } from "./key-condition.ts";
import type { Layout } from "./layout.ts";
import { artifactMaker, distinctSources, distinctSubjects } from "./row-artifact.ts";
import { storedVectors } from "./stored-vectors.ts";
import { candidatesOf, type SqlValue } from "./values.ts";

/** One row: its artifact and the raw values of the columns that were read, by name. */
export interface Row {
  readonly artifact: Artifact;
  readonly values: ReadonlyMap<string, SqlValue>;
}

export interface RowReader {
  /** The artifacts of all rows in key order; rows of one key follow each other and are not merged. */
  artifacts(): IterableIterator<Artifact>;
  rowsOf(key: ArtifactKey): readonly Row[];
  /** The artifacts of the rows of these keys; rows of one key follow each other and are not merged. */
  artifactsOf(keys: Iterable<ArtifactKey>): IterableIterator<Artifact>;
}

export function createRowReader(db: Db, layout: Layout): RowReader {
  const hasText = layout.content.length > 0;
  if (layout.fts?.mode === "none" && hasText) collectWords(db, layout.fts);
  else if (layout.fts?.hasDocsize === false) openVocab(db, layout.fts);
  const names = columnsToRead(layout);
  const select = `SELECT ${names.map((name) => layout.columnSql(name)).join(", ")} FROM ${layout.from}`;
  // A key column may be declared to ignore case; its texts are told apart all the same, so that equal keys stand together.
  const collate = layout.options.kind === "sqlite" ? " COLLATE BINARY" : "";
  const order = layout.key.map((name) => layout.columnSql(name) + collate).join(", ");
  const prepared = preparing(db);
  const condition = keyCondition(layout);
  const places = new Map(names.map((name, place) => [name, place]));
  const artifactOf = artifactMaker(layout, places, prepared);
  const toArtifact = (raw: SqlValue[]): Artifact => {
    if (layout.fts?.mode === "none" && hasText) putTextTogether(db, layout, layout.fts, raw, places);
    return artifactOf(raw);
  };
  const toRow = (raw: SqlValue[]): Row => {
    const artifact = toArtifact(raw);
    return { artifact, values: new Map(names.map((name, place) => [name, raw[place] ?? null])) };
  };
  const rowsOf = (key: ArtifactKey): readonly Row[] => {
    const found = condition(key);
    if (found === undefined) return [];
    const statement = prepared<SqlValue[], SqlValue[]>(`${select} WHERE ${found.sql}`).raw(true);
    return statement.all(...found.parameters).map(toRow);
  };
  return {
    rowsOf,
    *artifactsOf(keys) {
      const distinct = [...new Set(keys)];
      const numbers = distinct.flatMap((key) => candidatesOf(key).integer ?? []);
      const stored = storedVectors(db, layout, names, numbers);
      if (stored !== undefined) for (const raw of stored) yield toArtifact(raw);
      else for (const key of distinct) for (const { artifact } of rowsOf(key)) yield artifact;
    },
    *artifacts() {
      const caseless = new Set(
        layout.subjects.filter((locator) => isCaseIgnored(db, layout, locator)).map(({ type }) => type),
      );
      const rows =
        storedVectors(db, layout, names) ??
        db.prepare<[], SqlValue[]>(`${select} ORDER BY ${order}`).raw(true).iterate();
      for (const raw of rows) {
        const artifact = toArtifact(raw);
        yield caseless.size === 0
          ? artifact
          : {
              ...artifact,
              caseless: artifact.subjects.flatMap(({ type, value }) =>
                caseless.has(type) ? [{ type, value, folding: "ascii-case" } as const] : [],
              ),
            };
      }
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

/** Artifacts of rows as they are read, those of one key merged; `signal` is asked at each. */
export function* mergedByKey(rows: Iterable<Artifact>, signal: AbortSignal): IterableIterator<Artifact> {
  let group: Artifact[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    if (group[0] === undefined || group[0].key === row.key) {
      group.push(row);
      continue;
    }
    const before = mergeRows(group);
    group = [row];
    if (before !== undefined) yield before;
  }
  const last = mergeRows(group);
  if (last !== undefined) yield last;
}

/** Merges what was read of the rows of one key into one artifact: all subjects and sources, the content of every row. */
function mergeRows(rows: readonly Artifact[]): Artifact | undefined {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return first;
  return {
    ...first,
    subjects: distinctSubjects(rows.flatMap(({ subjects }) => subjects)),
    sources: distinctSources(rows.flatMap(({ sources }) => sources)),
    content: rows.flatMap(({ content }) => content),
    ...(first.caseless === undefined ? {} : { caseless: rows.flatMap(({ caseless = [] }) => caseless) }),
  };
}

/** The columns that locators, key and content name. */
export function columnsToRead(layout: Layout): readonly string[] {
  const names = [...layout.key, ...layout.content];
  if (layout.vector !== undefined) names.push(layout.vector);
  for (const locator of [...layout.subjects, ...layout.sources]) {
    if (locator.how === "via") names.push(locator.join.link);
    else if (locator.how !== "segment") names.push(locator.column);
  }
  return [...new Set(names)];
}
