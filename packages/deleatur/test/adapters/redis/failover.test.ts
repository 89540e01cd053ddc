// A real failover while a person is being forgotten: the replica is promoted and answers at the same address, and the former primary keeps the bytes.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startSwitch } from "../../servers/address-switch.ts";
import { isRedisMissing, REDIS_BINARIES, type RedisServer, startRedis } from "../../servers/redis-server.ts";
import { collect, keys, openAnswers, signal } from "./open-redis.ts";
import type { RequestId } from "../../../src/model/ids.ts";

const REQUEST = "0123456789abcdef0123456789abcdef" as RequestId;
const ORDER = { request: REQUEST, identifiers: [], keys: keys("answer:s"), sources: new Map<string, never>() };
const GONE = "The violet accordion in my cellar still smells of cardamom after the flood";

async function untilLinked(replica: RedisServer): Promise<void> {
  while (!(await replica.text("INFO", "replication")).includes("master_link_status:up")) await wait(20);
}

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("a failover of %s", (binary) => {
  it.each(["stays away", "comes back as its replica"])(
    "CLAIM-6: a purge after one says so once; without one it says nothing (the former server %s)",
    async (fate) => {
      const primary = await startRedis({ binary });
      const replica = await startRedis({ binary, of: primary });
      await untilLinked(replica);
      const address = await startSwitch(primary.port);
      await primary.send("HSET", "answer:s", "text", GONE);
      await primary.send("WAIT", "1", "5000");
      const surface = await openAnswers(primary, { content: ["text"] }, { url: `redis://127.0.0.1:${address.port}` });
      expect(await surface.fence(ORDER, signal)).toBe("leased");
      expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
      expect(await collect(surface.scan(signal))).toHaveLength(1);
      expect(await surface.erase(keys("answer:s"), signal)).toMatchObject([{ outcome: "erased" }]);
      await primary.send("SET", "other", "1");
      await primary.send("WAIT", "1", "5000");

      await primary.kill9();
      await replica.send("REPLICAOF", "NO", "ONE");
      address.to(replica.port);
      expect(primary.count(GONE)).toBeGreaterThan(0);
      if (fate === "comes back as its replica") {
        await primary.start();
        await primary.send("REPLICAOF", "127.0.0.1", String(replica.port));
      }
      expect(await surface.purge(signal)).toMatchObject({
        outcome: "pending",
        why: expect.stringContaining("another server answers for store cache than when the fence was raised") as string,
      });
      expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
      expect(replica.count(GONE)).toBe(0);
    },
  );

  it("a declared replica, which has its primary's notes, is no other server, and one that is down keeps no note standing", async () => {
    const primary = await startRedis({ binary });
    const replica = await startRedis({ binary, of: primary });
    await untilLinked(replica);
    const surface = await openAnswers(primary, { content: ["text"] }, { replicas: [replica] });
    await surface.fence(ORDER, signal);
    // It waits for what its own connection wrote last.
    await primary.send("SET", "other", "1");
    await primary.send("WAIT", "1", "5000");
    expect(await replica.send("HLEN", "deleatur:fence")).toBe(1);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    await replica.kill9();
    expect(await surface.unfence([REQUEST], signal)).toBe("ended");
    expect(await primary.send("EXISTS", "deleatur:fence")).toBe(0);
  });

  it("a server that was killed and started again in its own folder is no other", async () => {
    const server = await startRedis({ binary });
    const surface = await openAnswers(server, { content: ["text"] });
    await surface.fence(ORDER, signal);
    await server.kill9();
    await server.start();
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
  });

  it("the note of a fence is nobody's key, is told with the fences, and goes with the request; what else has its name is a key", async () => {
    const server = await startRedis({ binary });
    const surface = await openAnswers(server, { content: ["text"], prefix: "deleatur:" });
    await surface.fence(ORDER, signal);
    expect(await collect(surface.scan(signal))).toEqual([]);
    expect(await surface.fences(signal)).toEqual([REQUEST]);
    await server.send("HSET", "deleatur:fence", "note", GONE);
    expect((await collect(surface.scan(signal))).map(({ key }) => key)).toEqual(["deleatur:fence"]);
    await server.send("HDEL", "deleatur:fence", "note");
    expect(await surface.unfence([REQUEST], signal)).toBe("ended");
    expect(await surface.fences(signal)).toEqual([]);
    expect(await server.send("EXISTS", "deleatur:fence")).toBe(0);
  });
});
