// Containers that once hid from the census: bytes that live in them are nobody's leftover, so what no probe reads there would pass unseen.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T_SAYS, type SceneSetup } from "../cases/scene.ts";

const FILL = `INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;
const NUMBERS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i FROM n";

const hidden: Readonly<Record<string, { readonly sql: string } & Partial<SceneSetup>>> = {
  "text behind four hundred numbers of an untyped column": {
    sql: `CREATE TABLE notes (a); INSERT INTO notes ${NUMBERS}; INSERT INTO notes VALUES ('${S_SAYS[0]}');`,
  },
  "a table that is called like ours": {
    sql: `CREATE TABLE deleatur_notes (x TEXT); INSERT INTO deleatur_notes VALUES ('${S_SAYS[0]}');`,
  },
  "a table that is called like a part of an index": {
    sql: `CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE f_info (x TEXT); INSERT INTO f_info VALUES ('${S_SAYS[0]}');`,
    exempt: [{ name: "index", kind: "audit-log", store: "memory", table: "f", ground: "holds nothing, never written" }],
  },
  "a table that no census pattern reaches": {
    sql: `CREATE TABLE notes (x TEXT); INSERT INTO notes VALUES ('${S_SAYS[0]}');`,
    census: { include: ["memory.episodes"] },
  },
};

it.each(Object.keys(hidden))("VERDICT-4 C08: %s keeps the verdict from COMPLIANT", async (name) => {
  const { sql, ...setup } = hidden[name] ?? { sql: "" };
  const scene = await openScene({ ...setup, sql: EPISODES_SQL + FILL + sql, surfaces: { episodes: EPISODES } });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.verdict).toBe("UNCONFIRMED");
  expect(codes(outcome)).toContain("UNDECLARED_CONTAINER");
});

it.each(["memory.db.bak", "memory.db-old", "memory.db~"])(
  "VERDICT-4 C08: a copy of the database beside it, called %s, keeps the verdict from COMPLIANT",
  async (name) => {
    const scene = await openScene({ sql: EPISODES_SQL + FILL, surfaces: { episodes: EPISODES } });
    scene.app.prepare("VACUUM INTO ?").run(join(scene.directory, name));
    await scene.memory.scan();
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).toBe("UNCONFIRMED");
    const found = outcome.reasons.find(({ code }) => code === "UNDECLARED_CONTAINER");
    expect(found).toMatchObject({ surface: `memory.${name}` });
    rmSync(join(scene.directory, name));
    expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
  },
);
