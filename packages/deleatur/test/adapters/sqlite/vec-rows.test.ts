// sqlite-vec tables: vectors, metadata and auxiliary columns, their traps, and the neighbour probe over the store's own index.
import { describe, expect, test } from "vitest";
import { surfaceId } from "../../../src/model/ids.ts";
import {
  blobOf,
  countBytes,
  countWindows,
  declare,
  findings,
  keys,
  needleOf,
  newStore,
  openSurface,
  scan,
  signal,
  text,
  vectorOf,
  type StoreSetup,
} from "./sqlite-fixture.ts";

const NOTE = "auxiliary words about a heron with a marzipan umbrella";
const LONG = "metadata that is longer than the twelve bytes that a chunk keeps";

function fill(setup: StoreSetup = {}): ReturnType<typeof newStore> {
  const store = newStore(
    `CREATE VIRTUAL TABLE vecs USING vec0(id integer primary key, embedding float[64], user_id text, episode_id integer, +note text, kind text)`,
    setup,
  );
  const insert = store.app.prepare(
    "INSERT INTO vecs(id, embedding, user_id, episode_id, note, kind) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (let id = 1; id <= 60; id += 1) {
    const mine = id === 33;
    insert.run(
      BigInt(id),
      blobOf(vectorOf(id)),
      mine ? "42" : "421",
      BigInt(id * 10),
      mine ? NOTE : `note ${id}`,
      mine ? LONG : "short",
    );
  }
  return store;
}

const declared = declare("sqlite-vec", {
  table: "vecs",
  role: "index",
  subject: [{ type: "account", column: "user_id" }],
  content: [text("note"), text("kind")],
  vector: "embedding",
  derivedFrom: [{ surface: surfaceId("episodes"), column: "episode_id" }],
});

test("scans keys, subjects, sources, text and vectors, and reads single ones", async () => {
  const { file } = fill();
  const opened = await openSurface(declared, file);
  const all = await scan(opened);
  expect(all).toHaveLength(60);
  const one = all[32];
  expect(one).toMatchObject({
    key: "33",
    subjects: [{ type: "account", value: "42" }],
    sources: [{ surface: "episodes", key: "330" }],
  });
  expect(one?.content.at(-1)).toEqual({ type: "vector", name: "embedding", vector: vectorOf(33) });
});

const byKey = (one: { key: string }, other: { key: string }): number => Number(one.key) - Number(other.key);

describe("reads by key", () => {
  const ROWS = 3000;
  const bare = declare("sqlite-vec", { table: "vecs", role: "index", vector: "embedding" });

  async function openMany(): Promise<Awaited<ReturnType<typeof openSurface>>> {
    const { app, file } = newStore("CREATE VIRTUAL TABLE vecs USING vec0(id integer primary key, embedding float[64])");
    const insert = app.prepare("INSERT INTO vecs(id, embedding) VALUES (?, ?)");
    app.transaction(() => {
      for (let id = 1; id <= ROWS; id += 1) insert.run(BigInt(id), blobOf(vectorOf(id)));
    })();
    app.exec("DELETE FROM vecs WHERE id % 7 = 0");
    return await openSurface(bare, file);
  }

  test.each([
    ["many keys, out of the chunks", Array.from({ length: 900 }, (_, at) => at * 3)],
    ["few keys, by the table itself", [2900, 5, 1500, 6]],
  ])("%s, as a scan has them", async (_, wanted) => {
    const opened = await openMany();
    const read: Awaited<ReturnType<typeof scan>> = [];
    for await (const one of opened.surface.read(keys(...wanted, "x", "042"), signal)) read.push(one);
    const wantedKeys = new Set(wanted.map(String));
    expect(read.toSorted(byKey)).toEqual((await scan(opened)).filter(({ key }) => wantedKeys.has(key)).toSorted(byKey));
    expect(read).toHaveLength(wanted.filter((id) => id > 0 && id % 7 !== 0).length);
  });

  test("what is read does not hold the chunk it stood in", async () => {
    const opened = await openMany();
    const held: number[] = [];
    for await (const { content } of opened.surface.read(keys(...Array.from({ length: 900 }, (_, at) => at)), signal))
      for (const field of content) if (field.type === "vector") held.push(field.vector.buffer.byteLength);
    expect(held.length).toBeGreaterThan(700);
    expect(Math.max(...held)).toBeLessThan(64 * 1024);
  });
});

