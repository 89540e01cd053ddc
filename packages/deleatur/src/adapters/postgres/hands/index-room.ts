// Gives the server room in memory to build a table's vector indexes anew; where it has none to give it builds them with what it has. It builds nothing itself.
import { sqlState } from "../store-errors.ts";
import { rowsOf, type Db } from "./connect.ts";

/** More is never asked for, whatever an index takes: a small server has other things to hold. Whoever grants more as maintenance_work_mem is not held to it. */
const MOST = 1 << 28;
/** In memory an index of pgvector takes about so many times its file. */
const TIMES_FILE = 2;

/** What a vector index of so many bytes is built with, by a server that grants so many without being asked. */
function roomFor(vectorBytes: number, granted: number): number {
  return Math.max(granted, Math.min(MOST, TIMES_FILE * vectorBytes));
}

/** Whether it fits into that. */
export function fitsRoom(vectorBytes: number, granted: number): boolean {
  return TIMES_FILE * vectorBytes <= roomFor(vectorBytes, granted);
}

/** What the server grants this session, in bytes. */
export async function grantedRoom(db: Db): Promise<number> {
  const [row] = await rowsOf(
    db,
    "SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('maintenance_work_mem'))::text",
  );
  return Number(row?.[0] ?? 0);
}

/**
 * Runs the statement that builds the indexes of a table or of its partitions anew. A graph that does not fit takes several times as long. Workers that build it together take their room
 * at once, out of shared memory that a container may have little of: then it is built as if nothing had been asked for.
 */
export async function withIndexRoom(db: Db, oid: string, build: () => Promise<unknown>): Promise<void> {
  const granted = await grantedRoom(db);
  const room = roomFor(await largestVectorIndex(db, oid), granted);
  if (room === granted) {
    await build();
    return;
  }
  try {
    await db.client.query(`SET maintenance_work_mem = ${Math.ceil(room / 1024)}`);
    await build();
  } catch (cause) {
    if (!isLackOfRoom(cause)) throw cause;
    await db.client.query("RESET maintenance_work_mem");
    await build();
    return;
  }
  await db.client.query("RESET maintenance_work_mem");
}

async function largestVectorIndex(db: Db, oid: string): Promise<number> {
  const [row] = await rowsOf(
    db,
    `SELECT coalesce(max(pg_catalog.pg_relation_size(i.indexrelid)), 0)::text
     FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid JOIN pg_catalog.pg_am m ON m.oid = x.relam
     WHERE m.amname IN ('hnsw', 'ivfflat') AND (i.indrelid = $1 OR i.indrelid IN (SELECT relid FROM pg_catalog.pg_partition_tree($1::oid)))`,
    [oid],
  );
  return Number(row?.[0] ?? 0);
}

/** No memory, or none of the shared one, which is a disk to the server. */
function isLackOfRoom(cause: unknown): boolean {
  return ["53100", "53200"].includes(sqlState(cause) ?? "");
}
