// Rows that name their person by an object where the boundary expects a text: nobody may pass for not being in them.
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, recordEpisode, S, S_SAYS, T, T_SAYS } from "../cases/scene.ts";

it.each([
  ["an object", { id: "s-4471" }],
  ["an array of objects", [{ id: "s-4471" }]],
])(
  "LINEAGE-7 VERDICT-4: a JSON locator that meets %s is an error with its cure, not a row about nobody",
  async (_, user) => {
    const scene = await openScene({
      sql: `${EPISODES_SQL} CREATE TABLE notes (id TEXT PRIMARY KEY, payload TEXT NOT NULL);`,
      surfaces: {
        episodes: EPISODES,
        notes: {
          kind: "sqlite",
          role: "transcript",
          store: "memory",
          table: "notes",
          key: "id",
          subject: { json: "payload.user", type: "account" },
          content: ["payload"],
        },
      },
    });
    await recordEpisode(scene, "s1", S, S_SAYS[0]);
    await recordEpisode(scene, "t1", T, T_SAYS[0]);
    scene.app.prepare("INSERT INTO notes VALUES ('n1', ?)").run(JSON.stringify({ user, said: "Nothing of note" }));
    const check = await scene.memory.check();
    expect(check.surfaces.find(({ surface }) => surface === "notes")).toMatchObject({
      isReachable: false,
      why: "SUBJECT_UNREADABLE",
    });
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).toBe("UNCONFIRMED");
    expect(codes(outcome)).toContain("BLIND_PROBE");
    // What is known of the person is erased all the same.
    expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
  },
);
