// Lays the memory that forget, probes and proofs are measured on: episodes under a full-text index, their embeddings, and summaries; one of many people is
// to be forgotten. The same numbers lay the same bytes. It knows the store, and nothing of Deleatur but the boundary that declares it.
import { join } from "node:path";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import type { BoundaryInput } from "../../packages/deleatur/dist/boundary/boundary-input.js";

/** The person who is to be forgotten, as an identifier. */
export const FORGOTTEN = "account:p0";
export const STORE_FILE = "memory.db";
const VOCABULARY = 20_000;
const OTHERS = 97;

const SCHEMA = `
  CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX episodes_by_user ON episodes (user_id);
  CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, source_ids TEXT NOT NULL, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');`;

export interface MemorySize {
  /** Episodes in all. */
  readonly rows: number;
  /** How many of them are the person's, spread evenly. */
  readonly forgotten: number;
  /** Of each embedding; 0 leaves the vectors out. */
  readonly dimensions?: number;
  /** Consecutive episodes of one person that one summary is made from; 0 leaves the summaries out. */
  readonly perSummary?: number;
  readonly seed?: number;
}

interface Gathered {
  readonly id: number;
  readonly text: string;
}

/**
 * Lays the store in a folder that exists and holds none. The application's connection is closed, its log is empty.
 */
export function layMemory(
  directory: string,
  { rows, forgotten, dimensions = 384, perSummary = 10, seed = 1 }: MemorySize,
): void {
  const app = new Database(join(directory, STORE_FILE));
  loadVec(app);
  app.pragma("journal_mode = WAL");
  app.pragma("synchronous = OFF");
  app.exec(SCHEMA);
  if (dimensions > 0)
    app.exec(`CREATE VIRTUAL TABLE episode_vec USING vec0(id INTEGER PRIMARY KEY, embedding float[${dimensions}])`);
  const random = createRandom(seed);
  const words = vocabulary(random);
  const episode = app.prepare("INSERT INTO episodes (id, user_id, text) VALUES (?, ?, ?)");
  const entry = app.prepare("INSERT INTO episodes_fts (rowid, text) VALUES (?, ?)");
  const vector = dimensions > 0 ? app.prepare("INSERT INTO episode_vec (id, embedding) VALUES (?, ?)") : undefined;
  const summary = app.prepare("INSERT INTO summaries (source_ids, text) VALUES (?, ?)");
  const gathering = new Map<string, Gathered[]>();
  const lay = app.transaction((from: number, to: number) => {
    for (let id = from; id <= to; id += 1) {
      const person = personOf(id, rows, forgotten);
      const text = sentence(random, words, 12 + (random() % 49));
      episode.run(id, person, text);
      entry.run(id, text);
      vector?.run(BigInt(id), Buffer.from(embedding(random, dimensions).buffer));
      if (perSummary === 0) continue;
      const gathered = gathering.get(person) ?? [];
      gathering.set(person, gathered);
      gathered.push({ id, text });
      if (gathered.length < perSummary) continue;
      summary.run(JSON.stringify(gathered.map((one) => one.id)), summarise(random, words, gathered));
      gathered.length = 0;
    }
  });
  for (let from = 1; from <= rows; from += 10_000) lay(from, Math.min(rows, from + 9_999));
  app.pragma("wal_checkpoint(TRUNCATE)");
  app.close();
}

/** The boundary over such a memory. Its ledger stands beside the store. */
export function memoryBoundary(
  { dimensions = 384, perSummary = 10 }: Pick<MemorySize, "dimensions" | "perSummary">,
  writers: "sdk" | "trigger" | "foreign" = "sdk",
): BoundaryInput {
  const store = "memory";
  const episodes = { surface: "episodes", column: "id" };
  const surfaces: Record<string, BoundaryInput["surfaces"][string]> = {
    episodes: {
      kind: "sqlite",
      role: "primary",
      label: "episodes",
      store,
      table: "episodes",
      key: "id",
      subject: { column: "user_id", type: "account" },
      content: ["text"],
    },
    search: {
      kind: "sqlite-fts",
      role: "index",
      label: "search",
      store,
      table: "episodes_fts",
      derivedFrom: { surface: "episodes", column: "rowid" },
    },
  };
  if (dimensions > 0)
    surfaces["vectors"] = {
      kind: "sqlite-vec",
      role: "index",
      label: "embeddings",
      store,
      table: "episode_vec",
      key: "id",
      keys: "reusable",
      vector: "embedding",
      derivedFrom: episodes,
    };
  if (perSummary > 0)
    surfaces["summaries"] = {
      kind: "sqlite",
      role: "derived",
      label: "summaries",
      store,
      table: "summaries",
      key: "id",
      content: ["text"],
      shared: "destroy",
      derivedFrom: { surface: "episodes", column: "source_ids", as: "json" },
    };
  return {
    deleatur: 1,
    boundary: "bench/one-person",
    identifiers: ["account"],
    writers,
    surfaces,
    connect: { ledger: "sqlite:./deleatur.db", memory: { file: `./${STORE_FILE}` } },
  };
}

/** The forgotten one's episodes stand evenly among those of the others. */
function personOf(id: number, rows: number, forgotten: number): string {
  const isForgotten = Math.floor((id * forgotten) / rows) > Math.floor(((id - 1) * forgotten) / rows);
  return isForgotten ? "p0" : `p${1 + (id % OTHERS)}`;
}

/** Whole numbers below 2³² (xorshift, Marsaglia 2003): fast, and the same on every machine. */
function createRandom(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Made-up words of two to five syllables. */
function vocabulary(random: () => number): string[] {
  const syllables = "bdfgklmnprstvw"
    .split("")
    .flatMap((consonant) => "aeiou".split("").map((vowel) => consonant + vowel));
  const words = new Set<string>();
  while (words.size < VOCABULARY)
    words.add(Array.from({ length: 2 + (random() % 4) }, () => syllables[random() % syllables.length]).join(""));
  return [...words];
}

/** Few words are frequent and most are rare, as in what people write. */
function sentence(random: () => number, words: readonly string[], length: number): string {
  const chosen = Array.from({ length }, () => {
    const chance = random() / 2 ** 32;
    return words[Math.floor(words.length * chance * chance * chance)] ?? "";
  });
  const text = chosen.join(" ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Its own words, with a stretch from each of its sources. */
function summarise(random: () => number, words: readonly string[], gathered: readonly Gathered[]): string {
  const parts = gathered.map(({ text }) => text.split(" ").slice(2, 10).join(" "));
  return `${sentence(random, words, 20)} ${parts.join("; ")}`;
}

function embedding(random: () => number, dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() / 2 ** 31 - 1);
}
