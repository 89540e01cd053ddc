// The agent's own data layer: SQLite with full text and vectors, and transcripts as JSONL. It plays the application; it knows nothing of Deleatur.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load as loadVectors } from "sqlite-vec";
import { DIMENSIONS } from "./embed-text.ts";
import { groupBy } from "../model/group-by.ts";
import type { Answer, Episode, MemoryData, Payment, Person, Summary } from "./memory-data.ts";

export interface AgentStore {
  insertPeople(people: readonly Person[]): void;
  insertEpisodes(episodes: readonly Episode[]): void;
  indexEpisodes(episodes: readonly Episode[]): void;
  insertVectors(vectors: readonly { readonly id: number; readonly embedding: Float32Array }[]): void;
  appendTranscripts(episodes: readonly Episode[]): void;
  insertSummaries(summaries: readonly Summary[]): void;
  indexSummaries(summaries: readonly Summary[]): void;
  insertAnswers(answers: readonly Answer[]): void;
  insertPayments(payments: readonly Payment[]): void;
  /** Everything that belongs to others than these people: rows, vectors and transcript lines, as a count and one digest. */
  digestOthers(people: readonly string[]): { readonly rows: number; readonly digest: string };
  /** Ids of the episodes that the agent's own search index answers for these words. */
  search(words: string): readonly number[];
  /** The shared texts as they stand. */
  sharedTexts(): ReadonlyMap<string, string>;
  close(): void;
}

/** secure_delete from the start is what `deleatur check` recommends: erased rows are overwritten at once, and a purge need not rewrite the file. */
function openDatabase(directory: string): Database.Database {
  const database = new Database(join(directory, "memory.db"));
  loadVectors(database);
  database.pragma("journal_mode = WAL");
  database.pragma("secure_delete = ON");
  return database;
}

function createTables(database: Database.Database, data: Pick<MemoryData, "people" | "payments">): void {
  database.exec(`
    CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, said_at TEXT NOT NULL, text TEXT NOT NULL);
    CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
    INSERT INTO episodes_fts(episodes_fts, rank) VALUES ('secure-delete', 1);
    CREATE VIRTUAL TABLE episode_vec USING vec0(episode_id INTEGER PRIMARY KEY, embedding float[${DIMENSIONS}]);
    CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, source_ids TEXT NOT NULL);
    CREATE VIRTUAL TABLE summaries_fts USING fts5(text, content='summaries', content_rowid='id');
    INSERT INTO summaries_fts(summaries_fts, rank) VALUES ('secure-delete', 1);
    CREATE TABLE answers (id TEXT PRIMARY KEY, asked_by TEXT, question TEXT NOT NULL, answer TEXT NOT NULL, source_ids TEXT NOT NULL);
  `);
  if (data.people.some(({ profile }) => profile !== undefined)) {
    database.exec(
      "CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, about TEXT NOT NULL)",
    );
  }
  if (data.payments.length > 0) {
    database.exec(
      "CREATE TABLE payment_log (id INTEGER PRIMARY KEY, account TEXT NOT NULL, cents INTEGER NOT NULL, paid_on TEXT NOT NULL)",
    );
  }
}

