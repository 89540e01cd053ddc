// FTS5 in its content modes: what the index keeps when its text is elsewhere, and that no term of an erased row is left (C04).
import { describe, expect, test } from "vitest";
import { surfaceId } from "../../../src/model/ids.ts";
import {
  countBytes,
  declare,
  findings,
  keys,
  needleOf,
  newStore,
  openSurface,
  scan,
  signal,
  text,
  textsOf,
  type Opened,
} from "./sqlite-fixture.ts";

const MARKER = "the heron keeps a marzipan umbrella";
const TAIL = "arzipan";

const MODES = {
  own: "fts5(text)",
  external: "fts5(text, content='episodes', content_rowid='id')",
  contentless: "fts5(text, content='')",
  contentless_delete: "fts5(text, content='', contentless_delete=1)",
  columnless: "fts5(text, content='', columnsize=0)",
  undetailed: "fts5(text, content='', detail=none)",
  trigram: "fts5(text, content='', tokenize='trigram')",
  porter: "fts5(text, content='', tokenize='porter unicode61')",
} as const;

type Mode = keyof typeof MODES;

const MODE_NAMES: readonly Mode[] = [
  "own",
  "external",
  "contentless",
  "contentless_delete",
  "columnless",
  "undetailed",
  "trigram",
  "porter",
];

function fill(mode: Mode): ReturnType<typeof newStore> {
  const store = newStore(
    `CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT); CREATE VIRTUAL TABLE episodes_fts USING ${MODES[mode]};`,
  );
  for (let id = 1; id <= 200; id += 1) {
    const words = id === 77 ? MARKER : `row ${id} of market days and marvellous weather, running along happily`;
    store.app.prepare("INSERT INTO episodes VALUES (?, ?)").run(id, words);
    store.app.prepare("INSERT INTO episodes_fts (rowid, text) VALUES (?, ?)").run(id, words);
  }
  return store;
}

const episodes = declare("sqlite", { content: [text("text")] });
const index = declare("sqlite-fts", {
  table: "episodes_fts",
  role: "index",
  key: ["rowid"],
  keys: "reusable",
  derivedFrom: [{ surface: surfaceId("episodes"), column: "rowid" }],
});

async function openBoth(file: string): Promise<{ readonly table: Opened; readonly fts: Opened }> {
  return { table: await openSurface(episodes, file, [index]), fts: await openSurface(index, file, [episodes]) };
}

