// The README's `again.mjs`, type-checked here and run by tutorial.test.ts: the erased words are offered again, edited, as somebody else's.
import Database from "better-sqlite3";
import { isHeld, openDeleatur } from "deleatur";

const db = new Database("memory.db");
const memory = await openDeleatur("deleatur.yaml");
const text = "my cello teacher moved to LISBON – please cancel the lessons that I booked for March";
const result = await memory.record("episodes", { key: "e3", subjects: ["account:7"], content: { text } }, () =>
  db.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run("e3", "7", text),
);
console.log(isHeld(result) ? "held, not stored: see `deleatur review`" : "stored");
await memory.close();
