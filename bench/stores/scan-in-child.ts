// One scan in a process of its own, so that its resident memory is its own: by the adapter, or by the bare commands of the store's own client. It changes nothing.
import { performance } from "node:perf_hooks";
import { Client } from "pg";
import { createClient } from "redis";
import { type HashesAt, openSurface, type TableAt } from "./open-surface.ts";

/** What is printed, as one line of JSON. */
export interface Scanned {
  readonly count: number;
  readonly ms: number;
  readonly peakBytes: number;
}

/** `keys` reads no value: only Redis can do that. */
export type ScanBy = "adapter" | "client" | "keys";

const FETCHED = 5_000;

async function byAdapter(at: TableAt | HashesAt): Promise<number> {
  const surface = await openSurface(at);
  let count = 0;
  for await (const { content } of surface.scan(new AbortController().signal)) if (content.length > 0) count += 1;
  await surface.close();
  return count;
}

async function byCursor({ postgres, table }: TableAt): Promise<number> {
  const client = new Client({ connectionString: postgres });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  await client.query(`DECLARE bare NO SCROLL CURSOR FOR SELECT id, account, body FROM ${table} ORDER BY id`);
  let count = 0;
  for (let rows = FETCHED; rows === FETCHED;) {
    rows = (await client.query({ text: `FETCH FORWARD ${FETCHED} FROM bare`, rowMode: "array" })).rows.length;
    count += rows;
  }
  await client.end();
  return count;
}

async function byScan({ redis, prefix }: HashesAt, isReadToo: boolean): Promise<number> {
  const client = createClient({ url: redis, commandOptions: { timeout: 0 } });
  await client.connect();
  let count = 0;
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
    if (isReadToo) await Promise.all(keys.map((key) => client.hGetAll(key)));
    count += keys.length;
  }
  client.destroy();
  return count;
}

// Written by the topic, whose types these are.
const [by, at] = [process.argv[2] as ScanBy, JSON.parse(process.argv[3] ?? "") as TableAt | HashesAt];
const begun = performance.now();
const count =
  by === "adapter" ? await byAdapter(at) : "table" in at ? await byCursor(at) : await byScan(at, by === "client");
const told: Scanned = { count, ms: performance.now() - begun, peakBytes: process.resourceUsage().maxRSS * 1024 };
process.stdout.write(`${JSON.stringify(told)}\n`);
