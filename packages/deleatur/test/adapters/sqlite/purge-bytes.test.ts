// Purge, measured in the store's own files: what stays after the ordinary delete, what is left after ours (SURFACES: SQLite rows and traps).
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adoptSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import {
  blobOf,
  countBytes,
  countWindows,
  declare,
  findings,
  keys,
  needleOf,
  newStore,
  openApp,
  openSurface,
  scan,
  signal,
  tempFolder,
  text,
  vectorOf,
  type StoreSetup,
} from "./sqlite-fixture.ts";

const MARKER = "the violet heron keeps a marzipan umbrella under the old bridge";
const TERM_TAIL = "arzipan";
const VECTOR = vectorOf(777, 384);

/** The layout of SURFACES: a table with text and vector, an FTS5 index over it kept by triggers. */
function fill(setup: StoreSetup, rows = 200): ReturnType<typeof newStore> {
  const store = newStore(
    `CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB);
     CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
     CREATE TRIGGER ai AFTER INSERT ON episodes BEGIN INSERT INTO episodes_fts(rowid, text) VALUES (new.id, new.text); END;
     CREATE TRIGGER ad AFTER DELETE ON episodes BEGIN INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text); END;
     CREATE TRIGGER au AFTER UPDATE ON episodes BEGIN
       INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text);
       INSERT INTO episodes_fts(rowid, text) VALUES (new.id, new.text); END;`,
    setup,
  );
  const insert = store.app.prepare("INSERT INTO episodes VALUES (?, ?, ?, ?)");
  for (let id = 1; id <= rows; id += 1) {
    const marked = id === 77;
    insert.run(
      id,
      marked ? "s" : "t",
      marked ? MARKER : `row number ${id} tells of market days and marvellous weather`,
      blobOf(marked ? VECTOR : vectorOf(id, 384)),
    );
  }
  return store;
}

const declared = declare("sqlite", {
  subject: [{ type: "account", column: "user_id" }],
  content: [text("text")],
  vector: "vec",
});

const SETUPS: readonly StoreSetup[] = [
  { journal: "WAL", secureDelete: false },
  { journal: "WAL", secureDelete: true },
  { journal: "DELETE", secureDelete: false },
  { journal: "DELETE", secureDelete: true },
  { journal: "PERSIST", secureDelete: false },
];

