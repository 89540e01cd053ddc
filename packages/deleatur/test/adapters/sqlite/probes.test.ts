// The eyes: each probe finds again what an erase that did nothing, or too little, left; controls prove them, bystanders are no findings.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { tableProbes } from "../../../src/adapters/sqlite/eyes/content-probes.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import type { Needle } from "../../../src/model/needle.ts";
import {
  blobOf,
  collect,
  declare,
  findings,
  keys,
  needleOf,
  newStore,
  openApp,
  openSurface,
  scan,
  signal,
  text,
  vectorOf,
  type Opened,
} from "./sqlite-fixture.ts";

const SQL = `CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, note TEXT);`;
const MARKER = "the violet heron keeps a marzipan umbrella under the old bridge of the town";

const declared = declare("sqlite", { subject: [{ type: "account", column: "user_id" }], content: [text("text")] });

function fill(): ReturnType<typeof newStore> {
  const store = newStore(SQL);
  const insert = store.app.prepare("INSERT INTO episodes VALUES (?, ?, ?, NULL)");
  for (let id = 1; id <= 40; id += 1)
    insert.run(
      id,
      id === 7 ? "s" : "t",
      id === 7 ? MARKER : `row number ${id} tells of market days and marvellous weather`,
    );
  return store;
}

async function subjectAndControl(opened: Opened): Promise<{ readonly gone: Artifact; readonly control: Artifact }> {
  const all = await scan(opened);
  const gone = all.find(({ key }) => key === "7");
  const control = all.find(({ key }) => key === "8");
  if (gone === undefined || control === undefined) throw new Error("nothing scanned");
  return { gone, control };
}

describe("a sabotaged erase that does nothing", () => {
  test.each(["key", "exact", "excerpt"] as const)("is caught by the %s probe", async (name) => {
    const { file } = fill();
    const opened = await openSurface(declared, file);
    const { gone, control } = await subjectAndControl(opened);
    const needles = [needleOf(gone, 0), needleOf(control, 1, "control")];
    const before = await findings(opened, name, needles);
    expect(before.map(({ needle }) => needle)).toEqual(expect.arrayContaining([0, 1]));
    expect(before.find(({ needle }) => needle === 0)?.place).toMatchObject({ container: "memory.episodes", key: "7" });
    await opened.surface.erase(keys(7), signal);
    expect((await findings(opened, name, needles)).map(({ needle }) => needle)).not.toContain(0);
  });
});

test("C15: a delete in a transaction that never commits is seen through by a fresh connection", async () => {
  const { file } = fill();
  const opened = await openSurface(declared, file);
  const { gone } = await subjectAndControl(opened);
  const tool = openApp(file);
  tool.exec("BEGIN; DELETE FROM episodes WHERE id = 7");
  expect(tool.prepare("SELECT count(*) AS n FROM episodes WHERE id = 7").get()).toEqual({ n: 0 });
  expect(await findings(opened, "key", [needleOf(gone, 0)])).toHaveLength(1);
  tool.exec("ROLLBACK");
});

test("C22: a lawful row that took the erased number again is no finding, the same content under it is", async () => {
  const { file, app } = newStore(SQL);
  app.prepare("INSERT INTO episodes VALUES (1, 's', ?, NULL)").run(MARKER);
  const opened = await openSurface({ ...declared, keys: "reusable" }, file);
  const [gone] = await scan(opened);
  if (gone === undefined) throw new Error("nothing scanned");
  await opened.surface.erase(keys(1), signal);
  app.exec("INSERT INTO episodes (user_id, text) VALUES ('t', 'something of another person')");
  expect(await scan(opened)).toMatchObject([{ key: "1" }]);
  expect(await findings(opened, "key", [needleOf(gone, 0)])).toEqual([]);
  app.prepare("UPDATE episodes SET text = ? WHERE id = 1").run(MARKER);
  expect(await findings(opened, "key", [needleOf(gone, 0)])).toHaveLength(1);
  const unique = await openSurface(declared, file);
  app.exec("UPDATE episodes SET text = 'other' WHERE id = 1");
  expect(await findings(unique, "key", [needleOf(gone, 0)])).toHaveLength(1);
});

test("C16: a needle 42 does not find the row 421", async () => {
  const { file, app } = newStore(SQL);
  app.exec("INSERT INTO episodes (id, text) VALUES (42, 'a'), (421, 'b')");
  const opened = await openSurface(declared, file);
  const [first] = await scan(opened);
  if (first === undefined) throw new Error("nothing scanned");
  await opened.surface.erase(keys(42), signal);
  expect(await findings(opened, "key", [needleOf(first, 0)])).toEqual([]);
});

test("a copy in a column that was not declared is found all the same", async () => {
  const { file, app } = fill();
  const opened = await openSurface(declared, file);
  const { gone } = await subjectAndControl(opened);
  await opened.surface.erase(keys(7), signal);
  app.prepare("UPDATE episodes SET note = ? WHERE id = 9").run(`quoted: ${JSON.stringify({ said: MARKER })}`);
  expect(await findings(opened, "exact", [needleOf(gone, 0)])).toMatchObject([{ place: { key: "9" } }]);
  expect(await findings(opened, "excerpt", [needleOf(gone, 0)])).toMatchObject([{ place: { key: "9" } }]);
});

