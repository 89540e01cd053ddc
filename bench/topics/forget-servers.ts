// A person forgotten out of 100,000 episodes in PostgreSQL with pgvector and an answer for each in Redis, beside a script of the same deletes and the same purge; ten at once beside one. On the servers that PG_URL and REDIS_URL name.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { atMost, type Figure, plain, ratio, type Scene } from "../figure.ts";
import { actsOf, type Told } from "../forget/told.ts";
import { median } from "../sample.ts";
import { forgetOnServersByHand } from "../servers/by-hand.ts";
import { inPostgres, layAnswers, layRows, SERVERS_BOUNDARY } from "../servers/memory.ts";
import { serverUrls } from "../servers/server-urls.ts";

/** With an embedding and an answer each, and a summary for ten, 3,226 are a closure of 10,000. A smaller one only tries whether it runs. */
const ROWS = Number(env["BENCH_ROWS"] ?? 100_000);
const SIZE = { rows: ROWS, forgotten: Math.round(ROWS * 0.032_26) };
const ROUNDS = Number(env["BENCH_ROUNDS"] ?? 3);
const LAID = "deleatur_bench_laid";
const COPY = "deleatur_bench_copy";
const TEN = Array.from({ length: 10 }, (_, at) => `account:p${at + 1}`);

const program = fileURLToPath(new URL("../forget/in-child.js", import.meta.url));

export async function bench({ directory, note }: Scene): Promise<readonly Figure[]> {
  const { postgres: server, redis, urlOf } = serverUrls();
  const inChild = (act: "record" | "forget", folder: string, database: string, persons: readonly string[]): string =>
    execFileSync(process.execPath, [program, act, folder, ...persons], {
      encoding: "utf8",
      env: { ...env, PG_URL: urlOf(database), REDIS_URL: redis },
    });
  const laid = join(directory, "laid");
  mkdirSync(laid);
  // JSON is YAML.
  writeFileSync(join(laid, "deleatur.yaml"), JSON.stringify(SERVERS_BOUNDARY));
  await inPostgres(server, `CREATE DATABASE ${LAID} TEMPLATE template0`);
  try {
    await layRows(urlOf(LAID), SIZE);
    await layAnswers(urlOf(LAID), redis);
    note(`${SIZE.rows} episodes laid`);
    inChild("record", laid, LAID, []);
    note("their lineage recorded");
    const onCopy = async <Result>(act: (folder: string) => Result | Promise<Result>): Promise<Result> => {
      const folder = join(directory, "copy");
      cpSync(laid, folder, { recursive: true });
      await inPostgres(server, `CREATE DATABASE ${COPY} TEMPLATE ${LAID}`);
      try {
        await layAnswers(urlOf(COPY), redis);
        return await act(folder);
      } finally {
        await inPostgres(server, `DROP DATABASE ${COPY} WITH (FORCE)`);
        rmSync(folder, { recursive: true });
      }
    };
    const ours = (persons: readonly string[]): Promise<Told> =>
      onCopy((folder) => {
        // Printed by the program, whose `Told` this is.
        const told = JSON.parse(inChild("forget", folder, COPY, persons)) as Told;
        const other = told.states.find((state) => state !== "COMPLIANT");
        if (other !== undefined) throw new Error(`a forget ended ${other}`);
        const [purged, whole] = [told.purged, told.whole].map((ms) => (ms / 1000).toFixed(1));
        note(`${persons.length} forgotten in ${whole} s, purged after ${purged} s`);
        return told;
      });
    const byHand: number[] = [];
    const forgotten: Told[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      byHand.push(await onCopy(() => forgetOnServersByHand(urlOf(COPY), redis, "p0")));
      note(`by hand in ${((byHand.at(-1) ?? 0) / 1000).toFixed(1)} s`);
      forgotten.push(await ours(["account:p0"]));
    }
    const [ten, one] = [await ours(TEN), await ours(["account:p11"])];
    const of = (pick: (told: Told) => number): number => median(forgotten.map(pick)) / 1000;
    const peer = { what: "a script of the same deletes and purge", value: median(byHand) / 1000 };
    const names = [...new Set(forgotten.flatMap(({ steps }) => Object.keys(steps)))];
    return [
      plain("erased of the closure", [median(forgotten.map(({ erased }) => erased)), "1"]),
      ratio("fence, journal, denylist, erase and purge", [of(actsOf), "s"], peer, atMost(1.5)),
      ratio(
        "from the call to the end of the purge, with the reading of all stores",
        [of(({ purged }) => purged), "s"],
        peer,
        atMost(1.5),
      ),
      ratio("the whole, with probes, commitments and receipt", [of(({ whole }) => whole), "s"], peer),
      plain(
        "peak resident memory",
        [Math.max(...forgotten.map(({ peakBytes }) => peakBytes)) / 1024 ** 2, "MiB"],
        atMost(1024),
      ),
      ratio("ten people together", [ten.whole / 1000, "s"], { what: "one of them alone", value: one.whole / 1000 }),
      ...names.map((name) => plain(`of the whole: ${name}`, [of(({ steps }) => steps[name] ?? 0), "s"])),
    ];
  } finally {
    await inPostgres(server, `DROP DATABASE ${LAID} WITH (FORCE)`);
  }
}
