// A semantic cache in Redis over episodes in SQLite, end to end: answers go with what they were made from, others' answers stay, and every cut corner is caught.
import colors from "picocolors";
import { describe, expect, it } from "vitest";
import type { SurfaceInput } from "../../src/boundary/boundary-input.ts";
import { outcomeText } from "../../src/cli/print/outcome-report.ts";
import { fillDisk } from "../../src/conformance/trouble.ts";
import type { SurfaceId } from "../../src/model/ids.ts";
import type { Surface } from "../../src/surface.ts";
import { isRedisMissing, type Persistence, type RedisServer, startRedis } from "../servers/redis-server.ts";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T_SAYS,
} from "./scene.ts";

const ANSWERS = {
  kind: "redis",
  role: "cache",
  store: "cache",
  prefix: "answer:",
  content: ["prompt", "response"],
  vector: "embedding",
  derivedFrom: { surface: "episodes", field: "sources", as: "json" },
  shared: "destroy",
} as const satisfies SurfaceInput;

interface CacheScene {
  readonly scene: Scene;
  readonly server: RedisServer;
}

async function cacheScene(
  persistence: Persistence = "both",
  change: Partial<SurfaceInput> = {},
  servers: {
    readonly server?: RedisServer;
    readonly connect?: Readonly<Record<string, { readonly url: string }>>;
  } = {},
): Promise<CacheScene> {
  const server = servers.server ?? (await startRedis({ persistence }));
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, answers: { ...ANSWERS, ...change } },
    connect: { cache: { url: server.url }, ...servers.connect },
  });
  await recordBoth(scene);
  for (const [at, text] of S_SAYS.entries()) await answer(scene, server, `answer:s${at + 1}`, [`s${at + 1}`], text);
  for (const [at, text] of T_SAYS.entries()) await answer(scene, server, `answer:t${at + 1}`, [`t${at + 1}`], text);
  return { scene, server };
}

/** The application answers from its memory and keeps the answer, as a semantic cache does: prompt, response, vector, and which episodes it read. */
async function answer(
  scene: Scene,
  server: RedisServer,
  key: string,
  sources: readonly string[],
  text: string,
  ttlSeconds?: number,
): Promise<void> {
  // No five words are common to two people's answers.
  const content = { prompt: text.split(" ").toReversed().join(" "), response: `${text}. ${text}.` };
  const vector = Float32Array.from({ length: 64 }, (_, at) =>
    Math.sin(at * 7 + key.charCodeAt(7) + 100 * key.charCodeAt(8)),
  );
  await scene.memory.derive(
    "answers",
    { key, sources: sources.map((id) => `episodes/${id}`), content: { ...content, embedding: vector } },
    async () => {
      const fields = ["prompt", content.prompt, "response", content.response, "sources", JSON.stringify(sources)];
      await server.send("HSET", key, ...fields, "embedding", Buffer.from(vector.buffer));
      if (ttlSeconds !== undefined) await server.send("EXPIRE", key, String(ttlSeconds));
    },
  );
}

async function keysIn(server: RedisServer): Promise<readonly string[]> {
  const found = await server.send("KEYS", "answer:*");
  return Array.isArray(found) ? found.map(String).toSorted() : [];
}

function sabotage(scene: Scene, lie: (honest: Surface) => Partial<Surface>): void {
  const open = scene.memory.engine.open.bind(scene.memory.engine);
  Object.assign(scene.memory.engine, {
    async open(id: SurfaceId): Promise<Surface> {
      const honest = await open(id);
      if (id !== "answers") return honest;
      const lies = lie(honest);
      return new Proxy(honest, {
        get: (target, name, receiver) => (name in lies ? Reflect.get(lies, name) : Reflect.get(target, name, receiver)),
      });
    },
  });
}

