// Streams what a table really holds, row by row and every column, past the exact and the excerpt matcher. It judges nothing.
import type { Needle, Finding, Passage, Place } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher } from "../../../probe/matcher.ts";
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile } from "../options.ts";
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
import { vectorColumns } from "./vector-chunks.ts";

/** One table to look at; a declared one knows its surface and its key. */
export interface TableSeen {
  readonly target: SqliteFile;
  readonly table: string;
  readonly surface?: SurfaceId;
  readonly key: readonly string[];
  readonly vector?: string | undefined;
  readonly scope: string;
}

export function exactProbe(seen: TableSeen): Probe {
  return contentProbe("exact", seen, createExactMatcher);
}

export function excerptProbe(seen: TableSeen): Probe {
  return contentProbe("excerpt", seen, createExcerptMatcher);
}

function contentProbe(
  name: "exact" | "excerpt",
  seen: TableSeen,
  createMatcher: (needles: readonly Needle[]) => Matcher,
): Probe {
  return {
    name,
    depth: "api",
    scope: `${name}:${seen.scope}`,
    look(needles, signal) {
      const matcher = createMatcher(needles);
      return throughReader(seen.target, async function* (db): AsyncGenerator<Finding> {
        for await (const passage of inTurns(passagesOf(db, seen), signal)) {
          for (const finding of matcher.match(passage)) yield { ...finding, probe: name, depth: "api" };
        }
      });
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

/** Every cell of a table that is not NULL, with its place. Content of any person: never log it. */
function* passagesOf(db: Reader, seen: TableSeen): Generator<Passage> {
  const columns = seeColumns(db, seen.table).map(({ name }) => name);
  const virtual = moduleOf(db, seen.table);
  if (virtual?.module === "fts5" && seeFullText(virtual.body).mode === "none") {
    for (const { doc, column, text } of wordsInOrder(db, seen.table))
      yield { place: placeOf(seen, [doc]), field: { type: "text", name: column, text } };
    return;
  }
  const vectors = new Set(virtual?.module === "vec0" ? vectorColumns(virtual.body).map(({ name }) => name) : []);
  if (seen.vector !== undefined) vectors.add(seen.vector);
  const key = keyColumns(db, seen, virtual?.module);
  for (const cells of readCells(db, seen.table, [...key, ...columns])) {
    const place = placeOf(seen, cells.slice(0, key.length));
    for (const [index, name] of columns.entries()) {
      const field = fieldOfCell(name, cells[key.length + index] ?? null, vectors.has(name));
      if (field !== undefined) yield { place, field };
    }
  }
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
