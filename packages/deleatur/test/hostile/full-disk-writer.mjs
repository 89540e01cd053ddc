// A writer whose files cannot grow beyond a limit that its shell set: records one at a time, then in batches, until the ledger refuses; prints what it was told as JSON.
import { join } from "node:path";
import Database from "better-sqlite3";
import { openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "../cases/small-boundary.mjs";

const [, , directory, size] = process.argv;
const memory = await openDeleatur(declaredBoundary(directory));
const app = new Database(join(directory, "memory.db"));
const insert = app.prepare("INSERT INTO episodes VALUES (?, 's-4471', 'a word')");
const insertAll = app.transaction((given) => {
  for (const { key } of given) insert.run(key);
});
let [attempts, written] = [0, 0];
let told = {};
while (told.code === undefined && attempts < 20_000) {
  const given = Array.from({ length: Number(size) }, (_, place) => ({
    key: `episode-${attempts}-${place}-${"k".repeat(400)}`,
    subjects: ["account:s-4471"],
    content: { text: "a word" },
  }));
  attempts += 1;
  try {
    await memory.recordBatch("episodes", given, () => {
      insertAll(given);
      written += given.length;
    });
  } catch (error) {
    told = { name: error.name, code: error.code, message: error.message, file: error.place?.file, cure: error.cure };
  }
}
process.stdout.write(JSON.stringify({ told, written }));
process.exit();
