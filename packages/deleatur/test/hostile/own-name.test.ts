// A rewritten text must not go on naming the person: neither what is left after redacting, nor what a rederiver writes anew.
import { expect, it } from "vitest";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  S,
  S_SAYS,
  type Scene,
  SUMMARIES,
  SUMMARIES_SQL,
  T_SAYS,
} from "../cases/scene.ts";

const sql = `${EPISODES_SQL + SUMMARIES_SQL}
  INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}'), ('t2', 't-0815', '${T_SAYS[1]}');
  INSERT INTO summaries VALUES ('m', '["s1","t1"]', 'Member S-4471 spoke; ${T_SAYS[0]}'), ('n', '["t2"]', 'note');`;

const summary = (scene: Scene): unknown => scene.rows("SELECT text FROM summaries WHERE id = 'm'")[0]?.["text"];

it("LINEAGE-5: redacting takes the person's own identifier out of a shared text", async () => {
  const scene = await openScene({
    sql,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "redact" } },
  });
  await scene.memory.scan();
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(summary(scene)).toBe(`Member [erased] spoke; ${T_SAYS[0]}`);
});

it("LINEAGE-5: a new text that names the person by identifier is not stored", async () => {
  const scene = await openScene({
    sql,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "rederive", rederive: "summarise" } },
  });
  scene.memory.registerRederive("summarise", () => Promise.resolve("a talk with s-4471"));
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("PARTIAL");
  expect(codes(outcome)).toContain("SURVIVOR_FOUND");
  expect(summary(scene)).not.toBe("a talk with s-4471");
});
