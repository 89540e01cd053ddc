// What the byte probe sees of a real server: compressed values of both kinds, in rows and in parts; by which way; and that it is blind where there is none.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { compressedValues } from "../../../src/adapters/postgres/eyes/decompress.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import { artifactKey, surfaceId } from "../../../src/model/ids.ts";
import { findVectorPostgres } from "../../servers/find-postgres.ts";
import {
  all,
  declare,
  keys,
  look,
  needleOf,
  newStore,
  openSurface,
  signal,
  text,
  useServer,
  type Store,
} from "./postgres-fixture.ts";

const installation = findVectorPostgres();
const MARK = "The violet accordion in the cellar smells of cardamom after the flood";

const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ren",
  "tu",
  "sal",
  "vor",
  "ne",
  "pi",
  "dra",
  "gol",
  "ums",
  "fen",
  "zy",
  "hat",
  "oli",
];

/** Words of a small vocabulary: they compress, and no long run of them comes twice. */
function words(seed: number, count: number): string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
  const vocabulary = Array.from({ length: 40 }, () => [1, 2, 3].map(() => SYLLABLES[next(16)] ?? "").join(""));
  return Array.from({ length: count }, () => vocabulary[next(40)] ?? "").join(" ");
}

/** What only the definition of this place says. */
function said(place: number): string {
  return words(100 + place, 12);
}

async function compressed(server: Parameters<typeof newStore>[0], method: string, count: number): Promise<Store> {
  const store = await newStore(
    server,
    `CREATE TABLE episodes (id int PRIMARY KEY, body text COMPRESSION ${method}) WITH (autovacuum_enabled = false);`,
  );
  await store.query("INSERT INTO episodes VALUES (1, $1), (2, $2)", [words(1, count), words(2, count)]);
  await store.query("CHECKPOINT");
  return store;
}

const episodes = declare({ content: [text("body")] });

