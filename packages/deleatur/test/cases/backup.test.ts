// Copies in backups that nobody here opens: an erasure waits for their retention, or names them in a tombstone; and a server that archives its log needs them declared.
import { describe, expect, it } from "vitest";
import type { SurfaceInput } from "../../src/boundary/boundary-input.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { startPostgres } from "../servers/postgres-server.ts";
import { openPostgresScene } from "./postgres-scene.ts";
import { backUp, restored } from "./restored.ts";
import {
  codes,
  DAY_MS,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  failedChecks,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T_SAYS,
} from "./scene.ts";

const BACKUPS = {
  kind: "backup",
  role: "backup",
  label: "backups",
  horizon: { max: "P30D", basis: "retention of the archive, read 2026-11" },
} as const satisfies SurfaceInput;

async function backedUp(change: Partial<SurfaceInput> = {}): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, archive: { ...BACKUPS, ...change } },
  });
  await recordBoth(scene);
  return scene;
}

it("ATTEST-5 ATTEST-8 RISK-1: within their retention it is issued, not effective; the confirming audit after it closes the request", async () => {
  const scene = await backedUp();
  const best = (await scene.memory.check()).best;
  expect([best.attestation, best.effectiveAfterSeconds]).toEqual(["erasure", 30 * 24 * 3600]);
  const issued = await scene.memory.forget({ subject: [S], now: true });
  expect([issued.verdict, codes(issued), issued.exitCode]).toEqual(["UNCONFIRMED", ["HORIZON_OPEN"], 22]);
  expect([issued.state, issued.attestation.kind]).toEqual(["confirming", "erasure"]);
  const early = scene.verify(issued);
  expect([failedChecks(early), early.outcome.kind]).toEqual([[], "not-yet-effective"]);
  expect(new Date(issued.until ?? 0).getTime() - scene.clock.now().getTime()).toBeGreaterThan(29 * DAY_MS);
  scene.clock.advance(30 * DAY_MS + 10_000);
  expect(scene.verify(issued).outcome.kind).toBe("erasure");
  expectErasure(scene, await scene.memory.resume(issued.request, { now: true }));
});

it.each([
  ["without a retention", { horizon: undefined }],
  ["beyond the ninety days that hold where no limit is given", { horizon: { max: "P91D", basis: "retention" } }],
  ["beyond the limit that is declared", { horizonLimit: "P7D" }],
] as const)("ATTEST-5 ATTEST-4: %s they are a gap: the best is a tombstone that names them", async (_, change) => {
  const scene = await backedUp(change);
  const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
  expect([outcome.verdict, codes(outcome), outcome.exitCode]).toEqual(["PARTIAL", ["UNBOUNDED"], 20]);
  expect(outcome.reasons.map(({ surface }) => surface)).toEqual(["archive"]);
  expect(outcome.attestation.kind).toBe("tombstone");
  expect(failedChecks(scene.verify(outcome))).toEqual([]);
  const plain = await scene.reopen();
  expect((await plain.check()).best).toMatchObject({ attestation: "tombstone", surfaces: ["archive"] });
});

it("GUARD-4 ATTEST-8: what is restored from a declared backup is erased again by a replay, which waits for the retention anew", async () => {
  const scene = await backedUp({ of: "memory" });
  const restore = backUp(scene, ["memory.db"]);
  const issued = await scene.memory.forget({ subject: [S], now: true });
  expect([issued.state, codes(issued)]).toEqual(["confirming", ["HORIZON_OPEN"]]);
  scene.clock.advance(10 * DAY_MS);
  await restored(scene, restore);
  const { memory } = scene;
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 6 }]);
  const outcome = await memory.replay({ now: true });
  // Nobody opens the backup: it is not among what was looked at, and every replay counts its retention from its own purge.
  expect(outcome.surfaces).toMatchObject([{ surface: "episodes", back: 3, left: 0 }]);
  expect([outcome.state, outcome.exitCode]).toEqual(["whole", 22]);
  const [again] = outcome.requests;
  expect([again?.state, again?.attestation.kind]).toEqual(["confirming", "erasure"]);
  const days = (new Date(again?.until ?? 0).getTime() - new Date(issued.until ?? 0).getTime()) / DAY_MS;
  expect(Math.round(days)).toBe(10);
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 3 }]);
  // Asked again while that waits, nothing is back.
  const second = await memory.replay({ now: true });
  expect([second.state, second.surfaces[0]?.back]).toEqual(["whole", 0]);
  scene.clock.advance(31 * DAY_MS);
  for (const id of [issued.request, again?.request ?? ""]) expectErasure(scene, await memory.resume(id, { now: true }));
});

const installation = findPostgres();

describe.skipIf(installation === undefined)("a PostgreSQL server that archives its log", () => {
  it("ATTEST-5 CLAIM-5: its purge is unsupported until the archive is declared, then the erasure waits for its retention", async () => {
    if (installation === undefined) return;
    const server = await startPostgres(installation, { archive_mode: "on", archive_command: "true" });
    try {
      const episodes = { ...EPISODES, kind: "postgres", key: "id" } as const;
      const scene = await openPostgresScene(server, { sql: EPISODES_SQL, surfaces: { episodes } });
      for (const [account, texts] of [
        ["s-4471", S_SAYS],
        ["t-0815", T_SAYS],
      ] as const)
        for (const [place, text] of texts.entries()) {
          const key = `${account.slice(0, 1)}${place + 1}`;
          await scene.memory.record(
            "episodes",
            { key, subjects: [`account:${account}`], content: { text } },
            async () => {
              await scene.query("INSERT INTO episodes VALUES ($1, $2, $3)", [key, account, text]);
            },
          );
        }
      const alone = await scene.memory.forget({ subject: [S], now: true });
      expect([alone.verdict, codes(alone)]).toEqual(["PARTIAL", ["UNSUPPORTED"]]);
      expect(alone.surfaces).toMatchObject([{ surface: "episodes", purge: "unsupported" }]);
      // A backup of another store, or one that does not say of which, is no archive of this one.
      for (const other of [BACKUPS, { ...BACKUPS, of: "elsewhere" }]) {
        const stays = await scene.reopen({ surfaces: { episodes, archive: other }, replicas: { elsewhere: server } });
        expect((await stays.check()).best).toMatchObject({ attestation: "tombstone", surfaces: ["episodes"] });
        const again = await stays.resume(alone.request, { now: true });
        expect(codes(again)).toContain("UNSUPPORTED");
      }
      const memory = await scene.reopen({ surfaces: { episodes, archive: { ...BACKUPS, of: "memory" } } });
      expect((await memory.check()).best).toMatchObject({
        attestation: "erasure",
        effectiveAfterSeconds: 30 * 24 * 3600,
      });
      const declared = await memory.resume(alone.request, { now: true });
      expect([declared.verdict, codes(declared), declared.exitCode]).toEqual(["UNCONFIRMED", ["HORIZON_OPEN"], 22]);
      expect(declared.attestation.kind).toBe("erasure");
      const early = scene.verify(declared);
      expect([failedChecks(early), early.outcome.kind]).toEqual([[], "not-yet-effective"]);
    } finally {
      await server.stop();
    }
  });
});
