// Copies that an ordinary delete leaves in the store itself: index terms, an open reader, a second vector table, a history by trigger (C04, C06, C08, C13).
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
} from "./scene.ts";

const RARE = "quixotropolis";
const MODES = ["own content", "contentless", "external content"] as const;

/** 200 rows under a full-text index, one of them with a word that no other has. */
async function indexedMemory(mode: (typeof MODES)[number]): Promise<Scene> {
  const option = {
    "own content": "",
    contentless: ", content='', contentless_delete=1",
    "external content": ", content='episodes', content_rowid='id'",
  };
  const scene = await openScene({
    sql: `CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, text TEXT NOT NULL);
          CREATE VIRTUAL TABLE search USING fts5(text${option[mode]});`,
    surfaces: {
      episodes: { ...EPISODES },
      search: {
        kind: "sqlite-fts",
        role: "index",
        store: "memory",
        table: "search",
        derivedFrom: { surface: "episodes", column: "rowid" },
      },
    },
  });
  const texts = Array.from({ length: 200 }, (_, at) =>
    at === 77
      ? `The pass to ${RARE} is closed until the thaw begins`
      : `Note ${at} of day ${at * 31}: ${T_SAYS[at % 3]}`,
  );
  const rows = texts.map((text, at) => ({ id: at + 1, text, person: at === 77 ? S : T }));
  await scene.memory.recordBatch(
    "episodes",
    rows.map(({ id, text, person }) => ({ key: String(id), subjects: [person], content: { text } })),
    () => {
      const insert = scene.app.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
      for (const { id, text, person } of rows) insert.run(id, person.slice(8), text);
    },
  );
  await scene.memory.deriveBatch(
    "search",
    rows.map(({ id, text }) => ({ key: String(id), sources: [`episodes/${id}`], content: { text } })),
    () => {
      const insert = scene.app.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)");
      for (const { id, text } of rows) insert.run(id, text);
    },
  );
  return scene;
}

describe.each(MODES)("C04: a full-text index with %s", (mode) => {
  it("a deleted row's terms survive VACUUM and are found at byte depth", async () => {
    const scene = await indexedMemory(mode);
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    const text = `The pass to ${RARE} is closed until the thaw begins`;
    if (mode === "external content")
      scene.app.prepare("INSERT INTO search (search, rowid, text) VALUES ('delete', 78, ?)").run(text);
    else scene.app.exec("DELETE FROM search WHERE rowid = 78");
    scene.app.exec("DELETE FROM episodes WHERE id = 78; VACUUM");
    scene.app.pragma("wal_checkpoint(TRUNCATE)");
    expect(scene.rows(`SELECT rowid FROM search WHERE search MATCH '${RARE}'`)).toEqual([]);
    const claim = { subject: S, surfacesReached: ["episodes", "search"], tombstoneWritten: true };
    const audit = await scene.memory.audit({ ticket, claim });
    expect(audit.verdict).toBe("PARTIAL");
    expect(audit.survivors.map(({ container, probe, depth }) => [container, probe, depth])).toContainEqual([
      "memory.db",
      "bytes",
      "bytes",
    ]);
  });

  it("ours leaves no term, and a surviving row's term is still found", async () => {
    const scene = await indexedMemory(mode);
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
    expect(scene.rows("SELECT count(*) AS n FROM search WHERE search MATCH 'polycarbonate'")).toEqual([{ n: 67 }]);
    expect(scene.rows(`SELECT rowid FROM search WHERE search MATCH '${RARE}'`)).toEqual([]);
  });
});

it("C06 FORGET-2: a reader that holds a transaction open makes it PARTIAL, PURGE_PENDING; resumed after it left, it finishes", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const reader = new Database(scene.file, { readonly: true });
  onTestFinished(() => {
    reader.close();
  });
  reader.exec("BEGIN");
  expect(reader.prepare("SELECT count(*) AS n FROM episodes").get()).toEqual({ n: 6 });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)[0], outcome.exitCode]).toEqual(["PARTIAL", "PURGE_PENDING", 20]);
  expect(outcome.attestation).toMatchObject({ kind: "withheld", code: "PURGE_PENDING", resumable: true });
  expect(scene.verify(outcome).outcome.kind).toBe("withheld");
  expect(outcome.surfaces[0]).toMatchObject({ erased: 3, purge: "pending" });
  expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
  reader.exec("COMMIT");
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expectErasure(scene, resumed);
  expect(resumed.surfaces[0]).toMatchObject({ erased: 3, purge: "purged" });
});

const VECTORS = ["memory_messages_384", "memory_observations_384"] as const;

const vectorOf = (seed: number): Float32Array =>
  Float32Array.from({ length: 384 }, (_, at) => Math.sin(seed * 97.3 + at * at * 0.37));