/** Makes the files of an empty memory in a directory. */
export function createAgentStore(directory: string, data: Pick<MemoryData, "people" | "payments">): AgentStore {
  const transcripts = join(directory, "transcripts");
  mkdirSync(transcripts, { recursive: true });
  const database = openDatabase(directory);
  createTables(database, data);
  const insertAll = <Row>(sql: string, rows: readonly Row[], values: (row: Row) => readonly unknown[]): void => {
    const statement = database.prepare(sql);
    database.transaction(() => {
      for (const row of rows) statement.run(...values(row));
    })();
  };
  return {
    insertPeople: (people) =>
      insertAll("INSERT INTO people (account, email, about) VALUES (?, ?, ?)", people, ({ id, profile }) => [
        id,
        profile?.email,
        profile?.about,
      ]),
    insertEpisodes: (episodes) =>
      insertAll(
        "INSERT INTO episodes (id, account, said_at, text) VALUES (?, ?, ?, ?)",
        episodes,
        ({ id, by, at, text }) => [id, by, at, text],
      ),
    indexEpisodes: (episodes) =>
      insertAll("INSERT INTO episodes_fts (rowid, text) VALUES (?, ?)", episodes, ({ id, text }) => [id, text]),
    insertVectors: (vectors) =>
      insertAll("INSERT INTO episode_vec (episode_id, embedding) VALUES (?, ?)", vectors, ({ id, embedding }) => [
        BigInt(id),
        new Uint8Array(embedding.buffer, embedding.byteOffset, embedding.byteLength),
      ]),
    appendTranscripts(episodes) {
      const byFile = groupBy(episodes, ({ transcript }) => transcript);
      for (const [name, lines] of byFile)
        appendFileSync(join(transcripts, `${name}.jsonl`), lines.map((line) => `${transcriptLine(line)}\n`).join(""));
    },
    insertSummaries: (summaries) =>
      insertAll("INSERT INTO summaries (id, text, source_ids) VALUES (?, ?, ?)", summaries, ({ id, text, sources }) => [
        id,
        text,
        JSON.stringify(sources),
      ]),
    indexSummaries: (summaries) =>
      insertAll("INSERT INTO summaries_fts (rowid, text) VALUES (?, ?)", summaries, ({ id, text }) => [id, text]),
    insertAnswers: (answers) =>
      insertAll(
        "INSERT INTO answers (id, asked_by, question, answer, source_ids) VALUES (?, ?, ?, ?, ?)",
        answers,
        ({ key, askedBy, question, answer, sources }) => [key, askedBy, question, answer, JSON.stringify(sources)],
      ),
    insertPayments: (payments) =>
      insertAll("INSERT INTO payment_log VALUES (?, ?, ?, ?)", payments, ({ id, by, cents, at }) => [
        id,
        by,
        cents,
        at,
      ]),
    digestOthers: (people) => digestOthers(database, transcripts, new Set(people)),
    search: (words) =>
      database
        .prepare<[string], { rowid: number }>("SELECT rowid FROM episodes_fts WHERE episodes_fts MATCH ?")
        .all(`"${words.replaceAll('"', '""')}"`)
        .map(({ rowid }) => rowid),
    sharedTexts() {
      const rows = database
        .prepare<[], { id: string; text: string }>(
          "SELECT 'summaries/' || id AS id, text FROM summaries UNION ALL SELECT 'answers/' || id, answer FROM answers",
        )
        .all();
      return new Map(rows.map(({ id, text }) => [id, text]));
    },
    close: () => void database.close(),
  };
}

/** One line of a transcript; it names the episode that holds the same words. */
function transcriptLine({ id, by, at, text }: Episode): string {
  return JSON.stringify({ id: `t${id}`, episode: id, user: by, at, text });
}

function digestOthers(
  database: Database.Database,
  transcripts: string,
  people: ReadonlySet<string>,
): { rows: number; digest: string } {
  const hash = createHash("sha256");
  let rows = 0;
  const take = (row: readonly unknown[]): void => {
    rows += 1;
    hash.update(`${JSON.stringify(row)}\n`);
  };
  type Owned = { account: string; rest: unknown[] };
  const queries = [
    "SELECT account, id, said_at, text FROM episodes ORDER BY id",
    "SELECT account, episode_id, vec_to_json(embedding) FROM episode_vec JOIN episodes ON id = episode_id ORDER BY episode_id",
    ...(hasTable(database, "people") ? ["SELECT account, email, about FROM people ORDER BY id"] : []),
    ...(hasTable(database, "payment_log") ? ["SELECT account, id, cents, paid_on FROM payment_log ORDER BY id"] : []),
  ];
  for (const query of queries) {
    for (const [account, ...rest] of database.prepare<[], [string, ...unknown[]]>(query).raw(true).iterate()) {
      const row: Owned = { account, rest };
      if (!people.has(row.account)) take([row.account, ...row.rest]);
    }
  }
  for (const file of readdirSync(transcripts).toSorted()) {
    for (const line of readFileSync(join(transcripts, file), "utf8").split("\n")) {
      if (line === "") continue;
      const parsed: unknown = JSON.parse(line);
      const user = typeof parsed === "object" && parsed !== null && "user" in parsed ? parsed.user : undefined;
      if (typeof user !== "string" || !people.has(user)) take([file, line]);
    }
  }
  return { rows, digest: hash.digest("hex") };
}

function hasTable(database: Database.Database, table: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
}
