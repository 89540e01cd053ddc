// A store that compares a person's column without case (COLLATE NOCASE) knows one person under several spellings: what finds, fences and erases follows it (LINEAGE-7, C16).
import { expect, it } from "vitest";
import { expectErasure, openScene, S_SAYS, type Scene, T_SAYS } from "./scene.ts";

const COLUMNS = "id TEXT PRIMARY KEY, text TEXT NOT NULL";
const SQL = `
  CREATE TABLE episodes (${COLUMNS}, account TEXT COLLATE NOCASE);
  CREATE TABLE letters (${COLUMNS}, account TEXT);`;
const TABLE = { kind: "sqlite", role: "primary", store: "memory", key: "id", content: ["text"] } as const;

async function recorded(): Promise<Scene> {
  const scene = await openScene({
    sql: SQL,
    surfaces: {
      episodes: { ...TABLE, table: "episodes", subject: { column: "account", type: "account" } },
      letters: { ...TABLE, table: "letters", subject: { column: "account", type: "account" } },
    },
  });
  const record = async (surface: string, key: string, account: string, text: string): Promise<void> => {
    await scene.memory.record(surface, { key, subjects: [`account:${account}`], content: { text } }, () => {
      scene.app.prepare(`INSERT INTO ${surface} (id, text, account) VALUES (?, ?, ?)`).run(key, text, account);
    });
  };
  await record("episodes", "e1", "Some-Body", S_SAYS[0]);
  await record("episodes", "e2", "some-body", S_SAYS[1]);
  await record("episodes", "e3", "other", T_SAYS[0]);
  await record("letters", "l1", "SOME-BODY", S_SAYS[2]);
  await record("letters", "l2", "some-body", "A letter that the same person wrote about a boat on the lake");
  await record("letters", "l3", "other", T_SAYS[1]);
  return scene;
}

it("LINEAGE-7 C16: every spelling that the store takes for the person is found and erased with the one that was given, in every location", async () => {
  const scene = await recorded();
  const found = await scene.memory.find({ subject: ["account:Some-Body"] });
  expect(found.artifacts.map(({ artifact }) => artifact).toSorted()).toEqual([
    "episodes/e1",
    "episodes/e2",
    "letters/l2",
  ]);
  const outcome = await scene.memory.forget({ subject: ["account:Some-Body"], now: true });
  expectErasure(scene, outcome, { identifiers: [{ type: "account", identifier: "Some-Body" }] });
  expect(scene.rows("SELECT id FROM episodes")).toEqual([{ id: "e3" }]);
  // A column that tells cases apart has the spellings that are in use where they are not: no more.
  expect(scene.rows("SELECT id FROM letters ORDER BY id")).toEqual([{ id: "l1" }, { id: "l3" }]);
});

it("LINEAGE-7 CLAIM-3: another tool's claim over one spelling is contradicted by the rows under another", async () => {
  const scene = await recorded();
  const ticket = await scene.memory.prepareAudit({ subject: ["account:SOME-BODY"] });
  scene.app.exec("DELETE FROM episodes WHERE id = 'e1'; DELETE FROM letters WHERE id IN ('l1', 'l2'); VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: "account:SOME-BODY", surfacesReached: ["episodes", "letters"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).not.toBe("COMPLIANT");
  expect(audit.survivors.map(({ surface, key }) => `${surface}/${key}`)).toContain("episodes/e2");
});
