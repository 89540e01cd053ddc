// The README's `remember.mjs`, type-checked here and run by tutorial.test.ts: an agent that records what it heard and a summary of it.
import Database from "better-sqlite3";
import { openDeleatur } from "deleatur";

const db = new Database("memory.db");
db.exec(`CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL);
         CREATE TABLE summaries (id TEXT PRIMARY KEY, source_ids TEXT NOT NULL, text TEXT NOT NULL)`);
const addEpisode = db.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
const addSummary = db.prepare("INSERT INTO summaries VALUES (?, ?, ?)");

const memory = await openDeleatur("deleatur.yaml");

const heard = [
  {
    key: "e1",
    account: "42",
    text: "My cello teacher moved to Lisbon, please cancel the lessons that I booked for March.",
  },
  {
    key: "e2",
    account: "7",
    text: "The boiler in the second cellar makes a grinding noise whenever it starts to rain.",
  },
];
for (const { key, account, text } of heard) {
  await memory.record("episodes", { key, subjects: [`account:${account}`], content: { text } }, () =>
    addEpisode.run(key, account, text),
  );
}

const text = "Open: cancel the lessons that I booked for March. Open: the boiler makes a grinding noise.";
await memory.derive("summaries", { key: "s1", sources: ["episodes/e1", "episodes/e2"], content: { text } }, () =>
  addSummary.run("s1", JSON.stringify(["e1", "e2"]), text),
);
await memory.close();
