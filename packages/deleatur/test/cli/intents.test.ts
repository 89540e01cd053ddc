// Writes that were begun and never ended, as an operator sees and ends them on the command line.
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { IntentOrder, Writer } from "../../src/ledger/ledger.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { askCli, runCli } from "./run-cli.ts";
import { smallMemory, type SmallMemory, subjectFile } from "./small-memory.ts";

/** A writer of another host: nobody here can know that it is dead. */
const ELSEWHERE: Writer = { host: "elsewhere/pid:[1]", pid: 7, started: "once" };

const past = (): Date => new Date(Date.now() - 3_600_000);

async function beginWrites({ boundaryFile }: SmallMemory, keys: readonly string[]): Promise<void> {
  const memory = await openDeleatur(boundaryFile, { environment: {}, clock: past });
  const orders = keys.map((key): IntentOrder => ({
    ref: { surface: surfaceId("episodes"), key: artifactKey(key) },
    subjects: [{ type: "account", value: "marta-77" }],
    sources: [],
    leaseMs: 1000,
  }));
  memory.engine.ledger.beginIntents(orders, ELSEWHERE);
  await memory.close();
}

it("an operator who knows a writer to be gone ends its writes: the store decides what became of each, and a forget erases what was written", async () => {
  const memory = smallMemory();
  await beginWrites(memory, ["e8", "e9"]);
  const db = new Database(memory.database);
  db.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run("e9", "marta-77", "A late word of mine about the crutches.");
  db.close();
  const open = (await askCli(memory.directory, ["intents"])).json["intents"] as readonly { id: string }[];
  expect(open).toEqual([
    expect.objectContaining({ surface: "episodes", writer: "elsewhere, process 7" }),
    expect.objectContaining({ surface: "episodes", writer: "elsewhere, process 7" }),
  ]);
  expect((await runCli(memory.directory, ["intents"])).out).not.toMatch(/episodes\/e[89]/);
  const settled = await askCli(memory.directory, ["intents", "--writer-gone", ...open.map(({ id }) => id)]);
  expect([settled.exitCode, settled.json["settled"]]).toEqual([0, { joined: 1, aborted: 1 }]);
  expect((await askCli(memory.directory, ["intents"])).json["intents"]).toEqual([]);
  const ended = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--now"]);
  expect([ended.exitCode, ended.json["verdict"]]).toEqual([0, "COMPLIANT"]);
  expect(ended.json["totals"]).toMatchObject({ confirmed: { erased: 5 } });
});
