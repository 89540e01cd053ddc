// The b-tree of an FTS5 index keeps the start of each leaf's first term: what a purge leaves there, in every form of index, and what the byte probe sees.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { connect } from "../../../src/adapters/sqlite/hands/connect.ts";
import { listFtsTables } from "../../../src/adapters/sqlite/hands/fts-facts.ts";
import { clearLeafStarts } from "../../../src/adapters/sqlite/hands/leaf-starts.ts";
import { purgeStore } from "../../../src/adapters/sqlite/hands/purge-store.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import { declare, findings, needleOf, newStore, openSurface, scan, signal, text, textsOf } from "./sqlite-fixture.ts";

const ROWS = 400;

/** Words that are the same on every run and that hardly two rows share; they begin alike, so that it takes some letters to tell them apart. */
function textOf(row: number): string {
  const words = [0, 1, 2, 3, 4, 5].map((place) => {
    let state = (row * 2654435761 + place * 40503 + 7) >>> 0;
    const letters = Array.from({ length: 9 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return String.fromCharCode(97 + ((state >>> 24) % 26));
    });
    return `mem${letters.join("")}`;
  });
  return `${words.join(" ")} ${row % 50}`;
}

interface Form {
  readonly index: string;
  readonly columns: readonly string[];
  readonly mode: "own" | "external" | "none" | "none, with deletes";
}

const isGone = (row: number): boolean => row % 2 === 1;
const live = Array.from({ length: ROWS }, (_, place) => place + 1).filter((row) => !isGone(row));

/** Every second row of an index is taken out under FTS5's own secure-delete, whatever that leaves behind. */
function fillIndex({ index, columns, mode }: Form, secureDelete: boolean, gone = isGone) {
  const { file, app } = newStore(
    `CREATE TABLE notes (id INTEGER PRIMARY KEY, ${columns.join(", ")}); CREATE VIRTUAL TABLE search USING fts5(${index});`,
    { secureDelete: true },
  );
  if (secureDelete) app.exec("INSERT INTO search(search, rank) VALUES ('secure-delete', 1)");
  const names = columns.join(", ");
  const places = columns.map(() => "?").join(", ");
  const texts = (row: number): string[] => columns.map(() => textOf(row));
  const put = (table: string, id: string): Database.Statement =>
    app.prepare(`INSERT INTO ${table} (${id}, ${names}) VALUES (?, ${places})`);
  const [base, indexed] = [put("notes", "id"), put("search", "rowid")];
  app.transaction(() => {
    for (let row = 1; row <= ROWS; row += 1) {
      if (mode === "external") base.run(row, ...texts(row));
      indexed.run(row, ...texts(row));
    }
  })();
  app.exec("INSERT INTO search(search) VALUES ('optimize')");
  app.transaction(() => {
    for (let row = 1; row <= ROWS; row += 1) {
      if (!gone(row)) continue;
      if (mode === "own" || mode === "none, with deletes") app.prepare("DELETE FROM search WHERE rowid = ?").run(row);
      else
        app
          .prepare(`INSERT INTO search (search, rowid, ${names}) VALUES ('delete', ?, ${places})`)
          .run(row, ...texts(row));
      if (mode === "external") app.prepare("DELETE FROM notes WHERE id = ?").run(row);
    }
  })();
  return { file, app };
}

