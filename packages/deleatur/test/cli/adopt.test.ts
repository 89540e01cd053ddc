// The marker of another ledger in a store, as an operator sees it in `check` and takes it out by name (CONTAINER_SHARED).
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { smallMemory } from "./small-memory.ts";

const OTHER = "5b".repeat(16);

it("VERDICT-4: check shows another ledger's marker and what it costs; --adopt takes it out, logged, and only the one that is named", async () => {
  const { directory, database } = smallMemory();
  const db = new Database(database);
  db.exec(`CREATE TABLE deleatur_ledger (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID`);
  db.prepare("INSERT INTO deleatur_ledger VALUES (?)").run(OTHER);
  db.close();
  const shared = await askCli(directory, ["check"]);
  expect(shared.json["shared"]).toContainEqual(expect.objectContaining({ container: "memory", ledgers: [OTHER] }));
  expect(JSON.stringify(shared.json["reasons"])).toContain("CONTAINER_SHARED");
  expect((await runCli(directory, ["check"])).out).toContain(`memory: ${OTHER}`);
  const unknown = await askCli(directory, ["check", "--adopt", "0".repeat(32)]);
  expect([unknown.exitCode, unknown.json["error"]]).toEqual([2, expect.objectContaining({ code: "MARKER_UNKNOWN" })]);
  const adopted = await askCli(directory, ["check", "--adopt", OTHER]);
  expect(adopted.json["shared"]).toEqual([]);
  expect(JSON.stringify(adopted.json["reasons"])).not.toContain("CONTAINER_SHARED");
  expect((await runCli(directory, ["log"])).out).toContain("adopt");
});
