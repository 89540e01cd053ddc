// Held writes on the command line: listed, released, discarded, all of several or none, and what `find` shows of them; in words and as one object (GUARD-2).
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { askCli, runCli } from "./run-cli.ts";
import { SECRETS, smallMemory, type SmallMemory, subjectFile } from "./small-memory.ts";

const NAMED = ["--role", "privacy-officer", "--reason", "TRUE_COINCIDENCE"];
const PARCEL = "Please put the parcel for my sister behind the blue bins in the second courtyard on Thursday.";
const KNEE = "My knee operation is on the nineteenth at the Sankt Vinzenz clinic, afterwards crutches for six weeks.";

/** Jonas offers again what Marta, who is forgotten, had said. Answers which of the texts were stored. */
async function offer(memory: SmallMemory, texts: readonly string[]): Promise<readonly string[]> {
  const deleatur = await openDeleatur(memory.boundaryFile, { environment: {} });
  const app = new Database(memory.database);
  const stored: string[] = [];
  for (const text of texts) {
    const key = `j${app.prepare("SELECT id FROM episodes").all().length}`;
    await deleatur.record("episodes", { key, subjects: ["account:jonas-12"], content: { text } }, () => {
      app.prepare("INSERT INTO episodes VALUES (?, 'jonas-12', ?)").run(key, text);
      stored.push(text);
    });
  }
  app.close();
  await deleatur.close();
  return stored;
}

async function heldMemory(): Promise<{ readonly memory: SmallMemory; readonly ids: readonly string[] }> {
  const memory = smallMemory();
  await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--now"]);
  expect(await offer(memory, [PARCEL, KNEE])).toEqual([]);
  return { memory, ids: (await open(memory)).map(({ id }) => id) };
}

interface Shown {
  readonly id: string;
  readonly content: Readonly<Record<string, string>>;
}

async function open({ directory }: SmallMemory): Promise<readonly Shown[]> {
  const { held } = (await askCli(directory, ["review"])).json as unknown as {
    readonly held: { readonly open: number; readonly list: readonly Shown[] };
  };
  expect(held.open).toBe(held.list.length);
  return held.list;
}

async function expectNothingSaid({ directory }: SmallMemory): Promise<void> {
  const log = JSON.stringify((await askCli(directory, ["log"])).json);
  expect(log).toContain('"held-decided"');
  for (const secret of SECRETS) expect(log).not.toContain(secret);
}

it("GUARD-2: `review` lists held writes with what they say and the commands that decide; `--release` shows them a last time, and lets each in once", async () => {
  const { memory, ids } = await heldMemory();
  const { out } = await runCli(memory.directory, ["review"]);
  expect(out).toContain("2 held writes to decide");
  for (const id of ids)
    expect(out).toContain(`deleatur review --release ${id} | --discard ${id} --role ROLE --reason CODE`);
  for (const text of [PARCEL, KNEE]) expect(out).toContain(`text: ${text}`);
  const released = await askCli(memory.directory, ["review", "--release", ...ids, ...NAMED]);
  expect([released.exitCode, released.json["held"]]).toEqual([0, { open: 0 }]);
  expect(released.json["decision"]).toEqual({
    held: ids,
    decision: "released",
    role: "privacy-officer",
    reason: "TRUE_COINCIDENCE",
  });
  expect((released.json["writes"] as readonly Shown[]).map(({ content }) => content["text"]).toSorted()).toEqual([
    KNEE,
    PARCEL,
  ]);
  expect((await runCli(memory.directory, ["review"])).out.trim()).toBe("Nothing to review.");
  expect(await offer(memory, [PARCEL, PARCEL, KNEE])).toEqual([PARCEL, KNEE]);
  await expectNothingSaid(memory);
});

it("GUARD-2: `review --release` says in words that it is once, and the last time that the text is shown", async () => {
  const { memory, ids } = await heldMemory();
  const { out, exitCode } = await runCli(memory.directory, ["review", "--release", ids[0] ?? "", ...NAMED]);
  expect(exitCode).toBe(0);
  expect(out).toContain("Released and logged: the application may write it again, once.");
  expect(out).toContain("This is the last time that it is shown.");
  expect([PARCEL, KNEE].filter((text) => out.includes(text))).toHaveLength(1);
  expect((await open(memory)).map(({ id }) => id)).toEqual([ids[1]]);
});

it("GUARD-2: `review --discard` drops several at once, and none where one of them is unknown or nobody is named", async () => {
  const { memory, ids } = await heldMemory();
  for (const flag of ["--discard", "--release"]) {
    const unknown = await askCli(memory.directory, ["review", flag, ...ids, "0".repeat(32), ...NAMED]);
    expect([unknown.exitCode, unknown.json.error?.code]).toEqual([2, "HELD_UNKNOWN"]);
    const nameless = await askCli(memory.directory, ["review", flag, ...ids]);
    expect([nameless.exitCode, nameless.json.error?.code]).toEqual([2, "DECISION_INCOMPLETE"]);
  }
  expect(await open(memory)).toHaveLength(2);
  expect(await offer(memory, [PARCEL, KNEE])).toEqual([]);
  const both = await runCli(memory.directory, [
    "review",
    "--discard",
    ids[0] ?? "",
    "--release",
    ids[1] ?? "",
    ...NAMED,
  ]);
  expect(both.exitCode).toBe(2);
  const discarded = await runCli(memory.directory, ["review", "--discard", ...ids, ...NAMED]);
  expect([discarded.exitCode, discarded.out.trim()]).toEqual([0, "Discarded and logged."]);
  expect(await open(memory)).toEqual([]);
  const again = await askCli(memory.directory, ["review", "--discard", ...ids, ...NAMED]);
  expect(again.json.error?.code).toBe("HELD_UNKNOWN");
  expect(await offer(memory, [PARCEL])).toEqual([]);
  await expectNothingSaid(memory);
});

it("GUARD-2: `review --discard --json` says what was decided and shows no content", async () => {
  const { memory, ids } = await heldMemory();
  const { json, exitCode } = await askCli(memory.directory, ["review", "--discard", ids[0] ?? "", ...NAMED]);
  expect([exitCode, json["held"], json["writes"]]).toEqual([0, { open: 1 }, undefined]);
  expect(json["decision"]).toMatchObject({ held: [ids[0]], decision: "discarded" });
  for (const secret of SECRETS) expect(JSON.stringify(json)).not.toContain(secret);
});

it("GUARD-2: `find` prints held writes about the person beside the records, as not stored; of others it prints none", async () => {
  const { memory, ids } = await heldMemory();
  const jonas = ["find", "--subject-file", "-"];
  const { out } = await runCli(memory.directory, jonas, { input: "account:jonas-12\n" });
  expect(out).toContain("2 held writes, not stored: see `deleatur review`");
  for (const id of ids) expect(out).toContain(`  ${id}  episodes/`);
  for (const text of [PARCEL, KNEE]) expect(out).toContain(`text: ${text}`);
  const asked = await askCli(memory.directory, jonas, { input: "account:jonas-12\n" });
  const held = asked.json["held"] as readonly (Shown & { readonly since: string; readonly until: string })[];
  expect(held.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  // Both are read from the clock, one after the other: a millisecond may lie between.
  for (const { since, until } of held)
    expect(Math.round((Date.parse(until) - Date.parse(since)) / 1000)).toBe(30 * 86_400);
  const marta = await askCli(memory.directory, ["find", "--subject-file", subjectFile(memory)]);
  expect(marta.json["held"]).toEqual([]);
});