test("VERDICT-1: the excerpt probe finds the same, whether the exact one has read the table for it, found too much to keep, stopped early, or looked for others", async () => {
  const { file, app } = fill();
  const opened = await openSurface(declared, file);
  const { gone, control } = await subjectAndControl(opened);
  app.prepare("UPDATE episodes SET note = ? WHERE id IN (9, 11, 13)").run(`so ${MARKER.slice(0, 50)}`);
  const needles = [needleOf(gone, 0), needleOf(control, 1, "control")];
  const seen = { target: { store: "memory", file }, table: "episodes", key: ["id"], scope: "episodes" };
  const look = async (
    maxKept: number,
    before: (exact: ReturnType<typeof tableProbes>[number]) => Promise<unknown>,
    asked: readonly Needle[] = needles,
  ): Promise<unknown> => {
    const [exact, excerpt] = tableProbes(seen, maxKept);
    if (exact === undefined || excerpt === undefined) throw new Error("two probes of a table");
    await before(exact);
    return collect(excerpt.look(asked, signal));
  };
  const alone = await look(100, () => Promise.resolve());
  expect(alone).toHaveLength(4 + 39);
  expect(await look(100, (exact) => collect(exact.look(needles, signal)))).toEqual(alone);
  expect(await look(4, (exact) => collect(exact.look(needles, signal)))).toEqual(alone);
  const stopped = await look(100, async (exact) => {
    for await (const found of exact.look(needles, signal)) return found;
    return undefined;
  });
  expect(stopped).toEqual(alone);
  expect(await look(100, (exact) => collect(exact.look([needleOf(control, 0, "control")], signal)))).toEqual(alone);
});

test("CLAIM-6: each replica has probes of its own, and a copy left in one is found in it", async () => {
  const one = fill();
  const two = fill();
  const opened = await openSurface({ ...declared, replicas: ["copy1"] }, [one.file, two.file]);
  const { gone } = await subjectAndControl(opened);
  one.app.exec("DELETE FROM episodes WHERE id = 7");
  const found = await findings(opened, "key", [needleOf(gone, 0)]);
  expect(found).toMatchObject([{ place: { container: "copy1.episodes" } }]);
  const scopes = opened.probes.map(({ name, scope }) => `${name} ${scope}`);
  expect(new Set(scopes).size).toBe(scopes.length);
  expect(scopes).toContain("bytes bytes:copy1");
  await opened.surface.erase(keys(7), signal);
  expect(await findings(opened, "key", [needleOf(gone, 0)])).toEqual([]);
});

test("boilerplate that a surviving row also has is no byte finding, the distinctive rest is", async () => {
  const { file, app } = newStore(SQL);
  const shared = "Customer called about billing and was told to wait for the next statement. ";
  const insert = app.prepare("INSERT INTO episodes VALUES (?, 't', ?, NULL)");
  insert.run(1, shared);
  insert.run(2, `${shared}${MARKER}`);
  insert.run(3, `${shared} and nothing else at all`);
  const opened = await openSurface(declared, file);
  const [one, two, three] = await scan(opened);
  if (one === undefined || two === undefined || three === undefined) throw new Error("nothing scanned");
  app.exec("DELETE FROM episodes WHERE id IN (1, 2)");
  const needles = [needleOf(one, 0), needleOf(two, 1), needleOf(three, 2, "control")];
  const found = new Set((await findings(opened, "bytes", needles)).map(({ needle }) => needle));
  expect(found).toEqual(new Set([1, 2]));
});

test("long texts and vectors that span pages are found in the raw bytes", async () => {
  const { file, app } = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT, vec BLOB)");
  const long = Array.from({ length: 3000 }, (_, at) => `word${at * 7919}`).join(" ");
  const insert = app.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
  insert.run(1, long, null);
  insert.run(2, null, blobOf(vectorOf(5, 1536)));
  insert.run(3, "a row that stays and is long enough", null);
  const opened = await openSurface(declare("sqlite", { content: [text("text")], vector: "vec" }), file);
  const all = await scan(opened);
  app.exec("DELETE FROM episodes WHERE id < 3");
  const found = await findings(
    opened,
    "bytes",
    all.map((artifact, at) => needleOf(artifact, at, at === 2 ? "control" : "erased")),
  );
  expect(new Set(found.map(({ needle }) => needle))).toEqual(new Set([0, 1, 2]));
  await opened.surface.purge(signal);
  const after = await findings(
    opened,
    "bytes",
    all.map((artifact, at) => needleOf(artifact, at, at === 2 ? "control" : "erased")),
  );
  expect(new Set(after.map(({ needle }) => needle))).toEqual(new Set([2]));
});

test("VERDICT-4: a store that is gone makes a probe throw, never find nothing", async () => {
  const { file } = fill();
  const opened = await openSurface(declared, file);
  const { gone } = await subjectAndControl(opened);
  const moved = await openSurface(declared, file).then(({ kind, options }) =>
    kind.probes({ ...options, files: [{ store: "memory", file: join(file, "..", "gone.db") }] }),
  );
  for (const probe of moved)
    await expect(collect(probe.look([needleOf(gone, 0)], signal))).rejects.toMatchObject({ code: "STORE_MISSING" });
});

test("an aborted look stops and closes its connection", async () => {
  const { file, app } = fill();
  const opened = await openSurface(declared, file);
  const { gone } = await subjectAndControl(opened);
  const controller = new AbortController();
  controller.abort();
  for (const probe of opened.probes)
    await expect(collect(probe.look([needleOf(gone, 0)], controller.signal))).rejects.toThrow(/abort/i);
  expect(app.pragma("wal_checkpoint(TRUNCATE)", { simple: true })).toBe(0);
});

test("the eyes import nothing of the hands", () => {
  const folder = fileURLToPath(new URL("../../../src/adapters/sqlite/", import.meta.url));
  const eyes = [
    join(folder, "probes.ts"),
    ...readdirSync(join(folder, "eyes")).map((name) => join(folder, "eyes", name)),
  ];
  for (const file of eyes) {
    const imports = [...readFileSync(file, "utf8").matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? "");
    expect(imports.filter((from) => /hands\/|\/surface\.ts$/.test(from) && !from.startsWith("../../"))).toEqual([]);
  }
});
