// Tables: what a scan reads back, what erase and rewrite do to the rows that they are named and to no other.
import { describe, expect, test } from "vitest";
import {
  blobOf,
  collect,
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
  vectorOf,
} from "./sqlite-fixture.ts";
import { artifactKey, surfaceId } from "../../../src/model/ids.ts";

const EPISODES = `CREATE TABLE episodes (id INTEGER PRIMARY KEY, user_id TEXT, text TEXT, amount INTEGER, raw BLOB);`;

describe("scan", () => {
  test("reads keys, subjects and content fields back as the proofs spell them", async () => {
    const { file, app } = newStore(EPISODES);
    const insert = app.prepare("INSERT INTO episodes VALUES (?, ?, ?, ?, ?)");
    insert.run(10, "42", "ten", 7, Buffer.from([1, 2, 3]));
    insert.run(9, "42", "", null, null);
    const opened = await openSurface(
      declare("sqlite", {
        subject: [{ type: "account", column: "user_id" }],
        content: [text("text"), text("amount"), text("raw")],
      }),
      file,
    );
    const artifacts = await scan(opened);
    expect(artifacts.map(({ key }) => key)).toEqual(["9", "10"]);
    expect(artifacts[0]?.content).toEqual([{ type: "text", name: "text", text: "" }]);
    expect(artifacts[1]?.content).toEqual([
      { type: "text", name: "text", text: "ten" },
      { type: "text", name: "amount", text: "7" },
      { type: "bytes", name: "raw", bytes: new Uint8Array([1, 2, 3]) },
    ]);
    expect(artifacts[1]?.subjects).toEqual([{ type: "account", value: "42" }]);
  });

  test("reads subjects from JSON, key segments, join tables, and sources from columns, JSON arrays and joins", async () => {
    const { file, app } = newStore(`
      CREATE TABLE notes (id TEXT PRIMARY KEY, meta TEXT, source_ids TEXT, episode INTEGER, body TEXT);
      CREATE TABLE owners (note TEXT, user_id TEXT);
      CREATE TABLE links (note TEXT, other TEXT);`);
    app.exec(`INSERT INTO notes VALUES ('u7:n1', '{"who":{"email":"A@x.org"}}', '["e1",["t","c"],3]', 5, 'b'), ('u8:n2', NULL, NULL, NULL, NULL);
      INSERT INTO owners VALUES ('u7:n1','42'), ('u7:n1','43'); INSERT INTO links VALUES ('u7:n1','l1');`);
    const source = surfaceId("episodes");
    const opened = await openSurface(
      declare("sqlite", {
        table: "notes",
        subject: [
          { type: "email", json: "meta.who.email" },
          { type: "user", segment: 0, of: "key", sep: ":" },
          { type: "account", via: "owners", on: "note", column: "user_id" },
        ],
        content: [text("body")],
        derivedFrom: [
          { surface: source, column: "source_ids", as: "json" },
          { surface: source, column: "episode" },
          { surface: source, via: "links", on: "note", column: "other" },
        ],
      }),
      file,
    );
    const [first, second] = await scan(opened);
    expect(first?.subjects).toEqual([
      { type: "email", value: "a@x.org" },
      { type: "user", value: "u7" },
      { type: "account", value: "42" },
      { type: "account", value: "43" },
    ]);
    expect(first?.sources.map(({ key }) => key)).toEqual(["e1", '["t","c"]', "3", "5", "l1"]);
    expect(second?.subjects).toEqual([{ type: "user", value: "u8" }]);
    expect(second?.sources).toEqual([]);
  });

  test("merges the rows of one key and keeps integers beyond 2^53 exact", async () => {
    const { file, app } = newStore("CREATE TABLE episodes (id INTEGER, user_id TEXT, text TEXT);");
    app.exec("INSERT INTO episodes VALUES (9007199254740993,'a','x'), (9007199254740993,'b','y')");
    const opened = await openSurface(
      declare("sqlite", { subject: [{ type: "account", column: "user_id" }], content: [text("text")] }),
      file,
    );
    const artifacts = await scan(opened);
    expect(artifacts).toHaveLength(1);
    expect(artifacts[0]?.key).toBe("9007199254740993");
    expect(artifacts[0]?.subjects).toHaveLength(2);
    expect(await opened.surface.erase(keys("9007199254740993"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await scan(opened)).toEqual([]);
  });

  test("tells keys apart in a column that ignores case: each once, in the order of their bytes", async () => {
    const { file, app } = newStore("CREATE TABLE episodes (id TEXT COLLATE NOCASE, text TEXT)");
    for (const id of ["b", "A", "a", "A", "B", "a"]) app.prepare("INSERT INTO episodes VALUES (?, ?)").run(id, id);
    const artifacts = await scan(await openSurface(declare("sqlite", { content: [text("text")] }), file));
    expect(artifacts.map(({ key, content }) => [key, content.length])).toEqual([
      ["A", 2],
      ["B", 1],
      ["a", 2],
      ["b", 1],
    ]);
  });

  test("sees one snapshot although rows are written while it streams", async () => {
    const { file, app } = newStore(EPISODES);
    for (let id = 1; id <= 50; id += 1) app.prepare("INSERT INTO episodes (id, text) VALUES (?, 'x')").run(id);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    let seen = 0;
    for await (const artifact of opened.surface.scan(signal)) {
      if (seen === 0)
        app.exec("INSERT INTO episodes (id, text) VALUES (99, 'late'); DELETE FROM episodes WHERE id = 40");
      expect(artifact.key).not.toBe("99");
      seen += 1;
    }
    expect(seen).toBe(50);
  });
});

describe("erase", () => {
  test("C16: erases 42 and leaves 421, 042 and their like, whatever the column's affinity", async () => {
    for (const type of ["INTEGER PRIMARY KEY", "TEXT PRIMARY KEY", "NUMERIC", "BLOB", ""]) {
      const { file, app } = newStore(`CREATE TABLE episodes (id ${type}, text TEXT)`);
      app.exec("INSERT INTO episodes VALUES (42, 'a'), (421, 'b'), (4, 'c')");
      const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
      const outcomes = await opened.surface.erase(keys("42", "042", "42.0", "4 2", "nobody"), signal);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["erased", "absent", "absent", "absent", "absent"]);
      expect((await scan(opened)).map(({ key }) => key)).toEqual(["4", "421"]);
    }
  });

  test("C14: composite keys do not collide, and bytes are keys too", async () => {
    const { file, app } = newStore("CREATE TABLE episodes (a TEXT, b, text TEXT, PRIMARY KEY (a, b))");
    app.exec("INSERT INTO episodes VALUES ('a:b', '', 'one'), ('a', 'b', 'two'), ('a', x'00ff', 'three')");
    const opened = await openSurface(declare("sqlite", { key: ["a", "b"], content: [text("text")] }), file);
    expect((await scan(opened)).map(({ key }) => key)).toEqual(['["a","b"]', '["a","AP8"]', '["a:b",""]']);
    expect(await opened.surface.erase(keys('["a","b"]', '["a","AP8"]'), signal)).toMatchObject([
      { outcome: "erased" },
      { outcome: "erased" },
    ]);
    expect((await scan(opened)).map(({ content }) => textsOf(content))).toEqual([["one"]]);
  });

  test("C07: takes the join rows of the erased artifact and leaves those of others and what many share", async () => {
    const { file, app } = newStore(`
      CREATE TABLE entities (id INTEGER PRIMARY KEY, text TEXT, thread_id TEXT);
      CREATE TABLE entity_owners (entity_id INTEGER, user_id TEXT);
      CREATE TABLE threads (thread_id TEXT PRIMARY KEY, user_id TEXT);
      INSERT INTO threads VALUES ('th', 's');
      INSERT INTO entities VALUES (1, 'one', 'th'), (2, 'two', 'th');
      INSERT INTO entity_owners VALUES (1, 's'), (2, 's'), (2, 't');`);
    const opened = await openSurface(
      declare("sqlite", {
        table: "entities",
        subject: [
          { type: "account", via: "entity_owners", on: "entity_id", column: "user_id" },
          { type: "account", via: "threads", on: "thread_id", column: "user_id" },
        ],
        content: [text("text")],
      }),
      file,
    );
    await opened.surface.erase(keys(1), signal);
    expect(app.prepare("SELECT * FROM entity_owners").all()).toEqual([
      { entity_id: 2, user_id: "s" },
      { entity_id: 2, user_id: "t" },
    ]);
    expect(app.prepare("SELECT count(*) AS n FROM threads").get()).toEqual({ n: 1 });
  });

  test("CLAIM-5: a delete that a trigger undoes is failed, never erased", async () => {
    const { file } = newStore(`${EPISODES}
      CREATE TRIGGER undo AFTER DELETE ON episodes BEGIN INSERT INTO episodes (id, text) VALUES (old.id, 'back'); END;
      INSERT INTO episodes (id, text) VALUES (1, 'x');`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    const [outcome] = await opened.surface.erase(keys(1), signal);
    expect(outcome?.outcome).toBe("failed");
  });

  test("CLAIM-5: a delete that a trigger refuses fails for that row alone", async () => {
    const { file } = newStore(`${EPISODES}
      CREATE TRIGGER no BEFORE DELETE ON episodes WHEN old.id = 1 BEGIN SELECT RAISE(ABORT, 'frozen'); END;
      INSERT INTO episodes (id, text) VALUES (1, 'x'), (2, 'y');`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    const outcomes = await opened.surface.erase(keys(1, 2, 3), signal);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["failed", "erased", "absent"]);
  });

  test("leaves rows that merely refer to the erased one: no cascade deletes what nobody named", async () => {
    const { file, app } = newStore(`${EPISODES}
      CREATE TABLE replies (id INTEGER PRIMARY KEY, episode INTEGER REFERENCES episodes(id) ON DELETE CASCADE);
      INSERT INTO episodes (id) VALUES (1); INSERT INTO replies VALUES (5, 1);`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    expect(await opened.surface.erase(keys(1), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(app.prepare("SELECT count(*) AS n FROM replies").get()).toEqual({ n: 1 });
  });

  test("C01: erases more rows than one batch and one page", async () => {
    const { file, app } = newStore(EPISODES);
    const insert = app.prepare("INSERT INTO episodes (id, user_id, text) VALUES (?, 's', 'x')");
    app.transaction(() => {
      for (let id = 1; id <= 1250; id += 1) insert.run(id);
    })();
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    const outcomes = await opened.surface.erase(keys(...Array.from({ length: 1250 }, (_, at) => at + 1)), signal);
    expect(outcomes.filter(({ outcome }) => outcome === "erased")).toHaveLength(1250);
    expect(await scan(opened)).toEqual([]);
  });

  test("C13: an application's trigger copies nothing of what is erased, and its row of ids alone still comes", async () => {
    const { file, app } = newStore(`${EPISODES}
      CREATE TABLE history (id INTEGER, old_text TEXT, note TEXT);
      CREATE TABLE tombstones (id INTEGER);
      CREATE TRIGGER keep AFTER DELETE ON episodes BEGIN
        INSERT INTO history VALUES (old.id, old.text, 'deleted');
        INSERT INTO history VALUES (old.id, NULL, 'was: ' || old.text);
        INSERT INTO tombstones VALUES (old.id);
      END;
      INSERT INTO episodes (id, text) VALUES (1, 'the heron keeps a violet umbrella');`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    expect(await opened.surface.erase(keys(1), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(app.prepare("SELECT * FROM history").all()).toEqual([]);
    expect(app.prepare("SELECT * FROM tombstones").all()).toEqual([{ id: 1 }]);
  });

  test("C13: a copy that an earlier delete made is found by the excerpt and exact probes of the undeclared table", async () => {
    const { file, app } = newStore(`${EPISODES}
      CREATE TABLE history (id INTEGER, old_text TEXT);
      CREATE TRIGGER keep AFTER DELETE ON episodes BEGIN INSERT INTO history VALUES (old.id, old.text); END;
      INSERT INTO episodes (id, text) VALUES (1, 'the heron keeps a violet umbrella under the bridge'), (2, 'another row that lives on here');`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    const [gone] = await scan(opened);
    app.exec("DELETE FROM episodes WHERE id = 1");
    const container = (await opened.surface.census(signal)).find(({ name }) => name === "memory.history");
    expect(container).toMatchObject({ kind: "table", holds: ["text"] });
    if (container === undefined || gone === undefined) throw new Error("nothing to look at");
    const names: string[] = [];
    for (const probe of opened.kind.containerProbes(opened.options, container))
      for (const finding of await collect(probe.look([needleOf(gone, 0)], signal))) names.push(finding.probe);
    expect(new Set(names)).toEqual(new Set(["exact", "excerpt"]));
  });

  test("CLAIM-6: erases in every replica, and a replica that holds out makes it failed", async () => {
    const one = newStore(`${EPISODES} INSERT INTO episodes (id, text) VALUES (1, 'x');`);
    const two = newStore(`${EPISODES} INSERT INTO episodes (id, text) VALUES (1, 'x'), (2, 'y');
      CREATE TRIGGER no BEFORE DELETE ON episodes WHEN old.id = 2 BEGIN SELECT RAISE(ABORT, 'frozen'); END;`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")], replicas: ["copy1"] }), [
      one.file,
      two.file,
    ]);
    const outcomes = await opened.surface.erase(keys(1, 2), signal);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["erased", "failed"]);
    expect(two.app.prepare("SELECT id FROM episodes").all()).toEqual([{ id: 2 }]);
  });
});

describe("triggers of the application", () => {
  test("one that calls a function that only the application has makes the row failed, with that reason", async () => {
    const { file, app } = newStore(`${EPISODES} INSERT INTO episodes (id, text) VALUES (1, 'x');`);
    app.function("embed", () => null);
    app.exec("CREATE TRIGGER e AFTER DELETE ON episodes BEGIN SELECT embed(old.text); END");
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    expect(await opened.surface.erase(keys(1), signal)).toMatchObject([
      {
        outcome: "failed",
        why: "a trigger, an index or a generated column uses a function that only the application's own connections have",
      },
    ]);
    expect(await scan(opened)).toHaveLength(1);
  });

  test("C13: a rewrite makes no copy of the old wording either", async () => {
    const { file, app } = newStore(`${EPISODES} CREATE TABLE history (id INTEGER, old_text TEXT, new_text TEXT);
      CREATE TRIGGER h AFTER UPDATE ON episodes BEGIN INSERT INTO history VALUES (old.id, old.text, new.text); END;
      INSERT INTO episodes (id, text) VALUES (1, 'the heron keeps a violet umbrella');`);
    const opened = await openSurface(declare("sqlite", { content: [text("text")] }), file);
    const [row] = await scan(opened);
    if (row === undefined) throw new Error("nothing scanned");
    const wanted = { ...row, content: [{ type: "text", name: "text", text: "redacted" }] as const };
    expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(app.prepare("SELECT * FROM history").all()).toEqual([]);
  });
});

describe("rewrite", () => {
  const setup = `
    CREATE TABLE summaries (id INTEGER PRIMARY KEY, user_id TEXT, other TEXT NOT NULL DEFAULT 'n', source_ids TEXT, text TEXT, vec BLOB);
    CREATE TABLE owners (summary INTEGER, user_id TEXT);
    INSERT INTO owners VALUES (1,'s'), (1,'t'), (2,'s');`;
  const declared = declare("sqlite", {
    table: "summaries",
    subject: [
      { type: "account", column: "user_id" },
      { type: "account", via: "owners", on: "summary", column: "user_id" },
    ],
    content: [text("text")],
    vector: "vec",
    derivedFrom: [{ surface: surfaceId("episodes"), column: "source_ids", as: "json" }],
  });

  test("LINEAGE-5: sets text, vector, source array, subject column and join rows to what is given", async () => {
    const { file, app } = newStore(setup);
    app.prepare("INSERT INTO summaries VALUES (1, 's', 'n', '[1,\"two\",3]', 'both', ?)").run(blobOf(vectorOf(1)));
    const opened = await openSurface(declared, file);
    const [before] = await scan(opened);
    if (before === undefined) throw new Error("nothing scanned");
    const wanted = {
      ...before,
      subjects: [{ type: "account", value: "t" }],
      sources: before.sources.filter(({ key }) => key !== "two"),
      content: [
        { type: "text", name: "text", text: "only t" },
        { type: "vector", name: "vec", vector: vectorOf(2) },
      ] as const,
    };
    expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(app.prepare("SELECT user_id, source_ids, text FROM summaries").get()).toEqual({
      user_id: null,
      source_ids: "[1,3]",
      text: "only t",
    });
    expect(app.prepare("SELECT * FROM owners ORDER BY 1, 2").all()).toEqual([
      { summary: 1, user_id: "t" },
      { summary: 2, user_id: "s" },
    ]);
    expect(await scan(opened)).toEqual([wanted]);
    expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(await findings(opened, "exact", [needleOf(before, 0, "rewritten")])).toEqual([]);
  });

  test("answers failed with a reason, and changes nothing, where a column may not be empty", async () => {
    const { file, app } = newStore(
      "CREATE TABLE summaries (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, text TEXT); INSERT INTO summaries VALUES (1, 's', 'both');",
    );
    const opened = await openSurface(
      declare("sqlite", {
        table: "summaries",
        subject: [{ type: "account", column: "user_id" }],
        content: [text("text")],
      }),
      file,
    );
    const [before] = await scan(opened);
    if (before === undefined) throw new Error("nothing scanned");
    const [outcome] = await opened.surface.rewrite([{ ...before, subjects: [], content: [] }], signal);
    expect(outcome).toMatchObject({ outcome: "failed", why: "a column may not be empty (NOT NULL)" });
    expect(app.prepare("SELECT text FROM summaries").get()).toEqual({ text: "both" });
  });

  test("answers absent for a key that is not there", async () => {
    const { file } = newStore(setup);
    const opened = await openSurface(declared, file);
    const ghost = { surface: surfaceId("summaries"), key: artifactKey("9"), subjects: [], sources: [], content: [] };
    expect(await opened.surface.rewrite([ghost], signal)).toMatchObject([{ outcome: "absent" }]);
  });
});
