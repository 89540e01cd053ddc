// A writer of its own process: records a text that was released, stands still between its write and the commit until it is told to go on, and prints how it ended.
import { join } from "node:path";
import Database from "better-sqlite3";
import { isHeld, openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "./small-boundary.mjs";

const [, , directory, key, subject, text] = process.argv;
const memory = await openDeleatur(declaredBoundary(directory));
const app = new Database(join(directory, "memory.db"));
const told = new Promise((resolve) => process.stdin.once("data", resolve));
const write = { key, subjects: [subject], content: { text } };
const answer = await memory.record("episodes", write, async () => {
  app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(key, text);
  process.stdout.write("wrote\n");
  await told;
});
process.stdout.write(isHeld(answer) ? "held\n" : "stored\n");
app.close();
await memory.close();
process.exit();
