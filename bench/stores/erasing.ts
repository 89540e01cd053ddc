// The erase of many keys of a store through its adapter, beside one bare command of the same keys; each on equal, fresh data, by turns. It stops where a row was left.
import { Client } from "pg";
import { createClient } from "redis";
import { artifactKey } from "../../packages/deleatur/dist/model/ids.js";
import { type Figure, atLeast, ratio } from "../figure.ts";
import { median, once } from "../sample.ts";
import { inPostgres } from "../servers/memory.ts";
import { type HashesAt, openSurface, type TableAt } from "./open-surface.ts";

const KEYS = 100_000;
/** In all; one in three is erased. */
const ROWS = 3 * KEYS;
/** As many as the engine hands to a surface at once (forget/erase-closure.ts). */
const BATCH = 20_000;
const ROUNDS = 5;

/** Milliseconds. */
async function byAdapter(at: TableAt | HashesAt, keys: readonly string[], batch: number): Promise<number> {
  const wanted = keys.map(artifactKey);
  const { signal } = new AbortController();
  const { ms, result } = await once(async () => {
    const surface = await openSurface(at);
    let erased = 0;
    for (let from = 0; from < wanted.length; from += batch)
      for (const { outcome } of await surface.erase(wanted.slice(from, from + batch), signal))
        if (outcome === "erased") erased += 1;
    await surface.close();
    return erased;
  });
  if (result !== keys.length) throw new Error(`${result} of ${keys.length} were erased`);
  return ms;
}

/** Keys a millisecond. */
const rate = (ms: readonly number[]): number => KEYS / median(ms);

/** Rates are what is asked for: a ratio above one is a faster erase than the bare one. */
function rates(
  store: string,
  bare: string,
  times: Readonly<Record<"bare" | "batches" | "whole", readonly number[]>>,
  least?: number,
): readonly Figure[] {
  const peer = { what: `one bare ${bare}`, value: rate(times.bare) };
  const limit = least === undefined ? undefined : atLeast(least);
  return [
    ratio(
      `${store}: keys erased a millisecond, ${BATCH} a call as the engine does`,
      [rate(times.batches), "1"],
      peer,
      limit,
    ),
    ratio(`${store}: the same in one call`, [rate(times.whole), "1"], peer, limit),
  ];
}

const WAYS = ["bare", "batches", "whole"] as const;

async function byTurns(
  lay: (name: string) => Promise<void>,
  erase: (way: (typeof WAYS)[number], name: string) => Promise<number>,
): Promise<Record<(typeof WAYS)[number], number[]>> {
  const times = { bare: [] as number[], batches: [] as number[], whole: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const way of WAYS) await lay(way);
    for (const way of WAYS) {
      const ms = await erase(way, way);
      // The first, cold round is not counted.
      if (round > 0) times[way].push(ms);
    }
  }
  return times;
}

export async function erasingRows(postgres: string): Promise<readonly Figure[]> {
  const keys = Array.from({ length: KEYS }, (_, at) => String(3 * (at + 1)));
  const times = await byTurns(
    async (name) => {
      await inPostgres(
        postgres,
        `DROP TABLE IF EXISTS ${name}`,
        `CREATE TABLE ${name} (id bigint PRIMARY KEY, account text NOT NULL, body text NOT NULL)`,
        `INSERT INTO ${name} SELECT i, 'p' || i % 97, repeat(md5(i::text), 4) FROM generate_series(1, ${ROWS}::bigint) AS i`,
        `VACUUM (ANALYZE) ${name}`,
        "CHECKPOINT",
      );
    },
    async (way, table) => {
      if (way !== "bare") return await byAdapter({ postgres, table }, keys, way === "batches" ? BATCH : KEYS);
      const client = new Client({ connectionString: postgres });
      await client.connect();
      const { ms } = await once(() => client.query(`DELETE FROM ${table} WHERE id = ANY ($1::bigint[])`, [keys]));
      await client.end();
      return ms;
    },
  );
  return rates("PostgreSQL", "DELETE … = ANY", times, 0.5);
}

const prefixOf = (name: string): string => `${name}:`;

const keysOf = (name: string): readonly string[] => Array.from({ length: KEYS }, (_, at) => `${prefixOf(name)}${at}`);

export async function erasingHashes(redis: string): Promise<readonly Figure[]> {
  const times = await byTurns(
    (name) => layHashes(redis, keysOf(name)),
    async (way, name) => {
      const keys = keysOf(name);
      if (way !== "bare")
        return await byAdapter({ redis, prefix: prefixOf(name) }, keys, way === "batches" ? BATCH : KEYS);
      const client = createClient({ url: redis, commandOptions: { timeout: 0 } });
      await client.connect();
      const { ms } = await once(() => client.unlink([...keys]));
      client.destroy();
      return ms;
    },
  );
  return rates("Redis", "UNLINK", times);
}

const LAID = 1_000;

export async function layHashes(redis: string, keys: readonly string[]): Promise<void> {
  const client = createClient({ url: redis, commandOptions: { timeout: 0 } });
  await client.connect();
  for (let from = 0; from < keys.length; from += LAID) {
    const adds = keys.slice(from, from + LAID).map((key) => {
      const prompt = `What was said under ${key}?`;
      return client.hSet(key, { prompt, response: prompt.repeat(5), sources: "[1]" });
    });
    await Promise.all(adds);
  }
  client.destroy();
}
