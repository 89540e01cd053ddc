// Containers that the boundary calls quiet or exempt, and that no probe can look through: that nothing was found there says nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  openScene,
  S,
  S_SAYS,
  T_SAYS,
  type Scene,
  type SceneSetup,
} from "../cases/scene.ts";

const FILL = `INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;

async function openOver(setup: Partial<SceneSetup>): Promise<Scene> {
  const scene = await openScene({
    ...setup,
    sql: EPISODES_SQL + FILL + (setup.sql ?? ""),
    surfaces: { episodes: EPISODES, ...setup.surfaces },
  });
  await scene.memory.scan();
  return scene;
}

/** A table `f` that holds the words of every episode. */
const indexes: Readonly<Record<string, string>> = {
  "an FTS4 index without content":
    "CREATE VIRTUAL TABLE f USING fts4(content='', x); INSERT INTO f (docid, x) SELECT rowid, text FROM episodes;",
  "an FTS4 index of a table":
    "CREATE VIRTUAL TABLE f USING fts4(content='episodes', text); INSERT INTO f (docid, text) SELECT rowid, text FROM episodes;",
  "an FTS3 index": "CREATE VIRTUAL TABLE f USING fts3(x); INSERT INTO f (docid, x) SELECT rowid, text FROM episodes;",
  "an FTS5 index without text and places":
    "CREATE VIRTUAL TABLE f USING fts5(x, content='', detail=none); INSERT INTO f (rowid, x) SELECT rowid + 9, text FROM episodes;",
  "an FTS5 index without text, with columns alone":
    "CREATE VIRTUAL TABLE f USING fts5(x, content='', detail=column); INSERT INTO f (rowid, x) SELECT rowid + 9, text FROM episodes;",
};

it.each(Object.keys(indexes))(
  "VERDICT-4 ATTEST-7: %s that is called quiet keeps the verdict from COMPLIANT",
  async (name) => {
    const scene = await openOver({ sql: indexes[name] ?? "", census: { quiet: ["memory.f"] } });
    const check = await scene.memory.check();
    const { best } = await scene.memory.dryRun({ subject: [S] });
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(scene.rows("SELECT rowid FROM f WHERE f MATCH 'cardamom'")).not.toEqual([]);
    expect(outcome.verdict).toBe("UNCONFIRMED");
    expect(codes(outcome)).toEqual(["UNDECLARED_CONTAINER"]);
    expect(outcome.reasons[0]).toMatchObject({
      surface: "memory.f",
      rule: expect.stringContaining("could not be looked into"),
    });
    // What was promised before is no better than what came.
    expect(check.undeclared).toEqual(["memory.f"]);
    expect(best.verdict).toBe("UNCONFIRMED");
    scene.app.exec("DROP TABLE f");
    expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
  },
);

it("VERDICT-4 ATTEST-7: an archive that is called quiet and is damaged keeps the verdict from COMPLIANT", async () => {
  const scene = await openOver({
    surfaces: { notes: { kind: "jsonl", role: "transcript", store: "notes", key: "id", content: ["text"] } },
    connect: { notes: { path: "./notes/*.jsonl" } },
    census: { quiet: ["notes.*.gz"] },
    before: (directory) => {
      mkdirSync(join(directory, "notes"));
      writeFileSync(join(directory, "notes", "a.jsonl"), `${JSON.stringify({ id: "n1", text: T_SAYS[1] })}\n`);
      const packed = gzipSync(T_SAYS[2]);
      writeFileSync(join(directory, "notes", "old.gz"), packed.subarray(0, packed.length - 8));
    },
  });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toEqual([
    ["UNDECLARED_CONTAINER", "notes.old.gz"],
  ]);
});
