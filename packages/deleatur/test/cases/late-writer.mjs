// A writer of its own process: derives a summary from the person's record, then stands still before or after its write until it is told to go on, or is killed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "./small-boundary.mjs";

const [, , directory, stage] = process.argv;
const memory = await openDeleatur(declaredBoundary(directory));
const app = new Database(join(directory, "memory.db"));
const text = "The violet accordion in my cellar still smells of cardamom after the flood last spring";
const write = { key: "late", sources: ["episodes/s1"], content: { text } };

const stand = () =>
  new Promise((resolve) => {
    process.stdin.once("data", resolve);
    writeFileSync(join(directory, "ready"), "");
  });

try {
  await memory.derive("summaries", write, async () => {
    if (stage === "before") await stand();
    app.prepare("INSERT INTO summaries VALUES ('late', '[\"s1\"]', ?)").run(text);
    if (stage === "after") await stand();
  });
} catch {
  process.exitCode = 3; // refused: what the test wants to see in the store
}
app.close();
await memory.close();
process.exit();
