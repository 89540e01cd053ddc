// Derived records whose declared source is nowhere: whom they are about nobody can tell, so nobody is told that all about a person is gone.
import { expect, it } from "vitest";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  openScene,
  recordEpisode,
  S,
  S_SAYS,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
  type Scene,
  type SceneSetup,
} from "../cases/scene.ts";

/** `m1` derives from what is given, `m2` from an episode of T. */
async function openSummaries(sources: readonly string[]): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "s2", S, S_SAYS[1]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  scene.app
    .prepare("INSERT INTO summaries VALUES ('m1', ?, 'Wants nothing to do with stairs'), ('m2', '[\"t1\"]', ?)")
    .run(JSON.stringify(sources), "Somebody mended the roof of the glasshouse");
  return scene;
}

it.each([[["s0"]], [["t1", "s0"]], [[" s1"]]])(
  "LINEAGE-3: a derived record of %j, which nobody knows, keeps the verdict from COMPLIANT, beforehand too",
  async (sources) => {
    const scene = await openSummaries(sources);
    const check = await scene.memory.check();
    expect(check.surfaces.find(({ surface }) => surface === "summaries")?.rowsWithoutLineage).toBe(1);
    const { best, withoutLineage } = await scene.memory.dryRun({ subject: [S] });
    expect(withoutLineage).toEqual([{ surface: "summaries", rows: 1 }]);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect([best.verdict, outcome.verdict]).toEqual(["UNCONFIRMED", "UNCONFIRMED"]);
    expect(codes(outcome)).toEqual(["LINEAGE_MISSING"]);
    scene.app.exec("DELETE FROM summaries WHERE id = 'm1'");
    expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
  },
);

it("LINEAGE-3: a source that the application deleted and the ledger knew leads on to what was derived from it", async () => {
  const scene = await openSummaries(["s1"]);
  await scene.memory.scan();
  scene.app.exec("DELETE FROM episodes WHERE id = 's1'");
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
  expect(codes(outcome)).not.toContain("LINEAGE_MISSING");
});

/** Two derived tables, each made from the other. */
const circle = (table: string, other: string): SceneSetup["surfaces"][string] => ({
  kind: "sqlite",
  role: "derived",
  store: "memory",
  table,
  key: "id",
  content: ["text"],
  shared: "destroy",
  derivedFrom: { surface: other, column: "sources", as: "json" },
});

it("LINEAGE-3: derived records that lead in a circle and to no record keep the verdict from COMPLIANT; with an origin they go", async () => {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE facts (id TEXT PRIMARY KEY, sources TEXT, text TEXT); CREATE TABLE beliefs (id TEXT PRIMARY KEY, sources TEXT, origin TEXT, text TEXT);
      INSERT INTO facts VALUES ('f1', '["b1"]', 'Wants nothing to do with stairs'); INSERT INTO beliefs VALUES ('b1', '["f1"]', NULL, 'Keeps away from ladders');`,
    surfaces: {
      episodes: EPISODES,
      facts: circle("facts", "beliefs"),
      beliefs: {
        ...circle("beliefs", "facts"),
        derivedFrom: [
          { surface: "facts", column: "sources", as: "json" },
          { surface: "episodes", column: "origin" },
        ],
      },
    },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(codes(outcome)).toEqual(["LINEAGE_MISSING"]);
  await recordEpisode(scene, "u1", "account:u-7", S_SAYS[1]);
  scene.app.exec("UPDATE beliefs SET origin = 'u1'");
  expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
  expect((await scene.memory.forget({ subject: ["account:u-7"], now: true })).verdict).toBe("COMPLIANT");
  expect(scene.rows("SELECT id FROM facts UNION ALL SELECT id FROM beliefs")).toEqual([]);
});