/** The starts in the b-tree that begin no term of a new index over the rows that are left: looked for without the adapter. */
function staleStarts(app: Database.Database, { index, columns }: Form, left: readonly number[] = live): string[] {
  const fresh = new Database(":memory:");
  const own = index.replaceAll(/,\s*(content|content_rowid|contentless_\w+)\s*=\s*('[^']*'|\w+)/g, "");
  fresh.exec(`CREATE VIRTUAL TABLE search USING fts5(${own}); CREATE VIRTUAL TABLE terms USING fts5vocab(search, row)`);
  const insert = fresh.prepare(
    `INSERT INTO search (rowid, ${columns.join(", ")}) VALUES (?, ${columns.map(() => "?").join(", ")})`,
  );
  for (const row of left) insert.run(row, ...columns.map(() => textOf(row)));
  const terms = fresh.prepare<[], string>("SELECT term FROM terms").pluck(true).all();
  fresh.close();
  return app
    .prepare<[], Buffer>("SELECT CAST(term AS BLOB) FROM search_idx")
    .pluck(true)
    .all()
    .map((term) => term.subarray(1).toString("utf8"))
    .filter((start) => start !== "" && !terms.some((term) => term.startsWith(start)));
}

const FORMS: readonly Form[] = [
  { index: "body, content='notes', content_rowid='id'", columns: ["body"], mode: "external" },
  { index: "body", columns: ["body"], mode: "own" },
  { index: "body, content=''", columns: ["body"], mode: "none" },
  { index: "body, content='', contentless_delete=1", columns: ["body"], mode: "none, with deletes" },
  { index: "title UNINDEXED, body, foot", columns: ["title", "body", "foot"], mode: "own" },
  {
    index: "title UNINDEXED, body, content='notes', content_rowid='id'",
    columns: ["title", "body"],
    mode: "external",
  },
  { index: "body, title UNINDEXED, content=''", columns: ["body", "title"], mode: "none" },
  {
    index: "body, title UNINDEXED, content='', contentless_unindexed=1",
    columns: ["body", "title"],
    mode: "none",
  },
  { index: "body, prefix='2 3'", columns: ["body"], mode: "own" },
  { index: "body, content='', prefix='2 5'", columns: ["body"], mode: "none" },
  { index: "body, detail=none, content='notes', content_rowid='id'", columns: ["body"], mode: "external" },
  { index: "body, foot, detail=column", columns: ["body", "foot"], mode: "own" },
  { index: "body, detail=none, content=''", columns: ["body"], mode: "none" },
  { index: "body, tokenize='trigram'", columns: ["body"], mode: "own" },
  { index: "body, tokenize='trigram', content='notes', content_rowid='id'", columns: ["body"], mode: "external" },
  { index: "body, tokenize='porter unicode61'", columns: ["body"], mode: "own" },
  {
    index: "body, tokenize='unicode61 categories ''L* N*'''",
    columns: ["body"],
    mode: "own",
  },
  {
    index: "body, columnsize=0, content='notes', content_rowid='id'",
    columns: ["body"],
    mode: "external",
  },
  { index: "body, columnsize=0, content=''", columns: ["body"], mode: "none" },
  { index: "body, columnsize=0", columns: ["body"], mode: "own" },
];

const target = (file: string): { readonly store: string; readonly file: string } => ({ store: "memory", file });

describe.each(FORMS)("an index of $index", (form) => {
  test.each([true, false])(
    "VERDICT-1: keeps no start of a term that only erased rows had (secure-delete %s)",
    (secureDelete) => {
      const { file, app } = fillIndex(form, secureDelete);
      app.exec("INSERT INTO search(search) VALUES ('optimize')");
      // A plain merge leaves them where rows were taken out of the one segment itself.
      const isKept = secureDelete && form.mode !== "none, with deletes";
      expect(staleStarts(app, form).length > 0).toBe(isKept);
      expect(purgeStore(target(file), { method: "auto" }, signal)).toMatchObject({ outcome: "purged" });
      expect(staleStarts(app, form)).toEqual([]);
      app.exec("INSERT INTO search(search, rank) VALUES ('integrity-check', 0)");
      app.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, search, 'instance')");
      expect(app.prepare("SELECT 1 FROM terms WHERE term LIKE 'del%' LIMIT 1").get()).toBeUndefined();
      const rows = app.prepare<[], number>("SELECT DISTINCT doc FROM terms ORDER BY doc").pluck(true).all();
      expect(rows).toEqual(live);
    },
  );
});

const EXTERNAL: Form = { index: "body, content='notes', content_rowid='id'", columns: ["body"], mode: "external" };
const OWN: Form = { index: "body", columns: ["body"], mode: "own" };
const NONE: Form = { index: "body, content=''", columns: ["body"], mode: "none" };

