// Looks whether a row still stands under an erased key: reads every key of the table through a fresh connection and compares the spelled keys.
import type { ContentField } from "../../../model/artifact.ts";
import { artifactKey } from "../../../model/ids.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile, SqliteOptions } from "../options.ts";
import { quoteName, quoteText } from "../options.ts";
import { inTurns, throughReader, type Cell, type Reader } from "./open-reader.ts";
import {
  fieldOfCell,
  isRowNumber,
  moduleOf,
  readCells,
  seeColumns,
  seeFullText,
  spellKey,
  wordsInOrder,
} from "./read-cells.ts";

export function keyProbe(options: SqliteOptions, target: SqliteFile, scope: string): Probe {
  return {
    name: "key",
    depth: "api",
    scope: `key:${scope}`,
    look: (needles, signal) => throughReader(target, (db) => lookForKeys(db, options, target, needles, signal)),
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

async function* lookForKeys(
  db: Reader,
  options: SqliteOptions,
  target: SqliteFile,
  needles: readonly Needle[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const wanted = new Map<string, Needle[]>();
  for (const needle of needles) {
    // The key of a rewritten artifact may stay.
    if (needle.ref.surface !== options.surface || needle.fate === "rewritten") continue;
    const known = wanted.get(needle.ref.key);
    if (known === undefined) wanted.set(needle.ref.key, [needle]);
    else known.push(needle);
  }
  if (wanted.size === 0) return;
  const names = contentNames(db, options);
  const vector = options.declaration.vector;
  if (vector !== undefined) names.push(vector);
  for await (const { key, cells } of inTurns(
    keyedRows(db, options, names, (known) => wanted.has(known)),
    signal,
  )) {
    for (const needle of key === undefined ? [] : (wanted.get(key) ?? [])) {
      const fields = cells().flatMap(
        (cell, place) => fieldOfCell(names[place] ?? "", cell, names[place] === vector) ?? [],
      );
      if (isSomeoneElses(options, needle, fields)) continue;
      yield {
        probe: "key",
        depth: "api",
        needle: needle.index,
        place: {
          container: `${target.store}.${options.table}`,
          surface: options.surface,
          key: artifactKey(needle.ref.key),
        },
        match: { how: "key" },
      };
    }
  }
}

/** The declared content; of an index that declares none, all its columns but those that name keys, persons and sources. */
function contentNames(db: Reader, options: SqliteOptions): string[] {
  const { content, key, subject, derivedFrom } = options.declaration;
  if (content.length > 0 || options.kind !== "sqlite-fts") return content.map(({ column }) => column);
  const named = new Set<string>(key);
  for (const locator of [...subject, ...derivedFrom]) if ("column" in locator) named.add(locator.column);
  return seeColumns(db, options.table).flatMap(({ name }) => (named.has(name) ? [] : [name]));
}

/** C22: where the store gives keys again, another content under the same key is another person's lawful row. */
function isSomeoneElses(options: SqliteOptions, needle: Needle, fields: readonly ContentField[]): boolean {
  if (options.declaration.keys !== "reusable" || needle.fate === "control" || needle.content.length === 0) return false;
  // An index row whose base row is gone has no text to be known by: it is nobody else's.
  if (options.kind === "sqlite-fts" && fields.length === 0) return false;
  return identity(fields) !== identity(needle.content);
}

function identity(fields: readonly ContentField[]): string {
  return JSON.stringify(
    fields
      .map((field) => {
        switch (field.type) {
          case "text":
            return `${field.name}:t:${field.text}`;
          case "bytes":
            return `${field.name}:b:${Buffer.from(field.bytes).toString("base64")}`;
          case "vector":
            return `${field.name}:v:${[...field.vector].join(",")}`;
          default:
            return field satisfies never;
        }
      })
      .toSorted(),
  );
}

interface KeyedRow {
  readonly key: string | undefined;
  /** Read only where the key is one that is looked for. */
  readonly cells: () => readonly Cell[];
}

/** So many rows under wanted keys are read one by one; of more, the whole table is read at once. */
const MAX_SINGLE = 100;

function* keyedRows(
  db: Reader,
  options: SqliteOptions,
  names: readonly string[],
  isWanted: (key: string) => boolean,
): Generator<KeyedRow> {
  const virtual = moduleOf(db, options.table);
  const index = virtual?.module === "fts5" ? seeFullText(virtual.body) : undefined;
  if (index === undefined || index.mode === "own") {
    const { key } = options.declaration;
    const own = vecKey(db, options);
    yield* ownRows(db, options.table, own === undefined ? key : [own], names, isWanted);
    return;
  }
  // An index without content of its own lists its rows in docsize, whether or not their base rows are still there.
  const ids = index.hasDocsize ? docsizeIds(db, options.table) : vocabularyIds(db, options.table);
  if (index.mode === "none") {
    for (const id of ids) yield { key: String(id), cells: () => textOfTerms(db, options.table, id, names) };
    return;
  }
  const current = db.prepare<[bigint], Cell[]>(
    `SELECT ${["rowid", ...names.map(quoteName)].join(", ")} FROM ${quoteName(options.table)} WHERE rowid = ?`,
  );
  current.raw(true);
  for (const id of ids) yield { key: String(id), cells: () => current.get(id)?.slice(1) ?? [] };
}

/** Every key is read, content only where the key is wanted: few are, of what was erased none. */
function* ownRows(
  db: Reader,
  table: string,
  key: readonly string[],
  names: readonly string[],
  isWanted: (key: string) => boolean,
): Generator<KeyedRow> {
  const met = new Map<string, readonly Cell[]>();
  for (const cells of readCells(db, table, key)) {
    const spelled = spellKey(cells);
    if (spelled !== undefined && isWanted(spelled)) met.set(spelled, cells);
    if (met.size > MAX_SINGLE) break;
  }
  if (met.size > MAX_SINGLE) {
    for (const cells of readCells(db, table, [...key, ...names]))
      yield { key: spellKey(cells.slice(0, key.length)), cells: () => cells.slice(key.length) };
    return;
  }
  const columns = [...key, ...names].map((name) => (isRowNumber(name) ? "rowid" : quoteName(name)));
  const condition = columns.slice(0, key.length).map((column) => `${column} = ?`);
  const rows = db
    .prepare<Cell[], Cell[]>(`SELECT ${columns.join(", ")} FROM ${quoteName(table)} WHERE ${condition.join(" AND ")}`)
    .raw(true);
  for (const [spelled, own] of met)
    for (const cells of rows.all(...own))
      // A column that compares without case answers its like as well.
      if (spellKey(cells.slice(0, key.length)) === spelled)
        yield { key: spelled, cells: () => cells.slice(key.length) };
}

/** sqlite-vec names its row number as the table declares it. */
function vecKey(db: Reader, options: SqliteOptions): string | undefined {
  const [only] = options.declaration.key;
  if (options.kind !== "sqlite-vec" || options.declaration.key.length !== 1 || only === undefined || !isRowNumber(only))
    return undefined;
  return seeColumns(db, options.table).find(({ keyPlace }) => keyPlace === 1)?.name;
}

function textOfTerms(db: Reader, table: string, id: bigint, names: readonly string[]): readonly Cell[] {
  const texts = new Map([...wordsInOrder(db, table, id)].map(({ column, text }) => [column, text]));
  return names.map((name) => texts.get(name) ?? null);
}

function docsizeIds(db: Reader, table: string): readonly bigint[] {
  return db
    .prepare<[], { id: bigint }>(`SELECT id FROM ${quoteName(`${table}_docsize`)}`)
    .all()
    .map(({ id }) => id);
}

function vocabularyIds(db: Reader, table: string): readonly bigint[] {
  db.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.deleatur_seen_docs USING fts5vocab(main, ${quoteText(table)}, 'instance')`,
  );
  return db
    .prepare<[], { doc: bigint }>("SELECT DISTINCT doc FROM temp.deleatur_seen_docs")
    .all()
    .map(({ doc }) => doc);
}
