// Proves on real servers what a scan of kind `redis` reads: every type, every key however it is spelled, people, sources, content and when a key expires.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isRedisMissing, REDIS_BINARIES, startRedis } from "../../servers/redis-server.ts";
import { bindRedis, collect, keys, openAnswers, openBound, signal } from "./open-redis.ts";

const TTL_MS = 3_600_000;

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("reading %s", (binary) => {
  it("LINEAGE-4: reads person, sources, content and vector of a hash as a semantic cache lays it out", async () => {
    const server = await startRedis({ binary });
    const vector = Float32Array.from({ length: 16 }, (_, at) => at / 3);
    const texts = ["prompt", "where do I live", "response", "in the Hummelgasse", "user", "s-1"];
    await server.send("HSET", "answer:1", ...texts, "sources", '["e1",["a","b"],7]');
    await server.send("HSET", "answer:1", "embedding", Buffer.from(vector.buffer));
    const surface = await openAnswers(
      server,
      {
        subject: { field: "user", type: "account" },
        content: ["prompt", "response"],
        vector: "embedding",
        derivedFrom: { surface: "episodes", field: "sources", as: "json" },
        shared: "destroy",
      },
      { boundary: { surfaces: EPISODES } },
    );
    expect(await collect(surface.scan(signal))).toEqual([
      {
        surface: "answers",
        key: "answer:1",
        subjects: [{ type: "account", value: "s-1" }],
        sources: [
          { surface: "episodes", key: "e1" },
          { surface: "episodes", key: '["a","b"]' },
          { surface: "episodes", key: "7" },
        ],
        content: [
          { type: "text", name: "prompt", text: "where do I live" },
          { type: "text", name: "response", text: "in the Hummelgasse" },
          { type: "vector", name: "embedding", vector },
        ],
      },
    ]);
  });

  it("reads strings, JSON text, lists, sets, sorted sets and streams", async () => {
    const server = await startRedis({ binary });
    await server.send("SET", "answer:a", "plain text");
    await server.send(
      "SET",
      "answer:b",
      JSON.stringify({ user: { id: 42 }, messages: [{ text: "one" }, { text: "two" }] }),
    );
    await server.send(
      "RPUSH",
      "answer:c",
      JSON.stringify({ user: { id: "x" }, messages: { text: "listed" } }),
      "no JSON",
    );
    await server.send("SADD", "answer:d", "member");
    await server.send("ZADD", "answer:e", "1", "scored", "0", "first");
    await server.send("XADD", "answer:f", "1-1", "text", "streamed", "user", "9");
    const surface = await openAnswers(server, { content: ["value", "messages.text", "text"] });
    const found = await collect(surface.scan(signal));
    expect(
      found.map(({ key, content }) => [
        key,
        content.map((field) => (field.type === "text" ? `${field.name}=${field.text}` : field.type)),
      ]),
    ).toEqual([
      ["answer:a", ["value=plain text"]],
      ["answer:b", [expect.stringContaining("value={"), "messages.text=one", "messages.text=two"]],
      ["answer:c", [expect.stringContaining("value={"), "value=no JSON", "messages.text=listed"]],
      ["answer:d", ["value=member"]],
      ["answer:e", ["value=first", "value=scored"]],
      ["answer:f", ["text=streamed"]],
    ]);
  });

  it("VERDICT-4: a person that the path does not reach in a value stops the scan; one that is missing is nobody", async () => {
    const server = await startRedis({ binary });
    const surface = await openAnswers(server, {
      subject: [
        { field: "user.id", type: "account" },
        { segment: 2, of: "key", sep: ":", type: "account" },
      ],
    });
    const read = async (...command: readonly (string | Buffer)[]): Promise<readonly string[]> => {
      await server.send("FLUSHALL");
      await server.send(...command);
      return (await collect(surface.scan(signal))).flatMap(({ subjects }) => subjects.map(({ value }) => value));
    };
    const unread: readonly (readonly (string | Buffer)[])[] = [
      ["SET", "answer:1", "user s"],
      ["SET", "answer:1", '{"user":"s"}'],
      ["SET", "answer:1", '{"user":{"id":{"of":"s"}}}'],
      ["SET", "answer:1", '{"user":{"id":true}}'],
      ["SET", "answer:1", String.raw`"{\"user\":{\"id\":\"s\"}}"`],
      ["HSET", "answer:1", "user", "s"],
      ["HSET", "answer:1", "user", '{"id":"s"'],
      ["HSET", "answer:1", "user.id", Buffer.from([0x73, 0xff])],
      ["RPUSH", "answer:1", '{"user":{"id":"t"}}', "user s"],
      ["XADD", "answer:1", "1-1", "user", "5"],
      ["SET", Buffer.from([...Buffer.from("answer:1:s:"), 0xff]), '{"user":{"id":"t"}}'],
    ];
    for (const command of unread) await expect(read(...command)).rejects.toMatchObject({ code: "SUBJECT_UNREADABLE" });
    for (const text of ["", "{}", '{"user":null}', '{"user":[]}', '{"user":{"id":null}}'])
      expect(await read("SET", "answer:1", text)).toEqual([]);
    expect(await read("HSET", "answer:1", "text", "said")).toEqual([]);
    expect(await read("SET", "answer:1", '{"user":[{"id":"s"},{"id":5}]}')).toEqual(["s", "5"]);
    expect((await read("SET", "answer:1", '{"user":{"id":"s"},"user":{"id":"t"}}')).toSorted()).toEqual(["s", "t"]);
    expect(await read("SET", "answer:1:s", "{}")).toEqual(["s"]);
  });

  it("reads each key by its own type and with its own term, whatever the keys before it were", async () => {
    const server = await startRedis({ binary });
    const wanted = new Map<string, string>();
    const add = async (at: number, type: string): Promise<void> => {
      const key = `answer:${String(at).padStart(3, "0")}`;
      wanted.set(key, type);
      if (type === "hash") await server.send("HSET", key, "a", "one", "b", "two");
      else if (type === "list") await server.send("RPUSH", key, "one", "two", "three");
      else if (type === "stream") await server.send("XADD", key, "1-1", "a", "one");
      else await server.send("SET", key, "one");
    };
    for (let at = 0; at < 210; at += 1) await add(at, at < 205 ? "hash" : "string");
    for (let at = 210; at < 250; at += 1) await add(at, ["list", "string", "stream", "hash"][at % 4] ?? "");
    // A stream without entries is there all the same.
    await server.send("XDEL", "answer:214", "1-1");
    // Too large to be read together with others.
    await server.send("SET", "answer:300", "x".repeat(70_000));
    await server.send("HSET", "answer:301", ...Array.from({ length: 1_200 }, (_, at) => String(at)));
    const sizes: Readonly<Record<string, number>> = { hash: 2, list: 3, string: 1, stream: 1 };
    const expected: unknown[] = [...wanted].map(([key, type]) => [key, key === "answer:214" ? 0 : sizes[type], false]);
    expected.push(["answer:300", 1, false], ["answer:301", 600, false]);
    await server.send("ACL", "SETUSER", "plain", "on", ">word", "~*", "+@all", "-@scripting");
    const ways = [{}, { url: `redis://plain:word@127.0.0.1:${server.port}` }];
    const read = async (more: object): Promise<(readonly unknown[])[]> =>
      (await collect((await openAnswers(server, {}, more)).scan(signal))).map(({ key, content, expires }) => [
        key,
        content.length,
        expires !== undefined,
      ]);
    for (const way of ways) expect(await read(way)).toEqual(expected);
    // One term among many keys that have none is not passed over.
    await server.send("PEXPIRE", "answer:007", String(TTL_MS));
    for (const way of ways) expect((await read(way)).filter(([, , ends]) => ends)).toEqual([["answer:007", 2, true]]);
  });

  it("LINEAGE-4: reads people and sources alone where no more is asked for, wherever in a hash they stand", async () => {
    const server = await startRedis({ binary });
    for (let at = 0; at < 20; at += 1) await server.send("HSET", `answer:${at + 10}`, "text", "said", "from", "[1]");
    await server.send("HSET", "answer:1", "a.user.id", "dotted", "text", "x");
    await server.send("HSET", "answer:2", "a.user", '{"id":"inner"}', "text", "x");
    await server.send("HSET", "answer:3", "a", '{"user":{"id":["one","two"]}}', "text", "x", "from", "[7,8]");
    await server.send("SET", "answer:4", '{"a":{"user":{"id":"text"}},"from":[9]}');
    const surface = await openAnswers(
      server,
      {
        subject: { field: "a.user.id", type: "account" },
        derivedFrom: { surface: "episodes", field: "from", as: "json" },
        content: ["text"],
        shared: "destroy",
      },
      { boundary: { surfaces: EPISODES } },
    );
    const whole = await collect(surface.scan(signal));
    const lineage = await collect(surface.scan(signal, "lineage"));
    expect(lineage).toEqual(whole.map((artifact) => ({ ...artifact, content: [] })));
    const named = lineage.flatMap(({ subjects }) => subjects.map(({ value }) => value));
    expect(named.toSorted()).toEqual(["dotted", "inner", "one", "text", "two"]);
    expect(lineage.flatMap(({ sources }) => sources).length).toBe(23);
  });

  it("takes all for content where none is declared, but what names people and sources", async () => {
    const server = await startRedis({ binary });
    await server.send("HSET", "answer:1", "user", "s-1", "anything", "kept here", "raw", Buffer.from([0xff, 0, 1]));
    const surface = await openAnswers(server, { subject: { field: "user", type: "account" } });
    const [artifact] = await collect(surface.scan(signal));
    expect(artifact?.content).toEqual([
      { type: "text", name: "anything", text: "kept here" },
      { type: "bytes", name: "raw", bytes: Uint8Array.of(0xff, 0, 1) },
    ]);
  });

  it("takes characters of a prefix for themselves, and tells binary keys and the empty key apart", async () => {
    const server = await startRedis({ binary });
    const odd = [Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(""), Buffer.from("bytes:fffe00"), Buffer.from("plain")];
    for (const key of odd) await server.send("SET", key, "text");
    for (const key of ["a[1]*:x", "a1:y", "a[1]z:y"]) await server.send("SET", key, "text");
    const escaped = await openAnswers(server, { prefix: "a[1]*" });
    expect((await collect(escaped.scan(signal))).map(({ key }) => key)).toEqual(["a[1]*:x"]);
    const all = await openAnswers(server, { pattern: "*" });
    const spelled = (await collect(all.scan(signal))).map(({ key }) => key);
    expect(spelled).toHaveLength(7);
    expect(spelled).toEqual(
      expect.arrayContaining(["bytes:fffe00", "bytes:", "bytes:62797465733a666666653030", "plain"]),
    );
    const erased = await all.erase(keys("bytes:fffe00", "bytes:", "bytes:62797465733a666666653030"), signal);
    expect(erased.map(({ outcome }) => outcome)).toEqual(["erased", "erased", "erased"]);
    expect(await server.send("DBSIZE")).toBe(4);
  });

  it("C14 C16: keys that a join would make equal, and people whose names begin alike, stay apart", async () => {
    const server = await startRedis({ binary });
    await server.send("HSET", "user:42", "note", "goes");
    await server.send("HSET", "user:421", "note", "stays");
    await server.send("HSET", "user:a:b", "c", "one");
    await server.send("HSET", "user:a", "b:c", "other");
    const surface = await openAnswers(server, {
      prefix: "user:",
      each: "field",
      subject: { segment: 1, sep: ":", type: "account" },
    });
    const found = await collect(surface.scan(signal));
    expect(found.map(({ key, subjects }) => [key, subjects[0]?.value])).toEqual([
      ['["user:42","note"]', "42"],
      ['["user:421","note"]', "421"],
      ['["user:a","b:c"]', "a"],
      ['["user:a:b","c"]', "a"],
    ]);
    await surface.erase(keys('["user:42","note"]', '["user:a","b:c"]'), signal);
    expect((await collect(surface.scan(signal))).map(({ key }) => key)).toEqual([
      '["user:421","note"]',
      '["user:a:b","c"]',
    ]);
  });

  it("ATTEST-5: reads back when a key expires, and leaves out what expired meanwhile", async () => {
    const server = await startRedis({ binary });
    const until = Date.now() + TTL_MS;
    await server.send("SET", "answer:bounded", "text", "PXAT", String(until));
    await server.send("SET", "answer:unbounded", "text");
    await server.send("SET", "answer:gone", "text", "PXAT", String(Date.now() - 1000));
    const surface = await openAnswers(server, {});
    expect((await collect(surface.scan(signal))).map(({ key, expires }) => [key, expires?.getTime()])).toEqual([
      ["answer:bounded", until],
      ["answer:unbounded", undefined],
    ]);
    expect(await collect(surface.read(keys("answer:gone"), signal))).toEqual([]);
    expect(await surface.erase(keys("answer:gone"), signal)).toMatchObject([{ outcome: "absent" }]);
  });

  it("reads to exhaustion while the table grows and shrinks: every key that is there throughout, each once", async () => {
    const server = await startRedis({ binary, persistence: "none" });
    const stay = Array.from(
      { length: 2_000 },
      (_, at) => `answer:${createHash("sha256").update(String(at)).digest("hex")}`,
    );
    await Promise.all(stay.map((key) => server.send("SET", key, "text")));
    const surface = await openAnswers(server, {});
    const end = new AbortController();
    const churn = (async () => {
      for (let round = 0; !end.signal.aborted; round += 1) {
        const some = Array.from({ length: 2_000 }, (_, at) => `other:${round}:${at}`);
        await Promise.all(some.map((key) => server.send("SET", key, "x")));
        await server.send("UNLINK", ...some);
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const found = (await collect(surface.scan(signal))).map(({ key }) => key);
      expect(found).toEqual(stay.toSorted());
    }
    end.abort();
    await churn;
  });

  it("keeps to the database that its address names", async () => {
    const server = await startRedis({ binary });
    await server.send("SET", "answer:zero", "text");
    await server.send("SELECT", "2");
    await server.send("SET", "answer:two", "text");
    const bound = bindRedis(server, {}, { database: 2 });
    const surface = await openBound(bound);
    expect((await collect(surface.scan(signal))).map(({ key }) => key)).toEqual(["answer:two"]);
    expect((await surface.census(signal)).map(({ name }) => name)).toEqual(["cache.answer:*", "cache.[db 0]"]);
  });

  it("refuses to enumerate what it cannot read: sources that are no keys, a type that the unit does not have", async () => {
    const server = await startRedis({ binary });
    await server.send("HSET", "answer:1", "sources", '{"no":"list"}');
    const derived = await openAnswers(
      server,
      { derivedFrom: { surface: "episodes", field: "sources", as: "json" }, shared: "destroy" },
      { boundary: { surfaces: EPISODES } },
    );
    await expect(collect(derived.scan(signal))).rejects.toMatchObject({ code: "SOURCES_UNREADABLE" });
    const entries = await openAnswers(server, { each: "entry" });
    await expect(collect(entries.scan(signal))).rejects.toMatchObject({ code: "TYPE_UNFIT" });
  });
});

const EPISODES = {
  episodes: { kind: "redis", role: "primary", store: "cache", prefix: "episode:" },
} as const;
