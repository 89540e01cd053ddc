// Reads the vectors of a vec0 table out of the chunks that its own search goes through: what is valid there is found, whether or not a row still names it.
// Layout: sqlite-vec 0.1, https://github.com/asg017/sqlite-vec/blob/main/ARCHITECTURE.md
import { endianness } from "node:os";
import { quoteName } from "../options.ts";
import type { Reader } from "./open-reader.ts";
import { floatsOf, seeColumns } from "./read-cells.ts";

export interface StoredVector {
  readonly key: string;
  /** Little-endian float32, a view that holds until the next one is read. */
  readonly bytes: Buffer;
}

/** The float32 columns of a vec0 table, from its declaration, with their place among all columns of vectors. */
export function vectorColumns(
  body: string,
): readonly { readonly name: string; readonly place: number; readonly dimensions: number }[] {
  const columns = [...body.matchAll(/(?:^|,)\s*"?(\w+)"?\s+(float|f32|int8|i8|bit)\s*\[\s*(\d+)/gi)];
  return columns.flatMap(([, name, type, dimensions], place) =>
    name === undefined || !/^f/i.test(type ?? "") ? [] : [{ name, place, dimensions: Number(dimensions) }],
  );
}

/** The same as numbers: one array for all of them, since each is looked at before the next is read. */
export function* inPlace(
  stored: Iterable<StoredVector>,
  dimensions: number,
): Generator<{ readonly key: string; readonly vector: Float32Array }> {
  const shared = new Float32Array(dimensions);
  const view = Buffer.from(shared.buffer);
  for (const { key, bytes } of stored) {
    bytes.copy(view);
    yield { key, vector: endianness() === "LE" ? shared : floatsOf(view) };
  }
}

interface VectorColumn {
  readonly place: number;
  readonly dimensions: number;
}

/** Every valid vector of one column; undefined where the table is not laid out in chunks as we know them. */
export function chunkedVectors(db: Reader, table: string, column: VectorColumn): Iterable<StoredVector> | undefined {
  const vectors = chunksOf(db, table, column);
  return vectors === undefined ? undefined : readChunks(db, table, vectors, 4 * column.dimensions);
}

/** The vector of every row, as the table answers it: from the slot that the row names. Undefined where the layout is not as we know it. */
export function rowVectors(db: Reader, table: string, column: VectorColumn): Iterable<StoredVector> | undefined {
  const vectors = chunksOf(db, table, column);
  return vectors === undefined ? undefined : readRows(db, table, vectors, 4 * column.dimensions);
}

/** The table that holds a column's chunks, where all of its parts are as long as we take them to be. */
function chunksOf(db: Reader, table: string, { place, dimensions }: VectorColumn): string | undefined {
  const vectors = `${table}_vector_chunks${String(place).padStart(2, "0")}`;
  const has = (name: string, ...wanted: readonly string[]): boolean => {
    const columns = new Set(seeColumns(db, name).map((column) => column.name));
    return wanted.every((column) => columns.has(column));
  };
  if (!has(`${table}_chunks`, "size", "validity", "rowids") || !has(vectors, "vectors")) return undefined;
  if (!has(`${table}_rowids`, "rowid", "id", "chunk_id", "chunk_offset")) return undefined;
  const strange = db
    .prepare<[number], { n: bigint }>(
      `SELECT count(*) AS n FROM ${quoteName(`${table}_chunks`)} AS c LEFT JOIN ${quoteName(vectors)} AS v ON v.rowid = c.chunk_id
       WHERE v.vectors IS NULL OR length(v.vectors) <> c.size * ? OR length(c.rowids) <> c.size * 8 OR length(c.validity) * 8 < c.size`,
    )
    .get(4 * dimensions);
  return strange?.n === 0n ? vectors : undefined;
}

function* readRows(db: Reader, table: string, vectors: string, width: number): Generator<StoredVector> {
  const rows = db
    .prepare<[], [bigint, string | null, bigint, bigint]>(
      `SELECT rowid, id, chunk_id, chunk_offset FROM ${quoteName(`${table}_rowids`)} ORDER BY chunk_id`,
    )
    .raw(true);
  const chunk = db.prepare<[bigint], Buffer>(`SELECT vectors FROM ${quoteName(vectors)} WHERE rowid = ?`).pluck(true);
  let current = -1n;
  let stored: Buffer | undefined;
  for (const [rowid, id, chunkId, slot] of rows.iterate()) {
    if (chunkId !== current) stored = chunk.get(chunkId);
    current = chunkId;
    const start = Number(slot) * width;
    // A row whose slot is not there answers nothing, not even to its own table.
    if (stored !== undefined && start + width <= stored.length)
      yield { key: id ?? String(rowid), bytes: stored.subarray(start, start + width) };
  }
}

function* readChunks(db: Reader, table: string, vectors: string, width: number): Generator<StoredVector> {
  const chunks = db
    .prepare<[], [bigint, Buffer, Buffer, Buffer]>(
      `SELECT c.size, c.validity, c.rowids, v.vectors FROM ${quoteName(`${table}_chunks`)} AS c JOIN ${quoteName(vectors)} AS v ON v.rowid = c.chunk_id`,
    )
    .raw(true);
  const isNumbered = db
    .prepare<[], { n: bigint }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${quoteName(`${table}_rowids`)} WHERE id IS NOT NULL LIMIT 1)`,
    )
    .get();
  const named = db
    .prepare<[bigint], string | null>(`SELECT id FROM ${quoteName(`${table}_rowids`)} WHERE rowid = ?`)
    .pluck(true);
  for (const [size, validity, rowids, stored] of chunks.iterate()) {
    for (let slot = 0; slot < Number(size); slot += 1) {
      if ((((validity[slot >> 3] ?? 0) >> (slot & 7)) & 1) === 0) continue;
      const rowid = rowids.readBigInt64LE(8 * slot);
      const id = isNumbered?.n === 0n ? null : named.get(rowid);
      yield { key: id ?? String(rowid), bytes: stored.subarray(slot * width, (slot + 1) * width) };
    }
  }
}
