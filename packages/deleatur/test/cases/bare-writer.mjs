// A program that never heard of Deleatur: opens the database, waits for the file `go`, then writes two rows by statements that it had prepared, and leaves in `answers` what became of them.
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";

const [, , database, folder] = process.argv;
const app = new Database(database);
const insert = app.prepare("INSERT INTO episodes VALUES (?, ?, 'x')");
process.stdout.write("ready\n");
while (!existsSync(join(folder, "go"))) await sleep(5);
const answers = [
  ["bare-1", "s-4471"],
  ["bare-2", "t-0815"],
].map((row) => {
  try {
    insert.run(...row);
    return "stored";
  } catch (error) {
    return `refused: ${error.message}`;
  }
});
writeFileSync(join(folder, "answers.part"), JSON.stringify(answers));
renameSync(join(folder, "answers.part"), join(folder, "answers"));
app.close();