describe.each(MODE_NAMES)("C04: an index of mode %s", (mode) => {
  test("the index row is erased first, then the base row, and no term is left in the files", async () => {
    const { file, app } = fill(mode);
    const { table, fts } = await openBoth(file);
    expect((await scan(fts)).some(({ key, sources }) => key === "77" && sources[0]?.key === "77")).toBe(true);
    expect(await fts.surface.erase(keys(77), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await fts.surface.erase(keys(77), signal)).toMatchObject([{ outcome: "absent" }]);
    expect(await table.surface.erase(keys(77), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await fts.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await table.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(countBytes(file, TAIL)).toBe(0);
    expect((await scan(fts)).map(({ key }) => key)).toHaveLength(199);
    expect(app.prepare("SELECT count(*) AS n FROM episodes_fts WHERE episodes_fts MATCH 'marvellous'").get()).toEqual({
      n: 199,
    });
    expect(app.prepare("SELECT count(*) AS n FROM episodes_fts WHERE episodes_fts MATCH 'marzipan'").get()).toEqual({
      n: 0,
    });
    app.exec("INSERT INTO episodes_fts(episodes_fts) VALUES ('integrity-check')");
  });

  test("a foreign delete and VACUUM leave the terms, and the byte probe finds them", async () => {
    const { file, app } = fill(mode);
    const { table, fts } = await openBoth(file);
    const all = await scan(table);
    const gone = all.find(({ key }) => key === "77");
    const alive = all.find(({ key }) => key === "5");
    if (gone === undefined || alive === undefined) throw new Error("nothing scanned");
    if (mode === "own" || mode === "external" || mode === "contentless_delete")
      app.exec("DELETE FROM episodes_fts WHERE rowid = 77");
    else if (mode === "contentless" || mode === "porter")
      app.prepare("INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', 77, ?)").run(MARKER);
    app.exec("DELETE FROM episodes WHERE id = 77; VACUUM");
    app.pragma("wal_checkpoint(TRUNCATE)");
    const found = await findings(fts, "bytes", [needleOf(gone, 0), needleOf(alive, 1, "control")]);
    const terms = found.filter(({ match }) => match.how === "term");
    expect(terms.map(({ needle }) => needle)).toContain(0);
    expect(terms.some(({ needle }) => needle === 1)).toBe(false);
    expect(found.some(({ needle }) => needle === 1)).toBe(true);
    await fts.surface.erase(keys(77), signal);
    await fts.surface.purge(signal);
    const after = await findings(fts, "bytes", [needleOf(gone, 0), needleOf(alive, 1, "control")]);
    expect(after.filter(({ needle }) => needle === 0)).toEqual([]);
    expect(countBytes(file, TAIL)).toBe(0);
  });
});

describe("an external-content index", () => {
  test("whose base row went first is built anew, and only living rows are in it", async () => {
    const { file, app } = fill("external");
    const { fts } = await openBoth(file);
    app.exec("DELETE FROM episodes WHERE id = 77");
    expect(await fts.surface.erase(keys(77), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(app.prepare("SELECT count(*) AS n FROM episodes_fts_docsize").get()).toEqual({ n: 199 });
  });

  test("that triggers of the application keep in step is not damaged by our order of erasing", async () => {
    const { file, app } = newStore(`
      CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
      CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
      CREATE TRIGGER ai AFTER INSERT ON episodes BEGIN INSERT INTO episodes_fts(rowid, text) VALUES (new.id, new.text); END;
      CREATE TRIGGER ad AFTER DELETE ON episodes BEGIN INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text); END;
      CREATE TRIGGER au AFTER UPDATE ON episodes BEGIN
        INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text);
        INSERT INTO episodes_fts(rowid, text) VALUES (new.id, new.text); END;
      INSERT INTO episodes VALUES (1, 'alpha one'), (2, 'beta gamma delta'), (3, 'epsilon');`);
    const { table, fts } = await openBoth(file);
    expect(await fts.surface.erase(keys(1, 2), signal)).toMatchObject([{ outcome: "erased" }, { outcome: "erased" }]);
    expect(await table.surface.erase(keys(1, 2), signal)).toMatchObject([{ outcome: "erased" }, { outcome: "erased" }]);
    expect(await fts.surface.erase(keys(1, 2), signal)).toMatchObject([{ outcome: "absent" }, { outcome: "absent" }]);
    app.exec("INSERT INTO episodes_fts(episodes_fts, rank) VALUES ('integrity-check', 1)");
    expect(app.prepare("SELECT rowid FROM episodes_fts WHERE episodes_fts MATCH 'epsilon'").all()).toEqual([
      { rowid: 3 },
    ]);
    app.exec("DELETE FROM episodes WHERE id = 3");
  });

  test("that the application erased through its base trigger is absent", async () => {
    const { file, app } = newStore(`
      CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
      CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
      INSERT INTO episodes VALUES (1, 'alpha one'), (2, 'beta'); INSERT INTO episodes_fts(episodes_fts) VALUES ('rebuild');
      CREATE TRIGGER ad AFTER DELETE ON episodes BEGIN INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text); END;`);
    const { table, fts } = await openBoth(file);
    await table.surface.erase(keys(1), signal);
    expect(await fts.surface.erase(keys(1), signal)).toMatchObject([{ outcome: "absent" }]);
    app.exec("INSERT INTO episodes_fts(episodes_fts, rank) VALUES ('integrity-check', 1)");
  });

  test.each(["with", "without"])(
    "%s triggers follows a rewrite of its base row, whichever is rewritten first",
    async (how) => {
      for (const isIndexFirst of [true, false]) {
        const { file, app } = newStore(`
        CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
        CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
        INSERT INTO episodes VALUES (1, 'alpha secret'), (2, 'beta'); INSERT INTO episodes_fts(episodes_fts) VALUES ('rebuild');
        ${
          how === "without"
            ? ""
            : `CREATE TRIGGER au AFTER UPDATE ON episodes BEGIN
          INSERT INTO episodes_fts(episodes_fts, rowid, text) VALUES ('delete', old.id, old.text);
          INSERT INTO episodes_fts(rowid, text) VALUES (new.id, new.text); END;`
        }`);
        const { table, fts } = await openBoth(file);
        const [row] = await scan(table);
        const [entry] = await scan(fts);
        if (row === undefined || entry === undefined) throw new Error("nothing scanned");
        const wanted = { ...row, content: [{ type: "text", name: "text", text: "alpha public" }] as const };
        const rewriteIndex = async (): Promise<void> => {
          expect(await fts.surface.rewrite([entry], signal)).toMatchObject([{ outcome: "rewritten" }]);
        };
        if (isIndexFirst) await rewriteIndex();
        expect(await table.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
        if (!isIndexFirst) await rewriteIndex();
        const hits = (term: string): unknown =>
          app.prepare("SELECT count(*) AS n FROM episodes_fts WHERE episodes_fts MATCH ?").get(term);
        expect(hits("public")).toEqual({ n: 1 });
        expect(hits("secret")).toEqual({ n: 0 });
        app.exec("INSERT INTO episodes_fts(episodes_fts, rank) VALUES ('integrity-check', 1)");
        await table.surface.purge(signal);
        expect(countBytes(file, "secret")).toBe(0);
      }
    },
  );
});

test("a contentless index is read by its terms: eyes have controls, and an erase that did nothing is seen", async () => {
  for (const mode of ["contentless", "contentless_delete", "columnless", "trigram"] as const) {
    const { file } = fill(mode);
    const { fts } = await openBoth(file);
    const all = await scan(fts);
    const gone = all.find(({ key }) => key === "77");
    const control = all.find(({ key }) => key === "5");
    if (gone === undefined || control === undefined) throw new Error("nothing scanned");
    expect(textsOf(gone.content)).toEqual([MARKER]);
    const needles = [needleOf(gone, 0), needleOf(control, 1, "control")];
    for (const name of ["key", "exact", "excerpt"] as const) {
      const found = (await findings(fts, name, needles)).map(({ needle }) => needle);
      expect([found.includes(0), found.includes(1)]).toEqual([true, true]);
    }
    await fts.surface.erase(keys(77), signal);
    for (const name of ["key", "exact", "excerpt"] as const)
      expect((await findings(fts, name, needles)).filter(({ needle }) => needle === 0)).toEqual([]);
  }
});

test("a control of a contentless index is found in the bytes by its terms, where its text stands nowhere", async () => {
  for (const option of ["content=''", "content='', contentless_delete=1", "content='', tokenize=porter"]) {
    const { file } =
      newStore(`CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT); CREATE VIRTUAL TABLE episodes_fts USING fts5(text, ${option});
      INSERT INTO episodes_fts(rowid, text) VALUES (1, 'Quarterly, Reports; Mentioned: Nothing! Remarkable?'), (2, 'Another, Text.');`);
    const { fts } = await openBoth(file);
    const [control, gone] = await scan(fts);
    if (control === undefined || gone === undefined) throw new Error("nothing scanned");
    await fts.surface.erase(keys(2), signal);
    await fts.surface.purge(signal);
    const found = await findings(fts, "bytes", [needleOf(gone, 0), needleOf(control, 1, "control")]);
    expect(new Set(found.map(({ needle, match }) => `${needle} ${match.how}`))).toEqual(new Set(["1 term"]));
  }
});

describe("an index with content of its own", () => {
  test("that declares no content has what it makes searchable, so that its eyes have controls", async () => {
    for (const mode of ["own", "external"] as const) {
      const { file } = fill(mode);
      const { fts } = await openBoth(file);
      const gone = (await scan(fts))[76];
      if (gone === undefined) throw new Error("nothing scanned");
      expect(gone.content).toEqual([{ type: "text", name: "text", text: MARKER }]);
      // Rowids are reusable: the row is known again by its content, and another text under its number is another row.
      expect(await findings(fts, "key", [needleOf(gone, 0)])).toHaveLength(1);
      const other = { ...gone, content: [{ type: "text", name: "text", text: "what stood there before" }] as const };
      expect(await findings(fts, "key", [needleOf(other, 0)])).toEqual([]);
      await fts.surface.erase(keys(77), signal);
      expect(await findings(fts, "key", [needleOf(gone, 0)])).toEqual([]);
    }
  });

  test("is scanned, rewritten and erased by a column of its own", async () => {
    const { file, app } = newStore(`
      CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, user_id UNINDEXED, body);
      INSERT INTO notes VALUES ('n1', '42', 'first secret note'), ('n2', '421', 'second note');`);
    const opened = await openSurface(
      declare("sqlite-fts", {
        table: "notes",
        key: ["id"],
        subject: [{ type: "account", column: "user_id" }],
        content: [text("body")],
      }),
      file,
    );
    const [first] = await scan(opened);
    if (first === undefined) throw new Error("nothing scanned");
    expect(first).toMatchObject({ key: "n1", subjects: [{ type: "account", value: "42" }] });
    const wanted = {
      ...first,
      subjects: [],
      content: [{ type: "text", name: "body", text: "first public note" }] as const,
    };
    expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(app.prepare("SELECT id FROM notes WHERE notes MATCH 'secret'").all()).toEqual([]);
    expect(await opened.surface.erase(keys("n1"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect((await scan(opened)).map(({ content }) => textsOf(content))).toEqual([["second note"]]);
    await opened.surface.purge(signal);
    expect(countBytes(file, "secret") + countBytes(file, "first public note")).toBe(0);
  });
});

test.each(["content=''", "content='', contentless_delete=1"])(
  "an index of %s follows a rewrite of its base row, whichever is first",
  async (option) => {
    for (const isIndexFirst of [true, false]) {
      const { file, app } = newStore(`
      CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
      CREATE VIRTUAL TABLE episodes_fts USING fts5(text, ${option});
      INSERT INTO episodes VALUES (1, 'alpha secret'), (2, 'beta'); INSERT INTO episodes_fts(rowid, text) SELECT id, text FROM episodes;`);
      const { table, fts } = await openBoth(file);
      const [row] = await scan(table);
      const [entry] = await scan(fts);
      if (row === undefined || entry === undefined) throw new Error("nothing scanned");
      const steps = [
        () => fts.surface.rewrite([entry], signal),
        () =>
          table.surface.rewrite([{ ...row, content: [{ type: "text", name: "text", text: "alpha public" }] }], signal),
      ];
      for (const step of isIndexFirst ? steps : steps.toReversed())
        expect(await step()).toMatchObject([{ outcome: "rewritten" }]);
      const hits = (term: string): unknown =>
        app.prepare("SELECT count(*) AS n FROM episodes_fts WHERE episodes_fts MATCH ?").get(term);
      expect([hits("public"), hits("secret"), hits("alpha")]).toEqual([{ n: 1 }, { n: 0 }, { n: 1 }]);
      await table.surface.purge(signal);
      expect(countBytes(file, "secret")).toBe(0);
    }
  },
);

test("the term search takes no living term for a lost one: one of another index, or one with the same tail at the same place", async () => {
  const { file, app } = newStore(`
    CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
    CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='episodes', content_rowid='id');
    CREATE VIRTUAL TABLE notes USING fts5(body);
    INSERT INTO episodes VALUES (1, 'ration marzipan'), (2, 'name nation nature');
    INSERT INTO notes VALUES ('marzipan for all');
    INSERT INTO episodes_fts(episodes_fts) VALUES ('rebuild');`);
  const { table, fts } = await openBoth(file);
  const [gone] = await scan(table);
  if (gone === undefined) throw new Error("nothing scanned");
  await fts.surface.erase(keys(1), signal);
  await table.surface.erase(keys(1), signal);
  await table.surface.purge(signal);
  expect(countBytes(file, "arzipan")).toBeGreaterThan(0);
  expect(await findings(table, "bytes", [needleOf(gone, 0)])).toEqual([]);
  app.exec("DELETE FROM notes");
  expect((await findings(table, "bytes", [needleOf(gone, 0)])).map(({ match }) => match.how)).toContain("term");
});

describe("CLAIM-5: a contentless index whose terms do not make themselves again (porter stems stems)", () => {
  const sql = `CREATE VIRTUAL TABLE episodes_fts USING fts5(text, content='', tokenize='porter');
    CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO episodes VALUES (1, 'callousness'), (2, 'other');
    INSERT INTO episodes_fts(rowid, text) SELECT id, text FROM episodes;`;

  test("answers failed and stays whole where its text is nowhere", async () => {
    const { file, app } = newStore(sql);
    const { fts } = await openBoth(file);
    app.exec("DELETE FROM episodes WHERE id = 1");
    expect(await fts.surface.erase(keys(1), signal)).toMatchObject([{ outcome: "failed" }]);
    expect(app.prepare("SELECT rowid FROM episodes_fts WHERE episodes_fts MATCH 'callousness'").all()).toEqual([
      { rowid: 1 },
    ]);
    app.exec("INSERT INTO episodes_fts(episodes_fts) VALUES ('integrity-check')");
  });

  test("is erased while its base row still has the text, or when every row of it goes", async () => {
    const first = newStore(sql);
    expect(await (await openBoth(first.file)).fts.surface.erase(keys(1), signal)).toMatchObject([
      { outcome: "erased" },
    ]);
    const second = newStore(sql);
    const { fts } = await openBoth(second.file);
    second.app.exec("DELETE FROM episodes");
    expect(await fts.surface.erase(keys(1, 2), signal)).toMatchObject([{ outcome: "erased" }, { outcome: "erased" }]);
    expect(await scan(fts)).toEqual([]);
  });
});
