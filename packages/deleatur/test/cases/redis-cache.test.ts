// A semantic cache in Redis over episodes in SQLite, end to end: answers go with what they were made from, others' answers stay, and every cut corner is caught.
import { describe, expect, it } from "vitest";
import type { SurfaceInput } from "../../src/boundary/boundary-input.ts";
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
    const second = await scene.memory.resume(first.request);
    expect({ verdict: second.verdict, codes: codes(second), exit: second.exitCode }).toEqual({
      verdict: "UNCONFIRMED",
      codes: ["HORIZON_OPEN"],
      exit: 22,
    });
    await server.send("EXPIRE", "answer:t1", "90000");
    expect(codes(await scene.memory.resume(first.request))).toContain("UNBOUNDED");
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
});
