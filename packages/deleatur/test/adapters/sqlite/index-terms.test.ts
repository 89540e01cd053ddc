// What an FTS5 index holds of rows that are gone, told by counts: held against a walk over every term, after indexes were fed rightly and wrongly.
import { array, assert, constant, constantFrom, integer, oneof, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { connect, type Db } from "../../../src/adapters/sqlite/hands/connect.ts";
import { listFtsTables } from "../../../src/adapters/sqlite/hands/fts-facts.ts";
import { docsWithTerms, orphanDocs } from "../../../src/adapters/sqlite/hands/index-terms.ts";
import { newStore } from "./sqlite-fixture.ts";

const EXTERNAL = "content='episodes', content_rowid='id'";
const ROWS = [1n, 2n, 3n, 4n];

const id = integer({ min: 1, max: 4 });
const words = constantFrom("", "alpha", "alpha beta", "beta beta gamma", "gamma delta alpha beta");
const step = oneof(
  record({ act: constant("write" as const), id, words }),
  record({ act: constant("index" as const), id, words }),
  record({ act: constant("tell" as const), id, words }),
  record({ act: constant("remove" as const), id, words }),
  record({ act: constant("drop" as const), id, words }),
  record({ act: constant("merge" as const), id, words }),
);

/** Does what applications do to an index, in any order: told the wrong old text, base row first, the same row twice. */
function carry(db: Db, { act, id: row, words: said }: { act: string; id: number; words: string }): void {
  const told = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'f'").pluck(true).get();
  const takesDelete = !String(told).includes("contentless_delete");
  try {
    switch (act) {
      case "write":
        return void db.prepare("INSERT OR REPLACE INTO episodes VALUES (?, ?, ?)").run(row, said, "zeta");
      case "drop":
        return void db.prepare("DELETE FROM episodes WHERE id = ?").run(row);
      case "index":
        return void db.prepare("INSERT OR REPLACE INTO f (rowid, a, b) VALUES (?, ?, ?)").run(row, said, "zeta");
      case "tell":
        if (!takesDelete) return;
        return void db.prepare("INSERT INTO f (f, rowid, a, b) VALUES ('delete', ?, ?, ?)").run(row, said, "zeta");
      case "remove":
        return void db.prepare("DELETE FROM f WHERE rowid = ?").run(row);
      default:
        return void db.exec("INSERT INTO f (f) VALUES ('optimize')");
    }
  } catch (cause) {
    // An index that is told nonsense may refuse to be told more; what it holds then counts all the same.
    if (!/malformed|constraint|cannot DELETE/i.test(String(cause))) throw cause;
  }
}

/** The documents of all terms, by a walk over each of them. */
function walked(db: Db): readonly bigint[] {
  db.exec("CREATE VIRTUAL TABLE temp.walk USING fts5vocab(main, f, 'instance')");
  const docs = db.prepare<[], bigint>("SELECT DISTINCT doc FROM temp.walk ORDER BY doc").pluck(true).all();
  db.exec("DROP TABLE temp.walk");
  return docs;
}

describe.each([
  ["an external index", EXTERNAL],
  ["one with prefixes", `${EXTERNAL}, prefix='2 3'`],
  ["one of trigrams", `${EXTERNAL}, tokenize='trigram'`],
  ["one without places", `${EXTERNAL}, detail='column'`],
  ["one with neither places nor columns", `${EXTERNAL}, detail=none`],
  ["one that lists no rows", `${EXTERNAL}, columnsize=0`],
  ["a contentless index", "content=''"],
  ["a contentless index that deletes", "content='', contentless_delete=1"],
])("%s", (_name, options) => {
  test("VERDICT-1: holds of rows that are gone what a walk over its terms says, however it was fed", () => {
    assert(
      property(array(step, { maxLength: 14 }), (steps) => {
        const { file, app } = newStore(`CREATE TABLE episodes (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
          CREATE VIRTUAL TABLE f USING fts5(a, b UNINDEXED, ${options});`);
        app.close();
        const db = connect({ store: "memory", file });
        try {
          for (const one of steps) carry(db, one);
          const [facts] = listFtsTables(db);
          if (facts === undefined) throw new Error("the index is not seen");
          const docs = walked(db);
          const base = db.prepare<[], bigint>("SELECT id FROM episodes").pluck(true).all();
          expect(docsWithTerms(db, facts, ROWS)).toEqual(new Set(docs.filter((doc) => ROWS.includes(doc))));
          expect(orphanDocs(db, facts)).toBe(facts.mode === "external" && docs.some((doc) => !base.includes(doc)));
        } finally {
          db.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
