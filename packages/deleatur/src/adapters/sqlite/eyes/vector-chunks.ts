// Reads the vectors of a vec0 table out of the chunks that its own search goes through: what is valid there is found, whether or not a row still names it.
// Layout: sqlite-vec 0.1, https://github.com/asg017/sqlite-vec/blob/main/ARCHITECTURE.md
import { quoteName } from "../options.ts";
import type { Reader } from "./open-reader.ts";
import { seeColumns } from "./read-cells.ts";

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

/** Every valid vector of one column; undefined where the table is not laid out in chunks as we know them. */
export function chunkedVectors(
  db: Reader,
  table: string,
  { place, dimensions }: { readonly place: number; readonly dimensions: number },
): Iterable<StoredVector> | undefined {
  const vectors = `${table}_vector_chunks${String(place).padStart(2, "0")}`;
  const has = (name: string, ...wanted: readonly string[]): boolean => {
    const columns = new Set(seeColumns(db, name).map((column) => column.name));
    return wanted.every((column) => columns.has(column));
  };
  if (!has(`${table}_chunks`, "size", "validity", "rowids") || !has(vectors, "vectors")) return undefined;
  if (!has(`${table}_rowids`, "rowid", "id")) return undefined;
  const width = 4 * dimensions;
  // The sizes of its parts tell whether a chunk is what we take it for, before any is read.
  const strange = db
    .prepare<[number], { n: bigint }>(
      `SELECT count(*) AS n FROM ${quoteName(`${table}_chunks`)} AS c LEFT JOIN ${quoteName(vectors)} AS v ON v.rowid = c.chunk_id
       WHERE v.vectors IS NULL OR length(v.vectors) <> c.size * ? OR length(c.rowids) <> c.size * 8 OR length(c.validity) * 8 < c.size`,
    )
    .get(width);
  return strange?.n === 0n ? readChunks(db, table, vectors, width) : undefined;
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
