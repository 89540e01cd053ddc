// The tables that agents' libraries lay in PostgreSQL, as their own migrations write them: @langchain/langgraph-checkpoint-postgres 1.0.5, and mem0ai's pgvector store.

export const LANGGRAPH_SAVER = `
CREATE TABLE checkpoint_migrations (v INTEGER PRIMARY KEY);
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT,
  checkpoint JSONB NOT NULL, metadata JSONB NOT NULL DEFAULT '{}', PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL, version TEXT NOT NULL, type TEXT NOT NULL,
  blob BYTEA, PRIMARY KEY (thread_id, checkpoint_ns, channel, version));
CREATE TABLE checkpoint_writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,
  channel TEXT NOT NULL, type TEXT, blob BYTEA NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
INSERT INTO checkpoint_migrations VALUES (0), (1), (2), (3), (4);`;

export const LANGGRAPH_STORE = `
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE store_migrations (v INTEGER PRIMARY KEY);
CREATE TABLE store (namespace_path TEXT NOT NULL, key TEXT NOT NULL, value JSONB NOT NULL, created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMPTZ, PRIMARY KEY (namespace_path, key));
CREATE INDEX idx_store_namespace_path ON store USING btree (namespace_path);
CREATE INDEX idx_store_value_gin ON store USING gin (value);
CREATE INDEX idx_store_expires_at ON store USING btree (expires_at) WHERE expires_at IS NOT NULL;
CREATE FUNCTION update_updated_at_column() RETURNS TRIGGER AS $$ BEGIN NEW.updated_at = CURRENT_TIMESTAMP; RETURN NEW; END; $$ LANGUAGE plpgsql;
CREATE TRIGGER update_store_updated_at BEFORE UPDATE ON store FOR EACH ROW EXECUTE FUNCTION update_updated_at_column();
CREATE TABLE store_vectors (namespace_path TEXT NOT NULL, key TEXT NOT NULL, field_path TEXT NOT NULL, text_content TEXT NOT NULL, embedding vector(24) NOT NULL,
  created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (namespace_path, key, field_path),
  FOREIGN KEY (namespace_path, key) REFERENCES store(namespace_path, key) ON DELETE CASCADE);
CREATE INDEX idx_store_vectors_embedding_cosine_hnsw ON store_vectors USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 200);`;

/** `name`: the collection's, which is the table's. */
export const mem0Table = (name: string): string => `
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE TABLE ${name} (id UUID PRIMARY KEY, vector vector(24), payload JSONB);
CREATE INDEX ${name}_hnsw_idx ON ${name} USING hnsw (vector vector_cosine_ops);`;

/** A vector that is no other's. */
export const embed = (seed: number): string =>
  `[${Array.from({ length: 24 }, (_, place) => Math.sin(seed * 12.9898 + place * place * 78.233)).join(",")}]`;