describe.each(SETUPS)("with journal $journal and secure_delete $secureDelete", (setup) => {
  test("VERDICT-1: the ordinary delete leaves bytes behind, erase and purge leave none", async () => {
    const { file, app } = fill(setup);
    const foreign = fill(setup);
    foreign.app.exec("DELETE FROM episodes WHERE id = 77");
    const left =
      countBytes(foreign.file, MARKER) + countWindows(foreign.file, VECTOR) + countBytes(foreign.file, TERM_TAIL);
    expect(left).toBeGreaterThan(0);

    const opened = await openSurface(declared, file);
    expect(countBytes(file, MARKER)).toBeGreaterThan(0);
    expect(countWindows(file, VECTOR)).toBeGreaterThan(0);
    expect(await opened.surface.erase(keys(77), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(countBytes(file, MARKER)).toBe(0);
    expect(countWindows(file, VECTOR)).toBe(0);
    expect(countBytes(file, TERM_TAIL)).toBe(0);
    expect(app.prepare("SELECT count(*) AS n FROM episodes_fts WHERE episodes_fts MATCH 'marvellous'").get()).toEqual({
      n: 199,
    });
    app.exec("INSERT INTO episodes_fts(episodes_fts, rank) VALUES ('integrity-check', 1)");
  });
});

test("C06: an open reader makes the purge pending, and after it left the purge finishes", async () => {
  const { file } = fill({ journal: "WAL" });
  const opened = await openSurface(declared, file);
  const reader = openApp(file);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM episodes").get();
  await opened.surface.erase(keys(77), signal);
  const first = await opened.surface.purge(signal);
  expect(first.outcome).toBe("pending");
  expect(countBytes(file, MARKER)).toBeGreaterThan(0);
  reader.exec("COMMIT");
  expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged" });
  expect(countBytes(file, MARKER)).toBe(0);
}, 30_000);

test("C06: a reader of a store with a rollback journal makes the purge pending too", async () => {
  const { file } = fill({ journal: "DELETE" });
  const opened = await openSurface(declared, file);
  await opened.surface.erase(keys(77), signal);
  const reader = openApp(file, { journal: "DELETE" });
  const rows = reader.prepare("SELECT id FROM episodes").iterate();
  rows.next();
  expect((await opened.surface.purge(signal)).outcome).toBe("pending");
  rows.return?.();
  expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged" });
  expect(countBytes(file, MARKER)).toBe(0);
}, 30_000);

test("secure_delete turned on late leaves copies of earlier row versions, and our purge clears them", async () => {
  const { file, app } = fill({ journal: "WAL", secureDelete: false });
  app.exec("UPDATE episodes SET text = text || ' and more' WHERE id = 77");
  app.exec("UPDATE episodes SET text = hex(randomblob(3000)) WHERE id = 76");
  app.pragma("secure_delete = ON");
  app.exec("DELETE FROM episodes WHERE id = 77");
  app.pragma("wal_checkpoint(TRUNCATE)");
  expect(countBytes(file, MARKER) + countBytes(file, TERM_TAIL)).toBeGreaterThan(0);
  const opened = await openSurface(declared, file);
  expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged", method: "vacuum and checkpoint" });
  expect(countBytes(file, MARKER) + countBytes(file, TERM_TAIL)).toBe(0);
});

test("FTS5 keeps deleted terms through VACUUM and secure_delete; optimize and VACUUM clear them", async () => {
  const { file, app } = fill({ journal: "WAL", secureDelete: true });
  app.exec("DELETE FROM episodes WHERE id = 77; VACUUM");
  app.pragma("wal_checkpoint(TRUNCATE)");
  expect(countBytes(file, TERM_TAIL)).toBeGreaterThan(0);
  const opened = await openSurface(declared, file);
  await opened.surface.purge(signal);
  expect(countBytes(file, TERM_TAIL)).toBe(0);
});

test("VACUUM must not renumber rowids: an index over a table without a key of its own still fits after the purge", async () => {
  const { file, app } = newStore(`
    CREATE TABLE episodes (text TEXT);
    CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes');
    INSERT INTO episodes VALUES ('one'), ('two'), ('three'), ('four');
    INSERT INTO episodes_fts(episodes_fts) VALUES ('rebuild');`);
  const opened = await openSurface(declare("sqlite", { key: ["rowid"], content: [text("text")] }), file);
  await opened.surface.erase(keys(2), signal);
  expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged", method: "vacuum and checkpoint" });
  expect((await scan(opened)).map(({ key }) => key)).toEqual(["1", "3", "4"]);
  expect(app.prepare("SELECT rowid FROM episodes_fts WHERE episodes_fts MATCH 'four'").get()).toEqual({ rowid: 4 });
  expect(app.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'deleatur%'").get()).toEqual({ n: 0 });
});

test("secure_delete that comes late leaves earlier versions of a row, which a checkpoint does not clear and a rebuild does", async () => {
  const { file, app } = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB)");
  app.prepare("INSERT INTO episodes VALUES (1, 's', ?, NULL), (2, 't', 'x', NULL)").run(MARKER);
  // Longer than it was, the new version goes elsewhere on the page.
  app.prepare("UPDATE episodes SET text = ? WHERE id = 1").run("y".repeat(500));
  app.pragma("secure_delete = ON");
  const checkpointed = await openSurface({ ...declared, purge: { ...declared.purge, method: "checkpoint" } }, file);
  await checkpointed.surface.erase(keys(1), signal);
  expect(await checkpointed.surface.purge(signal)).toMatchObject({ outcome: "purged", method: /^checkpoint/ });
  expect(countBytes(file, MARKER)).toBeGreaterThan(0);
  const rebuilt = await openSurface(declared, file);
  expect(await rebuilt.surface.purge(signal)).toMatchObject({ outcome: "purged", method: "vacuum and checkpoint" });
  expect(countBytes(file, MARKER)).toBe(0);
});

describe("a store that was adopted empty", () => {
  test("is purged without VACUUM where every connection kept secure_delete on", async () => {
    const { file, app } = newStore(
      "CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB)",
      { secureDelete: true },
    );
    expect(adoptSqliteStore({ store: "memory", file })).toBe(true);
    const insert = app.prepare("INSERT INTO episodes VALUES (?, 's', ?, ?)");
    for (let id = 1; id <= 200; id += 1)
      insert.run(id, id === 77 ? MARKER : `row ${id}`, blobOf(id === 77 ? VECTOR : vectorOf(id, 384)));
    const opened = await openSurface(declared, file);
    await opened.surface.erase(keys(77), signal);
    expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged", method: /^checkpoint/ });
    expect(countBytes(file, MARKER) + countWindows(file, VECTOR)).toBe(0);
  });

  test("is vacuumed when the cheap purge is asked for again, because it did not suffice", async () => {
    const { file, app } = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB)");
    expect(adoptSqliteStore({ store: "memory", file })).toBe(true);
    // The promise is broken: this connection has secure_delete off.
    app.prepare("INSERT INTO episodes VALUES (1, 's', ?, NULL), (2, 't', 'x', NULL)").run(MARKER);
    app.exec("DELETE FROM episodes WHERE id = 1");
    const opened = await openSurface(declared, file);
    await opened.surface.erase(keys(1), signal);
    expect(await opened.surface.purge(signal)).toMatchObject({ method: /^checkpoint/ });
    expect(countBytes(file, MARKER)).toBeGreaterThan(0);
    expect(await opened.surface.purge(signal)).toMatchObject({ method: "vacuum and checkpoint" });
    expect(countBytes(file, MARKER)).toBe(0);
  });

  test("behind a symbolic link has its journal emptied where SQLite keeps it, and the byte probe looks there", async () => {
    const { file, app } = newStore(
      "CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB)",
      { secureDelete: true, journal: "PERSIST" },
    );
    const link = join(tempFolder(), "link.db");
    symlinkSync(file, link);
    expect(adoptSqliteStore({ store: "memory", file: link })).toBe(true);
    app.prepare("INSERT INTO episodes VALUES (1, 's', ?, NULL), (2, 't', 'x', NULL)").run(MARKER);
    const opened = await openSurface(declared, link);
    const [erased] = await scan(opened);
    app.exec("DELETE FROM episodes WHERE id = 1");
    expect(countBytes(`${file}-journal`, MARKER)).toBeGreaterThan(0);
    const needles = erased === undefined ? [] : [needleOf(erased, 0)];
    const left = await findings(opened, "bytes", needles);
    expect(left.map(({ place }) => place.file)).toEqual([expect.stringMatching(/-journal$/)]);
    await opened.surface.erase(keys(1), signal);
    expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged", method: /^checkpoint/ });
    expect(countBytes(file, MARKER) + countBytes(`${file}-journal`, MARKER)).toBe(0);
  });

  test("takes no lock for it, which one that is not adopted is told of beforehand", async () => {
    const schema = "CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, vec BLOB)";
    const { file } = newStore(schema, { secureDelete: true });
    const opened = await openSurface(declared, file);
    expect(await opened.surface.foresee(signal)).toMatchObject({
      locks: [{ mode: "EXCLUSIVE" }],
      cheaper: expect.stringContaining("adoptSqliteStore"),
    });
    const wanted = await openSurface({ ...declared, purge: { ...declared.purge, method: "vacuum" } }, file);
    expect(await wanted.surface.foresee(signal)).not.toHaveProperty("cheaper");
    expect(adoptSqliteStore({ store: "memory", file })).toBe(true);
    const adopted = await opened.surface.foresee(signal);
    expect(adopted).toMatchObject({ locks: [], seconds: 0 });
    expect(adopted).not.toHaveProperty("cheaper");
  });

  test("a store with rows in it is not adopted", () => {
    const { file } = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY); INSERT INTO episodes VALUES (1)");
    expect(adoptSqliteStore({ store: "memory", file })).toBe(false);
  });
});