describe.skipIf(isRedisMissing)("a semantic cache", () => {
  it.each(["both", "rdb", "aof"] as const)(
    "FORGET-2 CLAIM-5 LINEAGE-5: answers go with the episodes that they were made from, T's stay, and the receipt is verified (%s)",
    async (persistence) => {
      const { scene, server } = await cacheScene(persistence);
      const outcome = await scene.memory.forget({ subject: [S], now: true });
      expectErasure(scene, outcome);
      expect(await keysIn(server)).toEqual(["answer:t1", "answer:t2", "answer:t3"]);
      expect(S_SAYS.map((text) => server.count(text.slice(0, 30)))).toEqual([0, 0, 0]);
      expect(outcome.bystanders).toMatchObject({ lost: 0 });
    },
  );

  it("ATTEST-5: a declared time to live that each answer has bounds what is out of reach; one answer without it leaves the cache unbounded", async () => {
    const { scene, server } = await cacheScene("both", { horizon: { ttl: "PT1H" } });
    const check = await scene.memory.check();
    expect(check.best.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["UNBOUNDED", "answers"]);
    const first = await scene.memory.forget({ subject: [S], now: true });
    expect(first.verdict).toBe("PARTIAL");
    expect(codes(first)).toEqual(["UNBOUNDED"]);
    // Erased it is all the same.
    expect(await keysIn(server)).toEqual(["answer:t1", "answer:t2", "answer:t3"]);
    for (const key of await keysIn(server)) await server.send("EXPIRE", key, "3000");
    const second = await scene.memory.resume(first.request, { now: true });
    expect({ verdict: second.verdict, codes: codes(second), exit: second.exitCode }).toEqual({
      verdict: "UNCONFIRMED",
      codes: ["HORIZON_OPEN"],
      exit: 22,
    });
    // An hour and a day is more than an hour.
    await server.send("EXPIRE", "answer:t1", "90000");
    const again = await scene.memory.check();
    expect(again.best.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["UNBOUNDED", "answers"]);
  });

  it("FORGET-2: what its own term ends meanwhile is neither a loss nor a control, and a store of such alone is not taken for another", async () => {
    const { scene, server } = await cacheScene();
    for (const key of await keysIn(server)) await server.send("EXPIRE", key, "600");
    sabotage(scene, (honest) => ({
      async erase(keys, signal) {
        const erased = await honest.erase(keys, signal);
        for (const key of await keysIn(server)) await server.send("PEXPIRE", key, "1");
        scene.clock.advance(700_000);
        return erased;
      },
    }));
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expectErasure(scene, outcome);
    expect(outcome.bystanders).toMatchObject({ lost: 0 });
    expect(await keysIn(server)).toEqual([]);
  });

  it("C16 FORGET-2: an answer of somebody else that is gone before its term is a loss, and is said first", async () => {
    const { scene, server } = await cacheScene();
    await server.send("EXPIRE", "answer:t1", "100000");
    sabotage(scene, (honest) => ({
      async erase(keys, signal) {
        await server.send("DEL", "answer:t1");
        return honest.erase(keys, signal);
      },
    }));
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.bystanders).toMatchObject({ lost: 1 });
    expect(outcome.exitCode).toBe(20);
  });

  it("CLAIM-6: a replica out of reach is a tombstone at best, and no success; when it is back, the resumed request ends", async () => {
    const server = await startRedis();
    const replica = await startRedis({ persistence: "rdb", of: server });
    const { scene } = await cacheScene(
      "both",
      { replicas: ["copy"] },
      { server, connect: { copy: { url: replica.url } } },
    );
    await replica.stop();
    const first = await scene.memory.forget({ subject: [S], now: true });
    expect(first.verdict).not.toBe("COMPLIANT");
    expect(first.exitCode).not.toBe(0);
    expect(first.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["UNREACHABLE", "answers"]);
    await replica.start();
    await expect
      .poll(() => replica.text("INFO", "replication"), { timeout: 30_000 })
      .toContain("master_link_status:up");
    expectErasure(scene, await scene.memory.resume(first.request, { now: true }));
    expect(await keysIn(replica)).toEqual(["answer:t1", "answer:t2", "answer:t3"]);
    expect(S_SAYS.map((text) => replica.count(text.slice(0, 30)))).toEqual([0, 0, 0]);
  });

  it("FORGET-1: a server killed in the middle of an erase, or of a purge, is no success; resumed, the request ends and leaves no byte", async () => {
    for (const moment of ["erase", "purge"] as const) {
      const server = await startRedis({ args: ["--rdb-key-save-delay", moment === "purge" ? "300000" : "0"] });
      const { scene } = await cacheScene("both", {}, { server });
      let isDone = false;
      sabotage(scene, (honest) => ({
        async erase(keys, signal) {
          if (moment !== "erase" || isDone) return honest.erase(keys, signal);
          isDone = true;
          await honest.erase(keys.slice(0, 1), signal);
          await server.kill9();
          return honest.erase(keys, signal);
        },
        async purge(signal) {
          if (moment !== "purge" || isDone) return honest.purge(signal);
          isDone = true;
          const purging = honest.purge(signal);
          await expect
            .poll(() => server.text("INFO", "persistence"), { timeout: 30_000 })
            .toMatch(/(?:bgsave|rewrite)_in_progress:1/);
          await server.kill9();
          return purging;
        },
      }));
      const first = await scene.memory.forget({ subject: [S], now: true });
      expect(first.verdict).not.toBe("COMPLIANT");
      expect(first.attestation.kind).not.toBe("erasure");
      expect(first.exitCode).not.toBe(0);
      await server.start();
      await server.send("CONFIG", "SET", "rdb-key-save-delay", "0");
      expectErasure(scene, await scene.memory.resume(first.request, { now: true }));
      expect(await keysIn(server)).toEqual(["answer:t1", "answer:t2", "answer:t3"]);
      expect(S_SAYS.map((text) => server.count(text.slice(0, 30)))).toEqual([0, 0, 0]);
    }
  });

  it.each([
    ["may only be read", "STORE_READONLY"],
    ["has no room on its disk", "see its log and the disk of"],
  ])("FORGET-1: a cache that %s is no success, and the outcome says so; resumed, the request ends", async (_, code) => {
    const { scene, server } = await cacheScene();
    const end = await (code === "STORE_READONLY" ? makeReplica(server) : fillDiskOf(server));
    const first = await scene.memory.forget({ subject: [S], now: true });
    expect(first).toMatchObject({ state: "stuck", verdict: "PARTIAL", exitCode: 20 });
    const said = first.surfaces.find(({ surface }) => surface === "answers")?.troubles ?? [];
    expect(said.join()).toContain(code);
    expect(JSON.stringify(said)).not.toMatch(/answer:|127\.0\.0\.1/);
    const shown = outcomeText(first, { paint: colors.createColors(false), areKeysShown: false });
    expect(shown).toContain(`What stood in the way:\n  answers: ${said[0] ?? ""}\n`);
    await end();
    const second = await scene.memory.resume(first.request, { now: true });
    expectErasure(scene, second);
    expect(second.surfaces.some(({ troubles }) => troubles !== undefined)).toBe(false);
    expect(await keysIn(server)).toEqual(["answer:t1", "answer:t2", "answer:t3"]);
    for (const text of S_SAYS) expect(server.count(text)).toBe(0);
  });

  it("C12 VERDICT-1: a client that swallows what the server refuses deletes nothing, and is believed nothing", async () => {
    const { scene, server } = await cacheScene();
    sabotage(scene, (honest) => ({
      erase: async (keys) => keys.map((key) => ({ surface: "answers" as SurfaceId, key, outcome: "erased" as const })),
      purge: honest.purge.bind(honest),
    }));
    const outcome = await scene.memory.forget({ subject: [S], now: true, allowTombstone: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    expect(["withheld", "none"]).toContain(outcome.attestation.kind);
    expect(outcome.exitCode).not.toBe(0);
    expect(await keysIn(server)).toHaveLength(6);
  });

  it("C11 VERDICT-1: a purge that did nothing, or one of the two rewrites alone, leaves bytes that are found, and is purged again", async () => {
    const { scene, server } = await cacheScene();
    await server.send("SAVE");
    let purges = 0;
    sabotage(scene, () => ({
      async purge() {
        purges += 1;
        return { outcome: "purged", method: "none at all" };
      },
    }));
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).toBe("PARTIAL");
    expect(codes(outcome)).toEqual(["SURVIVOR_FOUND"]);
    expect(purges).toBeGreaterThan(1);
  });

  it("C21: answers that name their person otherwise stay unknown until that identifier is given or mapped", async () => {
    const server = await startRedis();
    const scene = await openScene({
      sql: EPISODES_SQL,
      identifiers: ["account", "email"],
      surfaces: {
        episodes: EPISODES,
        answers: {
          kind: "redis",
          role: "transcript",
          store: "cache",
          prefix: "answer:",
          subject: { segment: 1, sep: ":", type: "email" },
        },
      },
      connect: { cache: { url: server.url } },
    });
    await recordBoth(scene);
    for (const [at, text] of [S_SAYS[0], T_SAYS[0]].entries())
      await scene.memory.record(
        "answers",
        { key: `answer:${at}@home`, subjects: [`email:${at}@home`], content: { value: text } },
        () => server.send("SET", `answer:${at}@home`, `${text}. So it was.`),
      );
    const unknown = await scene.memory.forget({ subject: [S], now: true });
    expect(codes(unknown)).toContain("IDENTIFIER_UNKNOWN");
    expect(unknown.verdict).not.toBe("COMPLIANT");
    const outcome = await scene.memory.forget({ subject: [S, "email:0@home"], now: true });
    expect(outcome.exitCode).toBe(0);
    expect(await keysIn(server)).toEqual(["answer:1@home"]);
  });

  it("CONTAINER_SHARED, undeclared keys: another ledger's marker and keys that nobody declared keep the verdict down, and name nobody", async () => {
    const { scene, server } = await cacheScene();
    await server.send("SET", "session:s-4471@home", `${S_SAYS[0]}. Kept by another part.`);
    await server.send("SET", `deleatur:ledger:${"ab".repeat(16)}`, "1");
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    expect(codes(outcome)).toEqual(expect.arrayContaining(["CONTAINER_SHARED", "UNDECLARED_CONTAINER"]));
    expect(JSON.stringify(outcome)).not.toContain("session:");
  });
});

/** Replica of a primary that there is not: it answers, and takes no write. */
async function makeReplica(server: RedisServer): Promise<() => Promise<unknown>> {
  await server.send("REPLICAOF", "127.0.0.1", "1");
  return () => server.send("REPLICAOF", "NO", "ONE");
}

async function fillDiskOf(server: RedisServer): Promise<() => Promise<unknown>> {
  const hindrance = fillDisk([server.pid]);
  if (hindrance.outcome !== "hindered") throw new Error(hindrance.why);
  return () => hindrance.end();
}
