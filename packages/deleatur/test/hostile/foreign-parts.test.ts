// What a schema uses and only the application's own connections have, and triggers that carry more than was declared: each is told, and foretold.
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T_SAYS, type Scene } from "../cases/scene.ts";

const FILL = `INSERT INTO episodes (id, account, text) VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;

/** The application's connection has a function; the schema is laid by it. */
function layWithFunction(scene: string): (directory: string) => void {
  return (directory) => {
    const app = new Database(`${directory}/memory.db`);
    app.function("apps_own", { deterministic: true }, (text: unknown) => text);
    app.exec(scene);
    app.close();
  };
}

it.each([
  ["an index", `${EPISODES_SQL} CREATE INDEX i ON episodes (apps_own(text));`],
  [
    "a generated column",
    "CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT, text TEXT NOT NULL, g TEXT AS (apps_own(text)));",
  ],
])("FORGET-1 VERDICT-4: %s that calls a function of the application's is named, by check too", async (_, sql) => {
  const scene = await openScene({ before: layWithFunction(sql + FILL), surfaces: { episodes: EPISODES } });
  await scene.memory.scan();
  const check = await scene.memory.check();
  expect(check.best.verdict).not.toBe("COMPLIANT");
  expect(check.purges[0]?.hindrance?.why).toMatch(/a function that only the application's own connections have/);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.surfaces[0]?.troubles?.join()).toContain("STORE_PART_MISSING");
});

it("VERDICT-4 C08: a virtual table of a module that is not here is a container with a name", async () => {
  const scene = await openScene({ sql: EPISODES_SQL + FILL, surfaces: { episodes: EPISODES } });
  scene.app.unsafeMode();
  scene.app.exec(`CREATE TABLE strange (a); PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE strange USING apps_own(a)', rootpage = 0 WHERE name = 'strange';
    PRAGMA writable_schema = RESET;`);
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toContainEqual([
    "UNDECLARED_CONTAINER",
    "memory.strange",
  ]);
});

const HISTORY = "CREATE TABLE history (episode TEXT, title TEXT);";

async function openWithTrigger(sql: string): Promise<Scene> {
  const scene = await openScene({
    sql: `CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT, text TEXT NOT NULL, title TEXT); ${FILL} ${sql}`,
    surfaces: { episodes: EPISODES },
    census: { quiet: ["memory.history", "memory.topics"] },
  });
  await scene.memory.scan();
  return scene;
}

it("C13: a trigger copies nothing of an erased row, of columns that nobody declared as content either", async () => {
  const scene = await openWithTrigger(`${HISTORY}
    UPDATE episodes SET title = 'The winter in which the pipes burst' WHERE id = 's1';
    CREATE TRIGGER h AFTER DELETE ON episodes BEGIN
      INSERT INTO history VALUES (OLD.id, OLD.title); INSERT INTO history VALUES (OLD.id, NULL); END;`);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT * FROM history")).toEqual([{ episode: "s1", title: null }]);
  expect(codes(outcome)).toEqual([]);
});

it("C13: a trigger that counts in another row goes on counting, though that row has a word of the erased", async () => {
  const scene = await openWithTrigger(`CREATE TABLE topics (name TEXT, n INTEGER);
    UPDATE episodes SET text = 'billing' WHERE id = 's1'; INSERT INTO topics VALUES ('billing', 5);
    CREATE TRIGGER h AFTER DELETE ON episodes BEGIN UPDATE topics SET n = n - 1 WHERE name = OLD.text; END;`);
  await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT n FROM topics")).toEqual([{ n: 4 }]);
});
