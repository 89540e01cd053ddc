// The benches of kind `redis` for the kit: servers of their own, written with plain commands; databases of one server are its namespaces.
import { randomBytes } from "node:crypto";
import { createClient } from "redis";
import { redisKind } from "../../src/adapters/redis/index.ts";
import {
  type Bench,
  type BenchOrder,
  type BenchRecord,
  type ConformanceSubject,
  impossible,
  noProcess,
  type Wrote,
  fillDisk,
} from "../../src/conformance/index.ts";
import { type RedisBinary, type RedisServer, startRedis } from "../servers/redis-server.ts";
import { storeNames, writeAlike } from "./write-alike.ts";

const LEASED = "Redis has no trigger, and its access rules know no persons, so that its fence is leased";
/** Names that begin alike. */
const [OWN, BESIDE, STRAY] = ["1", "10", "2"];

type Layout = "hash" | "field" | "entry";

export const redisSubjectOn = (binary: RedisBinary): ConformanceSubject => ({
  name: "redis",
  kind: redisKind({}),
  cannot: {
    "fence-exact": LEASED,
    "fence-sources": LEASED,
    "fence-keys": LEASED,
    "fence-adds": LEASED,
    snapshot: "SCAN goes through the keys one after the other, not at one instant",
    "reused-ids": "an id of a stream is never given again, and any other key is whoever writes's",
    "keys-empty": "the empty key is spelled `bytes:`, since a record's key is never empty",
  },
  async lay(order) {
    const layout = order.keys === "plain" ? "hash" : order.keys === "composite" ? "field" : "entry";
    return await layServers(binary, order, layout);
  },
});

async function layServers(binary: RedisBinary, { origins, replicas }: BenchOrder, layout: Layout): Promise<Bench> {
  const names = storeNames(replicas);
  const servers = new Map<string, RedisServer>();
  // Uncompressed, so that the kit's own reader sees what is there.
  for (const name of names)
    servers.set(name, await startRedis({ binary, persistence: "both", args: ["--rdbcompression", "no"] }));
  const all = [...servers.values()];
  const [own] = all;
  if (own === undefined) throw new Error("no server was laid");
  const write = (server: RedisServer, database: string, records: readonly BenchRecord[]): Promise<Wrote> =>
    writeRecords(server, database, layout, records);
  return {
    outcome: "laid",
    declaration: {
      role: "cache",
      key: [],
      pattern: "*",
      each: layout === "hash" ? "key" : layout,
      subject: [{ type: "account", field: layout === "field" ? "users" : "meta.users" }],
      content: [{ column: "text", as: "text" }],
      vector: layout === "field" ? "vec" : "vec",
      derivedFrom: [{ surface: origins, field: layout === "field" ? "sources" : "meta.sources", as: "json" }],
    },
    connections: names.map((name) => ({ type: "redis", name, url: `${servers.get(name)?.url ?? ""}/${OWN}` })),
    others: [],
    participation: noProcess,
    holds: { accounts: "many", sources: "many", text: true, vectors: true, expiry: layout === "hash" },
    containers: names.map((name) => `${name}.*`),
    write: (records) => writeAlike(all, records, (server, copies) => write(server, OWN ?? "", copies)),
    async writeToReplica(records) {
      const replica = all[1];
      return replica === undefined ? impossible("no replica was laid") : await write(replica, OWN ?? "", records);
    },
    writeBeside: (records) => write(own, BESIDE ?? "", records),
    async readBeside() {
      await own.send("SELECT", BESIDE ?? "");
      const keys = await own.send("KEYS", "*");
      const texts: string[] = [];
      for (const key of Array.isArray(keys) ? keys : []) texts.push(await own.text("HGET", String(key), "text"));
      return texts;
    },
    async addContainer(text) {
      await own.send("SELECT", STRAY ?? "");
      await own.send("SET", "note", text);
      return { outcome: "added", name: `memory.[db ${STRAY}]` };
    },
    files: async () => ({
      outcome: "files",
      paths: all.flatMap((server) => server.files().map((file) => `${server.directory}/${file}`)),
    }),
    async takeAway() {
      for (const server of all) await server.kill9();
      return {
        outcome: "hindered",
        async end() {
          for (const server of all) await server.start();
        },
      };
    },
    // A client in the middle of a transaction, with what it read watched: all that Redis keeps for a reader.
    async openReader() {
      const reader = createClient({ url: `${own.url}/${OWN}` });
      await reader.connect();
      const keys = await reader.keys("*");
      await reader.watch(keys);
      for (const key of keys) await reader.hGetAll(key);
      await reader.sendCommand(["MULTI"]);
      return { outcome: "hindered", end: async () => reader.destroy() };
    },
    // Replicas of a primary that there is not: they answer, and take no write.
    async makeReadOnly() {
      for (const server of all) await server.send("REPLICAOF", "127.0.0.1", "1");
      return {
        outcome: "hindered",
        async end() {
          for (const server of all) await server.send("REPLICAOF", "NO", "ONE");
        },
      };
    },
    fillDisk: async () => fillDisk(all.map(({ pid }) => pid)),
    async close() {
      for (const server of all) await server.kill9();
    },
  };
}

async function writeRecords(
  server: RedisServer,
  database: string,
  layout: Layout,
  records: readonly BenchRecord[],
): Promise<Wrote> {
  const keys: string[] = [];
  await server.send("SELECT", database);
  for (const record of records) {
    const key = record.key ?? newKey(layout);
    if (layout === "hash") {
      if (key === "") return impossible("the empty key is spelled in hex");
      await server.send("DEL", key);
      await server.send("HSET", key, ...fieldsOf(record));
      if (record.expires !== undefined) await server.send("PEXPIREAT", key, String(record.expires.getTime()));
      keys.push(key);
    } else if (layout === "field") {
      // The kit gives a composite key as the JSON array of its parts.
      const [hash = "", field = ""] = JSON.parse(key) as string[];
      if (hash === "" || field === "") return impossible("an empty part is spelled in hex");
      const { text, accounts, sources, vector } = record;
      await server.send(
        "HSET",
        hash,
        field,
        JSON.stringify({ text, users: accounts, sources, vec: vector && [...vector] }),
      );
      keys.push(key);
    } else {
      // A copy in a replica has the id that the first store gave it.
      const id = record.key === undefined ? "*" : ((JSON.parse(record.key) as string[])[1] ?? "*");
      keys.push(JSON.stringify(["log", await server.text("XADD", "log", id, ...fieldsOf(record))]));
    }
  }
  return { outcome: "written", keys };
}

function fieldsOf({ text, accounts, sources, vector }: BenchRecord): readonly (string | Buffer)[] {
  const meta = JSON.stringify({ users: accounts, sources });
  return ["text", text, "meta", meta, ...(vector === undefined ? [] : ["vec", Buffer.from(vector.slice().buffer)])];
}

function newKey(layout: Layout): string {
  const id = randomBytes(8).toString("hex");
  return layout === "field" ? JSON.stringify(["space", id]) : `record-${id}`;
}
