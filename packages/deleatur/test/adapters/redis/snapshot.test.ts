// Proves on files that real servers wrote that the eyes read every encoding of a snapshot to its end, and say so where they cannot.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Crc64 } from "../../../src/adapters/redis/eyes/crc64.ts";
import { FileCursor } from "../../../src/adapters/redis/eyes/file-cursor.ts";
import { inflateLzf } from "../../../src/adapters/redis/eyes/lzf.ts";
import { ziplistNumbers } from "../../../src/adapters/redis/eyes/packed-numbers.ts";
import { parseResp, Refusal, respCommand } from "../../../src/adapters/redis/eyes/resp.ts";
import { seeSnapshot } from "../../../src/adapters/redis/eyes/see-snapshot.ts";
import { isRedisMissing, REDIS_BINARIES, type RedisServer, startRedis } from "../../servers/redis-server.ts";

/** All that does not stand in the file as it is. @throws RangeError as the reader does */
function unpack(file: string): Buffer {
  const fd = openSync(file, "r");
  try {
    return Buffer.concat([...seeSnapshot(new FileCursor(fd))].map(({ bytes }) => bytes));
  } finally {
    closeSync(fd);
  }
}

function marked(name: string, repeat: number): string {
  return `marker ${name} `.repeat(repeat).trim();
}

const LONG_NUMBER = "123456789012345678";
const SMALL = 3;
const LARGE = 40;
const MANY = 600;

/** Every type, small (packed) and large, with texts that compress and texts that do not. */
async function fillAll(server: RedisServer): Promise<readonly string[]> {
  const texts: string[] = [];
  const text = (name: string, repeat: number): string => {
    texts.push(`marker ${name}`);
    return marked(name, repeat);
  };
  await server.send("SET", "string:short", text("string-short", 1));
  await server.send("SET", "string:long", text("string-long", LARGE));
  await server.send("SET", "number", "1234567");
  await server.send("SET", "number:long", LONG_NUMBER);
  await server.send("RPUSH", "list:small", text("list-small", SMALL), LONG_NUMBER, "7", "-70000", "5000000");
  await server.send("RPUSH", "list:plain", text("list-plain", 1_000));
  await server.send("RPUSH", "list:many", ...Array.from({ length: MANY }, (_, at) => text(`list-${at}-`, SMALL)));
  await server.send("HSET", "hash:small", "field", text("hash-small", SMALL), "phone", LONG_NUMBER);
  await server.send("HSET", "hash:large", "field", text("hash-large", LARGE));
  await server.send("SADD", "set:numbers", LONG_NUMBER, "1", "2");
  await server.send("SADD", "set:texts", text("set-a", SMALL), text("set-b", SMALL));
  await server.send("ZADD", "zset:small", "1.5", text("zset-small", SMALL), "2", LONG_NUMBER);
  await server.send(
    "ZADD",
    "zset:large",
    ...Array.from({ length: 200 }, (_, at) => [String(at / 3), text(`zset-${at}-`, SMALL)]).flat(),
  );
  await server.send("ZADD", "zset:infinite", "+inf", text("zset-infinite", LARGE));
  for (let at = 0; at < 250; at += 1)
    await server.send("XADD", "stream", `${at + 1}-0`, "text", text(`stream-${at}-`, SMALL), "n", LONG_NUMBER);
  await server.send("XGROUP", "CREATE", "stream", text("stream-group", SMALL), "0");
  await server.send(
    "XREADGROUP",
    "GROUP",
    marked("stream-group", SMALL),
    text("stream-consumer", SMALL),
    "COUNT",
    "5",
    "STREAMS",
    "stream",
    ">",
  );
  await server.send("XDEL", "stream", "7-0");
  await server.send("SET", "string:expires", text("expires", SMALL), "EX", "10000");
  await server.send("SELECT", "3");
  await server.send("SET", "string:elsewhere", text("elsewhere", SMALL));
  await server.send("SELECT", "0");
  return texts;
}