describe.each<StoreSetup>([
  { journal: "WAL", secureDelete: false },
  { journal: "WAL", secureDelete: true },
  { journal: "DELETE", secureDelete: false },
])("with journal $journal and secure_delete $secureDelete", (setup) => {
  test("the ordinary delete leaves auxiliary and long metadata text behind, erase and purge leave none", async () => {
    const foreign = fill(setup);
    foreign.app.exec("DELETE FROM vecs WHERE id = 33");
    expect(
      countBytes(foreign.file, NOTE) + countBytes(foreign.file, LONG) + countWindows(foreign.file, vectorOf(33)),
    ).toBeGreaterThan(0);

    const { file, app } = fill(setup);
    const opened = await openSurface(declared, file);
    expect(await opened.surface.erase(keys(33, 34, 999, "x"), signal)).toMatchObject([
      { outcome: "erased" },
      { outcome: "erased" },
      { outcome: "absent" },
      { outcome: "absent" },
    ]);
    expect(await opened.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(countBytes(file, NOTE) + countBytes(file, LONG)).toBe(0);
    expect(countWindows(file, vectorOf(33))).toBe(0);
    expect(countWindows(file, vectorOf(35))).toBeGreaterThan(0);
    expect(app.prepare("SELECT count(*) AS n FROM vecs").get()).toEqual({ n: 58 });
  });
});

test("text keys and row numbers work as keys", async () => {
  const { file, app } = newStore(`
    CREATE VIRTUAL TABLE named USING vec0(id text primary key, embedding float[4]);
    CREATE VIRTUAL TABLE numbered USING vec0(embedding float[4]);
    INSERT INTO named VALUES ('42', '[1,2,3,4]'), ('421', '[1,2,3,5]');
    INSERT INTO numbered(rowid, embedding) VALUES (7, '[1,2,3,4]'), (70, '[1,2,3,5]');`);
  const named = await openSurface(declare("sqlite-vec", { table: "named", vector: "embedding" }), file);
  const numbered = await openSurface(
    declare("sqlite-vec", { table: "numbered", key: ["rowid"], vector: "embedding" }),
    file,
  );
  await named.surface.erase(keys(42), signal);
  await numbered.surface.erase(keys(7), signal);
  expect((await scan(named)).map(({ key }) => key)).toEqual(["421"]);
  expect((await scan(numbered)).map(({ key }) => key)).toEqual(["70"]);
  expect(app.prepare("SELECT count(*) AS n FROM named").get()).toEqual({ n: 1 });
});

test("rewrites what sqlite-vec can rewrite, and answers failed where it cannot", async () => {
  const { file } = fill();
  const opened = await openSurface(declared, file);
  const one = (await scan(opened))[32];
  if (one === undefined) throw new Error("nothing scanned");
  const wanted = {
    ...one,
    content: [
      { type: "text", name: "note", text: "other note" },
      { type: "text", name: "kind", text: "other" },
      { type: "vector", name: "embedding", vector: vectorOf(500) },
    ] as const,
  };
  expect(await opened.surface.rewrite([wanted], signal)).toMatchObject([{ outcome: "rewritten" }]);
  // Metadata may not be NULL in sqlite-vec, so a person cannot be taken out of it.
  expect(await opened.surface.rewrite([{ ...wanted, subjects: [] }], signal)).toMatchObject([{ outcome: "failed" }]);
  expect((await scan(opened))[32]).toEqual(wanted);
});

test("the neighbour probe finds an orphan copy, a rounded one, and nothing else", async () => {
  const { file, app } = fill();
  const opened = await openSurface(declared, file);
  const all = await scan(opened);
  const gone = all[32];
  const control = all[3];
  if (gone === undefined || control === undefined) throw new Error("nothing scanned");
  await opened.surface.erase(keys(33), signal);
  const needles = [needleOf(gone, 0), needleOf(control, 1, "control")];
  expect((await findings(opened, "neighbour", needles)).map(({ needle, match }) => ({ needle, match }))).toEqual([
    { needle: 1, match: { how: "vector", distance: 0, identical: true } },
  ]);
  const rounded = vectorOf(33).map((component) => Math.round(component * 1000) / 1000);
  const insert = app.prepare(
    "INSERT INTO vecs(id, embedding, user_id, episode_id, note, kind) VALUES (?, ?, 'x', 1, 'x', 'x')",
  );
  insert.run(900n, blobOf(vectorOf(33)));
  insert.run(901n, blobOf(rounded));
  const found = (await findings(opened, "neighbour", needles)).filter(({ needle }) => needle === 0);
  expect(found.map(({ place, match }) => [place.key, match.how === "vector" && match.identical])).toEqual([
    ["900", true],
    ["901", false],
  ]);
});

test("an erase that does nothing is caught by the key, exact and neighbour probes", async () => {
  const { file } = fill();
  const opened = await openSurface(declared, file);
  const gone = (await scan(opened))[32];
  if (gone === undefined) throw new Error("nothing scanned");
  for (const name of ["key", "exact", "neighbour"] as const)
    expect((await findings(opened, name, [needleOf(gone, 0)])).length).toBeGreaterThan(0);
});

test("vectors in a BLOB column of an ordinary table are anchors and neighbours too", async () => {
  const { file, app } = newStore("CREATE TABLE memories (id INTEGER PRIMARY KEY, vec BLOB)");
  const insert = app.prepare("INSERT INTO memories VALUES (?, ?)");
  insert.run(1, blobOf(vectorOf(1)));
  insert.run(2, blobOf(vectorOf(2)));
  const opened = await openSurface(declare("sqlite", { table: "memories", vector: "vec" }), file);
  const [one] = await scan(opened);
  if (one === undefined) throw new Error("nothing scanned");
  await opened.surface.erase(keys(1), signal);
  insert.run(9, blobOf(vectorOf(1)));
  const found = await findings(opened, "neighbour", [needleOf(one, 0)]);
  expect(found).toMatchObject([{ place: { key: "9" }, match: { identical: true } }]);
});

test("the neighbour probe finds a vector that is valid in the index although no row names it any more", async () => {
  const { file, app } = fill();
  const opened = await openSurface(declared, file);
  const gone = (await scan(opened))[32];
  if (gone === undefined) throw new Error("nothing scanned");
  app.unsafeMode(true);
  app.exec("DELETE FROM vecs_rowids WHERE rowid = 33");
  expect(app.prepare("SELECT count(*) AS n FROM vecs").get()).toEqual({ n: 59 });
  expect(await findings(opened, "neighbour", [needleOf(gone, 0)])).toMatchObject([
    { needle: 0, place: { key: "33" }, match: { identical: true } },
  ]);
});

test("neighbour and exact ask the table itself where its chunks are not laid out as we know them, and know text keys and further vectors", async () => {
  const { file, app } = newStore(
    "CREATE VIRTUAL TABLE vecs USING vec0(id text primary key, small int8[8], embedding float[64], part text partition key)",
  );
  const insert = app.prepare("INSERT INTO vecs(id, small, embedding, part) VALUES (?, vec_int8(?), ?, ?)");
  for (let id = 1; id <= 30; id += 1) insert.run(`k${id}`, Buffer.alloc(8, id), blobOf(vectorOf(id)), `p${id % 3}`);
  const opened = await openSurface(declare("sqlite-vec", { table: "vecs", role: "index", vector: "embedding" }), file);
  const one = (await scan(opened)).find(({ key }) => key === "k7");
  if (one === undefined) throw new Error("nothing scanned");
  const expected = [{ needle: 0, place: { key: "k7" }, match: { identical: true } }];
  for (const probe of ["neighbour", "exact"] as const)
    expect(await findings(opened, probe, [needleOf(one, 0)])).toMatchObject(expected);
  app.unsafeMode(true);
  app.exec("UPDATE vecs_chunks SET size = size + 8");
  for (const probe of ["neighbour", "exact"] as const)
    expect(await findings(opened, probe, [needleOf(one, 0)])).toMatchObject(expected);
});

test("a scan reads the vectors that the table itself answers, however its rows stand in the chunks", async () => {
  const dimensions = 8;
  for (const order of ["rising", "falling", "scattered"] as const) {
    const { file, app } = newStore(
      `CREATE VIRTUAL TABLE vecs USING vec0(id integer primary key, flags bit[8], embedding float[${dimensions}], small int8[4], chunk_size=16)`,
    );
    const insert = app.prepare("INSERT INTO vecs(id, flags, embedding, small) VALUES (?, vec_bit(?), ?, vec_int8(?))");
    const place = {
      rising: (at: number) => at,
      falling: (at: number) => 300 - at,
      scattered: (at: number) => (at * 89) % 301,
    };
    for (let at = 1; at <= 300; at += 1) {
      const id = place[order](at) + 1;
      insert.run(BigInt(id), Buffer.from([id & 255]), blobOf(vectorOf(id, dimensions)), Buffer.from([1, 2, 3, 4]));
    }
    app.exec("DELETE FROM vecs WHERE id % 7 = 0");
    for (const id of [7, 70, 700])
      insert.run(BigInt(id), Buffer.from([1]), blobOf(vectorOf(id + 1000, dimensions)), Buffer.alloc(4));
    const stored = app
      .prepare<[], [number, Buffer]>("SELECT id, embedding FROM vecs ORDER BY id")
      .raw(true)
      .all()
      .map(([id, blob]) => [`${id}`, blob.toString("hex")]);
    const surface = declare("sqlite-vec", { table: "vecs", role: "index", key: ["id"], vector: "embedding" });
    const all = await scan(await openSurface(surface, file));
    expect(
      all.map(({ key, content: [field] }) => [
        key,
        field?.type === "vector"
          ? Buffer.from(field.vector.buffer, field.vector.byteOffset, field.vector.byteLength).toString("hex")
          : "none",
      ]),
    ).toEqual(stored);
  }
});
