// Lays an agent's memory on servers: episodes, embeddings under HNSW and summaries in PostgreSQL, an answer for each episode in Redis. It knows the stores, and nothing of Deleatur but the boundary that declares it.
import { Client } from "pg";
import { createClient } from "redis";
import type { BoundaryInput } from "../../packages/deleatur/dist/boundary/boundary-input.js";

export interface ServersSize {
  readonly rows: number;
  /** How many episodes are the forgotten one's, p0; the others' are of p1 to p97 by turns. */
  readonly forgotten: number;
}

const BATCH = 1000;

const sqlOf = ({ rows, forgotten }: ServersSize): string => `
CREATE EXTENSION vector;
CREATE TABLE episodes (id bigint PRIMARY KEY, account text NOT NULL, body text NOT NULL);
CREATE TABLE episode_vectors (episode bigint PRIMARY KEY, embedding vector(64) NOT NULL);
CREATE TABLE summaries (id bigint PRIMARY KEY, source_ids bigint[] NOT NULL, body text NOT NULL);
INSERT INTO episodes SELECT i,
  CASE WHEN i * ${forgotten} / ${rows} > (i - 1) * ${forgotten} / ${rows} THEN 'p0' ELSE 'p' || 1 + i % 97 END,
  (SELECT string_agg(substr(md5(i || ':' || w), 1, 6), ' ') FROM generate_series(1, 20) AS w)
  FROM generate_series(1, ${rows}::bigint) AS i;
INSERT INTO episode_vectors SELECT i, (SELECT array_agg(hashint8extended(i * 64 + d, 7) / 9.3e18) FROM generate_series(1, 64) AS d)::vector
  FROM generate_series(1, ${rows}::bigint) AS i;
INSERT INTO summaries SELECT min(id), array_agg(id), string_agg(left(body, 40), '; ')
  FROM (SELECT *, (row_number() OVER (PARTITION BY account ORDER BY id) - 1) / 10 AS part FROM episodes) AS e GROUP BY account, part;
CREATE INDEX ON episodes (account);
CREATE INDEX ON episode_vectors USING hnsw (embedding vector_l2_ops);`;

/** Runs statements one by one over a connection of its own, as simple queries; answers the rows of the last. */
export async function inPostgres<Row extends object>(url: string, ...statements: readonly string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

export async function layRows(url: string, size: ServersSize): Promise<void> {
  await inPostgres(url, ...sqlOf(size).split(";\n"), "ANALYZE", "CHECKPOINT");
}

export async function emptyRedis(url: string): Promise<void> {
  const client = createClient({ url, commandOptions: { timeout: 0 } });
  await client.connect();
  await client.flushDb();
  client.destroy();
}

/** Empties the Redis database and lays the answers. */
export async function layAnswers(postgres: string, redis: string): Promise<void> {
  const episodes = await inPostgres<{ id: string; body: string }>(
    postgres,
    "SELECT id, body FROM episodes ORDER BY id",
  );
  await emptyRedis(redis);
  const client = createClient({ url: redis, commandOptions: { timeout: 0 } });
  await client.connect();
  for (let from = 0; from < episodes.length; from += BATCH) {
    const adds = episodes.slice(from, from + BATCH).map(({ id, body }) => {
      const prompt = body.split(" ").toReversed().slice(0, 6).join(" ");
      return client.hSet(`answer:${id}`, { prompt, response: `It was said: ${body}`, sources: `[${id}]` });
    });
    await Promise.all(adds);
  }
  client.destroy();
}

const store = "memory";
const kind = "postgres";
const source = { surface: "episodes", column: "episode" };

export const SERVERS_BOUNDARY: BoundaryInput = {
  deleatur: 1,
  boundary: "bench/servers",
  identifiers: ["account"],
  writers: "sdk",
  surfaces: {
    // prettier-ignore
    episodes: { kind, role: "primary", store, table: "episodes", key: "id", subject: { column: "account", type: "account" }, content: ["body"] },
    vectors: {
      kind,
      role: "index",
      store,
      table: "episode_vectors",
      key: "episode",
      vector: "embedding",
      derivedFrom: source,
    },
    // prettier-ignore
    summaries: { kind, role: "derived", store, table: "summaries", key: "id", content: ["body"], derivedFrom: { ...source, column: "source_ids" }, shared: "destroy" },
    // prettier-ignore
    answers: { kind: "redis", role: "cache", store: "cache", prefix: "answer:", content: ["prompt", "response"], derivedFrom: { surface: "episodes", field: "sources", as: "json" }, shared: "destroy" },
  },
  connect: { ledger: "sqlite:./deleatur.db", memory: { url: "${PG_URL}" }, cache: { url: "${REDIS_URL}" } },
};
