// Reads the vectors of a vec0 table in key order out of the chunks that hold them, a thousand at a time: the table itself takes half a millisecond to find one. Reads only.
// Layout: sqlite-vec 0.1, https://github.com/asg017/sqlite-vec/blob/main/ARCHITECTURE.md
import { quoteName } from "../options.ts";
import type { Db } from "./connect.ts";
import { readColumns, type Layout } from "./layout.ts";
import type { SqlValue } from "./values.ts";

/** A row for each of a table's, or of those with these keys, its columns in the order of `names`; undefined where the table has to be asked itself. */
export function storedVectors(
  db: Db,
  layout: Layout,
  names: readonly string[],
  keys?: readonly bigint[],
): Iterable<SqlValue[]> | undefined {
  const { vec, vector, options } = layout;
  const [key] = layout.key;
  if (vec === undefined || vector === undefined || key === undefined || layout.key.length > 1) return undefined;
  if (vec.key.type !== "integer" || key !== vec.key.name) return undefined;
  if (names.some((name) => name !== key && name !== vector)) return undefined;
  const dimensions = vec.dimensions.get(vector);
  const place = vec.places.get(vector);
  if (dimensions === undefined || place === undefined) return undefined;
  const chunks = `${options.table}_vector_chunks${String(place).padStart(2, "0")}`;
  const rows = slotsOf(db, options.table, chunks, 4 * dimensions, keys);
  if (rows === undefined) return undefined;
  const read = readSlots(db, chunks, rows, 4 * dimensions, names.indexOf(key));
  return keys === undefined ? read : ownBytes(read);
}

/** A few rows may be held for long, and must not hold their chunks. */
function* ownBytes(rows: Iterable<SqlValue[]>): Generator<SqlValue[]> {
  for (const row of rows) yield row.map((value) => (Buffer.isBuffer(value) ? Buffer.from(value) : value));
}

/** Reading a whole chunk takes about as long as asking the table for so many rows. */
const ROWS_A_CHUNK = 4;

type Slot = readonly [rowid: bigint, chunk: bigint, offset: bigint];

/** Where each row's vector stands, in key order; undefined where the layout is not as we know it, or where a chunk would be read for few rows. */
function slotsOf(
  db: Db,
  table: string,
  chunks: string,
  width: number,
  keys: readonly bigint[] | undefined,
): readonly Slot[] | undefined {
  const has = (name: string, ...wanted: readonly string[]): boolean => {
    const columns = readColumns(db, name);
    return wanted.every((column) => columns?.has(column) === true);
  };
  if (!has(`${table}_rowids`, "chunk_id", "chunk_offset") || !has(`${table}_chunks`, "chunk_id", "size"))
    return undefined;
  if (!has(chunks, "vectors")) return undefined;
  const sizes = new Map<bigint, bigint>();
  for (const [chunk, size, bytes] of db
    .prepare<[], [bigint, bigint, bigint | null]>(
      `SELECT c.chunk_id, c.size, length(v.vectors) FROM ${quoteName(`${table}_chunks`)} AS c
       LEFT JOIN ${quoteName(chunks)} AS v ON v.rowid = c.chunk_id`,
    )
    .raw(true)
    .all()) {
    if (bytes !== size * BigInt(width)) return undefined;
    sizes.set(chunk, size);
  }
  const slots = db
    .prepare<string[], Slot>(
      `SELECT rowid, chunk_id, chunk_offset FROM ${quoteName(`${table}_rowids`)}
       ${keys === undefined ? "" : "WHERE rowid IN (SELECT value FROM json_each(?))"} ORDER BY rowid`,
    )
    .raw(true)
    .all(...(keys === undefined ? [] : [`[${keys.join(",")}]`]));
  let turns = 0;
  let current: bigint | undefined;
  for (const [, chunk, offset] of slots) {
    // What does not stand where it should is for the table itself to answer.
    if (offset < 0n || offset >= (sizes.get(chunk) ?? 0n)) return undefined;
    if (chunk !== current) turns += 1;
    current = chunk;
  }
  if (keys !== undefined) return turns * ROWS_A_CHUNK > slots.length ? undefined : slots;
  return turns > 2 * sizes.size + 8 ? undefined : slots;
}

function* readSlots(
  db: Db,
  chunks: string,
  slots: readonly Slot[],
  width: number,
  keyPlace: number,
): Generator<SqlValue[]> {
  const read = db.prepare<[bigint], Buffer>(`SELECT vectors FROM ${quoteName(chunks)} WHERE rowid = ?`).pluck(true);
  let current: bigint | undefined;
  let stored: Buffer | undefined;
  for (const [rowid, chunk, offset] of slots) {
    if (chunk !== current) stored = read.get(chunk);
    current = chunk;
    const start = Number(offset) * width;
    // A slot that is not there is for the table itself to say.
    const vector =
      stored !== undefined && start + width <= stored.length ? stored.subarray(start, start + width) : null;
    yield keyPlace === 0 ? [rowid, vector] : [vector, rowid];
  }
}
