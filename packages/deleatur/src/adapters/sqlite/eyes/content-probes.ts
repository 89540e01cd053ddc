// Streams what a table really holds, row by row and every column, past the exact and the excerpt matcher. It judges nothing.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ContentField } from "../../../model/artifact.ts";
import type { Needle, Finding, Passage, Place } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher, MatcherFinding } from "../../../probe/matcher.ts";
import { oncePerNeedles } from "../../../probe/once-per-needles.ts";
import { unfoldContent } from "../../../probe/unfold-content.ts";
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
import { inPlace, rowVectors, vectorColumns } from "./vector-chunks.ts";

const PASSAGES_A_TURN = 2_000;

/** One table to look at; a declared one knows its surface and its key. */
export interface TableSeen {
  readonly target: SqliteFile;
  readonly table: string;
  readonly surface?: SurfaceId;
  readonly key: readonly string[];
  readonly vector?: string | undefined;
  readonly scope: string;
}

const excerptMatcher = oncePerNeedles((needles) => createExcerptMatcher(needles));
const exactMatcher = oncePerNeedles((needles) => createExactMatcher(needles, excerptMatcher(needles)));

/** So many findings of the excerpt matcher are kept for its own probe; where there are more, that reads the table itself. */
const MAX_KEPT = 100_000;

interface Kept {
  readonly needles: readonly Needle[];
  readonly findings: readonly Finding[];
}

/** The exact and the excerpt probe of one table. Asked for the same needles one after the other they share one reading of it, by the first. */
export function contentProbes(seen: TableSeen, maxKept: number = MAX_KEPT): readonly Probe[] {
  let kept: Kept | undefined;
  const common = { depth: "api", close: (): Promise<void> => Promise.resolve() } as const; // each look closes its own connection
  return [
    {
      ...common,
      name: "exact",
      scope: `exact:${seen.scope}`,
      look(needles, signal) {
        const [exact, excerpt] = [exactMatcher(needles), excerptMatcher(needles)];
        kept = undefined;
        return throughReader(seen.target, async function* (db): AsyncGenerator<Finding> {
          if (needles.length === 0) return;
          let beside: Finding[] | undefined = [];
          yield* lookThrough(db, seen, "exact", signal, (passage, views) => {
            for (const found of excerpt.match(passage, views)) beside?.push(findingOf("excerpt", found));
            if (beside !== undefined && beside.length > maxKept) beside = undefined;
            return exact.match(passage, views);
          });
          if (beside !== undefined) kept = { needles, findings: beside };
        });
      },
    },
    {
      ...common,
      name: "excerpt",
      scope: `excerpt:${seen.scope}`,
      look(needles, signal) {
        const known = kept?.needles === needles ? kept.findings : undefined;
        kept = undefined;
        if (known !== undefined) return inTurns(known, signal);
        const excerpt = excerptMatcher(needles);
        return throughReader(seen.target, (db) =>
          needles.length === 0
            ? []
            : lookThrough(db, seen, "excerpt", signal, (passage, views) => excerpt.match(passage, views)),
        );
      },
    },
  ];
}

async function* lookThrough(
  db: Reader,
  seen: TableSeen,
  probe: "exact" | "excerpt",
  signal: AbortSignal,
  match: Matcher["match"],
): AsyncGenerator<Finding> {
  let count = 0;
  for (const passage of passagesOf(db, seen, probe)) {
    signal.throwIfAborted();
    for (const found of match(passage, unfoldContent(passage.field))) yield findingOf(probe, found);
    count += 1;
    if (count % PASSAGES_A_TURN === 0) await nextTurn();
  }
}

function findingOf(probe: "exact" | "excerpt", found: MatcherFinding): Finding {
  return { ...found, probe, depth: "api" };
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
function* passagesOf(db: Reader, seen: TableSeen, probe: "exact" | "excerpt"): Generator<Passage> {
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
