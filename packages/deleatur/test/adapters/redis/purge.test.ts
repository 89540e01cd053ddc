// Proves on the files of real servers that an erase and its purge leave nothing, that every corner that is cut is caught by the eyes, and that what could not be done is said.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRedisMissing, REDIS_BINARIES, type RedisServer, startRedis } from "../../servers/redis-server.ts";
import { bindRedis, collect, keys, look, needleOf, openAnswers, openBound, signal, textField } from "./open-redis.ts";

const GONE = "The violet accordion in my cellar still smells of cardamom after the flood last spring";
const STAYS = "The beekeeping association meets on alternate Thursdays behind the abandoned railway depot";

async function fill(server: RedisServer): Promise<void> {
  await server.send("HSET", "answer:s", "text", `${GONE} ${GONE}`);
  await server.send("HSET", "answer:t", "text", `${STAYS} ${STAYS}`);
}

async function settled(server: RedisServer): Promise<void> {
  await expect
    .poll(async () => /in_progress:1|scheduled:1/.test(await server.text("INFO", "persistence")), { timeout: 30_000 })
    .toBe(false);
}

/** What the bytes probe says: whether it saw, and in how many files the erased text is left. */
async function bytesLeft(bound: ReturnType<typeof bindRedis>): Promise<readonly (string | number)[]> {
  const needles = [
    needleOf(0, "answer:s", [textField(`${GONE} ${GONE}`)]),
    needleOf(1, "answer:t", [textField(`${STAYS} ${STAYS}`)], "control"),
  ];
  const run = (await look(bound, needles)).find(({ name }) => name === "bytes");
  const files = new Set(run?.findings.map(({ place }) => place.file));
  return [run?.status ?? "none", files.size, ...(run?.why === undefined ? [] : [run.why])];
}

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("the purge of %s", (binary) => {
  it.each(["both", "rdb", "aof"] as const)(
    "VERDICT-1: leaves no byte in the server's files (%s)",
    async (persistence) => {
      const server = await startRedis({ binary, persistence });
      await fill(server);
      await server.send("SAVE");
      const bound = bindRedis(server, { content: ["text"] });
      const surface = await openBound(bound);
      expect(await surface.erase(keys("answer:s", "answer:absent"), signal)).toMatchObject([
        { outcome: "erased" },
        { outcome: "absent" },
      ]);
      expect((await bytesLeft(bound))[1]).toBeGreaterThan(0);
      expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
      expect(await bytesLeft(bound)).toEqual(["ran", 0]);
      expect(server.count(GONE.slice(0, 20))).toBe(0);
      expect(server.files().filter((file) => /temp-/.test(file))).toEqual([]);
    },
  );

  it.each(["dump.rdb.bak", "yesterday/dump.rdb", "yesterday/of-noon", "notes.txt"])(
    "FORGET-2: a copy that somebody put aside in the server's folder is found (%s)",
    async (name) => {
      const server = await startRedis({ binary, persistence: "both" });
      await fill(server);
      await server.send("SAVE");
      mkdirSync(join(server.directory, "yesterday"));
      if (name === "notes.txt") writeFileSync(join(server.directory, name), GONE);
      else copyFileSync(join(server.directory, "dump.rdb"), join(server.directory, name));
      const bound = bindRedis(server, { content: ["text"] });
      const surface = await openBound(bound);
      await surface.erase(keys("answer:s"), signal);
      await surface.purge(signal);
      expect(await bytesLeft(bound)).toEqual(["ran", 1]);
      rmSync(join(server.directory, name));
      expect(await bytesLeft(bound)).toEqual(["ran", 0]);
    },
  );

  it.each(["both", "rdb"] as const)(
    "ATTEST-4: a copy of the server's folder is not taken for it, whatever stands in it (%s)",
    async (persistence) => {
      const server = await startRedis({ binary, persistence });
      await server.send("HSET", "answer:t", "text", `${STAYS} ${STAYS}`);
      await server.send("SAVE");
      const copy = mkdtempSync(join(tmpdir(), "deleatur-copy-"));
      onTestFinished(() => rmSync(copy, { recursive: true }));
      cpSync(server.directory, copy, { recursive: true });
      utimesSync(join(copy, "dump.rdb"), 1_700_000_000, 1_700_000_000);
      await server.send("HSET", "answer:s", "text", `${GONE} ${GONE}`);
      const own = bindRedis(server, { content: ["text"] }, { data: server.directory });
      const surface = await openBound(own);
      await surface.erase(keys("answer:s"), signal);
      await surface.purge(signal);
      const elsewhere = bindRedis(server, { content: ["text"] }, { data: copy });
      expect(await bytesLeft(elsewhere)).toEqual(["blind", 0, expect.stringContaining("FILES_NOT_SEEN")]);
      expect(await bytesLeft(own)).toEqual(["ran", 0]);
    },
  );

  it("FORGET-2: the name of a key is looked at like what stands under it, and a counter's does not explain itself", async () => {
    const server = await startRedis({ binary, persistence: "both" });
    await fill(server);
    await server.send("SET", `answer:${GONE}`, "another");
    await server.send("INCR", `asked:${GONE}`);
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await surface.erase(keys("answer:s"), signal);
    await surface.purge(signal);
    const runs = await look(bound, [needleOf(0, "answer:s", [textField(`${GONE} ${GONE}`)])]);
    const named = (name: string): readonly (string | undefined)[] =>
      runs.find((run) => run.name === name)?.findings.map(({ place }) => place.key) ?? [];
    expect(named("excerpt")).toEqual([`answer:${GONE}`]);
    await surface.erase(keys(`answer:${GONE}`), signal);
    await surface.purge(signal);
    expect((await bytesLeft(bound))[1]).toBeGreaterThan(0);
    await server.send("DEL", `asked:${GONE}`);
    await surface.purge(signal);
    expect(await bytesLeft(bound)).toEqual(["ran", 0]);
  });

  it("C11: one of the two rewrites alone leaves the other file, which the eyes find, through its compression too", async () => {
    for (const command of [["BGREWRITEAOF"], ["BGSAVE"]]) {
      const server = await startRedis({ binary, persistence: "both" });
      await fill(server);
      await server.send("SAVE");
      await server.send("DEL", "answer:s");
      await server.send(...command);
      await settled(server);
      const bound = bindRedis(server, { content: ["text"] });
      expect(await bytesLeft(bound)).toEqual(["ran", 1]);
      expect(await (await openBound(bound)).purge(signal)).toMatchObject({ outcome: "purged" });
      expect(await bytesLeft(bound)).toEqual(["ran", 0]);
    }
  });

  it("waits for a save that began before the erase, and does not take it for its own", async () => {
    const server = await startRedis({ binary, persistence: "both", args: ["--rdb-key-save-delay", "500"] });
    await fill(server);
    for (let at = 0; at < 1_000; at += 1) await server.send("SET", `filler:${at}`, "x");
    await server.send("BGSAVE");
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await surface.erase(keys("answer:s"), signal);
    expect(await server.text("INFO", "persistence")).toContain("rdb_bgsave_in_progress:1");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await bytesLeft(bound)).toEqual(["ran", 0]);
  });

  it("takes out what a killed save left, and refuses what a switched-off append-only file left", async () => {
    const server = await startRedis({ binary, persistence: "both" });
    await fill(server);
    await server.send("SAVE");
    writeFileSync(join(server.directory, "temp-99999.rdb"), GONE);
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await surface.erase(keys("answer:s"), signal);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await bytesLeft(bound)).toEqual(["ran", 0]);
    await fill(server);
    await server.send("CONFIG", "SET", "appendonly", "no");
    await surface.erase(keys("answer:s"), signal);
    expect(await surface.purge(signal)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("append-only files are left"),
    });
    expect((await bytesLeft(bound))[1]).toBeGreaterThan(0);
  });

  it("says that a rewrite failed: a snapshot or an append-only file that cannot be put in its place", async () => {
    const server = await startRedis({ binary, persistence: "both" });
    await fill(server);
    const surface = await openAnswers(server, { content: ["text"] });
    await surface.erase(keys("answer:s"), signal);
    // No rename takes the place of a folder that is not empty.
    mkdirSync(join(server.directory, "dump.rdb", "in the way"), { recursive: true });
    expect(await surface.purge(signal)).toMatchObject({ outcome: "failed", why: expect.stringContaining("snapshot") });
    rmSync(join(server.directory, "dump.rdb"), { recursive: true });
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    rmSync(join(server.directory, "appendonlydir"), { recursive: true });
    writeFileSync(join(server.directory, "appendonlydir"), "in the way");
    expect(await surface.purge(signal)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("append-only"),
    });
  });

  it("a server without persistence has nothing to write anew; one that is only said to be such is refused", async () => {
    const quiet = await startRedis({ binary, persistence: "none" });
    await fill(quiet);
    const surface = await openAnswers(quiet, { persistence: "none" });
    expect(surface.guarantees).toMatchObject({ deletion: "memory" });
    expect(surface.guarantees.probes).not.toContain("bytes");
    expect(await surface.purge(signal)).toEqual({ outcome: "purged", method: "the server writes no files" });
    expect(quiet.files()).toEqual([]);
    const loud = await startRedis({ binary, persistence: "rdb" });
    expect(await (await openAnswers(loud, { persistence: "none" })).purge(signal)).toMatchObject({ outcome: "failed" });
  });

  it("an old snapshot of a server that saves none any more is written anew", async () => {
    const server = await startRedis({ binary, persistence: "none" });
    await fill(server);
    await server.send("SAVE");
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await surface.erase(keys("answer:s"), signal);
    expect((await bytesLeft(bound))[1]).toBe(1);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await bytesLeft(bound)).toEqual(["ran", 0]);
  });

  it("an entry that XDEL only flagged is out of the snapshot after the purge, and the stream is as it was", async () => {
    const server = await startRedis({ binary, persistence: "rdb", args: ["--rdbcompression", "no"] });
    for (let at = 1; at <= 40; at += 1)
      await server.send(
        "XADD",
        "answer:chat",
        `${at}-0`,
        "text",
        at === 20 ? GONE : `${STAYS} ${at}`,
        "user",
        at === 20 ? "s" : "t",
      );
    await server.send("XGROUP", "CREATE", "answer:chat", "readers", "0");
    await server.send("XREADGROUP", "GROUP", "readers", "ann", "COUNT", "3", "STREAMS", "answer:chat", ">");
    await server.send("PEXPIRE", "answer:chat", "10000000");
    const bound = bindRedis(server, { each: "entry", content: ["text"], subject: { field: "user", type: "account" } });
    const surface = await openBound(bound);
    const gone = (await collect(surface.scan(signal))).filter(({ subjects }) => subjects[0]?.value === "s");
    expect(gone.map(({ key }) => key)).toEqual(['["answer:chat","20-0"]']);
    await surface.erase(
      gone.map(({ key }) => key),
      signal,
    );
    await server.send("SAVE");
    const before = await server.text("XINFO", "GROUPS", "answer:chat");
    expect(server.count(GONE)).toBe(1);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(server.count(GONE)).toBe(0);
    expect(await collect(surface.scan(signal))).toHaveLength(39);
    expect(await server.text("XPENDING", "answer:chat", "readers")).toBe("3,1-0,3-0,ann,3");
    expect(await server.text("XINFO", "GROUPS", "answer:chat")).toBe(`${before}36`);
    expect(Number(await server.send("PTTL", "answer:chat"))).toBeGreaterThan(0);
    await server.send("XADD", "answer:chat", "41-0", "text", "next");
    await expect(server.send("XADD", "answer:chat", "40-1", "text", "too early")).rejects.toThrow("smaller");
  });

  it("FORGET-2: an entry that the application had taken out of a stream is out of its files after the purge, where the stream is the record too", async () => {
    const server = await startRedis({ binary, persistence: "both" });
    for (let at = 1; at <= 9; at += 1)
      await server.send("XADD", "answer:room", `${at}-0`, "text", at === 5 ? GONE : `${STAYS} ${at}`);
    await server.send("HSET", "answer:beside", "text", STAYS);
    await server.send("XDEL", "answer:room", "5-0");
    await server.send("SAVE");
    const surface = await openAnswers(server, { content: ["text"] });
    expect(server.count(GONE)).toBeGreaterThan(0);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(server.count(GONE)).toBe(0);
    expect(await server.text("XLEN", "answer:room")).toBe("8");
  });

  it("CLAIM-6: a replica is read, purged and looked at with its own files; one that does not follow still holds it, and that is said", async () => {
    const server = await startRedis({ binary, persistence: "both" });
    await fill(server);
    const replica = await startRedis({ binary, persistence: "none", of: server });
    await expect
      .poll(() => replica.text("INFO", "replication"), { timeout: 30_000 })
      .toContain("master_link_status:up");
    const bound = bindRedis(server, { content: ["text"] }, { replicas: [replica] });
    const surface = await openBound(bound);
    expect((await surface.census(signal)).map(({ name }) => name).filter((name) => name.includes("replica "))).toEqual(
      [],
    );
    expect(await surface.erase(keys("answer:s"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    const control = [
      needleOf(0, "answer:s", [textField(`${GONE} ${GONE}`)]),
      needleOf(1, "answer:t", [textField(`${STAYS} ${STAYS}`)], "control"),
    ];
    const runs = await look(bound, control);
    expect(runs.map(({ name, status, findings }) => [name, status, findings.length])).toEqual(
      ["key", "exact", "excerpt", "key", "exact", "excerpt", "bytes", "bytes"].map((name) => [name, "ran", 0]),
    );
    expect(replica.count(GONE.slice(0, 20))).toBe(0);
    // It stands still now: what is erased from its primary does not reach it.
    await fill(server);
    await expect.poll(() => replica.send("EXISTS", "answer:s"), { timeout: 30_000 }).toBe(1);
    await replica.send("REPLICAOF", "127.0.0.1", "1");
    expect(await surface.erase(keys("answer:s"), signal)).toMatchObject([
      { outcome: "failed", why: "a replica still holds it" },
    ]);
    expect((await collect(surface.scan(signal))).map(({ key }) => key)).toContain("answer:s");
    await replica.kill9();
    await expect(collect(surface.scan(signal))).rejects.toMatchObject({ code: "STORE_MISSING" });
    await expect(surface.purge(signal)).rejects.toMatchObject({ code: "STORE_MISSING" });
    const blind = await look(bound, control);
    expect(blind.map(({ status }) => status)).toEqual(["ran", "ran", "ran", "blind", "blind", "blind", "ran", "blind"]);
  });

  it("CLAIM-6: a replica that nobody declared is told by the census, one of a declared replica's own too", async () => {
    const server = await startRedis({ binary, persistence: "none" });
    const follow = async (of: RedisServer): Promise<RedisServer> => {
      const replica = await startRedis({ binary, persistence: "none", of });
      await expect.poll(() => of.text("INFO", "replication"), { timeout: 30_000 }).toContain("state=online");
      await expect
        .poll(() => replica.text("INFO", "replication"), { timeout: 30_000 })
        .toContain("master_link_status:up");
      return replica;
    };
    const undeclared = async (...replicas: readonly RedisServer[]): Promise<readonly string[]> => {
      const containers = await (await openAnswers(server, {}, { replicas })).census(signal);
      return containers.map(({ name }) => name).filter((name) => name.includes("[replica"));
    };
    const replica = await follow(server);
    expect(await undeclared()).toEqual(["cache.[replica 1]"]);
    const further = await follow(replica);
    expect(await undeclared(replica)).toEqual(["cache.[replica 1]"]);
    expect(await undeclared(replica, further)).toEqual([]);
    // What is declared in the place of a replica and follows nobody stands for none.
    expect(await undeclared(await startRedis({ binary, persistence: "none" }))).toEqual(["cache.[replica 1]"]);
  });

  it("C08: what the server keeps of commands and functions is looked at, and its logs of slow and large ones are emptied", async () => {
    const server = await startRedis({ binary, persistence: "none" });
    await server.send("SET", "answer:t", STAYS);
    const said = ["slow", "request", "reply", "name of a key", "function"].map((kind) => `${GONE} of a ${kind}`);
    const [slow = "", request = "", reply = "", name = "", code = ""] = said;
    const hasLargeLogs = binary === "valkey-server";
    await server.send("CONFIG", "SET", "slowlog-log-slower-than", "0");
    await server.send("ECHO", slow);
    await server.send("CONFIG", "SET", "slowlog-log-slower-than", "-1");
    if (hasLargeLogs) {
      await server.send("CONFIG", "SET", "commandlog-request-larger-than", "50");
      await server.send("PING", request);
      await server.send("CONFIG", "SET", "commandlog-request-larger-than", "-1");
      await server.send("CONFIG", "SET", "commandlog-reply-larger-than", "50");
      await server.send("ECHO", reply);
      await server.send("CONFIG", "SET", "commandlog-reply-larger-than", "-1");
    }
    await server.send("ACL", "SETUSER", "weak", "on", "nopass", "~none", "+get");
    const weak = createClient({ url: server.url.replace("//", "//weak:any@") });
    await weak.connect();
    await expect(weak.get(name)).rejects.toThrow("NOPERM");
    weak.destroy();
    const library = `#!lua name=said\nredis.register_function('said', function() return '${code}' end)`;
    await server.send("FUNCTION", "LOAD", library);
    const bound = bindRedis(server, { content: ["text"] });
    const needles = [
      ...said.map((one, index) => needleOf(index, `answer:${index}`, [textField(one)])),
      needleOf(said.length, "answer:t", [textField(STAYS)], "control"),
    ];
    const places = async (): Promise<readonly string[]> => {
      const runs = (await look(bound, needles)).filter((run) => run.name === "exact");
      return runs.flatMap(({ findings }) => findings.map(({ needle, place }) => `${needle} ${place.container}`));
    };
    const kept = ["3 cache.[acl log]", "4 cache.[functions]"];
    const large = hasLargeLogs ? ["1 cache.[commandlog]", "2 cache.[commandlog]"] : [];
    expect(new Set(await places())).toEqual(new Set(["0 cache.[slowlog]", ...large, ...kept]));
    const surface = await openBound(bound);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(new Set(await places())).toEqual(new Set(kept));
  });

  it("the eyes are blind where the files cannot be read, and where a file cannot be understood", async () => {
    const server = await startRedis({ binary, persistence: "rdb" });
    await fill(server);
    await server.send("SAVE");
    const elsewhere = bindRedis(server, { content: ["text"] }, { data: join(server.directory, "nowhere") });
    expect(await bytesLeft(elsewhere)).toEqual(["blind", 0, expect.stringContaining("FILES_NOT_SEEN")]);
    const bound = bindRedis(server, { content: ["text"] });
    writeFileSync(join(server.directory, "old.rdb"), "REDIS0010 and then no snapshot");
    expect(await bytesLeft(bound)).toEqual(["blind", 0, expect.stringContaining("SNAPSHOT_UNREADABLE")]);
  });
});
