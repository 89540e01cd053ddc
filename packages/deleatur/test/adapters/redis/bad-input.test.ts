// Servers that are down, slow, full, read-only, locked or lying: none of it is ever a success, and what is said is which of them it was, without a word of theirs.
import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/model/errors.ts";
import { isRedisMissing, REDIS_BINARIES, type RedisServer, startRedis } from "../../servers/redis-server.ts";
import { bindRedis, collect, keys, look, needleOf, openAnswers, openBound, signal, textField } from "./open-redis.ts";

const SECRET = "the violet accordion in my cellar still smells of cardamom";
const NEEDLES = [
  needleOf(0, "answer:s", [textField(SECRET)]),
  needleOf(1, "answer:t", [textField("the beekeeping association meets on alternate Thursdays")], "control"),
];

async function fill(server: RedisServer): Promise<void> {
  await server.send("HSET", "answer:s", "text", SECRET);
  await server.send("HSET", "answer:t", "text", "the beekeeping association meets on alternate Thursdays");
}

/** The error of a promise that must be rejected; it says no key and no content. */
async function errorOf(work: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof StoreError)) throw new Error("it was not refused as a store's error", { cause: error });
  expect(error.message).not.toMatch(/answer:|violet|127\.0\.0\.1|secret/);
  return error;
}

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("bad input from %s", (binary) => {
  it("a server that is down is out of reach, for the hands and for the eyes", async () => {
    const server = await startRedis({ binary });
    await fill(server);
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await server.stop();
    for (const act of [
      () => collect(surface.scan(signal)),
      () => surface.erase(keys("answer:s"), signal),
      () => surface.purge(signal),
      () => surface.census(signal),
      () => surface.markers(signal),
      () => bound.open(),
    ])
      expect((await errorOf(act())).code).toBe("STORE_MISSING");
    expect((await look(bound, NEEDLES)).map(({ status }) => status)).toEqual(["blind", "blind", "blind", "blind"]);
  });

  it("a server that says nothing is given up, for the hands and for the eyes", async () => {
    const server = await startRedis({ binary });
    await fill(server);
    const bound = bindRedis(server, { content: ["text"] });
    const surface = await openBound(bound);
    await server.send("CLIENT", "PAUSE", "600000", "ALL");
    const [scanned, erased, seen] = await Promise.all([
      errorOf(collect(surface.scan(signal))),
      errorOf(surface.erase(keys("answer:s"), signal)),
      look({ ...bound, probes: () => bound.probes().slice(0, 1) }, NEEDLES),
    ]);
    expect([scanned.code, erased.code]).toEqual(["STORE_LOCKED", "STORE_LOCKED"]);
    expect(seen.map(({ status, why }) => [status, why?.slice(0, 12)])).toEqual([["blind", "STORE_LOCKED"]]);
  });

  it("an abort ends what waits for a server", async () => {
    const server = await startRedis({ binary });
    await fill(server);
    const surface = await openAnswers(server, {});
    await server.send("CLIENT", "PAUSE", "600000", "ALL");
    const abort = new AbortController();
    const scanning = collect(surface.scan(abort.signal));
    abort.abort();
    await expect(scanning).rejects.toMatchObject({ name: "AbortError" });
  });

  it("a read-only replica alone is no store to erase from", async () => {
    const server = await startRedis({ binary });
    await fill(server);
    const replica = await startRedis({ binary, of: server });
    await expect
      .poll(() => replica.text("INFO", "replication"), { timeout: 30_000 })
      .toContain("master_link_status:up");
    const surface = await openAnswers(replica, {});
    expect((await errorOf(surface.erase(keys("answer:s"), signal))).code).toBe("STORE_READONLY");
    expect(await surface.mark("0".repeat(32), signal)).toBe("unmarked");
    expect((await surface.foresee(signal)).refused.map(({ act }) => act)).toContain("erase");
    expect(await server.send("EXISTS", "answer:s")).toBe(1);
  });

  it("a server at its maxmemory still has keys erased, and takes no canary", async () => {
    const server = await startRedis({ binary, persistence: "none" });
    await fill(server);
    await server.send("CONFIG", "SET", "maxmemory-policy", "noeviction");
    await server.send("CONFIG", "SET", "maxmemory", "1");
    const surface = await openAnswers(server, { content: ["text"] });
    const canary = {
      surface: "answers",
      key: "deleatur-canary-1",
      subjects: [],
      sources: [],
      content: [textField("x")],
    } as never;
    expect(await surface.plant(canary, signal)).toMatchObject({ outcome: "unsupported" });
    expect(await surface.mark("0".repeat(32), signal)).toBe("unmarked");
    expect(await surface.erase(keys("answer:s"), signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("wrong credentials are refused, and never repeated", async () => {
    const server = await startRedis({ binary, args: ["--requirepass", "right"] });
    const wrong = bindRedis(server, {}, { url: server.url.replace("//", "//:secret@") });
    expect((await errorOf(wrong.open())).code).toBe("STORE_DENIED");
    const none = bindRedis(server, {});
    expect((await errorOf(none.open())).code).toBe("STORE_DENIED");
    for (const bound of [wrong, none])
      expect(
        (await look(bound, NEEDLES)).every(({ status, why = "" }) => status === "blind" && !why.includes("secret")),
      ).toBe(true);
    const right = await openBound(bindRedis(server, {}, { url: server.url.replace("//", "//:right@") }));
    expect(await collect(right.scan(signal))).toEqual([]);
  });

  it("missing rights are an honest lower grade: no purge, no bytes, no erase, each said", async () => {
    const server = await startRedis({ binary });
    await fill(server);
    await server.send("ACL", "SETUSER", "app", "on", ">word", "~*", "+@all", "-bgrewriteaof", "-bgsave", "-config");
    await server.send("ACL", "SETUSER", "deleter", "on", ">word", "~*", "+@all", "-unlink");
    await server.send(
      "ACL",
      "SETUSER",
      "reader",
      "on",
      ">word",
      "~*",
      "+@read",
      "+info",
      "+ping",
      "+select",
      "+hello",
      "+client",
    );
    const as = (user: string): string => server.url.replace("//", `//${user}:word@`);
    const app = bindRedis(server, { content: ["text"] }, { url: as("app") });
    const surface = await openBound(app);
    expect(await surface.purge(signal)).toMatchObject({
      outcome: "unsupported",
      why: expect.stringContaining("BGREWRITEAOF"),
    });
    const [bytes] = (await look(app, NEEDLES)).filter(({ name }) => name === "bytes");
    expect(bytes).toMatchObject({ status: "blind", why: expect.stringContaining("FILES_NOT_SEEN") });
    const reader = await openBound(bindRedis(server, { content: ["text"] }, { url: as("reader") }));
    expect(await collect(reader.scan(signal))).toHaveLength(2);
    expect(await reader.erase(keys("answer:s"), signal)).toMatchObject([
      { outcome: "failed", why: "this user may not erase it" },
    ]);
    expect(await reader.mark("0".repeat(32), signal)).toBe("unmarked");
    const deleter = await openBound(bindRedis(server, {}, { url: as("deleter") }));
    expect(await deleter.erase(keys("answer:s"), signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("a cluster is refused, not read in part", async () => {
    const server = await startRedis({
      binary,
      args: ["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"],
    });
    expect((await errorOf(bindRedis(server, {}).open())).code).toBe("CLUSTER_UNSUPPORTED");
  });

  it("a server that is still loading, or held by a script, is locked", async () => {
    const server = await startRedis({ binary, persistence: "none", args: ["--busy-reply-threshold", "1"] });
    const surface = await openAnswers(server, {});
    const script = server.send(
      "EVAL",
      "local t = redis.call('TIME')[1] while redis.call('TIME')[1] - t < 60 do end",
      "0",
    );
    const ended = script.catch(() => "killed");
    await expect
      .poll(() => errorOf(collect(surface.scan(signal))).then(({ code }) => code), { timeout: 20_000 })
      .toBe("STORE_LOCKED");
    await server.kill9();
    await ended;
  });
});
