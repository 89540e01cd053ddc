// The scan of a whole store through its adapter, beside the bare commands of the client, each in a process of its own. It stops where a row was not seen.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { atMost, type Figure, plain, ratio } from "../figure.ts";
import { inPostgres } from "../servers/memory.ts";
import { layHashes } from "./erasing.ts";
import type { HashesAt, TableAt } from "./open-surface.ts";
import type { ScanBy, Scanned } from "./scan-in-child.ts";

const HASHES = 100_000;
const MIB = 1024 ** 2;
/** 300 MB. */
const MOST_MIB = 300e6 / MIB;

const program = fileURLToPath(new URL("./scan-in-child.js", import.meta.url));

function scan(by: ScanBy, at: TableAt | HashesAt, expected: number): Scanned {
  // Printed by the program, whose `Scanned` this is.
  const told = JSON.parse(
    execFileSync(process.execPath, [program, by, JSON.stringify(at)], { encoding: "utf8" }),
  ) as Scanned;
  if (told.count !== expected) throw new Error(`${told.count} of ${expected} were seen`);
  return told;
}

const seconds = ({ ms }: Scanned): number => ms / 1000;

export async function scanningRows(postgres: string, rows: number): Promise<readonly Figure[]> {
  await inPostgres(
    postgres,
    "CREATE UNLOGGED TABLE scanned (id bigint PRIMARY KEY, account text NOT NULL, body text NOT NULL)",
    `INSERT INTO scanned SELECT i, 'p' || i % 97, md5(i::text) || md5((-i)::text) FROM generate_series(1, ${rows}::bigint) AS i`,
    "VACUUM (ANALYZE) scanned",
  );
  const at: TableAt = { postgres, table: "scanned" };
  const bare = scan("client", at, rows);
  const ours = scan("adapter", at, rows);
  const what = `PostgreSQL: a scan of ${rows} rows`;
  return [
    ratio(what, [seconds(ours), "s"], { what: "a bare cursor", value: seconds(bare) }),
    plain(`${what}: peak resident memory`, [ours.peakBytes / MIB, "MiB"], atMost(Math.floor(MOST_MIB))),
    plain("of the bare cursor's process", [bare.peakBytes / MIB, "MiB"]),
  ];
}

export async function scanningHashes(redis: string): Promise<readonly Figure[]> {
  const prefix = "scanned:";
  await layHashes(
    redis,
    Array.from({ length: HASHES }, (_, at) => `${prefix}${at}`),
  );
  const at: HashesAt = { redis, prefix };
  const [keys, bare] = [scan("keys", at, HASHES), scan("client", at, HASHES)];
  const ours = scan("adapter", at, HASHES);
  const what = `Redis: a scan of ${HASHES} hashes`;
  return [
    ratio(what, [seconds(ours), "s"], { what: "a bare SCAN and HGETALL", value: seconds(bare) }),
    ratio(what, [seconds(ours), "s"], { what: "a bare SCAN, which reads no value", value: seconds(keys) }),
    plain(`${what}: peak resident memory`, [ours.peakBytes / MIB, "MiB"]),
  ];
}
