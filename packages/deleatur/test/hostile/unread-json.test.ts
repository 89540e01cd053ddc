// Columns of JSON that name a person, or a source, in a way that the boundary's path does not reach: such a row is never taken for one about nobody, and no number is rounded into another person.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
} from "../cases/scene.ts";

const NOTES = {
  kind: "sqlite",
  role: "primary",
  store: "memory",
  table: "notes",
  key: "id",
  subject: { json: "payload.user.id", type: "account" },
  content: ["said"],
} as const;

/** What S and T said; neither shares five words with the episodes. */
const SAID: readonly [string, string] = [
  "No lift reaches the attic where I keep my old letters",
  "Two goats broke the fence by the orchard again",
];

async function openNotes(payload: string, user = "t-0815"): Promise<Scene> {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE notes (id TEXT PRIMARY KEY, payload, said TEXT);`,
    surfaces: { episodes: EPISODES, notes: NOTES },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  const insert = scene.app.prepare("INSERT INTO notes VALUES (?, ?, ?)");
  scene.app.exec(`INSERT INTO notes VALUES ('n1', ${payload}, '${SAID[0]}')`);
  insert.run("n2", JSON.stringify({ user: { id: user } }), SAID[1]);
  await scene.memory.scan();
  return scene;
}

it.each([
  ["in SQLite's binary JSON", `jsonb('{"user":{"id":"s-4471"}}')`],
  ["in JSON5", `'{user: {id: "s-4471"}}'`],
  ["in text that is no JSON", `'user s-4471'`],
  ["in an object of a list", `'{"user":[{"id":"s-4471"}]}'`],
  ["in a list at the top", `'[{"user":{"id":"s-4471"}}]'`],
  ["in a text where an object was expected", `'{"user":"s-4471"}'`],
  ["in JSON that was encoded twice", `'"{\\"user\\":{\\"id\\":\\"s-4471\\"}}"'`],
])("LINEAGE-7 VERDICT-4: a row that names its person %s keeps the verdict from COMPLIANT", async (_, payload) => {
  const scene = await openNotes(payload);
  const check = await scene.memory.check();
  expect(check.surfaces.find(({ surface }) => surface === "notes")).toMatchObject({
    isReachable: false,
    why: "SUBJECT_UNREADABLE",
  });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(codes(outcome)).toContain("PRIMARY_BLIND");
});

it.each([
  ["NULL", "NULL"],
  ["an empty text", "''"],
  ["no such member", "'{}'"],
  ["a member that is null", `'{"user":null}'`],
  ["an empty list", `'{"user":[]}'`],
])("LINEAGE-7: %s names nobody, and stops nothing", async (_, payload) => {
  const scene = await openNotes(payload);
  expect((await scene.memory.forget({ subject: [S], now: true })).verdict).toBe("COMPLIANT");
});

it("C16: two persons whose numbers only a rounding would make one are two", async () => {
  const scene = await openNotes(`'{"user":{"id":12345678901234567890}}'`, "unused");
  scene.app.exec(`UPDATE notes SET payload = '{"user":{"id":12345678901234567891}}' WHERE id = 'n2'`);
  const outcome = await scene.memory.forget({ subject: ["account:12345678901234567890"], now: true });
  expect(scene.rows("SELECT id FROM notes")).toEqual([{ id: "n2" }]);
  expect(outcome.verdict).toBe("COMPLIANT");
});

it("LINEAGE-7: of a member that occurs twice both persons are in the row", async () => {
  const scene = await openNotes(`'{"user":{"id":"s-4471","id":"t-0815"}}'`);
  const found = await scene.memory.find({ subject: [S] });
  expect(found.artifacts.map(({ artifact }) => artifact).toSorted()).toEqual(["episodes/s1", "notes/n1"]);
});

it.each([
  ["a text where an object was expected", '{"id":"n1","user":"s-4471"}'],
  ["an object in a text", String.raw`{"id":"n1","user":"{\"id\":\"s-4471\"}"}`],
  ["a text among objects", '{"id":"n1","user":[{"id":"t-0815"},"s-4471"]}'],
  ["a yes or no", '{"id":"n1","user":{"id":true}}'],
  ["half a character", String.raw`{"id":"n1","user":{"id":"s-\ud800"}}`],
  ["the mark of a character that was lost", '{"id":"n1","user":{"id":"s-\ufffd"}}'],
])("LINEAGE-7 VERDICT-4: a line that names its person by %s keeps the verdict from COMPLIANT", async (_, line) => {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: {
      episodes: EPISODES,
      talk: {
        kind: "jsonl",
        role: "transcript",
        store: "transcripts",
        key: "id",
        subject: { field: "user.id", type: "account" },
        content: ["text"],
      },
    },
    before: (directory) =>
      writeFileSync(
        join(directory, "transcripts", "a.jsonl"),
        `${line.slice(0, -1)},"text":"${SAID[0]}"}\n${JSON.stringify({ id: "n2", user: { id: "t-0815" }, text: SAID[1] })}\n`,
      ),
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.attestation.kind).not.toBe("erasure");
});

it("LINEAGE-3: a source that is no key, beside others that are, keeps the verdict from COMPLIANT", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  scene.app.exec(
    `INSERT INTO summaries VALUES ('m1', '["t1", {"id": "s1"}]', 'About the attic and the goats of last summer'), ('m2', '["t1"]', 'Somebody mended the roof of the glasshouse')`,
  );
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(codes(outcome)).toContain("LINEAGE_MISSING");
});

it("LINEAGE-7 VERDICT-4: two persons whose bytes are no text, and who would be read as one, keep the verdict from COMPLIANT", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordEpisode(scene, "s1", S, S_SAYS[0]);
  await recordEpisode(scene, "t1", T, T_SAYS[0]);
  const insert = scene.app.prepare("INSERT INTO episodes VALUES (?, CAST(? AS TEXT), ?)");
  insert.run("n1", Buffer.from([0x73, 0xff]), SAID[0]);
  insert.run("n2", Buffer.from([0x73, 0xfe]), SAID[1]);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(codes(outcome)).toContain("PRIMARY_BLIND");
  for (const subject of ["account:s\ufffd", "account:s\ud800"]) {
    await expect(scene.memory.forget({ subject: [subject], now: true })).rejects.toMatchObject({
      name: "UsageError",
      code: "BAD_IDENTIFIER",
    });
    await expect(recordEpisode(scene, "n3", subject, SAID[0])).rejects.toMatchObject({ code: "BAD_IDENTIFIER" });
  }
  expect(scene.rows("SELECT id FROM episodes ORDER BY id")).toEqual([{ id: "n1" }, { id: "n2" }, { id: "t1" }]);
});
