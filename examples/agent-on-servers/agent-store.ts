// The agent's own data layer, as its application has it: PostgreSQL with pgvector, a semantic cache in Redis, a transcript. It knows nothing of Deleatur.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "pg";
import { createClient, RESP_TYPES } from "redis";
import { DIMENSIONS, embed, likeness } from "./embed.ts";

export interface Episode {
  readonly id: string;
  readonly account: string;
  readonly text: string;
}

export interface CachedAnswer {
  readonly key: string;
  readonly prompt: string;
  readonly response: string;
  readonly embedding: Float32Array;
  /** Ids of the episodes that it was made from: without them nobody could tell later whose words it holds. */
  readonly sources: readonly string[];
}

const SQL = `
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE episodes (id text PRIMARY KEY, account text NOT NULL, body text NOT NULL);
CREATE TABLE episode_vectors (episode text PRIMARY KEY, embedding vector(${DIMENSIONS}) NOT NULL);
CREATE TABLE summaries (id text PRIMARY KEY, source_ids text[] NOT NULL, body text NOT NULL);
CREATE INDEX ON episode_vectors USING hnsw (embedding vector_cosine_ops);`;

const NEAREST = `
SELECT id, account, body AS text FROM episodes JOIN episode_vectors ON episode = id
WHERE account = $1 ORDER BY embedding <=> $2 LIMIT 2`;

const ANSWER_SECONDS = 3600;
const SAME_QUESTION = 0.95;

export class AgentStore {
  readonly #sql: Client;
  readonly #cache: ReturnType<typeof newCache>;
  readonly #transcript: string;

  private constructor(sql: Client, cache: ReturnType<typeof newCache>, transcript: string) {
    this.#sql = sql;
    this.#cache = cache;
    this.#transcript = transcript;
  }

  /** Makes its tables; the database and the cache are to be empty. */
  static async create(postgres: string, redis: string, transcript: string): Promise<AgentStore> {
    const sql = new Client({ connectionString: postgres });
    await sql.connect();
    await sql.query(SQL);
    const cache = newCache(redis);
    await cache.connect();
    mkdirSync(dirname(transcript), { recursive: true });
    return new AgentStore(sql, cache, transcript);
  }

  async insertEpisode({ id, account, text }: Episode): Promise<void> {
    await this.#sql.query("INSERT INTO episodes VALUES ($1, $2, $3)", [id, account, text]);
  }

  async insertVector(episode: string, embedding: Float32Array): Promise<void> {
    await this.#sql.query("INSERT INTO episode_vectors VALUES ($1, $2)", [episode, JSON.stringify([...embedding])]);
  }

  appendTranscript(id: string, { id: episode, account, text }: Episode): void {
    appendFileSync(this.#transcript, `${JSON.stringify({ id, episode, user: account, text })}\n`);
  }

  async insertSummary(id: string, sources: readonly string[], text: string): Promise<void> {
    await this.#sql.query("INSERT INTO summaries VALUES ($1, $2, $3)", [id, sources, text]);
  }

  /** What this person said that lies nearest to the question, by the HNSW index. */
  async recall(account: string, question: string): Promise<readonly Episode[]> {
    const found = await this.#sql.query<Episode>(NEAREST, [account, JSON.stringify([...embed(question)])]);
    return found.rows;
  }

  async keepAnswer({ key, prompt, response, embedding, sources }: CachedAnswer): Promise<void> {
    const bytes = Buffer.from(embedding.buffer);
    const fields = { prompt, response, embedding: bytes, sources: JSON.stringify(sources) };
    await this.#cache.multi().hSet(key, fields).expire(key, ANSWER_SECONDS).exec();
  }

  /** An answer that was given to almost the same question. */
  async cachedAnswer(question: string): Promise<string | undefined> {
    const asked = embed(question);
    for await (const { embedding, response } of this.#answers())
      if (likeness(asked, embedding) > SAME_QUESTION) return response;
    return undefined;
  }

  /** The forget tool of a typical agent: one row. */
  async naiveForget(episode: string): Promise<"deleted"> {
    await this.#sql.query("DELETE FROM episodes WHERE id = $1", [episode]);
    return "deleted";
  }

  async summary(id: string): Promise<string> {
    const { rows } = await this.#sql.query<{ body: string }>("SELECT body FROM summaries WHERE id = $1", [id]);
    return rows[0]?.body ?? "";
  }

  /** All that is one person's own: rows, vectors, answers with their fields, transcript lines, as a count and one digest. */
  async digestOf(account: string): Promise<{ readonly records: number; readonly digest: string }> {
    const { rows } = await this.#sql.query<{ id: string }>(
      `SELECT id, account, body, embedding::text FROM episodes JOIN episode_vectors ON episode = id
       WHERE account = $1 ORDER BY id`,
      [account],
    );
    const own = new Set(rows.map(({ id }) => id));
    const records = rows.map((row) => JSON.stringify(row));
    for await (const { embedding, ...answer } of this.#answers())
      if (answer.sources.some((source) => own.has(source))) records.push(JSON.stringify([answer, [...embedding]]));
    const lines = readFileSync(this.#transcript, "utf8").split("\n");
    records.push(...lines.filter((line) => line.includes(JSON.stringify(account))));
    const digest = createHash("sha256").update(records.toSorted().join("\n")).digest("hex");
    return { records: records.length, digest };
  }

  async close(): Promise<void> {
    await this.#sql.end();
    this.#cache.destroy();
  }

  async *#answers(): AsyncGenerator<CachedAnswer> {
    for await (const keys of this.#cache.scanIterator({ MATCH: "answer:*" })) {
      for (const key of keys) {
        const fields = await this.#cache.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).hGetAll(key);
        const { prompt, response, embedding, sources } = fields;
        if (!prompt || !response || !embedding || !sources) continue; // it expired meanwhile
        yield {
          key,
          prompt: prompt.toString(),
          response: response.toString(),
          embedding: new Float32Array(Uint8Array.from(embedding).buffer),
          // What stands there was written by `keepAnswer`.
          sources: JSON.parse(sources.toString()) as readonly string[],
        };
      }
    }
  }
}

// The client's own type, which no name of ours could say.
function newCache(url: string) {
  const cache = createClient({ url });
  cache.on("error", () => undefined); // what waits for an answer is rejected, and that is seen
  return cache;
}
