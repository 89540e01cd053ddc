// Streams what a table really holds, row by row and every column, to the exact and the excerpt probe. It judges nothing.
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Passage, Place } from "../../../model/needle.ts";
import { type ContentProbeName, contentProbes } from "../../../probe/content-probes.ts";
import type { Probe } from "../../../surface.ts";
import { spellTable, type PostgresTarget, type TableName } from "../options.ts";
import { textOfLexemes } from "./lexemes.ts";
import { throughReader, type Cells, type Reader } from "./open-reader.ts";
import { serverTexts } from "./server-texts.ts";
import { fieldOfCell, keyOfCells, readCells, seeColumns, type ColumnSeen } from "./see-columns.ts";

/** One table to look at; a declared one knows its surface and its key. */
export interface TableSeen {
  readonly target: PostgresTarget;
  readonly table: TableName;
  readonly surface?: SurfaceId;
  readonly key: readonly string[];
  readonly vector?: string | undefined;
  readonly scope: string;
  /** Whether what the server says beside its tables is looked at as well: one surface of a store is enough. */
  readonly withServerTexts: boolean;
}

/** The exact and the excerpt probe of one table. */
export function tableProbes(seen: TableSeen): readonly Probe[] {
  return contentProbes(seen.scope, (probe, signal) =>
    throughReader(seen.target, (reader) => passagesOf(reader, seen, probe, signal), signal),
  );
}

/** Every cell of a table that is not NULL, with its place, and what the server says beside. Content of any person: never log it. */
async function* passagesOf(
  reader: Reader,
  seen: TableSeen,
  probe: ContentProbeName,
  signal: AbortSignal,
): AsyncGenerator<Iterable<Passage>> {
  const all = await seeColumns(reader, seen.table);
  const key = seen.key.flatMap((name) => all.find((column) => column.name === name) ?? []);
  // There are no words in a vector.
  const columns = probe === "exact" ? all : all.filter(({ send }) => send === "");
  for await (const rows of readCells(reader, seen.table, [...key, ...columns], signal))
    yield { [Symbol.iterator]: () => passagesIn(rows, seen, key, columns) };
  if (seen.withServerTexts) yield* serverTexts(reader, signal);
}

function* passagesIn(
  rows: readonly Cells[],
  seen: TableSeen,
  key: readonly ColumnSeen[],
  columns: readonly ColumnSeen[],
): Generator<Passage> {
  for (const cells of rows) {
    const place = placeOf(seen, keyOfCells(key, cells));
    for (const [index, column] of columns.entries()) {
      const field = fieldOfCell(column, cells[key.length + index] ?? null, column.name === seen.vector);
      if (field === undefined) continue;
      yield { place, field };
      if (field.type === "text" && column.base === "tsvector")
        yield { place, field: { ...field, text: textOfLexemes(field.text) } };
    }
  }
}

function placeOf(seen: TableSeen, key: string | undefined): Place {
  return {
    container: `${seen.target.store}.${spellTable(seen.table)}`,
    ...(seen.surface === undefined ? {} : { surface: seen.surface }),
    ...(key === undefined || key === "" || seen.key.length === 0 ? {} : { key: artifactKey(key) }),
  };
}
