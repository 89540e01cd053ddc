// Streams what a table really holds, row by row and every column, past the exact and the excerpt matcher. It judges nothing.
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Finding, Needle, Passage, Place } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher } from "../../../probe/matcher.ts";
import { oncePerNeedles } from "../../../probe/once-per-needles.ts";
import type { Probe } from "../../../surface.ts";
import { spellTable, type PostgresTarget, type TableName } from "../options.ts";
import { textOfLexemes } from "./lexemes.ts";
import { throughReader, type Reader } from "./open-reader.ts";
import { fieldOfCell, keyOfCells, readCells, seeColumns } from "./see-columns.ts";

/** One table to look at; a declared one knows its surface and its key. */
export interface TableSeen {
  readonly target: PostgresTarget;
  readonly table: TableName;
  readonly surface?: SurfaceId;
  readonly key: readonly string[];
  readonly vector?: string | undefined;
  readonly scope: string;
}

const excerptMatcher = oncePerNeedles((needles) => createExcerptMatcher(needles));
const exactMatcher = oncePerNeedles((needles) => createExactMatcher(needles, excerptMatcher(needles)));

export function exactProbe(seen: TableSeen): Probe {
  return contentProbe("exact", seen, exactMatcher);
}

export function excerptProbe(seen: TableSeen): Probe {
  return contentProbe("excerpt", seen, excerptMatcher);
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
      return throughReader(
        seen.target,
        async function* (reader): AsyncGenerator<Finding> {
          for await (const passage of passagesOf(reader, seen, name, signal)) {
            if (needles.length === 0) return;
            for (const finding of matcher.match(passage)) yield { ...finding, probe: name, depth: "api" };
          }
        },
        signal,
      );
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

/** Every cell of a table that is not NULL, with its place. Content of any person: never log it. */
async function* passagesOf(
  reader: Reader,
  seen: TableSeen,
  probe: "exact" | "excerpt",
  signal: AbortSignal,
): AsyncGenerator<Passage> {
  const columns = await seeColumns(reader, seen.table);
  const key = seen.key.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  for await (const cells of readCells(reader, seen.table, [...key, ...columns], signal)) {
    const place = placeOf(seen, keyOfCells(key, cells));
    for (const [index, column] of columns.entries()) {
      const field = fieldOfCell(column, cells[key.length + index] ?? null, column.name === seen.vector);
      // There are no words in a vector.
      if (field !== undefined && (probe === "exact" || field.type !== "vector")) yield { place, field };
      if (field?.type === "text" && column.base === "tsvector")
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
