// A process that is killed while a canary stands in a store: the next run takes the canary out again, so that it is nobody's record.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordEpisode,
  S,
  S_SAYS,
  T,
  T_SAYS,
  SUMMARIES,
  SUMMARIES_SQL,
} from "./scene.ts";

/** Forgets in a process that is killed while the canaries stand. */
function killed(directory: string, ...further: readonly string[]): void {
  const script = fileURLToPath(new URL("alone-in-child.mjs", import.meta.url));
  expect(spawnSync(process.execPath, [script, directory, ...further]).signal).toBe("SIGKILL");
}

it("VERDICT-1 FORGET-1: a canary that a killed process left is taken out by the run that carries on", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await deriveSummary(scene, "m1", ["s1"], `A note: ${S_SAYS[0]}`);
  killed(scene.directory);
  // It did stand there: this is what the test is about.
  expect(scene.rows("SELECT id FROM episodes")).toHaveLength(1);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT id FROM episodes UNION ALL SELECT id FROM summaries")).toEqual([]);
});

it("VERDICT-1 FORGET-1: so is one in an emptied table of vectors, of which the store took fewer numbers than it was made with", async () => {
  const vectors = {
    kind: "sqlite-vec",
    role: "index",
    store: "memory",
    table: "vectors",
    key: "id",
    keys: "reusable",
    vector: "embedding",
    derivedFrom: { surface: "episodes", column: "episode" },
  } as const;
  const summaries = { ...SUMMARIES, shared: "destroy" } as const;
  const scene = await openScene({
    sql: `${EPISODES_SQL}${SUMMARIES_SQL}
      CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, embedding float[16], +episode TEXT);`,
    surfaces: { episodes: EPISODES, summaries, vectors },
  });
  const embedding = Float32Array.from({ length: 16 }, (_, index) => Math.sin(index + 1));
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  await scene.memory.derive("vectors", { key: "1", sources: ["episodes/s1"], content: { embedding } }, () => {
    scene.app.prepare("INSERT INTO vectors VALUES (1, ?, 's1')").run(Buffer.from(embedding.buffer));
  });
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  // Nothing is left to say how long a vector is.
  killed(scene.directory, JSON.stringify({ vectors }));
  expect(scene.rows("SELECT id FROM vectors")).toHaveLength(1);
  expectErasure(scene, await scene.memory.forget({ subject: [T], now: true }), { identifiers: [] });
  expect(scene.rows("SELECT id FROM vectors")).toEqual([]);
});
