// Looks for orphan and near-identical vectors with the erased ones as anchors: in the chunks of a vec0 table, or in a BLOB column; all anchors in one pass.
import { artifactKey } from "../../../model/ids.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createNearVectors, type NearVectors } from "../../../probe/near-vectors.ts";
import type { Probe } from "../../../surface.ts";
import { quoteName, type SqliteFile, type SqliteOptions } from "../options.ts";
import { inTurns, throughReader, type Cell, type Reader } from "./open-reader.ts";
import { floatsOf, isRowNumber, moduleOf, readCells, seeColumns, spellKey } from "./read-cells.ts";
import { chunkedVectors, inPlace, vectorColumns } from "./vector-chunks.ts";

/** Neighbours that are asked for where a table has no chunks that we can read; sqlite-vec orders them by its own metric, the judging is done on the vectors read back. */
const NEIGHBOURS = 20;

export function neighbourProbe(options: SqliteOptions, target: SqliteFile, scope: string): Probe {
  return {
    name: "neighbour",
    depth: "index",
    scope: `neighbour:${scope}`,
    look(needles, signal) {
      const anchors = anchorsOf(needles);
      const near = createNearVectors(anchors.map(({ vector }) => vector));
      return throughReader(target, async function* (db): AsyncGenerator<Finding> {
        if (anchors.length === 0) return;
        for await (const { key, vector } of inTurns(storedVectors(db, options, anchors), signal)) {
          for (const { needle, distance, identical } of copiesOf(near, anchors, vector)) {
            yield {
              probe: "neighbour",
              depth: "index",
              needle,
              place: {
                container: `${target.store}.${options.table}`,
                surface: options.surface,
                ...(key === undefined || key === "" ? {} : { key: artifactKey(key) }),
              },
              match: { how: "vector", distance, identical },
            };
          }
        }
      });
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

interface Anchor {
  readonly needle: number;
  readonly vector: Float32Array;
}

function anchorsOf(needles: readonly Needle[]): readonly Anchor[] {
  return needles.flatMap((needle) =>
    needle.content.flatMap((field) =>
      field.type !== "vector" || needle.explained?.explainsVector(field.vector) === true
        ? []
        : [{ needle: needle.index, vector: field.vector }],
    ),
  );
}

interface Copy {
  readonly needle: number;
  readonly distance: number;
  readonly identical: boolean;
}

const NONE: readonly Copy[] = [];

function copiesOf(near: NearVectors, anchors: readonly Anchor[], vector: Float32Array): readonly Copy[] {
  let copies: Copy[] | undefined;
  near.find(vector, (anchor, distance, identical) => {
    (copies ??= []).push({ needle: anchors[anchor]?.needle ?? -1, distance, identical });
  });
  return copies ?? NONE;
}

interface KeyedVector {
  readonly key: string | undefined;
  readonly vector: Float32Array;
}

function* storedVectors(db: Reader, options: SqliteOptions, anchors: readonly Anchor[]): Generator<KeyedVector> {
  const virtual = moduleOf(db, options.table);
  if (virtual?.module !== "vec0") {
    yield* columnVectors(db, options);
    return;
  }
  for (const column of vectorColumns(virtual.body)) {
    const chunked = chunkedVectors(db, options.table, column);
    if (chunked === undefined) yield* askIndex(db, options.table, column.name, anchors);
    else yield* inPlace(chunked, column.dimensions);
  }
}

/** Through the store's own search: an anchor at a time. */
function* askIndex(db: Reader, table: string, column: string, anchors: readonly Anchor[]): Generator<KeyedVector> {
  const key = seeColumns(db, table).find(({ keyPlace }) => keyPlace === 1)?.name ?? "rowid";
  const size = dimensionsOf(db, table, column);
  const ask = db
    .prepare<[Buffer], [Cell, Buffer]>(
      `SELECT ${quoteName(key)}, ${quoteName(column)} FROM ${quoteName(table)} WHERE ${quoteName(column)} MATCH ? AND k = ${NEIGHBOURS}`,
    )
    .raw(true);
  const seen = new Set<string>();
  for (const { vector } of anchors) {
    if (vector.length !== size) continue;
    for (const [id, stored] of ask.all(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))) {
      const spelled = spellKey([id]);
      if (spelled !== undefined && seen.has(spelled)) continue;
      if (spelled !== undefined) seen.add(spelled);
      yield { key: spelled, vector: floatsOf(stored) };
    }
  }
}

function dimensionsOf(db: Reader, table: string, column: string): number | undefined {
  const row = db
    .prepare<[], { size: bigint }>(`SELECT length(${quoteName(column)}) AS size FROM ${quoteName(table)} LIMIT 1`)
    .get();
  return row === undefined ? undefined : Number(row.size) / 4;
}

function* columnVectors(db: Reader, options: SqliteOptions): Generator<KeyedVector> {
  const column = options.declaration.vector;
  if (column === undefined) return;
  const key = options.declaration.key.map((name) => (isRowNumber(name) ? "rowid" : name));
  for (const cells of readCells(db, options.table, [...key, column])) {
    const cell = cells.at(-1);
    if (!Buffer.isBuffer(cell) || cell.byteLength % 4 !== 0) continue;
    yield { key: spellKey(cells.slice(0, -1)), vector: floatsOf(cell) };
  }
}
