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
  SUMMARIES,
  SUMMARIES_SQL,
} from "./scene.ts";

it("VERDICT-1 FORGET-1: a canary that a killed process left is taken out by the run that carries on", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await deriveSummary(scene, "m1", ["s1"], `A note: ${S_SAYS[0]}`);
  const script = fileURLToPath(new URL("alone-in-child.mjs", import.meta.url));
  expect(spawnSync(process.execPath, [script, scene.directory]).signal).toBe("SIGKILL");
  // It did stand there: this is what the test is about.
  expect(scene.rows("SELECT id FROM episodes")).toHaveLength(1);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT id FROM episodes UNION ALL SELECT id FROM summaries")).toEqual([]);
});
