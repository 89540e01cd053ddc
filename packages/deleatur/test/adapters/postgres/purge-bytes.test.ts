// Reads the server's own files after an ordinary delete and after our purge: what survives where, and that nothing does in the end.
import { describe, expect, it } from "vitest";
import { findVectorPostgres } from "../../servers/find-postgres.ts";
import {
  all,
  declare,
  filesWith,
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
import type { Artifact } from "../../../src/model/artifact.ts";
import { indexedForms, vectorBytes } from "../../../src/probe/vector-bytes.ts";

const installation = findVectorPostgres();
const MARK = "The violet accordion in the cellar smells of cardamom";
const DIMENSIONS = 96;

/** One row is the person's; the others are of the same make. `autovacuum_enabled`: only what is said here clears anything. */
const TABLES = `
CREATE EXTENSION vector;
CREATE TABLE episodes (id int PRIMARY KEY, person text, body text, words tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED,
  v vector(${DIMENSIONS}), h halfvec(${DIMENSIONS})) WITH (autovacuum_enabled = false);
INSERT INTO episodes (id, person, body, v, h) SELECT n, 'p' || n % 7, 'plain talk number ' || n || ' ' || md5(n::text), (SELECT array_agg(sin(n * 12.9898 + k * k * 78.233))::vector FROM generate_series(1, ${DIMENSIONS}) k),
  (SELECT array_agg(cos(n * 4.1414 + k * k * 31.77))::vector::halfvec FROM generate_series(1, ${DIMENSIONS}) k) FROM generate_series(1, 500) n;
UPDATE episodes SET body = '${MARK} ' || md5('mark') WHERE id = 42;
CREATE INDEX ON episodes (body);
CREATE INDEX ON episodes USING gin (words);
CREATE INDEX ON episodes USING hnsw (v vector_l2_ops);
CREATE INDEX ON episodes USING ivfflat (h halfvec_l2_ops) WITH (lists = 4);
CREATE INDEX halves ON episodes USING hnsw ((v::halfvec(${DIMENSIONS})) halfvec_l2_ops) WHERE person <> 'nobody';
CREATE INDEX starts ON episodes USING ivfflat ((subvector(v, 1, 32)::vector(32)) vector_l2_ops) WITH (lists = 500);
CREATE MATERIALIZED VIEW shown AS SELECT id, body FROM episodes;
ANALYZE episodes;
CHECKPOINT;`;

const episodes = declare({ content: [text("body")], vector: "v", subject: [{ column: "person", type: "account" }] });

async function artifactsOf(store: Store): Promise<readonly Artifact[]> {
  const { surface } = await openSurface(episodes, store);
  return await all(surface.scan(signal));
}

async function numberOf(store: Store): Promise<unknown> {
  return (await store.query("SELECT pg_relation_filenode('notes') AS number"))[0]?.["number"];
}

describe.skipIf(installation === undefined)("the bytes of a PostgreSQL server", () => {
  const server = useServer(installation, {}, 16);

  it("ATTEST-4: are left by a delete in table, indexes, statistics and log, and by nothing after our purge", async () => {
    const store = await newStore(server(), TABLES);
    const { data } = server();
    const before = await artifactsOf(store);
    const target = before.find(({ key }) => key === "42");
    const control = before.find(({ key }) => key === "77");
    if (target === undefined || control === undefined) throw new Error("no rows");
    const [halves] = await store.query("SELECT h::vector::text AS h FROM episodes WHERE id = 42");
    const [, half] = indexedForms(Float32Array.from(JSON.parse(String(halves?.["h"])) as number[]));
    if (half === undefined) throw new Error("no form");
    const vector = target.content.find(({ type }) => type === "vector");
    if (vector?.type !== "vector") throw new Error("no vector");
    const [, quantized] = indexedForms(vector.vector);
    if (quantized === undefined) throw new Error("no form");
    const copies = (): readonly number[] => [
      filesWith(data, MARK).length,
      filesWith(data, vectorBytes(vector.vector).subarray(0, 64)).length,
      filesWith(data, half.subarray(0, 64)).length,
      filesWith(data, quantized.subarray(0, 64)).length,
    ];
    const { surface, probes } = await openSurface(episodes, { url: store.url, data });
    expect(await surface.erase(keys("42"), signal)).toMatchObject([{ outcome: "erased" }]);
    await store.query("CHECKPOINT");
    const afterDelete = copies();
    await store.query("VACUUM episodes");
    await store.query("CHECKPOINT");
    const afterVacuum = copies();
    for (const left of [...afterDelete, ...afterVacuum]) expect(left).toBeGreaterThan(0);
    const needles = [needleOf(target, 0), needleOf(control, 1, "control")];
    const seen = await look(probes, "bytes", needles);
    expect(new Set(seen.map(({ needle }) => needle))).toEqual(new Set([0, 1]));

    expect(await surface.purgeLock(signal)).toBe("exclusive");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(copies()).toEqual([0, 0, 0, 0]);
    const left = await look(probes, "bytes", needles);
    expect(left.filter(({ needle }) => needle === 0)).toEqual([]);
    expect(left.some(({ needle }) => needle === 1)).toBe(true);
    console.info(
      `copies left, text / vector / halfvec / vector as a halfvec in an index: delete ${String(afterDelete)}, vacuum ${String(afterVacuum)}, purge 0`,
    );
  });

  it("ATTEST-4: are purged for each name of a store, and in each replica that any surface has", async () => {
    const rows = `INSERT INTO episodes SELECT n, 'plain talk ' || md5(n::text) FROM generate_series(1, 50) n; INSERT INTO notes SELECT * FROM episodes`;
    const tables =
      "CREATE TABLE episodes (id int PRIMARY KEY, body text); CREATE TABLE notes (id int PRIMARY KEY, body text)";
    const own = await newStore(server(), `${tables}; ${rows}`);
    const copy = await newStore(server(), `${tables}; ${rows}`);
    const body = { content: [text("body")] };
    const first = declare({ ...body });
    const second = declare({ ...body, table: "notes", store: "again", replicas: ["copy1"] });
    const before = [await numberOf(own), await numberOf(copy)];
    const one = await openSurface(first, own, [second]);
    const other = await openSurface(second, [own, copy], [first]);
    expect(await one.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await other.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await numberOf(own)).not.toBe(before[0]);
    expect(await numberOf(copy)).not.toBe(before[1]);
  });
});
