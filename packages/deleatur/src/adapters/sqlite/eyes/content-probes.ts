// Streams what a table really holds, row by row and every column, to the exact and the excerpt probe. It judges nothing.
import type { ContentField } from "../../../model/artifact.ts";
import type { Passage, Place } from "../../../model/needle.ts";
import { type ContentProbeName, contentProbes, type ReadPassages } from "../../../probe/content-probes.ts";
import { StoreError } from "../../../model/errors.ts";
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile } from "../options.ts";
import { throughReader, type Cell, type Reader } from "./open-reader.ts";
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
import { inPlace, rowVectors, vectorColumns } from "./vector-chunks.ts";

/** One table to look at; a declared one knows its surface and its key. */
export interface TableSeen {
  readonly target: SqliteFile;
  readonly table: string;
  readonly surface?: SurfaceId;
  readonly key: readonly string[];
  readonly vector?: string | undefined;
  readonly scope: string;
}

/** The exact and the excerpt probe of one table. */
export function tableProbes(seen: TableSeen, maxKept?: number): readonly Probe[] {
  const read: ReadPassages = (probe) =>
    throughReader(seen.target, (db) => {
      requireSeen(db, seen);
      return [{ [Symbol.iterator]: () => passagesOf(db, seen, probe) }];
    });
  return contentProbes(seen.scope, read, maxKept);
}

/** A passage that says where it stands only when it is asked: few are. */
class SeenPassage implements Passage {
  readonly field: ContentField;
  readonly #seen: TableSeen;
  readonly #key: readonly Cell[];

  constructor(field: ContentField, seen: TableSeen, key: readonly Cell[]) {
    this.field = field;
    this.#seen = seen;
    this.#key = key;
  }

  get place(): Place {
    return placeOf(this.#seen, this.#key);
  }
}

/** Every cell of a table that is not NULL, with its place; a vector holds until the next passage. Content of any person: never log it. */
function* passagesOf(db: Reader, seen: TableSeen, probe: ContentProbeName): Generator<Passage> {
  const columns = seeColumns(db, seen.table).map(({ name }) => name);
  const virtual = moduleOf(db, seen.table);
  if (virtual?.module === "fts5" && seeFullText(virtual.body).mode === "none") {
    for (const { doc, column, text } of wordsInOrder(db, seen.table))
      yield new SeenPassage({ type: "text", name: column, text }, seen, [doc]);
    return;
  }
  const key = keyColumns(db, seen, virtual?.module);
  const columnsOfVectors = virtual?.module === "vec0" ? vectorColumns(virtual.body) : [];
  const vectors = new Set(columnsOfVectors.map(({ name }) => name));
  if (seen.vector !== undefined) vectors.add(seen.vector);
  const apart = new Set<string>();
  for (const column of columnsOfVectors) {
    // There are no words in a vector; else it is read as the table's own answer does it, a chunk at a time.
    const rows =
      probe === "excerpt" ? [] : isOwnKey(db, seen.table, key) ? rowVectors(db, seen.table, column) : undefined;
    if (rows === undefined) continue;
    apart.add(column.name);
    for (const { key: own, vector } of inPlace(rows, column.dimensions))
      yield new SeenPassage({ type: "vector", name: column.name, vector }, seen, [own]);
  }
  const rest = columns.filter((name) => !apart.has(name));
  for (const cells of readCells(db, seen.table, [...key, ...rest])) {
    for (const [index, name] of rest.entries()) {
      const field = fieldOfCell(name, cells[key.length + index] ?? null, vectors.has(name));
      if (field !== undefined) yield new SeenPassage(field, seen, cells.slice(0, key.length));
    }
  }
}

/**
 * Indexes of which nobody can tell what text they hold: FTS5 without text and without the places of its terms, and FTS3 and FTS4, which keep terms of rows
 * that are gone and show them to no query.
 */
function isUnseen({ module, body }: { readonly module: string; readonly body: string }): boolean {
  if (module !== "fts5") return module === "fts3" || module === "fts4";
  const { mode, hasPlaces } = seeFullText(body);
  return mode === "none" && !hasPlaces;
}

/** @throws StoreError INDEX_NOT_SEEN */
function requireSeen(db: Reader, { target: { store }, table }: TableSeen): void {
  const virtual = moduleOf(db, table);
  if (virtual === undefined || !isUnseen(virtual)) return;
  const cure = "make it an FTS5 index with detail=full, or drop it";
  throw new StoreError(
    "INDEX_NOT_SEEN",
    `table ${table} of store ${store} is an index whose text cannot be told from its terms, ${cure}`,
    { place: { store }, cure },
  );
}

/** True where a row is told by the key of the vec0 table itself, or by nothing. */
function isOwnKey(db: Reader, table: string, key: readonly string[]): boolean {
  const [only] = key;
  if (only === undefined) return true;
  return key.length === 1 && seeColumns(db, table).some(({ name, keyPlace }) => keyPlace === 1 && name === only);
}

function keyColumns(db: Reader, seen: TableSeen, module: string | undefined): readonly string[] {
  const [only] = seen.key;
  if (module !== "vec0" || only === undefined || !isRowNumber(only)) return seen.key;
  const own = seeColumns(db, seen.table).find(({ keyPlace }) => keyPlace === 1)?.name;
  return own === undefined ? seen.key : [own];
}

function placeOf(seen: TableSeen, cells: readonly Cell[]): Place {
  const container = `${seen.target.store}.${seen.table}`;
  const key = spellKey(cells);
  return {
    container,
    ...(seen.surface === undefined ? {} : { surface: seen.surface }),
    ...(key === undefined || key === "" || seen.key.length === 0 ? {} : { key: artifactKey(key) }),
  };
}
