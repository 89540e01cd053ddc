// What a first project of somebody else's ran into: short names under a number that is key and person at once, and a refused request's traces.
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, expectErasure, openScene, recordBoth, S } from "./scene.ts";

it("VERDICT-1: people with short names under an INTEGER PRIMARY KEY that is the person too get a canary, and an erasure", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob')",
    surfaces: {
      users: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "users",
        key: "id",
        keys: "reusable",
        subject: { column: "id", type: "account" },
        content: ["name"],
      },
    },
  });
  const outcome = await scene.memory.forget({ subject: ["account:1"], now: true });
  expect(codes(outcome)).toEqual([]);
  expectErasure(scene, outcome, { identifiers: [{ type: "account", identifier: "1" }] });
  expect(scene.rows("SELECT id, name FROM users")).toEqual([{ id: 2, name: "Bob" }]);
});

it("FORGET-1: --require erasure that is refused leaves no fence and no open request", async () => {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT); INSERT INTO notes VALUES ('n', 'Something that nobody declared')`,
    surfaces: { episodes: EPISODES },
  });
  await recordBoth(scene);
  await expect(scene.memory.forget({ subject: [S], now: true, require: "erasure" })).rejects.toMatchObject({
    code: "DOMAIN_NOT_COVERED",
  });
  expect(scene.memory.engine.ledger.requests().map(({ state }) => state)).toEqual(["closed"]);
  scene.app.prepare("INSERT INTO episodes VALUES ('later', 's-4471', 'written after the refusal')").run();
  expect(scene.rows("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'")).toEqual([{ n: 0 }]);
});
