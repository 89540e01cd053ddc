// Builds the small memory that the kill tests forget a person from, through the SDK, in the folder that it is given.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { openDeleatur } from "../../dist/index.js";
import { killBoundary } from "./kill-boundary.mjs";

const [, , directory] = process.argv;
mkdirSync(join(directory, "transcripts"));
const app = new Database(join(directory, "memory.db"));
load(app);
app.pragma("journal_mode = WAL");
app.exec(`CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5(text, content='episodes', content_rowid='id');
  CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, embedding float[64]);
  CREATE TABLE summaries (id TEXT PRIMARY KEY, source_ids TEXT NOT NULL, text TEXT NOT NULL);`);
const memory = await openDeleatur(killBoundary(directory));

const WORDS = [
  "violet",
  "harbour",
  "accordion",
  "cardamom",
  "lantern",
  "quarry",
  "thistle",
  "meadow",
  "copper",
  "velvet",
];
const say = (id) =>
  `Remark ${id}: ${Array.from({ length: 12 }, (_, at) => `${WORDS[(id * 7 + at * 3) % 10]}${(id * 31 + at * 17) % 97}`).join(" ")}`;

const ids = Array.from({ length: 24 }, (_, at) => at + 1);
const person = (id) => (id % 2 === 0 ? "t-0815" : "s-4471");
await memory.recordBatch(
  "episodes",
  ids.map((id) => ({ key: String(id), subjects: [`account:${person(id)}`], content: { text: say(id) } })),
  () => {
    for (const id of ids) app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(id, person(id), say(id));
  },
);
const from = (id) => [`episodes/${id}`];
await memory.deriveBatch(
  "search",
  ids.map((id) => ({ key: String(id), sources: from(id), content: { text: say(id) } })),
  () => {
    for (const id of ids) app.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, say(id));
  },
);
const vector = (id) => Float32Array.from({ length: 64 }, (_, at) => Math.sin(id * 97.3 + at * at * 0.37));
await memory.deriveBatch(
  "vectors",
  ids.map((id) => ({ key: String(id), sources: from(id), content: { embedding: vector(id) } })),
  () => {
    for (const id of ids)
      app.prepare("INSERT INTO vectors VALUES (?, ?)").run(BigInt(id), Buffer.from(vector(id).buffer));
  },
);
const line = (id) => ({ id: `l${id}`, user: person(id), episode: id, text: say(id) });
await memory.deriveBatch(
  "transcripts",
  ids.map((id) => ({
    key: `l${id}`,
    subjects: [`account:${person(id)}`],
    sources: from(id),
    content: { text: say(id) },
  })),
  () =>
    appendFileSync(
      join(directory, "transcripts", "day.jsonl"),
      ids.map((id) => `${JSON.stringify(line(id))}\n`).join(""),
    ),
);
const summaries = [
  ["m1", [1, 2]],
  ["m2", [3, 5]],
  ["m3", [4, 6]],
];
for (const [key, sources] of summaries) {
  const text = `Both said: ${sources.map(say).join(" and ")}`;
  await memory.derive("summaries", { key, sources: sources.map((id) => `episodes/${id}`), content: { text } }, () =>
    app.prepare("INSERT INTO summaries VALUES (?, ?, ?)").run(key, JSON.stringify(sources), text),
  );
}
await memory.close();
app.pragma("wal_checkpoint(TRUNCATE)");
app.close();
