// The ledger on a full disk: a write fails closed, and what was written is either recorded or still announced; with space again everything is forgotten.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { EPISODES, EPISODES_SQL, openScene, S, SUMMARIES, SUMMARIES_SQL } from "../cases/scene.ts";

const script = fileURLToPath(new URL("./full-disk-writer.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
/** `ulimit -f` counts 512 or 1,024 bytes, by shell. */
const BLOCKS = 1_200;

it("FORGET-1 LINEAGE-2: a commit that the ledger cannot take stays announced, and the next write commits it first", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  const { ledger } = scene.memory.engine;
  const other = new Database(ledger.file);
  const record = (key: string, write: () => void): Promise<unknown> =>
    scene.memory.record("episodes", { key, subjects: [S], content: { text: "a word" } }, () => {
      scene.app.prepare("INSERT INTO episodes VALUES (?, 's-4471', 'a word')").run(key);
      write();
    });
  await expect(record("e1", () => void other.exec("BEGIN IMMEDIATE"))).rejects.toMatchObject({ code: "LEDGER_LOCKED" });
  expect(ledger.counts().artifacts).toBe(0);
  expect(ledger.openIntents().map(({ ref }) => ref.key)).toEqual(["e1"]);
  other.exec("ROLLBACK");
  other.close();
  await record("e2", () => {
    expect(ledger.counts().artifacts).toBe(1);
  });
  expect(ledger.counts().artifacts).toBe(2);
  expect(ledger.openIntents()).toEqual([]);
});

it.skipIf(process.platform === "win32" || (!existsSync(built) && process.env["CI"] === undefined)).each([1, 25])(
  "FORGET-1 LINEAGE-2: a ledger that cannot grow refuses writes of %i, says where and what to do, and loses none (needs the build)",
  async (size) => {
    const scene = await openScene({
      sql: EPISODES_SQL + SUMMARIES_SQL,
      surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
    });
    const shell = `trap '' XFSZ; ulimit -f ${BLOCKS}; exec "$0" "$@"`;
    const child = spawnSync("sh", ["-c", shell, process.execPath, script, scene.directory, String(size)], {
      encoding: "utf8",
    });
    const { told, written } = JSON.parse(child.stdout) as {
      readonly told: Readonly<Record<"name" | "code" | "message" | "file" | "cure", string>>;
      readonly written: number;
    };
    expect(told.name).toBe("LedgerError");
    expect(told.code).toMatch(/^LEDGER_(FULL|IO)$/u);
    expect(told.file).toContain("deleatur.db");
    expect(told.cure).toMatch(/disk/u);
    expect(told.message).not.toContain("kkkk");
    const { ledger } = scene.memory.engine;
    const stored = scene.rows("SELECT id FROM episodes").map((row) => (row as { readonly id: string }).id);
    expect(stored).toHaveLength(written);
    const announced = ledger.openIntents().map(({ ref }) => String(ref.key));
    const recorded = ledger.counts().artifacts;
    expect(recorded).toBeGreaterThan(0);
    // Every write of the last batch is announced, or none is; whatever the store holds is recorded or announced.
    expect([0, size]).toContain(announced.length);
    expect(recorded + announced.filter((key) => stored.includes(key)).length).toBe(written);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.state).toBe("closed");
    expect(scene.rows("SELECT id FROM episodes")).toEqual([]);
    expect(ledger.openIntents()).toEqual([]);
  },
);