describe.skipIf(isRedisMissing).each(REDIS_BINARIES)("a snapshot of %s", (binary) => {
  it.each([
    ["as it is by default", []],
    ["without compression", ["--rdbcompression", "no"]],
    ["without checksum", ["--rdbchecksum", "no"]],
    ["evicting by use", ["--maxmemory-policy", "allkeys-lru", "--maxmemory", "100mb"]],
    ["evicting by frequency", ["--maxmemory-policy", "allkeys-lfu", "--maxmemory", "100mb"]],
    [
      "with nothing packed",
      ["--hash-max-listpack-entries", "0", "--zset-max-listpack-entries", "0", "--list-max-listpack-size", "1"],
    ],
  ])("is read to its end, every text seen: %s", async (_, args) => {
    const server = await startRedis({ binary, persistence: "rdb", args });
    const texts = await fillAll(server);
    await server.send("SAVE");
    const file = join(server.directory, "dump.rdb");
    const all = Buffer.concat([readFileSync(file), unpack(file)]);
    expect(texts.filter((text) => !all.includes(text))).toEqual([]);
    expect(all.includes(LONG_NUMBER)).toBe(true);
  });

  it("holds texts that a scan of its bytes does not find", async () => {
    const server = await startRedis({ binary, persistence: "rdb" });
    await server.send("SET", "a", marked("compressed", LARGE));
    await server.send("SAVE");
    const file = join(server.directory, "dump.rdb");
    expect(readFileSync(file).includes(marked("compressed", 3))).toBe(false);
    expect(unpack(file).includes(marked("compressed", LARGE))).toBe(true);
  });

  it("is not believed where a byte of it was changed or its end is missing", async () => {
    const server = await startRedis({ binary, persistence: "rdb" });
    await server.send("SET", "a", "a text of which one letter is changed");
    await server.send("SAVE");
    const whole = readFileSync(join(server.directory, "dump.rdb"));
    const changed = Buffer.from(whole);
    changed[whole.indexOf("letter")] = 0x4c;
    const file = join(server.directory, "other.rdb");
    for (const bytes of [changed, whole.subarray(0, whole.length - 4), whole.subarray(0, 30)]) {
      writeFileSync(file, bytes);
      expect(() => unpack(file)).toThrow(RangeError);
    }
    writeFileSync(file, whole);
    expect(() => unpack(file)).not.toThrow();
  });

  it("is read as the base of an append-only file", async () => {
    const server = await startRedis({ binary, persistence: "aof" });
    await server.send("SET", "a", marked("appended", LARGE));
    await server.send("BGREWRITEAOF");
    await expect
      .poll(() => server.files().filter((file) => file.includes("2.base")), { timeout: 20_000 })
      .toHaveLength(1);
    const base = server.files().find((file) => file.includes("2.base")) ?? "";
    expect(unpack(join(server.directory, base)).includes(marked("appended", 3))).toBe(true);
  });
});

describe("what a snapshot is made of", () => {
  it("has the checksum of the specification", () => {
    const crc = new Crc64();
    crc.update(Buffer.from("123456789"));
    // The check value that Redis's own crc64.c names.
    expect(crc.digest().toString("hex")).toBe("cad9b8c414d9c6e9");
  });

  it("is refused where compressed bytes reach outside their text", () => {
    expect(inflateLzf(Uint8Array.of(2, 97, 98, 99, 0x20, 2), 6).toString()).toBe("abcabc");
    expect(inflateLzf(Uint8Array.of(0, 97, 0xe0, 1, 0), 11).toString()).toBe("aaaaaaaaaaa");
    for (const [bytes, length] of [
      [[2, 97], 3],
      [[0x20, 5], 3],
      [[0, 97], 2],
      [[1, 97, 98], 1],
    ] as const)
      expect(() => inflateLzf(Uint8Array.from(bytes), length)).toThrow(RangeError);
  });

  it("may be of an older server, that packs in ziplists", () => {
    const entries = Buffer.from([
      0,
      0xe0,
      0x4e,
      0xf3,
      0x30,
      0xa6,
      0x4b,
      0x9b,
      0xb6,
      0x01, // 123456789012345678
      10,
      0x03,
      0x61,
      0x62,
      0x63, // "abc"
      5,
      0xfd, // 12
    ]);
    const list = Buffer.alloc(10 + entries.length + 1, 0xff);
    list.writeUInt32LE(list.length, 0);
    list.writeUInt32LE(10 + 15, 4);
    list.writeUInt16LE(3, 8);
    entries.copy(list, 10);
    expect(ziplistNumbers(list)).toEqual([LONG_NUMBER]);
    expect(() => ziplistNumbers(list.subarray(0, -1))).toThrow(RangeError);
  });

  it("answers in RESP are read whole or not at all", () => {
    const nested = Buffer.from("*3\r\n$3\r\nabc\r\n:7\r\n*2\r\n$-1\r\n-NOPERM no\r\n");
    expect(parseResp(nested, 0)).toEqual({
      value: [Buffer.from("abc"), 7, [null, new Refusal("NOPERM no")]],
      end: nested.length,
    });
    for (let length = 1; length < nested.length; length += 1) {
      const { value, end } = parseResp(nested.subarray(0, length), 0);
      expect(value).toBeUndefined();
      expect(end).toBeGreaterThan(length);
      expect(end).toBeLessThanOrEqual(nested.length);
    }
    expect(() => parseResp(Buffer.from("HTTP/1.1 400\r\n"), 0)).toThrow("no RESP");
    expect(respCommand(["GET", Buffer.from([0xff])])).toEqual(
      Buffer.from("*2\r\n$3\r\nGET\r\n$1\r\n\xff\r\n", "latin1"),
    );
  });
});
