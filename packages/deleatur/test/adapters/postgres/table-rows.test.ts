// Scans, reads, erases and rewrites rows of real PostgreSQL tables, of every shape that a declaration can name.
import { describe, expect, it } from "vitest";
import type { Artifact } from "../../../src/model/artifact.ts";
import { artifactKey, surfaceId } from "../../../src/model/ids.ts";
import { findVectorPostgres } from "../../servers/find-postgres.ts";
import {
  all,
  declare,
  keys,
  keysOf,
  look,
  needleOf,
  newStore,
  openSurface,
  REQUEST,
  signal,
  text,
  useServer,
} from "./postgres-fixture.ts";

const installation = findVectorPostgres();

describe.skipIf(installation === undefined)("a PostgreSQL table", () => {
  const server = useServer(installation);

  it("answers keys, persons, sources and content as they were written, and no number rounded", async () => {
    const store = await newStore(
      server(),
      String.raw`CREATE EXTENSION vector; CREATE SCHEMA agent;
       CREATE TABLE agent.notes (tenant int, id bigint, doc jsonb, owners text[], made_from bigint[], body text, raw bytea, v vector(3), PRIMARY KEY (tenant, id));
       INSERT INTO agent.notes VALUES (1, 9223372036854775807, '{"user": {"id": 12345678901234567890}}', '{a,b}', '{7,8}', 'a body', '\x00ff', '[0.1,2,3]'); INSERT INTO agent.notes (tenant, id) VALUES (-1, 2);`,
    );
    const { surface } = await openSurface(
      declare({
        id: "notes",
        table: "agent.notes",
        key: ["tenant", "id"],
        subject: [
          { json: "doc.user.id", type: "account" },
          { column: "owners", type: "team" },
        ],
        derivedFrom: [{ surface: surfaceId("raw"), column: "made_from", as: "key" }],
        content: [text("doc"), text("body"), text("raw")],
        vector: "v",
      }),
      store,
    );
    const [bare, full] = await all(surface.scan(signal));
    expect(bare).toMatchObject({ key: '["-1","2"]', subjects: [], sources: [], content: [] });
    expect(full).toEqual({
      surface: "notes",
      key: '["1","9223372036854775807"]',
      subjects: [
        { type: "account", value: "12345678901234567890" },
        { type: "team", value: "a" },
        { type: "team", value: "b" },
      ],
      sources: [
        { surface: "raw", key: "7" },
        { surface: "raw", key: "8" },
      ],
      content: [
        { type: "text", name: "doc", text: '{"user": {"id": 12345678901234567890}}' },
        { type: "text", name: "body", text: "a body" },
        { type: "bytes", name: "raw", bytes: Uint8Array.of(0, 255) },
        { type: "vector", name: "v", vector: Float32Array.of(0.1, 2, 3) },
      ],
    });
    const read = await all(surface.read(keys('["1","9223372036854775807"]', '["1","9"]', "no key"), signal));
    expect(read).toEqual([full]);
    expect((await all(surface.scan(signal, "lineage"))).map(({ content }) => content)).toEqual([[], []]);
  });

  it.each(["jsonb", "json", "text"])(
    "VERDICT-4: a person that the path does not reach in a column of %s stops the scan; one that is missing is nobody",
    async (type) => {
      const read = async (doc: string): Promise<readonly string[]> => {
        const store = await newStore(
          server(),
          `CREATE TABLE notes (id int PRIMARY KEY, doc ${type}); INSERT INTO notes VALUES (1, ${doc});`,
        );
        const { surface } = await openSurface(
          declare({ table: "notes", subject: [{ json: "doc.user.id", type: "account" }], content: [text("doc")] }),
          store,
        );
        return (await all(surface.scan(signal))).flatMap(({ subjects }) => subjects.map(({ value }) => value));
      };
      const unread = [
        `'{"user":[{"id":"s"}]}'`,
        `'[{"user":{"id":"s"}}]'`,
        `'{"user":"s"}'`,
        `'{"user":5}'`,
        `'{"user":{"id":{"of":"s"}}}'`,
        String.raw`'"{\"user\":{\"id\":\"s\"}}"'`,
        ...(type === "text" ? ["'user s'", "'{user: 1}'"] : []),
        // Of members that occur twice the store itself would show one alone.
        ...(type === "jsonb"
          ? []
          : [`'{"user":{"id":"s","id":"t"}}'`, String.raw`'{"user":{"id":"s"},"\u0075ser":{"id":"t"}}'`]),
      ];
      for (const doc of unread) await expect(read(doc)).rejects.toMatchObject({ code: "SUBJECT_UNREADABLE" });
      const nobody = ["NULL", "'{}'", `'{"user":null}'`, `'{"user":[]}'`, `'{"user":{}}'`, `'{"user":{"id":null}}'`];
      for (const doc of nobody) expect(await read(doc)).toEqual([]);
      expect(await read(`'{"user":{"id":["s",12345678901234567890]}}'`)).toEqual(["s", "12345678901234567890"]);
    },
  );

  it("refuses a sparsevec as its vector, says what to declare, and reads its text", async () => {
    const store = await newStore(
      server(),
      "CREATE EXTENSION vector; CREATE TABLE sparse (id int PRIMARY KEY, v sparsevec(9)); INSERT INTO sparse VALUES (1, '{2:0.5,7:-1}/9')",
    );
    await expect(openSurface(declare({ table: "sparse", vector: "v" }), store)).rejects.toMatchObject({
      code: "COLUMN_UNFIT",
      cure: expect.stringContaining("declare the sparsevec under content") as string,
    });
    const { surface } = await openSurface(declare({ table: "sparse", content: [text("v")] }), store);
    expect((await all(surface.scan(signal))).map(({ content }) => content)).toMatchObject([
      [{ type: "text", text: "{2:0.5,7:-1}/9" }],
    ]);
  });

  it("reads each component of a vector as it is stored, of 32 bits and of 16, wherever the extension stands", async () => {
    const store = await newStore(
      server(),
      `CREATE SCHEMA "odd ""name"; CREATE EXTENSION vector SCHEMA "odd ""name"; SET search_path = public, "odd ""name";
       CREATE TABLE wide (id int PRIMARY KEY, v vector); CREATE TABLE narrow (id int PRIMARY KEY, v halfvec(6));
       INSERT INTO wide VALUES (1, '[3.4028235e38,-1.17549435e-38,1e-45,16777217,0.1,-0]'), (2, '[7]'), (3, NULL);
       INSERT INTO narrow VALUES (1, '[65504,-6.1035156e-05,5.9604645e-08,0.1,-0,1]');`,
    );
    const componentsOf = async (table: string): Promise<readonly (readonly number[])[]> => {
      const { surface } = await openSurface(declare({ table, vector: "v" }), store);
      const content = (await all(surface.scan(signal))).map((artifact) => artifact.content);
      return content.map(([field]) => (field?.type === "vector" ? [...field.vector] : []));
    };
    const stored = [3.4028235e38, -1.17549435e-38, 1e-45, 16777217, 0.1, -0].map(Math.fround);
    expect(await componentsOf("wide")).toEqual([stored, [7], []]);
    expect(await componentsOf("narrow")).toEqual([[65504, -(2 ** -14), 2 ** -24, 1638 / 16384, -0, 1]]);
  });

  it("C16: reads and erases under keys that an array's own spelling would take for something else", async () => {
    const odd = ["NULL", "{a,b}", 'a"b', "a\\b", '\\"', " ", "a,b", "ä\n'"];
    const store = await newStore(server(), "CREATE TABLE episodes (id text PRIMARY KEY, at int, body text)");
    for (const [at, key] of odd.entries())
      await store.query("INSERT INTO episodes VALUES ($1, $2, 'text'), ($3, $2, 'text')", [key, at, `${key}.`]);
    const wanted = keys(...odd);
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    expect(keysOf(await all(surface.read(wanted, signal)))).toEqual(wanted);
    expect((await surface.erase(wanted, signal)).map(({ outcome }) => outcome)).toEqual(odd.map(() => "erased"));
    const several = await openSurface(declare({ key: ["id", "at"], content: [text("body")] }), store);
    const left = keysOf(await all(several.surface.scan(signal)));
    expect(left.length).toBe(odd.length);
    expect((await several.surface.erase(keys(...left), signal)).map(({ outcome }) => outcome)).toEqual(
      odd.map(() => "erased"),
    );
    expect(await store.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 0 }]);
  });

  it("keeps rows of tables that inherit in the old way apart, where a primary key does not", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE TABLE old () INHERITS (episodes);
       INSERT INTO episodes VALUES (1, 'own'), (2, 'own'); INSERT INTO old VALUES (1, 'inherited');`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    expect((await all(surface.scan(signal))).map(({ key, content }) => [key, content.length])).toEqual([
      ["1", 2],
      ["2", 1],
    ]);
    // Two rows go for two keys, and one of the keys was never there.
    const ends = await surface.erase(keys("1", "9"), signal);
    expect(ends.map(({ outcome }) => outcome)).toEqual(["erased", "absent"]);
  });

  it("scans in the order of keys by bytes, one snapshot whatever is written meanwhile, and rows of one key are one artifact", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id text, body text);
       INSERT INTO episodes VALUES ('b', '1'), ('B', '2'), ('a', '3'), ('ä', '4'), ('a', '5');`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    const seen: Artifact[] = [];
    for await (const artifact of surface.scan(signal)) {
      if (seen.length === 0) await store.query("INSERT INTO episodes VALUES ('zz', 'late')");
      seen.push(artifact);
    }
    expect(keysOf(seen)).toEqual(["B", "a", "b", "ä"]);
    expect(seen[1]?.content.map((field) => (field.type === "text" ? field.text : "")).toSorted()).toEqual(["3", "5"]);
  });

  it("CLAIM-5: erases what it is named and nothing else, counts again, and may be asked twice", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text);
       INSERT INTO episodes SELECT n, 'row ' || n FROM generate_series(1, 421) n;`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    const outcomes = await surface.erase(keys("42", "042", "no number", "99999999999"), signal);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["erased", "absent", "absent", "absent"]);
    expect((await surface.erase(keys("42"), signal))[0]?.outcome).toBe("absent");
    expect(await store.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 420 }]);
    expect(await store.query("SELECT 1 AS there FROM episodes WHERE id = 421")).toEqual([{ there: 1 }]);
  });

  it("CLAIM-5: a delete that a trigger swallows is a failure, not an absence", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); INSERT INTO episodes VALUES (1, 'stays');
       CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE TRIGGER swallow BEFORE DELETE ON episodes FOR EACH ROW EXECUTE FUNCTION swallow();`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "failed" }]);
  });

  it("refuses rows that others refer to, whether the store would refuse or would take those with them", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, parent int REFERENCES episodes ON DELETE CASCADE);
       CREATE TABLE strict (episode int REFERENCES episodes);
       CREATE TABLE loose (episode int REFERENCES episodes ON DELETE CASCADE);
       INSERT INTO episodes VALUES (1, NULL), (2, NULL), (3, NULL), (4, 3); INSERT INTO strict VALUES (1); INSERT INTO loose VALUES (2);`,
    );
    const { surface } = await openSurface(declare({}), store);
    const ends = await surface.erase(keys("1", "2", "3", "4"), signal);
    expect(ends.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "erased", "erased"]);
    expect(ends.map((end) => ("why" in end ? end.why : ""))).toEqual([
      expect.stringContaining("foreign key"),
      expect.stringContaining("CASCADE"),
      "",
      "",
    ]);
    await store.query("DELETE FROM strict; DELETE FROM loose");
    expect((await surface.erase(keys("1", "2"), signal)).map(({ outcome }) => outcome)).toEqual(["erased", "erased"]);
  });

  it.each([
    [
      "a join row that goes with the record",
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE TABLE people (id int PRIMARY KEY, episode int REFERENCES episodes, person text);
       CREATE TABLE others (id int PRIMARY KEY, link int REFERENCES people ON DELETE CASCADE);
       INSERT INTO episodes VALUES (1, 'one'), (2, 'two'); INSERT INTO people VALUES (11, 1, 'a'), (12, 2, 'b'); INSERT INTO others VALUES (1, 11);`,
      { subject: [{ via: "people", on: "episode", column: "person", type: "account" }] },
    ],
    [
      "a partition by itself",
      `CREATE TABLE episodes (id int PRIMARY KEY, body text) PARTITION BY RANGE (id); CREATE TABLE early PARTITION OF episodes FOR VALUES FROM (0) TO (100);
       CREATE TABLE others (id int PRIMARY KEY, link int REFERENCES early ON DELETE CASCADE);
       INSERT INTO episodes VALUES (1, 'one'), (2, 'two'); INSERT INTO others VALUES (1, 1);`,
      {},
    ],
    [
      "a column that only an inheriting table has",
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE TABLE more (number int UNIQUE) INHERITS (episodes);
       CREATE TABLE others (id int PRIMARY KEY, link int REFERENCES more (number) ON DELETE CASCADE);
       INSERT INTO more VALUES (1, 'one', 7), (2, 'two', 8); INSERT INTO others VALUES (1, 7);`,
      {},
    ],
  ])("takes nobody's rows along that hang by a cascade on %s", async (_, sql, given) => {
    const store = await newStore(server(), sql);
    const { surface } = await openSurface(declare({ content: [text("body")], ...given }), store);
    const [kept, gone] = await surface.erase(keys("1", "2"), signal);
    expect(kept).toMatchObject({ outcome: "failed" });
    expect(gone).toMatchObject({ outcome: "erased" });
    expect(await store.query("SELECT id FROM others")).toEqual([{ id: 1 }]);
    await store.query("DELETE FROM others");
    expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("C07: takes nobody out of a record where another table's rows would go with the row that names them", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE TABLE people (id int PRIMARY KEY, episode int REFERENCES episodes, person text);
       CREATE TABLE others (id int PRIMARY KEY, link int REFERENCES people ON DELETE CASCADE);
       INSERT INTO episodes VALUES (1, 'one'); INSERT INTO people VALUES (11, 1, 'a'), (12, 1, 'b'); INSERT INTO others VALUES (1, 11);`,
    );
    const subject = [{ via: "people", on: "episode", column: "person", type: "account" } as const];
    const { surface } = await openSurface(declare({ content: [text("body")], subject }), store);
    const [row] = await all(surface.scan(signal));
    if (row === undefined) throw new Error("no row");
    const left = { ...row, subjects: row.subjects.filter(({ value }) => value === "b") };
    expect(await surface.rewrite([left], signal)).toMatchObject([{ outcome: "failed" }]);
    expect(await store.query("SELECT id FROM others")).toEqual([{ id: 1 }]);
    await store.query("DELETE FROM others");
    expect(await surface.rewrite([left], signal)).toMatchObject([{ outcome: "rewritten" }]);
  });

  it("C07: takes one person out of a row that two own, and an owner's join rows with the record", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE entities (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text);
       CREATE TABLE owners (entity uuid, person text);
       INSERT INTO entities VALUES ('00000000-0000-4000-8000-00000000000a', 'shared'), ('00000000-0000-4000-8000-00000000000b', 'own');
       INSERT INTO owners VALUES ('00000000-0000-4000-8000-00000000000a', 's'), ('00000000-0000-4000-8000-00000000000a', 't'), ('00000000-0000-4000-8000-00000000000b', 's');`,
    );
    const { surface } = await openSurface(
      declare({
        id: "entities",
        table: "entities",
        subject: [{ via: "owners", on: "entity", column: "person", type: "account" }],
        content: [text("body")],
      }),
      store,
    );
    const [shared] = await all(surface.scan(signal));
    if (shared === undefined) throw new Error("no row");
    expect(shared.subjects.map(({ value }) => value)).toEqual(["s", "t"]);
    const wanted = { ...shared, subjects: shared.subjects.filter(({ value }) => value === "t") };
    expect(await surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(await surface.erase(keys("00000000-0000-4000-8000-00000000000b"), signal)).toMatchObject([
      { outcome: "erased" },
    ]);
    expect(await store.query("SELECT person FROM owners")).toEqual([{ person: "t" }]);
  });

  it.each(["json", "text"])("CLAIM-5: of two members of one name in %s a rewrite keeps both", async (type) => {
    const doc = '{"a":1e2,"who":["s", "t"], "a": "\\u00e9", "rest":{"b":null,"b":1.50}}';
    const store = await newStore(
      server(),
      `CREATE TABLE notes (id int PRIMARY KEY, doc ${type}, body text); INSERT INTO notes VALUES (1, '${doc}', 'said')`,
    );
    const subject = [{ json: "doc.who", type: "account" }] as const;
    const { surface } = await openSurface(declare({ table: "notes", subject, content: [text("body")] }), store);
    const [row] = await all(surface.scan(signal));
    if (row === undefined) throw new Error("no row");
    const wanted = { ...row, subjects: [{ type: "account", value: "t" }] };
    expect(await surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    const left = '{"a":1e2,"who":["t"],"a":"\\u00e9","rest":{"b":null,"b":1.50}}';
    expect(await store.query("SELECT doc::text FROM notes")).toEqual([{ doc: left }]);
  });

  it("LINEAGE-5: rewrites content, persons and sources in columns, arrays and JSON, and keeps every other number in it", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE summaries (id int PRIMARY KEY, doc jsonb, people text[], from_keys jsonb, from_ids bigint[], body text, embedding real[]);
       INSERT INTO summaries VALUES (1, '{"who": ["s", "t"], "big": 12345678901234567890}', '{s,t}', '["e1", 12345678901234567890, ["a", "b"]]', '{1,2}', 'both said', '{0.1,0.2}');`,
    );
    const { surface } = await openSurface(
      declare({
        id: "summaries",
        table: "summaries",
        subject: [
          { json: "doc.who", type: "account" },
          { column: "people", type: "account" },
        ],
        derivedFrom: [
          { surface: surfaceId("episodes"), column: "from_keys", as: "json" },
          { surface: surfaceId("rows"), column: "from_ids" },
        ],
        content: [text("body")],
        vector: "embedding",
      }),
      store,
    );
    const [row] = await all(surface.scan(signal));
    expect(row?.sources.map(({ key }) => key)).toEqual(["e1", "12345678901234567890", '["a","b"]', "1", "2"]);
    if (row === undefined) return;
    const wanted: Artifact = {
      ...row,
      subjects: [{ type: "account", value: "t" }],
      sources: row.sources.filter(({ key }) => key !== "e1" && key !== "1"),
      content: [
        { type: "text", name: "body", text: "one said" },
        { type: "vector", name: "embedding", vector: Float32Array.of(0.5, 0.25) },
      ],
    };
    expect(await surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(await store.query("SELECT doc::text, people, from_keys::text, from_ids, body FROM summaries")).toEqual([
      {
        doc: '{"big": 12345678901234567890, "who": ["t"]}',
        people: ["t"],
        from_keys: '[12345678901234567890, ["a", "b"]]',
        from_ids: ["2"],
        body: "one said",
      },
    ]);
    const gone = { ...wanted, key: artifactKey("9") };
    expect(await surface.rewrite([gone], signal)).toMatchObject([{ outcome: "absent" }]);
  });

  it("reads and erases through a partitioned table, generated columns beside it", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE logs (id int, day date, body text, words tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
       CREATE TABLE logs_one PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2026-07-01');
       CREATE TABLE logs_two PARTITION OF logs FOR VALUES FROM ('2026-07-01') TO ('2027-01-01');
       CREATE INDEX ON logs USING gin (words);
       INSERT INTO logs VALUES (1, '2026-02-01', 'one'), (2, '2026-08-01', 'two');`,
    );
    const { surface } = await openSurface(
      declare({ id: "logs", table: "logs", key: ["id", "day"], content: [text("body")] }),
      store,
    );
    expect(keysOf(await all(surface.scan(signal)))).toEqual(['["1","2026-02-01"]', '["2","2026-08-01"]']);
    expect(await surface.erase(keys('["2","2026-08-01"]'), signal)).toMatchObject([{ outcome: "erased" }]);
    const census = await surface.census(signal);
    expect(census.find(({ name }) => name === "memory.logs_two")).toMatchObject({
      kind: "shadow",
      owner: "memory.logs",
    });
    const [row] = await all(surface.scan(signal));
    if (row === undefined) throw new Error("no row");
    const wanted: Artifact = { ...row, content: [{ type: "text", name: "body", text: "three" }] };
    expect(await surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
  });

  it("C14: takes names of any characters, and none for another", async () => {
    const store = await newStore(
      server(),
      `CREATE SCHEMA "Ma.tière"; CREATE TABLE "Ma.tière"."Wör ""ter"" 'x' \\ $1" ("der ""Schlüssel""" text PRIMARY KEY, "we r.da" text, "was; gesagt --" text)`,
    );
    await store.query(
      `INSERT INTO "Ma.tière"."Wör ""ter"" 'x' \\ $1" VALUES ('k''1', '42', 'of the person'), ('k2', '421', 'of another')`,
    );
    const { surface, probes } = await openSurface(
      declare({
        id: "words",
        table: `"Ma.tière".Wör "ter" 'x' \\ $1`,
        key: ['der "Schlüssel"'],
        subject: [{ column: "we r.da", type: "account" }],
        content: [text("was; gesagt --")],
      }),
      store,
    );
    const rows = await all(surface.scan(signal));
    expect(rows).toMatchObject([{ key: "k'1", subjects: [{ value: "42" }] }, { key: "k2" }]);
    const fence = { request: REQUEST, identifiers: [{ type: "account", value: "42" }], keys: [], sources: new Map() };
    expect(await surface.fence(fence, signal)).toBe("strong");
    await expect(
      store.query(`UPDATE "Ma.tière"."Wör ""ter"" 'x' \\ $1" SET "we r.da" = '42' WHERE "we r.da" = '421'`),
    ).rejects.toThrow("FENCED");
    expect(await surface.erase(keys("k'1"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    const seen = await look(
      probes,
      "exact",
      rows.map((row, index) => needleOf(row, index)),
    );
    expect(seen.map(({ needle }) => needle)).toEqual([1]);
    await surface.unfence([REQUEST], signal);
  });

  it("reads a domain over a domain as what stands behind both", async () => {
    const store = await newStore(
      server(),
      `CREATE DOMAIN inner_ AS bytea; CREATE DOMAIN secret AS inner_; CREATE DOMAIN small AS int; CREATE DOMAIN number AS small;
       CREATE TABLE episodes (id number PRIMARY KEY, body secret); INSERT INTO episodes VALUES (7, 'seven');`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    expect(await all(surface.scan(signal))).toMatchObject([
      { key: "7", content: [{ type: "bytes", name: "body", bytes: new Uint8Array(Buffer.from("seven")) }] },
    ]);
    expect(await surface.erase(keys("07", "7"), signal)).toMatchObject([{ outcome: "absent" }, { outcome: "erased" }]);
  });

  it("C08: lists what nobody declared, with what it holds", async () => {
    const store = await newStore(
      server(),
      `CREATE EXTENSION vector;
       CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE INDEX episodes_body ON episodes (body);
       CREATE TABLE memory_observations_384 (id int, embedding vector(3)); CREATE TABLE files (id int, bytes bytea); CREATE TABLE counts (id int, n int); CREATE TABLE packed (id int, n smallint[]); CREATE TABLE linked (id int, ids bigint[], at timestamptz, what uuid);
       CREATE MATERIALIZED VIEW shown AS SELECT body FROM episodes; CREATE VIEW seen AS SELECT body FROM episodes;
       CREATE SCHEMA other; CREATE TABLE other."Notes" (id int, t text); SELECT lo_from_bytea(0, 'large');`,
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), store);
    const census = new Map((await surface.census(signal)).map((container) => [container.name, container]));
    expect(census.get("memory.memory_observations_384")).toMatchObject({ kind: "table", holds: ["vector"] });
    expect(census.get("memory.files")).toMatchObject({ kind: "table", holds: ["blob"] });
    expect(census.get("memory.counts")).toMatchObject({ holds: [] });
    expect(census.get("memory.linked")).toMatchObject({ holds: [] });
    // Embeddings are stored as whole numbers, too.
    expect(census.get("memory.packed")).toMatchObject({ holds: ["vector"] });
    expect(census.get("memory.other.Notes")).toMatchObject({ holds: ["text"] });
    expect(census.get("memory.episodes_body")).toMatchObject({ kind: "shadow", owner: "memory.episodes" });
    expect(census.get("memory.shown")).toMatchObject({ kind: "shadow", owner: "memory.episodes" });
    expect(census.get("memory.seen")).toMatchObject({ kind: "view" });
    expect(census.get("memory.pg_catalog.pg_largeobject")).toMatchObject({ holds: ["blob"] });
  });

  it("leaves a marker of the ledger and takes it out without a trace", async () => {
    const store = await newStore(server(), "CREATE TABLE episodes (id int PRIMARY KEY)");
    const { surface } = await openSurface(declare({}), store);
    expect(await surface.markers(signal)).toEqual([]);
    expect(await surface.mark("one", signal)).toBe("marked");
    expect(await surface.mark("two", signal)).toBe("marked");
    expect(await surface.markers(signal)).toEqual(["one", "two"]);
    expect(await surface.census(signal)).toContainEqual(
      expect.objectContaining({ name: "memory.deleatur.ledger", owner: "deleatur" }),
    );
    await surface.unmark(["one", "two"], signal);
    expect(await store.query("SELECT 1 FROM pg_namespace WHERE nspname = 'deleatur'")).toEqual([]);
  });
});