async function vectorMemory(declared: readonly string[]): Promise<Scene> {
  const surfaces = Object.fromEntries(
    declared.map((table) => [
      table,
      {
        kind: "sqlite-vec",
        role: "index",
        store: "memory",
        table,
        key: "id",
        vector: "embedding",
        keys: "reusable",
        derivedFrom: { surface: "episodes", column: "id" },
      } as const,
    ]),
  );
  const scene = await openScene({
    sql: `CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, text TEXT NOT NULL);
      ${VECTORS.map((table) => `CREATE VIRTUAL TABLE ${table} USING vec0(id INTEGER PRIMARY KEY, embedding float[384]);`).join("")}`,
    surfaces: { episodes: EPISODES, ...surfaces },
  });
  for (const [at, text] of [...S_SAYS, ...T_SAYS].entries()) {
    const id = at + 1;
    const person = at < 3 ? S : T;
    await scene.memory.record("episodes", { key: String(id), subjects: [person], content: { text } }, () => {
      scene.app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(id, person.slice(8), text);
    });
    for (const [which, table] of VECTORS.entries()) {
      const embedding = vectorOf(id + which * 0.001);
      const insert = (): void => {
        scene.app.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run(BigInt(id), Buffer.from(embedding.buffer));
      };
      if (declared.includes(table))
        await scene.memory.derive(
          table,
          { key: String(id), sources: [`episodes/${id}`], content: { embedding } },
          insert,
        );
      else insert();
    }
  }
  return scene;
}

it("C08 VERDICT-4: vectors in a table that nobody declared keep the verdict at UNCONFIRMED, the table named", async () => {
  const scene = await vectorMemory(["memory_messages_384"]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, outcome.exitCode, outcome.attestation.kind]).toEqual(["UNCONFIRMED", 21, "withheld"]);
  const undeclared = outcome.reasons.filter(({ code }) => code === "UNDECLARED_CONTAINER");
  expect(undeclared.map(({ surface }) => surface)).toEqual(["memory.memory_observations_384"]);
  // FORGET-1: what is declared was cleared all the same.
  expect(scene.rows("SELECT count(*) AS n FROM memory_messages_384")).toEqual([{ n: 3 }]);
  expect(scene.rows("SELECT count(*) AS n FROM memory_observations_384")).toEqual([{ n: 6 }]);
});

it("C08: declared, both vector tables are cleared", async () => {
  const scene = await vectorMemory(VECTORS);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  for (const table of VECTORS) expect(scene.rows(`SELECT id FROM ${table} ORDER BY id`)).toHaveLength(3);
});

const HISTORY_SQL = `${EPISODES_SQL}
  CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, episode TEXT, old_text TEXT);
  CREATE TRIGGER keep_history AFTER DELETE ON episodes BEGIN
    INSERT INTO history (episode, old_text) VALUES (old.id, old.text);
  END;`;

it("C13 VERDICT-4: a history that a trigger fills on delete is found by census and probe", async () => {
  const scene = await openScene({ sql: HISTORY_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'");
  const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).not.toBe("COMPLIANT");
  expect(audit.reasons.filter(({ code }) => code === "UNDECLARED_CONTAINER")).toMatchObject([
    { surface: "memory.history" },
  ]);
});

it("C13: ours scrubs the history and the delete makes no new copy", async () => {
  const scene = await openScene({
    sql: HISTORY_SQL,
    surfaces: {
      episodes: EPISODES,
      history: {
        kind: "sqlite",
        role: "log",
        store: "memory",
        table: "history",
        key: "id",
        content: ["old_text"],
        derivedFrom: { surface: "episodes", column: "episode" },
      },
    },
  });
  await recordBoth(scene);
  await recordEpisode(scene, "s9", S, `${S_SAYS[0]} and the bellows leak`);
  scene.app.exec("DELETE FROM episodes WHERE id IN ('s9', 't3')");
  expect(scene.rows("SELECT episode FROM history ORDER BY id")).toEqual([{ episode: "t3" }, { episode: "s9" }]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT episode, old_text FROM history")).toEqual([{ episode: "t3", old_text: T_SAYS[2] }]);
});

it.each([
  ["under a key that no episode has", 40, "PARTIAL"],
  ["under the key of what another person said", 6, "COMPLIANT"],
] as const)("VERDICT-1 ATTEST-6: a copy of an erased vector %s (%i) is %s", async (_where, key, verdict) => {
  const scene = await vectorMemory(VECTORS);
  const copy = scene.app.prepare(`INSERT OR REPLACE INTO ${VECTORS[0]} VALUES (?, ?)`);
  scene.app.prepare(`DELETE FROM ${VECTORS[0]} WHERE id = ?`).run(BigInt(key));
  copy.run(BigInt(key), Buffer.from(vectorOf(1).buffer));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe(verdict);
  expect(outcome.survivors.length > 0).toBe(verdict === "PARTIAL");
});
