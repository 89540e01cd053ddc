// The peer of a forget on servers: a script that somebody wrote for these stores. It deletes by key, rewrites the tables with the same room for vector indexes, uses up the write-ahead log twice and has Redis write both files anew, as our purge does.
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { createClient } from "redis";

const TABLES = ["episodes", "episode_vectors", "summaries"];
const MOST_FILES = 256;

/** Milliseconds. The keys are known beforehand; connections are opened within the time. */
export async function forgetOnServersByHand(postgres: string, redis: string, account: string): Promise<number> {
  const { episodes, summaries } = await keysOf(postgres, account);
  const begun = performance.now();
  const sql = new Client({ connectionString: postgres });
  await sql.connect();
  const cache = createClient({ url: redis, commandOptions: { timeout: 0 } });
  await cache.connect();
  await cache.unlink(episodes.map((id) => `answer:${id}`));
  await sql.query("BEGIN");
  await sql.query("DELETE FROM summaries WHERE id = ANY ($1)", [summaries]);
  await sql.query("DELETE FROM episode_vectors WHERE episode = ANY ($1)", [episodes]);
  await sql.query("DELETE FROM episodes WHERE id = ANY ($1)", [episodes]);
  await sql.query("COMMIT");
  // What our purge asks for at most (adapters/postgres/hands/index-room.ts): an index of pgvector that does not fit takes far longer.
  await sql.query("SET maintenance_work_mem = '256MB'");
  for (const table of TABLES) await sql.query(`VACUUM FULL ${table}`);
  for (const table of TABLES) await sql.query(`ANALYZE ${table}`);
  await sql.query("VACUUM FULL pg_catalog.pg_statistic");
  for (let pass = 0; pass < 2; pass += 1) await useUpLog(sql);
  await sql.query("CHECKPOINT");
  await cache.sendCommand(["BGREWRITEAOF"]);
  await untilSaved(cache);
  await cache.sendCommand(["BGSAVE"]);
  await untilSaved(cache);
  await sql.end();
  cache.destroy();
  return performance.now() - begun;
}

async function useUpLog(sql: Client): Promise<void> {
  await sql.query("CHECKPOINT");
  const { rows } = await sql.query<{ last: string }>(
    "SELECT max(substr(name, 9, 16)) AS last FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}'",
  );
  for (let files = 0; files < MOST_FILES; files += 1) {
    const now = await sql.query<{ at: string }>(
      "SELECT substr(pg_walfile_name(pg_switch_wal()), 9, 16) AS at FROM (SELECT pg_logical_emit_message(false, 'script', '')) AS m",
    );
    if ((now.rows[0]?.at ?? "") >= (rows[0]?.last ?? "")) return;
  }
}

async function untilSaved(cache: { sendCommand(args: string[]): Promise<unknown> }): Promise<void> {
  const isBusy = /(?:rdb_bgsave_in_progress|aof_rewrite_in_progress|aof_rewrite_scheduled):1/;
  while (isBusy.test(String(await cache.sendCommand(["INFO", "persistence"])))) await wait(20);
}

async function keysOf(
  url: string,
  account: string,
): Promise<{ readonly episodes: readonly string[]; readonly summaries: readonly string[] }> {
  const sql = new Client({ connectionString: url });
  await sql.connect();
  const ids = async (query: string): Promise<readonly string[]> =>
    (await sql.query<{ id: string }>(query, [account])).rows.map(({ id }) => id);
  const episodes = await ids("SELECT id FROM episodes WHERE account = $1");
  const summaries = await ids(
    "SELECT id FROM summaries WHERE source_ids && (SELECT array_agg(id) FROM episodes WHERE account = $1)",
  );
  await sql.end();
  return { episodes, summaries };
}
