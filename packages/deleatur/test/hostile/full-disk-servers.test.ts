// A server whose disk is full from one step of a forget on: never a success, a message that says so, nothing of others lost, and a resume ends it once there is room.
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { DeleaturError } from "../../src/model/errors.ts";
import {
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T_SAYS,
} from "../cases/scene.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { startPostgres } from "../servers/postgres-server.ts";
import { isRedisMissing, startRedis } from "../servers/redis-server.ts";
import { isDiskMissing, smallDisk, type SmallDisk } from "../servers/small-disk.ts";

/** Behind the last of them a server needs no more room than it has: what it says then is true. */
const STEPS = ["fence", "erase", "purge", "epoch"] as const;
const SETTINGS = { min_wal_size: "2MB", max_wal_size: "4MB", log_min_messages: "panic" };
const TEXTS = Object.entries({ "s-4471": S_SAYS, "t-0815": T_SAYS });

interface Answer {
  readonly outcome?: RequestOutcome;
  readonly said: string;
}

async function forgetOver(scene: Scene): Promise<Answer> {
  try {
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    const reasons = outcome.reasons.map(({ code, rule }) => `${code} ${rule}`);
    return { outcome, said: [...outcome.surfaces.flatMap(({ troubles = [] }) => troubles), ...reasons].join("; ") };
  } catch (error) {
    if (!(error instanceof DeleaturError)) throw error;
    return { said: `${error.code} ${error.message}` };
  }
}

/** Fills the disk once, when the step begins, as soon as it is armed. */
function fillAt(
  disk: SmallDisk,
  step: string,
): { report(event: { readonly step: string }): void; arm(): void; was(): string } {
  let state = "laid";
  return {
    arm: () => void (state = "armed"),
    was: () => state,
    report(event) {
      if (state !== "armed" || event.step !== step) return;
      state = "filled";
      disk.fill();
    },
  };
}

async function resume(scene: Scene): Promise<RequestOutcome> {
  const [request] = scene.memory.engine.ledger.requests();
  const { memory } = scene;
  return request === undefined ? memory.forget({ subject: [S], now: true }) : memory.resume(request.id, { now: true });
}

const installation = findPostgres();

describe.skipIf(isDiskMissing || installation === undefined)(
  "CLAIM-5 FORGET-1: a PostgreSQL whose disk is full",
  () => {
    it.each(STEPS)("from %s on", async (step) => {
      if (installation === undefined) return;
      const disk = smallDisk(96);
      const server = await startPostgres(installation, SETTINGS, 1, disk.directory);
      onTestFinished(() => server.stop());
      const database = await server.createDatabase();
      await server.query(database, EPISODES_SQL);
      const filling = fillAt(disk, step);
      const scene = await openScene({
        sql: EPISODES_SQL,
        surfaces: { episodes: EPISODES, remote: { ...EPISODES, kind: "postgres", store: "server", key: "id" } },
        connect: { server: { url: server.url(database) } },
        report: (event) => filling.report(event),
      });
      await recordBoth(scene);
      for (const [account, texts] of TEXTS)
        for (const [at, text] of texts.entries()) {
          const key = `${account.slice(0, 1)}${at}`;
          await scene.memory.record(
            "remote",
            { key, subjects: [`account:${account}`], content: { text } },
            async () => {
              await server.query(database, "INSERT INTO episodes VALUES ($1, $2, $3)", [key, account, text]);
            },
          );
        }
      filling.arm();
      const { outcome, said } = await forgetOver(scene);
      expect([filling.was(), outcome?.exitCode === 0]).toEqual(["filled", false]);
      expect(said).toMatch(/STORE_FULL/u);
      expect(said).not.toContain("accordion");
      disk.free();
      // It may have ended over its own log.
      await server.kill();
      await server.start();
      expectErasure(scene, await resume(scene));
      const left = await server.query(database, "SELECT account, count(*)::int AS n FROM episodes GROUP BY account");
      expect(left).toEqual([{ account: "t-0815", n: 3 }]);
    });
  },
);

describe.skipIf(isDiskMissing || isRedisMissing)("CLAIM-5 FORGET-1: a Redis whose disk is full", () => {
  it.each(STEPS.slice(0, 3))("from %s on", async (step) => {
    const disk = smallDisk(8);
    const server = await startRedis({ parent: disk.directory });
    const filling = fillAt(disk, step);
    const scene = await openScene({
      sql: EPISODES_SQL,
      surfaces: {
        episodes: EPISODES,
        answers: {
          kind: "redis",
          role: "primary",
          store: "cache",
          prefix: "answer:",
          subject: { field: "user", type: "account" },
          content: ["text"],
        },
      },
      connect: { cache: { url: server.url } },
      report: (event) => filling.report(event),
    });
    await recordBoth(scene);
    for (const [user, texts] of TEXTS)
      for (const [at, text] of texts.entries()) {
        const key = `answer:${user.slice(0, 1)}${at}`;
        await scene.memory.record("answers", { key, subjects: [`account:${user}`], content: { text } }, async () => {
          await server.send("HSET", key, "user", user, "text", text);
        });
      }
    const disks = async (): Promise<unknown> => (await scene.memory.check()).purges.map(({ disk: at }) => at?.mount);
    expect(await disks()).toContain(disk.directory);
    filling.arm();
    const { outcome, said } = await forgetOver(scene);
    expect([filling.was(), outcome?.exitCode === 0]).toEqual(["filled", false]);
    expect(said).toContain(`the file system at ${disk.directory}`);
    expect(said).not.toContain("accordion");
    disk.free();
    expectErasure(scene, await resume(scene));
    expect(S_SAYS.map((text) => server.count(text))).toEqual([0, 0, 0]);
    expect(await server.send("KEYS", "answer:t*")).toHaveLength(3);
  });
});
