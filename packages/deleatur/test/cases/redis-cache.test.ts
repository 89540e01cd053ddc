// A semantic cache in Redis over episodes in SQLite, end to end: answers go with what they were made from, others' answers stay, and every cut corner is caught.
import { describe, expect, it } from "vitest";
import type { SurfaceInput } from "../../src/boundary/boundary-input.ts";
import { isRedisMissing, type Persistence, type RedisServer, startRedis } from "../servers/redis-server.ts";
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
});
