// The example, run as its README says, on real servers: it forgets a person to a verified erasure; with a copy that nobody declared it must end otherwise.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findVectorPostgres } from "../../packages/deleatur/test/servers/find-postgres.ts";
import { type PostgresServer, startPostgres } from "../../packages/deleatur/test/servers/postgres-server.ts";
import { isRedisMissing, type RedisServer, startRedis } from "../../packages/deleatur/test/servers/redis-server.ts";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/** A run takes a quarter of a minute; one that hangs is ended, and fails. */
const RUN_MS = 240_000;
const installation = findVectorPostgres();

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly folder: string;
}

function runExample(postgres: string, redis: string): Run {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(here("deleatur.yaml"), join(folder, "deleatur.yaml"));
  const { status, stdout, stderr } = spawnSync(process.execPath, [here("dist/main.js")], {
    cwd: folder,
    encoding: "utf8",
    timeout: RUN_MS,
    env: { ...process.env, PG_URL: postgres, REDIS_URL: redis },
  });
  return { code: status, output: stdout + stderr, folder };
}

async function answersIn(redis: RedisServer): Promise<readonly string[]> {
  const keys = await redis.send("KEYS", "answer:*");
  return Array.isArray(keys) ? keys.map(String) : [];
}

describe.skipIf(installation === undefined || isRedisMissing)("an agent's memory on servers", () => {
  let server: PostgresServer | undefined;

  beforeAll(async () => {
    execFileSync(process.execPath, [here("../../node_modules/typescript/bin/tsc"), "-p", here(".")]);
    if (installation !== undefined) server = await startPostgres(installation);
  });
  afterAll(() => server?.stop());

  const postgres = (): PostgresServer => {
    if (server === undefined) throw new Error("no server was started");
    return server;
  };

  it("forgets one of two people to a verified erasure, and leaves the other whole", async () => {
    const database = await postgres().createDatabase();
    const redis = await startRedis();
    const { code, output, folder } = runExample(postgres().url(database), redis.url);
    expect(output).toContain("Forget: COMPLIANT\n");
    expect(output).not.toContain("NOT SO");
    expect(code).toBe(0);
    expect(readFileSync(here("README.md"), "utf8")).toContain(`\`\`\`text\n${output}\`\`\`\n`);
    const rows = await postgres().query(database, "SELECT id FROM episodes ORDER BY id");
    expect(rows.map(({ id }) => id)).toEqual(["j1", "j2", "j4"]);
    const vectors = await postgres().query(database, "SELECT episode FROM episode_vectors ORDER BY episode");
    expect(vectors.map(({ episode }) => episode)).toEqual(["j1", "j2", "j4"]);
    const [summary] = await postgres().query(database, "SELECT source_ids, body FROM summaries");
    expect(summary?.["source_ids"]).toEqual(["j1", "j2"]);
    const transcript = readFileSync(join(folder, "transcripts/agent.jsonl"), "utf8");
    expect(transcript).toContain("beekeeping");
    expect(transcript).not.toContain("cello");
    expect(transcript).not.toContain("pacemaker");
    const answers = await answersIn(redis);
    expect(answers).toHaveLength(1);
    expect(Number(await redis.text("TTL", answers[0] ?? ""))).toBeGreaterThan(0);
    expect(["cello", "pacemaker"].map((word) => redis.count(word))).toEqual([0, 0]);
  }, 300_000);

  it("ends otherwise where a copy lies that nobody declared", async () => {
    const database = await postgres().createDatabase();
    const redis = await startRedis();
    const words = "My cello teacher moved to Lisbon, please cancel the lessons that I booked for March.";
    await redis.send("SET", "debug:last-prompt", words);
    const { code, output } = runExample(postgres().url(database), redis.url);
    expect(output).toMatch(/^Forget: (?!COMPLIANT).*UNDECLARED_CONTAINER/m);
    expect(output).toContain("NOT SO: an erasure is attested");
    expect(output).toContain("Check: 1 places that nobody declared");
    expect(code).toBe(1);
    expect(await redis.text("GET", "debug:last-prompt")).toBe(words);
  }, 300_000);

  it("ends with less than an erasure where its user may not look at the server's files", async () => {
    const database = await postgres().createDatabase();
    await postgres().query(
      database,
      `CREATE EXTENSION vector; CREATE ROLE modest LOGIN; ALTER DATABASE ${database} OWNER TO modest`,
    );
    const redis = await startRedis();
    const { code, output } = runExample(postgres().url(database, "modest"), redis.url);
    expect(output).toMatch(/^Forget: (?!COMPLIANT).*PRIMARY_BLIND/m);
    expect(output).toContain("Verify: withheld\n");
    expect(output).toContain("NOT SO: an erasure is attested");
    expect(code).toBe(1);
  }, 300_000);
});
