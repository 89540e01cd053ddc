// What the fence itself leaves in a store, and bystanders of a store that nobody could read for a while.
import { existsSync, readFileSync, renameSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { EPISODES, EPISODES_SQL, expectErasure, openScene, recordBoth, S } from "./scene.ts";

function holds(file: string, text: string): boolean {
  return ["", "-wal"].some((suffix) => existsSync(file + suffix) && readFileSync(file + suffix).includes(text));
}

it("FORGET-2 PRIVACY-1: a reader that begins before the fence ends makes the request wait; resumed, no trace of the fence is left", async () => {
  let reader: Database.Database | undefined;
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    report: ({ step, phase }) => {
      if (step !== "judge" || phase !== "started" || reader !== undefined) return;
      reader = new Database(scene.file, { readonly: true });
      reader.exec("BEGIN; SELECT count(*) FROM episodes");
    },
  });
  await recordBoth(scene);
  const waiting = await scene.memory.forget({ subject: [S], now: true });
  expect([waiting.state, waiting.why, waiting.exitCode]).toEqual(["waiting", "reader", 22]);
  expect(holds(scene.file, S.slice(8))).toBe(true);
  reader?.close();
  const resumed = await scene.memory.resume(waiting.request, { now: true });
  expect([resumed.state, resumed.verdict, resumed.receipt]).toEqual(["closed", "COMPLIANT", waiting.receipt]);
  expect(holds(scene.file, S.slice(8))).toBe(false);
});

it("CLAIM-5: bystanders of a store that cannot be read for one round are neither lost nor forgotten", async () => {
  let other = "";
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, notes: { ...EPISODES, store: "other", table: "notes" } },
    connect: { other: { file: "other.db" } },
    before: (directory) => {
      other = `${directory}/other.db`;
      const store = new Database(other);
      store.exec("CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text TEXT NOT NULL)");
      store
        .prepare(
          "INSERT INTO notes VALUES ('n1', 't-0815', 'A note of somebody else about the glazier'), ('n2', 't-0815', 'Another note about seeds')",
        )
        .run();
      store.close();
    },
    report: ({ step, phase }) => {
      if (step === "purge" && phase === "finished" && existsSync(other)) renameSync(other, `${other}.away`);
    },
  });
  await recordBoth(scene);
  const away = await scene.memory.forget({ subject: [S], now: true });
  expect([away.verdict, away.bystanders.lost]).not.toEqual(["COMPLIANT", 0]);
  expect(away.bystanders.lost).toBe(0);
  renameSync(`${other}.away`, other);
  const memory = await scene.reopen({ report: () => undefined });
  const back = await memory.resume(away.request, { now: true });
  expectErasure(scene, back);
  expect([back.bystanders.lost, back.bystanders.intact]).toEqual([0, back.bystanders.checked]);
});
