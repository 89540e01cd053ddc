// Drafting a boundary from a live server: a known layout is recognised, people's names stay out of the draft, and the draft erases.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectServer } from "../../../src/adapters/postgres/inspect-layout.ts";
import { inspectKeys } from "../../../src/adapters/redis/inspect-layout.ts";
import { inspectSqliteLayout } from "../../../src/adapters/sqlite/inspect-layout.ts";
import { draftBoundary } from "../../../src/boundary/draft-boundary.ts";
import { parseBoundary } from "../../../src/boundary/parse-boundary.ts";
import { UsageError } from "../../../src/model/errors.ts";
import { isRedisMissing, startRedis } from "../../servers/redis-server.ts";
import { signal } from "./open-redis.ts";

const VECTOR = Buffer.from(Float32Array.from({ length: 32 }, (_, at) => at / 7).buffer);

describe.skipIf(isRedisMissing)("init over a live server", () => {
  it("recognises RedisVL's semantic cache, drafts what else begins alike, and writes nobody's name", async () => {
    const server = await startRedis({ persistence: "none" });
    for (const id of ["1f", "2e", "3d"]) {
      const texts = ["entry_id", id, "prompt", "where does she live now", "response", "in the street by the river"];
      await server.send("HSET", `docs:${id}`, ...texts, "prompt_vector", VECTOR, "inserted_at", "1796070886.1");
      await server.send("XADD", `chat:${id}`, "*", "user_id", "s-4471", "text", "a message of quite a few words");
    }
    await server.send("SET", "ottenwald:note", "only one key begins so");
    await server.send("SET", "s-4471:a", "x");
    await server.send("SET", "s-4471:b", "y");
    await server.send("SET", `deleatur:ledger:${"ab".repeat(16)}`, "1");
    const environment = { REDIS_URL: server.url };
    const draft = await draftBoundary(
      ["${REDIS_URL}"],
      { directory: tmpdir(), inspectSqlite: inspectSqliteLayout, inspectKeys, inspectServer, environment },
      signal,
    );
    expect(draft.yaml).not.toMatch(/ottenwald|4471|deleatur:ledger|127\.0\.0\.1/);
    expect(draft.notes).toContainEqual(expect.stringContaining("3 keys of cache"));
    expect(draft.notes).toContainEqual(expect.stringContaining("redisvl-cache"));
    const boundary = parseBoundary(draft.yaml, { file: join(tmpdir(), "deleatur.yaml"), env: environment });
    expect(boundary.surfaces).toMatchObject([
      { kind: "redis", pattern: "chat:*", each: "entry", subject: [{ field: "user_id", type: "account" }] },
      { id: "docs.answers", kind: "redis", pattern: "docs:*", vector: "prompt_vector" },
    ]);
    expect(boundary.surfaces[1]?.content.map(({ column }) => column)).toEqual(["prompt", "response"]);
    const sourced = parseBoundary(
      draft.yaml.replace("preset: redisvl-cache", "preset: redisvl-cache\n    source: chat\n    shared: destroy"),
      { file: join(tmpdir(), "deleatur.yaml"), env: environment },
    );
    expect(sourced.surfaces[1]?.derivedFrom).toEqual([{ surface: "chat", field: "metadata.sources", as: "json" }]);
  });

  it("refuses a variable that holds no address", async () => {
    for (const environment of [{}, { REDIS_URL: "http://127.0.0.1" }])
      await expect(
        draftBoundary(
          ["${REDIS_URL}"],
          { directory: tmpdir(), inspectSqlite: inspectSqliteLayout, inspectKeys, inspectServer, environment },
          signal,
        ),
      ).rejects.toThrow(UsageError);
  });
});
