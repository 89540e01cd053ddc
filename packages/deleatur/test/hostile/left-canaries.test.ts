// Canaries that once stayed in an application's tables, or took an erased row's number: nothing of ours is left there, and no verdict turns on it.
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T_SAYS, type Scene } from "../cases/scene.ts";

const FILL = `INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;

/** A table of notes in which S alone has a row, so that a canary must be planted there. */
async function openNotes(columns: string, values: string, key: string | readonly string[], more = ""): Promise<Scene> {
  const scene = await openScene({
    sql: `${EPISODES_SQL} ${FILL} CREATE TABLE notes ${columns}; ${more}
      INSERT INTO notes VALUES (${values}, 's-4471', '${S_SAYS[1]}');`,
    surfaces: {
      episodes: EPISODES,
      notes: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "notes",
        key: typeof key === "string" ? key : [...key],
        subject: { column: "who", type: "account" },
        content: ["said"],
      },
    },
    census: { quiet: ["memory.history"] },
  });
  await scene.memory.scan();
  return scene;
}

it.each([
  ["texts", "(a TEXT, b TEXT, who TEXT, said TEXT, PRIMARY KEY (a, b))"],
  ["numbers", "(a INTEGER, b INTEGER, who TEXT, said TEXT, PRIMARY KEY (a, b))"],
  ["strict numbers", "(a INTEGER, b INTEGER, who TEXT, said TEXT, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID"],
])("CLAIM-5 VERDICT-1: a canary in a table keyed by two %s is found and taken out again", async (_, columns) => {
  const scene = await openNotes(columns, "1, 2", ["a", "b"]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT * FROM notes")).toEqual([]);
  expect({ verdict: outcome.verdict, reasons: codes(outcome) }).toEqual({ verdict: "COMPLIANT", reasons: [] });
});

it("C22: a canary that takes the number of the erased row is nobody's survivor", async () => {
  const scene = await openNotes("(id INTEGER PRIMARY KEY, who TEXT, said TEXT)", "1", "id");
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect({ verdict: outcome.verdict, reasons: codes(outcome) }).toEqual({ verdict: "COMPLIANT", reasons: [] });
});

it("C13: an application's trigger keeps no copy of a canary", async () => {
  const scene = await openNotes(
    "(id TEXT PRIMARY KEY, who TEXT, said TEXT)",
    "'n1'",
    "id",
    "CREATE TABLE history (said TEXT); CREATE TRIGGER h AFTER INSERT ON notes BEGIN INSERT INTO history VALUES (NEW.said); END;",
  );
  scene.app.exec("DELETE FROM history");
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT * FROM history")).toEqual([]);
  expect(outcome.verdict).toBe("COMPLIANT");
});

it.each([
  [
    "is no UTF-8",
    "(id TEXT, who TEXT, said TEXT)",
    "CAST(x'4a6fe9' AS TEXT)",
    "id",
    "its key is no UTF-8 text, mend the row",
  ],
  [
    "has a part that is NULL",
    "(a TEXT, b TEXT, who TEXT, said TEXT, PRIMARY KEY (a, b))",
    "'x', NULL",
    ["a", "b"],
    "a part of its key is NULL, mend the row",
  ],
] as const)(
  "CLAIM-5: a row whose key %s is failed and still held, not absent and back",
  async (_, columns, values, key, why) => {
    const scene = await openNotes(columns, values, key);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(codes(outcome)).toContain("PRIMARY_STILL_HOLDS");
    expect(codes(outcome)).not.toContain("RESURRECTED");
    expect(outcome.surfaces.find(({ surface }) => surface === "notes")?.troubles).toContain(why);
  },
);
