// What a Redis can hide from the user that it lets in, and beside its keys: each keeps the verdict open (C08, VERDICT-4).
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { REDIS_BINARIES, isRedisMissing, type RedisServer, startRedis } from "../servers/redis-server.ts";
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
  tempFolder,
} from "./scene.ts";

const ANSWERS = {
  kind: "redis",
  role: "primary",
  store: "cache",
  prefix: "answer:",
  subject: { field: "user", type: "account" },
  content: ["text"],
} as const;

async function openCache(server: RedisServer, rights?: readonly string[]): Promise<Scene> {
  let { url } = server;
  if (rights !== undefined) {
    await server.send("ACL", "SETUSER", "agent", "on", ">word", ...rights);
    url = url.replace("//", "//agent:${WORD}@");
  }
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, answers: ANSWERS },
    connect: { cache: { url } },
    environment: { WORD: "word" },
  });
  await recordBoth(scene);
  for (const [user, texts] of Object.entries({ "s-4471": S_SAYS, "t-0815": T_SAYS }))
    for (const [at, text] of texts.entries())
      await scene.memory.record(
        "answers",
        { key: `answer:${user.slice(0, 1)}${at}`, subjects: [`account:${user}`], content: { text } },
        async () => void (await server.send("HSET", `answer:${user.slice(0, 1)}${at}`, "user", user, "text", text)),
      );
  return scene;
}

const forget = (scene: Scene): Promise<RequestOutcome> => scene.memory.forget({ subject: [S], now: true });
const ALL = ["~*", "+@all"];

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("a user of %s", (binary) => {
  it("that may do all is no hindrance", async () => {
    const scene = await openCache(await startRedis({ binary }), ALL);
    const outcome = await forget(scene);
    expectErasure(scene, outcome);
    expect(outcome.reasons).toEqual([]);
  });

  it("C08 VERDICT-4: that sees the names of keys and may not read them: what nobody declared keeps the verdict open", async () => {
    const server = await startRedis({ binary });
    await server.send("HSET", "note:1", "text", S_SAYS[0]);
    const outcome = await forget(await openCache(server, ["~answer:*", "+@all"]));
    expect([outcome.verdict, codes(outcome)]).toEqual([
      "UNCONFIRMED",
      expect.arrayContaining(["UNDECLARED_CONTAINER"]),
    ]);
  });

  it("VERDICT-4: that may not read a part of the declared keys: the location is not looked at, and never clean", async () => {
    const server = await startRedis({ binary });
    const scene = await openCache(server, ["~answer:t*", "~answer:s0", "+@all"]);
    const outcome = await forget(scene);
    expect(outcome.verdict).not.toBe("COMPLIANT");
    expect(outcome.exitCode).not.toBe(0);
    expect(outcome.surfaces.find(({ surface }) => surface === "answers")?.state).toBe("uncovered");
  });
});

const compiler = spawnSync("cc", ["--version"]).status === 0;
if (!compiler) process.stderr.write("\nSKIPPED: a module in a Redis, install a compiler: apt-get install -y gcc\n");

describe.skipIf(isRedisMissing || !compiler)("a server with a module that nobody knows", () => {
  it("C08: keeps the verdict open until somebody says what it is", async () => {
    const module = join(tempFolder(), "module.so");
    const source = fileURLToPath(new URL("../servers/redis-module.c", import.meta.url));
    expect(spawnSync("cc", ["-shared", "-fPIC", "-o", module, source]).status).toBe(0);
    const server = await startRedis({ args: ["--loadmodule", module] });
    const scene = await openCache(server);
    expect((await scene.memory.check()).undeclared).toEqual(["cache.[module elsewhere]"]);
    const outcome = await forget(scene);
    expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["UNDECLARED_CONTAINER"]]);
    await scene.reopen({ census: { include: ["memory.*", "cache.*"], quiet: ["cache.[module elsewhere]"] } });
    expect((await scene.memory.check()).undeclared).toEqual([]);
  });
});
