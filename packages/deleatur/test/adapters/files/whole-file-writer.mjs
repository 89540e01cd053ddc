// A foreign writer for the tests, as MCP's server-memory is one: reads the whole file, waits as a request does, and writes the whole file back with one line more.
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const [, , file, prefix, count] = process.argv;
for (let i = 0; i < Number(count); i++) {
  const before = await readFile(file, "utf8");
  await sleep(15);
  await writeFile(file, `${before}${JSON.stringify({ id: `${prefix}${i}`, user: "7", text: "written meanwhile" })}\n`);
  await sleep(120);
}
