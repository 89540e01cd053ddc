// What the adapters of servers cost: an erase of 100,000 keys beside one bare command, a scan of a whole table or keyspace beside a bare cursor or SCAN, and the memory that it holds. On the servers that PG_URL and REDIS_URL name.
import { env } from "node:process";
import type { Figure, Scene } from "../figure.ts";
import { emptyRedis, inPostgres } from "../servers/memory.ts";
import { serverUrls } from "../servers/server-urls.ts";
import { erasingHashes, erasingRows } from "../stores/erasing.ts";
import { scanningHashes, scanningRows } from "../stores/scanning.ts";

/** The aim is of ten million: BENCH_ROWS=10000000. */
const ROWS = Number(env["BENCH_ROWS"] ?? 1_000_000);
const DATABASE = "deleatur_bench_stores";

export async function bench({ note }: Scene): Promise<readonly Figure[]> {
  const { postgres, redis, urlOf } = serverUrls();
  const figures: Figure[] = [];
  await inPostgres(postgres, `CREATE DATABASE ${DATABASE} TEMPLATE template0`);
  try {
    figures.push(...(await erasingRows(urlOf(DATABASE))));
    note("rows erased");
    figures.push(...(await scanningRows(urlOf(DATABASE), ROWS)));
    note("rows scanned");
  } finally {
    await inPostgres(postgres, `DROP DATABASE ${DATABASE} WITH (FORCE)`);
  }
  try {
    figures.push(...(await erasingHashes(redis)));
    note("hashes erased");
    figures.push(...(await scanningHashes(redis)));
  } finally {
    await emptyRedis(redis);
  }
  return figures;
}
