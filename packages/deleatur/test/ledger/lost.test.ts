// A ledger that was made and is gone is lost, not new: its do-not-store entries with it (GUARD-1 fails closed).
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, statSync, truncateSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { EPISODES, EPISODES_SQL, openScene, recordBoth, recordEpisode, S, type Scene, T } from "../cases/scene.ts";

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

/** A ledger in use whose bytes stand in its file, not in the write-ahead log. */
async function used(): Promise<{ readonly scene: Scene; readonly file: string; readonly size: number }> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  await scene.memory.forget({ subject: [S], now: true });
  const { file } = scene.memory.engine.ledger;
  const other = new Database(file);
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
  await recordEpisode(scene, "u1", T, "what is said while all is well with the ledger");
  return { scene, file, size: statSync(file).size };
}

/** By another process: closing the file in this one would drop SQLite's locks. */
const cut = (file: string, bytes: number): void => {
  const act = "require('node:fs').truncateSync(process.argv[1], Number(process.argv[2]))";
  execFileSync(process.execPath, ["-e", act, file, String(bytes)]);
};

it.each([
  ["nothing", 0],
  ["half", 0.5],
  ["half a page more than a quarter", 0.25],
])(
  "GUARD-1: a ledger that is cut off to %s under a running process takes no write, and none is in the store",
  async (how, part) => {
    const { scene, file, size } = await used();
    execFileSync("cp", [file, `${file}.whole`]);
    cut(file, Math.floor((size * part) / 4096) * 4096 + (how.includes("page") ? 2048 : 0));
    for (const key of ["u2", "u3"])
      await expect(recordEpisode(scene, key, T, "what is said when it was cut off")).rejects.toMatchObject({
        name: "LedgerError",
        code: "LEDGER_DAMAGED",
      });
    expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 'u%'")).toEqual([{ id: "u1" }]);
    // The same file, whole again.
    execFileSync("cp", [`${file}.whole`, file]);
    await recordEpisode(scene, "u4", T, "what is said when it is whole again");
  },
);

it("GUARD-1: a ledger that a VACUUM of somebody else made smaller goes on taking writes", async () => {
  const { scene, file } = await used();
  const other = new Database(file);
  other.exec("CREATE TABLE ballast (x BLOB); INSERT INTO ballast VALUES (zeroblob(1000000))");
  other.pragma("wal_checkpoint(TRUNCATE)");
  await recordEpisode(scene, "u2", T, "what is said while the ledger is large");
  other.exec("DROP TABLE ballast; VACUUM");
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
  expect(statSync(file).size).toBeLessThan(1_000_000);
  await recordEpisode(scene, "u3", T, "what is said after it has become small");
});

/** As somebody whom file modes bind: they say nothing to root, who becomes nobody meanwhile. */
async function asNobody(directory: string, act: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return act();
  execFileSync("chown", ["-R", "65534", directory]);
  process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
  }
}

it("GUARD-1: a ledger that this user may not read is LEDGER_UNREADABLE and not made anew", async () => {
  const { scene, file } = await used();
  const { boundary } = scene.memory.engine;
  await scene.memory.close();
  chmodSync(file, 0o000);
  await asNobody(scene.directory, () =>
    expect(openDeleatur(boundary, { environment: {} })).rejects.toMatchObject({ code: "LEDGER_UNREADABLE" }),
  );
  chmodSync(file, 0o600);
  const again = await openDeleatur(boundary, { environment: {} });
  expect(again.engine.ledger.denylistCount()).toBeGreaterThan(0);
  await again.close();
});