describe("the purge", () => {
  test("VERDICT-1: leaves nothing in the b-tree of an index of which one row is left, or none", () => {
    for (const form of [EXTERNAL, OWN, NONE]) {
      for (const left of [[2], []]) {
        const { file, app } = fillIndex(form, true, (row) => !left.includes(row));
        // FTS5 itself begins anew when the last row goes.
        expect(staleStarts(app, form, left).length > 0).toBe(left.length > 0);
        expect(purgeStore(target(file), { method: "auto" }, signal)).toMatchObject({ outcome: "purged" });
        expect(staleStarts(app, form, left)).toEqual([]);
        app.exec("INSERT INTO search(search, rank) VALUES ('integrity-check', 0)");
      }
    }
  });

  test("finds an unused row before the first where the last number of all is taken, and clears an index of no rows", () => {
    const { file, app } = fillIndex(OWN, true);
    app.prepare("INSERT INTO search (rowid, body) VALUES (?, 'last')").run(2n ** 63n - 1n);
    app.exec("INSERT INTO search(search) VALUES ('optimize'); CREATE VIRTUAL TABLE empty USING fts5(body)");
    app.exec("DELETE FROM search WHERE rowid = 2");
    expect(purgeStore(target(file), { method: "auto" }, signal)).toMatchObject({ outcome: "purged" });
    expect(staleStarts(app, OWN, live.slice(1)).filter((start) => !"last".startsWith(start))).toEqual([]);
    expect(app.prepare("SELECT count(*) AS n FROM search").get()).toEqual({ n: live.length });
  });

  test("writes nothing into an index whose b-tree says nothing of the erased", () => {
    const { file, app } = fillIndex(EXTERNAL, true);
    purgeStore(target(file), { method: "auto" }, signal);
    const segments = app.prepare("SELECT id, block FROM search_data ORDER BY id");
    const before = segments.all();
    purgeStore(target(file), { method: "auto" }, signal);
    expect(segments.all()).toEqual(before);
  });

  test("VERDICT-4: says so where only the application can take a text apart for the index", () => {
    const { file, app } = fillIndex(EXTERNAL, true);
    app.unsafeMode(true);
    app.exec(
      `PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'body,', 'body, tokenize=''application'',') WHERE name = 'search'`,
    );
    const purged = purgeStore(target(file), { method: "auto" }, signal);
    expect(purged).toMatchObject({ outcome: "unsupported", why: expect.stringContaining("rebuild the index") });
  });

  test("C06: an error in the middle leaves no row behind, and the next purge clears", () => {
    const { file, app } = fillIndex(OWN, true);
    const stale = staleStarts(app, OWN);
    expect(stale.length).toBeGreaterThan(0);
    app.close();
    const db = connect(target(file));
    const [fts] = listFtsTables(db);
    if (fts === undefined) throw new Error("no index");
    // The row goes in; the merge finds the disk full.
    db.pragma(`max_page_count = ${String(Number(db.pragma("page_count", { simple: true })) + 1)}`);
    expect(() => clearLeafStarts(db, fts)).toThrow(/full/);
    expect(db.prepare("SELECT count(*) AS n FROM search").get()).toEqual({ n: BigInt(live.length) });
    db.close();
    const left = new Database(file);
    expect(staleStarts(left, OWN)).toEqual(stale);
    expect(purgeStore(target(file), { method: "auto" }, signal)).toMatchObject({ outcome: "purged" });
    expect(staleStarts(left, OWN)).toEqual([]);
    left.close();
  });

  const script = fileURLToPath(new URL("./killed-purge.mjs", import.meta.url));
  const built = fileURLToPath(new URL("../../../dist/adapters/sqlite/hands/purge-store.js", import.meta.url));
  test.skipIf(!existsSync(built) && process.env["CI"] === undefined)(
    "C06: killed while its row is in the index, it leaves none, and the next purge clears",
    () => {
      for (const beginning of ['DELETE FROM "search"', 'INSERT INTO "search" ("search") VALUES (\'optimize\')']) {
        const { file, app } = fillIndex(OWN, true);
        const { signal: by } = spawnSync(process.execPath, [script, file, beginning], { encoding: "utf8" });
        expect(by).toBe("SIGKILL");
        expect(app.prepare("SELECT count(*) AS n FROM search WHERE search MATCH 'deleatur'").get()).toEqual({ n: 0 });
        expect(staleStarts(app, OWN).length).toBeGreaterThan(0);
        expect(purgeStore(target(file), { method: "auto" }, signal)).toMatchObject({ outcome: "purged" });
        expect(staleStarts(app, OWN)).toEqual([]);
      }
    },
  );
});

describe("the byte probe", () => {
  test.each([EXTERNAL, OWN, { ...OWN, index: "body, tokenize='trigram'" }, { ...OWN, index: "body, prefix='4'" }])(
    "C04: catches a purge that only merges, for each row whose term begins so, and nobody else ($index)",
    async (form) => {
      const { file, app } = fillIndex(form, true, () => false);
      const opened = await openSurface(
        declare("sqlite-fts", { table: "search", key: ["rowid"], content: [text("body")] }),
        file,
      );
      const all = await scan(opened);
      const gone = all.filter(({ key }) => isGone(Number(key)));
      const isTrigram = form.index.includes("trigram");
      const takeOut = app.prepare(
        form.mode === "own"
          ? "DELETE FROM search WHERE rowid = ?"
          : "INSERT INTO search (search, rowid, body) VALUES ('delete', ?, ?)",
      );
      app.transaction(() => {
        for (const artifact of gone) {
          takeOut.run(Number(artifact.key), ...(form.mode === "own" ? [] : textsOf(artifact.content)));
          app.prepare("DELETE FROM notes WHERE id = ?").run(Number(artifact.key));
        }
      })();
      app.exec("INSERT INTO search(search) VALUES ('optimize'); VACUUM");
      app.pragma("wal_checkpoint(TRUNCATE)");

      const stale = staleStarts(app, form).filter((start) => start.length >= (isTrigram ? 3 : 4));
      expect(stale.length).toBeGreaterThan(0);
      const hasStart = (artifact: Artifact): boolean =>
        textsOf(artifact.content).some((words) =>
          isTrigram
            ? stale.some((start) => words.includes(start))
            : words.split(" ").some((word) => stale.some((start) => word.startsWith(start))),
        );
      const needles = gone.map((artifact, index) => needleOf(artifact, index));
      const seen = async (): Promise<ReadonlySet<number>> =>
        new Set(
          (await findings(opened, "bytes", needles))
            .filter(({ place }) => place.container === "memory.search_idx")
            .map(({ needle }) => needle),
        );
      const expected = gone.flatMap((artifact, index) => (hasStart(artifact) ? [index] : []));
      expect(expected.length).toBeGreaterThan(0);
      expect([...(await seen())].toSorted((a, b) => a - b)).toEqual(expected);

      expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged" });
      expect(await findings(opened, "bytes", needles)).toEqual([]);
    },
  );
});
