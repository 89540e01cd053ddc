// The tables that agents' libraries lay in PostgreSQL 17 with pgvector 0.8.0, measured: pg_dump of these and of what the libraries laid themselves is the same.
// @langchain/langgraph-checkpoint-postgres 1.0.5: setup() of PostgresSaver and of PostgresStore with an index of 24 dimensions. mem0ai 3.3.1: its pgvector store with `hnsw`, after an add() that took out entities.

export const LANGGRAPH_SAVER = `
CREATE TABLE checkpoint_migrations (v INTEGER PRIMARY KEY);
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT,
  checkpoint JSONB NOT NULL, metadata JSONB NOT NULL DEFAULT '{}', PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL, version TEXT NOT NULL, type TEXT NOT NULL,
  blob BYTEA, PRIMARY KEY (thread_id, checkpoint_ns, channel, version));
CREATE TABLE checkpoint_writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,
  channel TEXT NOT NULL, type TEXT, blob BYTEA NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
INSERT INTO checkpoint_migrations VALUES (0), (1), (2), (3), (4);`;

/** A store that was given no index. */
export const LANGGRAPH_ITEMS = `
CREATE TABLE store_migrations (v INTEGER PRIMARY KEY);
INSERT INTO store_migrations VALUES (0), (1), (2), (3);
CREATE TABLE store (namespace_path TEXT NOT NULL, key TEXT NOT NULL, value JSONB NOT NULL, created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMPTZ, PRIMARY KEY (namespace_path, key));
CREATE INDEX idx_store_namespace_path ON store USING btree (namespace_path);
CREATE INDEX idx_store_value_gin ON store USING gin (value);
CREATE INDEX idx_store_expires_at ON store USING btree (expires_at) WHERE expires_at IS NOT NULL;
CREATE OR REPLACE FUNCTION update_updated_at_column() RETURNS TRIGGER AS $$ BEGIN NEW.updated_at = CURRENT_TIMESTAMP; RETURN NEW; END; $$ LANGUAGE plpgsql;
CREATE TRIGGER update_store_updated_at BEFORE UPDATE ON store FOR EACH ROW EXECUTE FUNCTION update_updated_at_column();`;

export const LANGGRAPH_STORE = `${LANGGRAPH_ITEMS}
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
INSERT INTO store_migrations VALUES (4), (5), (6);
CREATE TABLE store_vectors (namespace_path TEXT NOT NULL, key TEXT NOT NULL, field_path TEXT NOT NULL, text_content TEXT NOT NULL, embedding public.vector(24) NOT NULL,
  created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (namespace_path, key, field_path),
  FOREIGN KEY (namespace_path, key) REFERENCES store(namespace_path, key) ON DELETE CASCADE);
CREATE INDEX idx_store_vectors_embedding_cosine_hnsw ON store_vectors USING hnsw (embedding public.vector_cosine_ops) WITH (m = 16, ef_construction = 200);`;

/** One collection and the table of its entities. `name`: the collection's, which is the table's. */
export const mem0Tables = (name: string): string => `
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE TABLE IF NOT EXISTS memory_migrations (id SERIAL PRIMARY KEY, user_id TEXT NOT NULL UNIQUE);
INSERT INTO memory_migrations (user_id) VALUES (gen_random_uuid());
${[name, `${name}_entities`]
  .map(
    (table) => `CREATE TABLE ${table} (id UUID PRIMARY KEY, vector vector(24), payload JSONB);
CREATE INDEX ${table}_hnsw_idx ON ${table} USING hnsw (vector vector_cosine_ops);`,
  )
  .join("\n")}`;

/** The same in a schema of its own, as the library's `schema` option has it. */
export const inSchema = (schema: string, sql: string): string =>
  `CREATE SCHEMA IF NOT EXISTS ${schema}; SET search_path = ${schema}; ${sql} SET search_path = public;`;

/** A vector that is no other's. */
export const embed = (seed: number): string =>
  `[${Array.from({ length: 24 }, (_, place) => Math.sin(seed * 12.9898 + place * place * 78.233)).join(",")}]`;