describe.skipIf(installation === undefined)("the byte probe of PostgreSQL", () => {
  const server = useServer(installation);

  it.each([
    ["pglz", "in its row", 320],
    ["lz4", "in its row", 320],
    ["pglz", "in parts", 3_000],
    ["lz4", "in parts", 3_000],
  ])(
    "finds a value that %s compressed, %s, after its row is gone, and in what a VACUUM left",
    async (method, where, times) => {
      const store = await compressed(server(), method, times);
      const { surface, probes } = await openSurface(episodes, { url: store.url, data: server().data });
      const [target, control] = await all(surface.scan(signal));
      if (target === undefined || control === undefined) throw new Error("no rows");
      const [size] = await store.query(
        "SELECT pg_relation_size(reltoastrelid)::int AS parts FROM pg_class WHERE relname = 'episodes'",
      );
      expect(Number(size?.["parts"]) > 0).toBe(where === "in parts");
      const needles = [needleOf(target, 0), needleOf(control, 1, "control")];
      await surface.erase(keys("1"), signal);
      for (const sql of ["CHECKPOINT", "VACUUM episodes; CHECKPOINT"]) {
        for (const one of sql.split(";")) await store.query(one);
        const found = new Set((await look(probes, "bytes", needles)).map(({ needle }) => needle));
        expect(found).toEqual(new Set([0, 1]));
      }
      expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
      const left = new Set((await look(probes, "bytes", needles)).map(({ needle }) => needle));
      expect(left).toEqual(new Set([1]));
    },
  );

  it("ATTEST-4: a purge that does nothing is caught, an erase that does nothing by the key probe", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); INSERT INTO episodes VALUES (1, '${MARK}'), (2, 'the other one stays where it is, and is seen');`,
    );
    const { surface, probes } = await openSurface(episodes, { url: store.url, data: server().data });
    const [target, control] = await all(surface.scan(signal));
    if (target === undefined || control === undefined) throw new Error("no rows");
    const needles = [needleOf(target, 0), needleOf(control, 1, "control")];
    expect((await look(probes, "key", needles)).map(({ needle }) => needle)).toEqual([0, 1]);
    expect((await look(probes, "exact", needles)).map(({ needle }) => needle)).toEqual([0, 1]);
    await surface.erase(keys("1"), signal);
    expect((await look(probes, "key", needles)).map(({ needle }) => needle)).toEqual([1]);
    expect((await look(probes, "bytes", needles)).some(({ needle }) => needle === 0)).toBe(true);
  });

  it("looks through the server where its folder is not here, sees pages alone as blind, and nothing as blind", async () => {
    const store = await newStore(
      server(),
      `CREATE EXTENSION pageinspect; CREATE TABLE episodes (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = false);
       INSERT INTO episodes VALUES (1, '${MARK}'), (2, 'the other one stays where it is, and is seen');`,
    );
    const role = `looker_${store.database}`;
    await store.query(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON episodes TO ${role}`);
    // A folder that is another server's, or none, is not taken for this one's.
    const through = await openSurface(episodes, { url: store.url, data: "/nowhere/at/all" });
    const [target, control] = await all(through.surface.scan(signal));
    if (target === undefined || control === undefined) throw new Error("no rows");
    const needles: Parameters<typeof look>[2] = [needleOf(target, 0), needleOf(control, 1, "control")];
    await through.surface.erase(keys("1"), signal);
    await store.query("CHECKPOINT");
    const found = await look(through.probes, "bytes", needles);
    expect(new Set(found.map(({ needle }) => needle))).toEqual(new Set([0, 1]));
    expect(found.some(({ place }) => place.container.startsWith("pg_wal/"))).toBe(true);

    const url = store.server.url(store.database, role);
    const blind = await openSurface(episodes, { url });
    await expect(look(blind.probes, "bytes", needles)).rejects.toMatchObject({ code: "FILES_UNREADABLE" });
    await store.query(`GRANT EXECUTE ON FUNCTION get_raw_page(text, int8) TO ${role}`);
    await expect(look(blind.probes, "bytes", needles)).rejects.toMatchObject({
      code: expect.stringMatching(/LOG_UNSEEN|FILES_UNREADABLE/) as unknown,
    });
  });

  it("says where in a file something stands that has nothing but zeros around it, read from its folder and through the server", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = false); INSERT INTO episodes VALUES (1, '${MARK}')`,
    );
    const offset = 3 * 1_048_576 + 60_000;
    const left = Buffer.alloc(5 * 1_048_576 + 17);
    left.write(MARK, offset, "utf8");
    const file = join(server().data, "left_behind");
    writeFileSync(file, left);
    onTestFinished(() => rmSync(file));
    for (const data of [server().data, "/nowhere/at/all"]) {
      const { surface, probes } = await openSurface(episodes, { url: store.url, data });
      const [target] = await all(surface.scan(signal));
      if (target === undefined) throw new Error("no row");
      // A control is explained by nothing.
      const found = await look(probes, "bytes", [needleOf(target, 0, "control")]);
      expect(found.flatMap(({ place }) => (place.file === "left_behind" ? [place.offset] : []))).toEqual([offset]);
    }
  });

  it("finds a float32 vector in any window of it, as an anchor through index and table, and a float16 copy in an index", async () => {
    const store = await newStore(
      server(),
      `CREATE EXTENSION vector; CREATE TABLE episodes (id int PRIMARY KEY, embedding vector(64)) WITH (autovacuum_enabled = false);
       INSERT INTO episodes SELECT n, (SELECT array_agg(sin(n * 12.9898 + k * k * 78.233))::vector FROM generate_series(1, 64) k) FROM generate_series(1, 200) n;
       CREATE INDEX ON episodes USING hnsw ((embedding::halfvec(64)) halfvec_l2_ops); CREATE INDEX ON episodes USING hnsw (embedding vector_cosine_ops);`,
    );
    const declared = declare({ vector: "embedding" });
    const { surface, probes } = await openSurface(declared, { url: store.url, data: server().data });
    const rows = await all(surface.scan(signal));
    const at = (key: string): Artifact => {
      const row = rows.find((one) => one.key === key);
      if (row === undefined) throw new Error("no row");
      return row;
    };
    const needles = [needleOf(at("42"), 0), needleOf(at("7"), 1, "control")];
    const neighbours = await look(probes, "neighbour", needles);
    expect(neighbours.filter(({ needle }) => needle === 0).map(({ place }) => place.key)).toContain("42");
    await surface.erase(keys("42"), signal);
    await store.query("CHECKPOINT");
    expect((await look(probes, "neighbour", needles)).some(({ needle }) => needle === 0)).toBe(false);
    const found = await look(probes, "bytes", needles);
    const files = new Set(found.filter(({ needle }) => needle === 0).map(({ place }) => place.container));
    const [indexes] = await store.query(
      "SELECT string_agg(pg_relation_filepath(indexrelid), ' ') AS paths FROM pg_index WHERE indrelid = 'episodes'::regclass AND NOT indisprimary",
    );
    for (const path of String(indexes?.["paths"]).split(" ")) expect(files).toContain(path);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect((await look(probes, "bytes", needles)).filter(({ needle }) => needle === 0)).toEqual([]);
  });

  it("C08: reads what stands in definitions, which no byte shows, and the last statement of a session that waits", async () => {
    const store = await newStore(
      server(),
      "CREATE TABLE episodes (id int, body text, note text) PARTITION BY LIST (body)",
    );
    const definitions = [
      (one: string) => `CREATE VIEW shown AS SELECT ${one}::text AS said`,
      (one: string) => `CREATE RULE more AS ON INSERT TO episodes WHERE new.body = ${one} DO ALSO SELECT 1`,
      (one: string) => `ALTER TABLE episodes ALTER COLUMN note SET DEFAULT ${one}`,
      (one: string) => `ALTER TABLE episodes ADD CHECK (body <> ${one})`,
      (one: string) => `CREATE INDEX ON episodes (id) WHERE note <> ${one}`,
      (one: string) => `CREATE FUNCTION said() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT ${one}::text; END`,
      (one: string) =>
        `CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'; CREATE TRIGGER pass BEFORE INSERT ON episodes FOR EACH ROW WHEN (new.note = ${one}) EXECUTE FUNCTION pass()`,
      (one: string) => `CREATE POLICY readers ON episodes USING (body <> ${one})`,
      (one: string) => `CREATE POLICY writers ON episodes FOR INSERT WITH CHECK (body <> ${one})`,
      (one: string) => `CREATE TABLE part PARTITION OF episodes FOR VALUES IN (${one})`,
    ];
    for (const [place, definition] of definitions.entries()) await store.query(definition(`'${said(place)}'`));
    const waiting = new Client({ connectionString: store.url });
    await waiting.connect();
    onTestFinished(() => waiting.end());
    await waiting.query(`SELECT '${said(definitions.length)}'`);
    const { probes } = await openSurface(episodes, { url: store.url, data: server().data }, [declare({ id: "later" })]);
    const needles = Array.from({ length: definitions.length + 1 }, (_, place) =>
      needleOf(
        {
          surface: surfaceId("episodes"),
          key: artifactKey(`${place}`),
          subjects: [],
          sources: [],
          content: [{ type: "text", name: "body", text: said(place) }],
        },
        place,
      ),
    );
    const seen = await look(probes, "exact", needles);
    expect(new Set(seen.map(({ needle, place: { container } }) => `${needle} ${container}`))).toEqual(
      new Set(
        needles.map(({ index }) => `${index} memory.[${index < definitions.length ? "definitions" : "sessions"}]`),
      ),
    );
    expect(new Set((await look(probes, "bytes", needles)).map(({ needle }) => needle)).size).toBeLessThan(
      needles.length,
    );
  });

  it("is blind for letters that the database keeps in another encoding, and for them alone", async () => {
    const said = "Über Möwen, Bären und Füchse hört sie täglich gern vom Förster in der Mühle";
    await server().query(
      "postgres",
      "CREATE DATABASE western TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'",
    );
    const url = server().url("western");
    await server().query(
      "western",
      `CREATE TABLE episodes (id int PRIMARY KEY, body text); INSERT INTO episodes VALUES (1, '${said}'), (2, '${MARK}'), (3, 'Plain talk of the weather on the hills'); COMMENT ON TABLE episodes IS '${said}'`,
    );
    const { surface, probes } = await openSurface(declare({ content: [text("body")] }), { url });
    const [one, two, three] = await all(surface.scan(signal));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no rows");
    await surface.erase(keys("1", "2"), signal);
    await surface.purge(signal);
    const control = needleOf(three, 2, "control");
    await expect(look(probes, "bytes", [needleOf(one, 0), control])).rejects.toMatchObject({ code: "ENCODING_UNSEEN" });
    const seen = await look(probes, "bytes", [needleOf(two, 1), control]);
    expect(new Set(seen.map(({ needle }) => needle))).toEqual(new Set([2]));
  });

  it("takes nothing for a compressed value that is none", () => {
    let state = 1;
    const random = Buffer.alloc(1 << 18);
    for (let at = 0; at < random.length; at += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      random[at] = state >>> 24;
    }
    for (const step of [1, 4] as const)
      for (const value of compressedValues(random, step)) expect(value.length).toBeLessThan(1 << 20);
  });
});
