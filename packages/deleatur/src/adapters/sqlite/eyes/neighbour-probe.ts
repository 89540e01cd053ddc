// Looks for orphan and near-identical vectors with the erased ones as anchors: through sqlite-vec's own search, or over a BLOB column byte by byte.
import { artifactKey } from "../../../model/ids.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import { quoteName, type SqliteFile, type SqliteOptions } from "../options.ts";
import { floatColumns } from "./content-probes.ts";
import { inTurns, throughReader, type Cell, type Reader } from "./open-reader.ts";
import { floatsOf, isRowNumber, moduleOf, readCells, seeColumns, spellKey } from "./read-cells.ts";

/** Neighbours that are asked for; sqlite-vec orders them by its own metric, the judging is done on the vectors read back. */
const NEIGHBOURS = 20;
/** Distance, relative to the anchor's length, below which an embedding is taken for a copy that was scaled or rounded. */
const NEAR = 0.01;

export function neighbourProbe(options: SqliteOptions, target: SqliteFile, scope: string): Probe {
  return {
    name: "neighbour",
    depth: "index",
    scope: `neighbour:${scope}`,
    look: (needles, signal) =>
      throughReader(target, (db) =>
        moduleOf(db, options.table)?.module === "vec0"
          ? askIndex(db, options, target, needles, signal)
          : compareAll(db, options, target, needles, signal),
      ),
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

interface Anchor {
  readonly needle: number;
  readonly vector: Float32Array;
  /** The squared distance up to which a vector is a copy. */
  readonly limit: number;
}

function anchorsOf(needles: readonly Needle[]): readonly Anchor[] {
  return needles.flatMap((needle) =>
    needle.content.flatMap((field) =>
      field.type !== "vector" || needle.explained?.explainsVector(field.vector) === true
        ? []
        : [{ needle: needle.index, vector: field.vector, limit: limitOf(field.vector) }],
    ),
  );
}

function limitOf(vector: Float32Array): number {
  return NEAR * NEAR * vector.reduce((sum, component) => sum + component * component, 0);
}

function* askIndex(
  db: Reader,
  options: SqliteOptions,
  target: SqliteFile,
  needles: readonly Needle[],
  signal: AbortSignal,
): Generator<Finding> {
  const virtual = moduleOf(db, options.table);
  const key = seeColumns(db, options.table).find(({ keyPlace }) => keyPlace === 1)?.name ?? "rowid";
  for (const column of floatColumns(virtual?.body ?? "")) {
    const size = dimensionsOf(db, options.table, column);
    const ask = db
      .prepare<[Buffer], [Cell, Buffer]>(
        `SELECT ${quoteName(key)}, ${quoteName(column)} FROM ${quoteName(options.table)} WHERE ${quoteName(column)} MATCH ? AND k = ${NEIGHBOURS}`,
      )
      .raw(true);
    for (const anchor of anchorsOf(needles)) {
      signal.throwIfAborted();
      if (anchor.vector.length !== size) continue;
      for (const [id, stored] of ask.all(bytesOf(anchor.vector))) {
        const finding = compare(options, target, anchor, spellKey([id]), floatsOf(stored));
        if (finding !== undefined) yield finding;
      }
    }
  }
}

function dimensionsOf(db: Reader, table: string, column: string): number | undefined {
  const row = db
    .prepare<[], { size: bigint }>(`SELECT length(${quoteName(column)}) AS size FROM ${quoteName(table)} LIMIT 1`)
    .get();
  return row === undefined ? undefined : Number(row.size) / 4;
}

async function* compareAll(
  db: Reader,
  options: SqliteOptions,
  target: SqliteFile,
  needles: readonly Needle[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const anchors = anchorsOf(needles);
  const column = options.declaration.vector;
  if (column === undefined) return;
  const key = options.declaration.key.map((name) => (isRowNumber(name) ? "rowid" : name));
  for await (const cells of inTurns(readCells(db, options.table, [...key, column]), signal)) {
    const cell = cells.at(-1);
    if (!Buffer.isBuffer(cell) || cell.byteLength % 4 !== 0) continue;
    const stored = floatsOf(cell);
    for (const anchor of anchors) {
      if (anchor.vector.length !== stored.length) continue;
      const finding = compare(options, target, anchor, spellKey(cells.slice(0, -1)), stored);
      if (finding !== undefined) yield finding;
    }
  }
}

function compare(
  options: SqliteOptions,
  target: SqliteFile,
  anchor: Anchor,
  key: string | undefined,
  stored: Float32Array,
): Finding | undefined {
  const { vector, limit } = anchor;
  let difference = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const step = (vector[index] ?? 0) - (stored[index] ?? 0);
    difference += step * step;
    // NaN, which no comparison stops, goes on to the comparison of bytes.
    if (difference > limit) return undefined;
  }
  const distance = Math.sqrt(difference);
  const identical = bytesOf(vector).equals(bytesOf(stored));
  if (!identical && !(difference <= limit)) return undefined;
  return {
    probe: "neighbour",
    depth: "index",
    needle: anchor.needle,
    place: {
      container: `${target.store}.${options.table}`,
      surface: options.surface,
      ...(key === undefined || key === "" ? {} : { key: artifactKey(key) }),
    },
    match: { how: "vector", distance, identical },
  };
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