test("surfaces of one store share one purge, and a write in between ends the sharing", async () => {
  const { file, app } = fill({ journal: "WAL" });
  const table = await openSurface(declared, file);
  const index = await openSurface(
    declare("sqlite-fts", { table: "episodes_fts", key: ["rowid"], content: [text("text")] }),
    file,
  );
  await table.surface.erase(keys(77), signal);
  await table.surface.purge(signal);
  const before = statSync(file, { bigint: true }).mtimeNs;
  expect(await index.surface.purge(signal)).toMatchObject({ outcome: "purged" });
  expect(statSync(file, { bigint: true }).mtimeNs).toBe(before);
  app.exec("DELETE FROM episodes WHERE id = 78");
  await index.surface.purge(signal);
  expect(countBytes(file, "row number 78 tells")).toBe(0);
});

test("samples that ANALYZE took of erased values go with the purge", async () => {
  const { file, app } = fill({ journal: "WAL" });
  app.exec("CREATE INDEX by_text ON episodes(text); ANALYZE");
  const hasSample = (): boolean =>
    app.prepare("SELECT 1 FROM sqlite_stat4 WHERE instr(sample, 'marzipan')").get() !== undefined;
  app.exec("DELETE FROM episodes WHERE id NOT IN (76, 77, 78); ANALYZE");
  expect(hasSample()).toBe(true);
  const opened = await openSurface(declared, file);
  const gone = (await scan(opened)).find(({ key }) => key === "77");
  if (gone === undefined) throw new Error("nothing scanned");
  await opened.surface.erase(keys(77), signal);
  app.pragma("wal_checkpoint(TRUNCATE)");
  expect((await findings(opened, "bytes", [needleOf(gone, 0)])).map(({ match }) => match.how)).toContain("bytes");
  await opened.surface.purge(signal);
  expect(hasSample()).toBe(false);
  expect(countBytes(file, MARKER)).toBe(0);
});

test("a sabotaged purge is caught: the byte probe finds what an erase without it leaves", async () => {
  for (const setup of SETUPS.filter(({ secureDelete }) => secureDelete !== true)) {
    const { file, app } = fill(setup);
    const opened = await openSurface(declared, file);
    const all = await scan(opened);
    const gone = all.find(({ key }) => key === "77");
    const control = all.find(({ key }) => key === "3");
    if (gone === undefined || control === undefined) throw new Error("nothing scanned");
    app.exec("DELETE FROM episodes WHERE id = 77");
    const needles = [needleOf(gone, 0), needleOf(control, 1, "control")];
    const before = await findings(opened, "bytes", needles);
    expect(before.filter(({ needle }) => needle === 0).map(({ match }) => match.how)).toContain("bytes");
    expect(before.some(({ needle }) => needle === 1)).toBe(true);
    await opened.surface.purge(signal);
    const after = await findings(opened, "bytes", needles);
    expect(after.filter(({ needle }) => needle === 0)).toEqual([]);
    expect(after.some(({ needle }) => needle === 1)).toBe(true);
  }
});
