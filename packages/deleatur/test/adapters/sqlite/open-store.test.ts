// Opening: what is missing, damaged, locked or full is a clear error of its class, and nothing is done by halves.
import { writeFileSync, truncateSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeError } from "../../../src/adapters/sqlite/store-errors.ts";
import { BoundaryError, StoreError } from "../../../src/model/errors.ts";
import type { SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { surfaceId } from "../../../src/model/ids.ts";
import {
  declare,
  keys,
  newStore,
  openApp,
  openSurface,
  parse,
  scan,
  signal,
  tempFolder,
  text,
} from "./sqlite-fixture.ts";

const declared = declare("sqlite", { content: [text("text")] });
const SQL = "CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO episodes VALUES (1, 'x');";

describe("a store that cannot be opened", () => {
  test("a missing file is STORE_MISSING and is not created", async () => {
    const file = join(tempFolder(), "none.db");
    await expect(openSurface(declared, file)).rejects.toMatchObject({
      code: "STORE_MISSING",
      place: { store: "memory" },
    });
    expect(() => statSync(file)).toThrow(/ENOENT/);
  });

  test("a file that is no database is STORE_CORRUPT", async () => {
    const file = join(tempFolder(), "memory.db");
    writeFileSync(file, "this is a letter and no database ".repeat(300));
    await expect(openSurface(declared, file)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  test("a database that lost its pages is STORE_CORRUPT when it is read", async () => {
    const { file, app } = newStore(SQL, { journal: "DELETE" });
    const insert = app.prepare("INSERT INTO episodes (text) VALUES (hex(randomblob(500)))");
    for (let row = 0; row < 200; row += 1) insert.run();
    app.close();
    truncateSync(file, 3 * 4096);
    const opened = openSurface(declared, file).then(scan);
    await expect(opened).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  test("a locked store is STORE_LOCKED, and nothing was erased", async () => {
    const { file, app } = newStore(SQL);
    const opened = await openSurface(declared, file);
    const other = openApp(file);
    other.exec("BEGIN IMMEDIATE; INSERT INTO episodes (text) VALUES ('busy')");
    await expect(opened.surface.erase(keys(1), signal)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    other.exec("ROLLBACK");
    expect(app.prepare("SELECT count(*) AS n FROM episodes").get()).toEqual({ n: 1 });
  }, 20_000);

  test("a full store is STORE_FULL", () => {
    const { app } = newStore(SQL);
    app.pragma("max_page_count = 3");
    let thrown: unknown;
    try {
      app.exec("INSERT INTO episodes (text) VALUES (hex(randomblob(100000)))");
    } catch (cause) {
      thrown = storeError(cause, "memory");
    }
    expect(thrown).toBeInstanceOf(StoreError);
    expect(thrown).toMatchObject({ code: "STORE_FULL", exitCode: 1 });
  });
});

describe("a declaration that does not fit the store", () => {
  const cases: readonly (readonly [string, Partial<SurfaceDeclaration>, string, string])[] = [
    ["a table that is not there", { table: "ghosts" }, "TABLE_MISSING", "table"],
    ["a key column", { key: ["ghost"] }, "COLUMN_MISSING", "key"],
    ["a content column", { content: [text("ghost")] }, "COLUMN_MISSING", "content"],
    ["a subject column", { subject: [{ type: "account", column: "ghost" }] }, "COLUMN_MISSING", "subject.column"],
    ["a JSON column", { subject: [{ type: "account", json: "ghost.a" }] }, "COLUMN_MISSING", "subject.json"],
    [
      "a join table",
      { subject: [{ type: "account", via: "ghosts", on: "id", column: "x" }] },
      "TABLE_MISSING",
      "subject.via",
    ],
    ["a vector column", { vector: "ghost" }, "COLUMN_MISSING", "vector"],
    [
      "a source column",
      { derivedFrom: [{ surface: surfaceId("a"), column: "ghost" }] },
      "COLUMN_MISSING",
      "derivedFrom.column",
    ],
  ];
  test.each(cases)("%s is a BoundaryError that names the field", async (_, given, code, field) => {
    const { file } = newStore(SQL);
    const opening = openSurface({ ...declared, ...given }, file);
    await expect(opening).rejects.toBeInstanceOf(BoundaryError);
    await expect(opening).rejects.toMatchObject({
      code,
      exitCode: 2,
      place: {
        field: expect.stringMatching(new RegExp(`^(?:surfaces[.]episodes[.])?${field}$`, "u")),
        surface: "episodes",
      },
    });
  });

  test("an ordinary table declared as an index is TABLE_UNFIT", async () => {
    const { file } = newStore(SQL);
    await expect(openSurface(declare("sqlite-fts", { table: "episodes" }), file)).rejects.toMatchObject({
      code: "TABLE_UNFIT",
    });
    await expect(openSurface(declare("sqlite-vec", { table: "episodes" }), file)).rejects.toMatchObject({
      code: "TABLE_UNFIT",
    });
  });

  test("a view or an index declared as an ordinary table is TABLE_UNFIT", async () => {
    const { file } = newStore(
      `${SQL} CREATE VIEW latest AS SELECT * FROM episodes; CREATE VIRTUAL TABLE fts USING fts5(text);`,
    );
    for (const table of ["latest", "fts"])
      await expect(openSurface(declare("sqlite", { table, key: ["rowid"] }), file)).rejects.toMatchObject({
        code: "TABLE_UNFIT",
      });
  });

  test("no table and no store are BoundaryErrors before anything is opened", () => {
    const { table: _, ...bare } = declared;
    expect(() => parse(bare, "/nowhere")).toThrow(BoundaryError);
    expect(() => parse(declared, [])).toThrow(BoundaryError);
  });

  test("a table that lost a declared column between open and erase is an error, and nothing is erased", async () => {
    const { file, app } = newStore(SQL);
    const opened = await openSurface(declared, file);
    app.exec("ALTER TABLE episodes RENAME COLUMN text TO body");
    await expect(opened.surface.erase(keys(1), signal)).rejects.toMatchObject({ code: "COLUMN_MISSING" });
    expect(app.prepare("SELECT count(*) AS n FROM episodes").get()).toEqual({ n: 1 });
  });
});
