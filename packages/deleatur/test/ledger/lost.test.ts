// A ledger that was made and is gone is lost, not new: its do-not-store entries with it (GUARD-1 fails closed).
import { rmSync, truncateSync } from "node:fs";
import { expect, it } from "vitest";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { EPISODES, EPISODES_SQL, openScene, recordBoth, S } from "../cases/scene.ts";

it.each([
  ["deleted", (file: string): void => rmSync(file)],
  ["truncated to nothing", (file: string): void => truncateSync(file)],
])("GUARD-1: a ledger that was %s beside its keys is LEDGER_LOST until its keys are moved away", async (_how, lose) => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  await scene.memory.forget({ subject: [S], now: true });
  const { boundary, ledger } = scene.memory.engine;
  await scene.memory.close();
  await scene.memory.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(ledger.file + suffix, { force: true });
  lose(ledger.file);
  await expect(openDeleatur(boundary, { environment: {} })).rejects.toMatchObject({ code: "LEDGER_LOST", exitCode: 1 });
  rmSync(ledger.keys.directory, { recursive: true });
  const anew = await openDeleatur(boundary, { environment: {} });
  expect(anew.engine.ledger.denylistCount()).toBe(0);
  await anew.close();
});
