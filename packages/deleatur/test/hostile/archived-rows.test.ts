// Triggers of an application that keep what a delete took, in another form than it had, in a table that nobody declared: the copy is not made, or noticed.
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, openScene, recordBoth, type Scene, S } from "../cases/scene.ts";

/** A table that nobody declared, and a trigger that fills it with what a delete took, in this form. */
async function archiving(type: string, form: string): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  scene.app.exec(
    `CREATE TABLE attic (at INTEGER PRIMARY KEY, kept ${type});
     CREATE TRIGGER keep AFTER DELETE ON episodes BEGIN INSERT INTO attic (kept) VALUES (${form}); END`,
  );
  await recordBoth(scene);
  return scene;
}

it.each([
  ["in capitals", "TEXT", "upper(OLD.text)"],
  ["in hex", "TEXT", "hex(OLD.text)"],
  ["in capitals, in a column of numbers", "INTEGER", "upper(OLD.text)"],
  ["with another letter for each blank, in a column without a type", "", "replace(OLD.text, ' ', '_')"],
])("ATTEST-7 VERDICT-4: an erased row that a trigger keeps %s is noticed by its table", async (_, type, form) => {
  const scene = await archiving(type, form);
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT count(*) AS n FROM attic")).toEqual([{ n: 3 }]);
  expect([outcome.verdict, outcome.attestation.kind]).toEqual(["UNCONFIRMED", "withheld"]);
  expect(codes(outcome)).toContain("UNDECLARED_CONTAINER");
});

it.each([
  ["as a member of JSON", "TEXT", "json_object('was', json_object('said', OLD.text))"],
  ["as bytes", "BLOB", "CAST(OLD.text AS BLOB)"],
  ["as binary JSON", "BLOB", "jsonb_object('said', OLD.text)"],
  ["behind a name, in a column of numbers", "INTEGER", "OLD.account || '/' || OLD.text"],
])("GUARD-1: a trigger keeps nothing %s of a row that is erased", async (_, type, form) => {
  const scene = await archiving(type, form);
  await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT count(*) AS n FROM attic")).toEqual([{ n: 0 }]);
  // Of others it keeps what it is for.
  scene.app.exec("DELETE FROM episodes");
  expect(scene.rows("SELECT count(*) AS n FROM attic")).toEqual([{ n: 3 }]);
});
