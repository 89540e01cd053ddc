// Kills a forget with -9 at every journalled step's boundary and between them: a new process carries it on to the same end, and nothing ever claimed more than had happened.
import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { verifyReceipt } from "@deleatur/verify";
import { load as loadVec } from "sqlite-vec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const RANDOM_KILLS = 24;
const LATE_KILLS = 6;
const AT_ONCE = 2;
/** A busy machine is slow: what is proven does not hang on the time. */
const PATIENCE_MS = 600_000;

const root = mkdtempSync(join(tmpdir(), "deleatur-kill-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  readonly directory: string;
  readonly recorded: unknown;
  readonly receipt: string;
  readonly pinned: { readonly publicKey: string; readonly form: string };
  readonly isSound: boolean;
}

interface Run {
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** From the word that the forget begins to the end of the process. */
  readonly tookMs: number;
}

function runScript(name: string, args: readonly string[], killAfterMs?: number): Promise<Run> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let begun = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (begun > 0 || !said.includes("ready\n")) return;
    begun = performance.now();
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ lines: said.split("\n"), code, signal, tookMs: performance.now() - begun });
    });
  });
}

/** What one line that begins with this word says. */
function said({ lines }: Run, word: string): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
}

function parseEnd(line: string): Ended {
  // Printed by forget-in-child.mjs.
  return JSON.parse(line) as Ended;
}

/** Another process, which carries every killed request on: it starts once, so that it need not warm up again for each. */
function startCarrier(): { carryOn(directory: string): Promise<Ended>; stop(): void } {
  const script = fileURLToPath(new URL("forget-in-child.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<
    string,
    { readonly resolve: (ended: Ended) => void; readonly reject: (error: Error) => void }
  >();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("end ")) return;
    const ended = parseEnd(line.slice(4));
    waiting.get(ended.directory)?.resolve(ended);
    waiting.delete(ended.directory);
  });
  child.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the process that carries on has died"));
  });
  return {
    carryOn: (directory) =>
      new Promise((resolve, reject) => {
        waiting.set(directory, { resolve, reject });
        child.stdin.write(`${directory}\n`);
      }),
    stop: () => void child.stdin.end(),
  };
}

function open(directory: string, file = "memory.db"): Database.Database {
  const db = new Database(join(directory, file), { readonly: true });
  loadVec(db);
  return db;
}

/** Every row of every store, every table's name and every file's name and text. */
function storesOf(directory: string): Readonly<Record<string, unknown>> {
  const db = open(directory);
  const folder = join(directory, "transcripts");
  try {
    const all = (sql: string): unknown => db.prepare(sql).raw(true).all();
    return {
      tables: all("SELECT name FROM sqlite_schema ORDER BY name"),
      episodes: all("SELECT * FROM episodes ORDER BY id"),
      search: all("SELECT rowid, text FROM search ORDER BY rowid"),
      vectors: all("SELECT id, vec_to_json(embedding) FROM vectors ORDER BY id"),
      summaries: all("SELECT * FROM summaries ORDER BY id"),
      // The draft of a lock that a killed process left holds its process id and nothing else.
      transcripts: readdirSync(folder)
        .filter((name) => !name.includes(".lock"))
        .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    };
  } finally {
    db.close();
  }
}

interface Left {
  readonly episodes: number;
  readonly derived: number;
}

/** What is still there of the person, by the store's own word. */
function leftOf(directory: string): Left {
  const db = open(directory);
  try {
    const count = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
    const lines = readFileSync(join(directory, "transcripts", "day.jsonl"), "utf8").split('"user":"s-4471"').length - 1;
    return {
      episodes: count("SELECT count(*) FROM episodes WHERE account = 's-4471'"),
      derived: lines + count("SELECT count(*) FROM vectors WHERE id % 2 = 1"),
    };
  } finally {
    db.close();
  }
}

function entriesOf(directory: string): number {
  const db = open(directory, "deleatur.db");
  try {
    return db.prepare<[], number>("SELECT count(*) FROM denylist").pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

/** Whatever was killed when: what stands there now must not say, or have done, more than its order allows. */
function expectNothingOverclaimed(directory: string): void {
  const left = leftOf(directory);
  const receipts = existsSync(join(directory, "receipts")) ? readdirSync(join(directory, "receipts")) : [];
  if (receipts.some((name) => name.endsWith(".deleatur.json"))) expect(left).toEqual({ episodes: 0, derived: 0 });
  // Derived before sources, entries before either.
  if (left.episodes < 12) expect(left.derived).toBe(0);
  if (left.episodes + left.derived < 36) expect(entriesOf(directory)).toBeGreaterThan(0);
}

function kindOfReceipt({ receipt, pinned }: Ended): string {
  const report = verifyReceipt(readFileSync(receipt, "utf8"), {
    publicKeys: [pinned.publicKey],
    threshold: 1,
    scope: { boundary: pinned.form },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: new Date(),
  });
  return report.outcome.kind;
}

const built = join(root, "built");
let places: readonly string[] = [];
let unbroken: Ended;
let unbrokenStores: ReturnType<typeof storesOf> = {};
let lastsMs = 0;

beforeAll(async () => {
  mkdirSync(built);
  await runScript("build-in-child.mjs", [built]);
  const whole = copyOfMemory("whole");
  const run = await runScript("forget-in-child.mjs", [whole, "list"]);
  unbroken = parseEnd(said(run, "end")[0] ?? "null");
  places = said(run, "place");
  lastsMs = run.tookMs;
  unbrokenStores = storesOf(whole);
}, PATIENCE_MS);

const carrier = startCarrier();
afterAll(() => carrier.stop());

function copyOfMemory(name: string): string {
  const directory = join(root, name.replaceAll(/[^\w+-]/gu, "_"));
  cpSync(built, directory, { recursive: true });
  // A copy of Node 22 does not keep a folder's mode, and the ledger refuses keys that others may read.
  chmodSync(join(directory, "deleatur.db.keys"), 0o700);
  return directory;
}

/** Answers whether the kill came before the end. */
async function killAndCarryOn(
  name: string,
  kill: { readonly at: string } | { readonly afterMs: number },
): Promise<boolean> {
  const directory = copyOfMemory(name);
  const args = [directory, ...("at" in kill ? [kill.at] : [])];
  const broken = await runScript("forget-in-child.mjs", args, "afterMs" in kill ? kill.afterMs : undefined);
  expectNothingOverclaimed(directory);
  const carriedOn = await carrier.carryOn(directory);
  expect(carriedOn.recorded).toEqual(unbroken.recorded);
  expect(carriedOn.isSound).toBe(true);
  expect(storesOf(directory)).toEqual(unbrokenStores);
  expect(kindOfReceipt(carriedOn)).toBe("erasure");
  expect(readdirSync(join(directory, "receipts"))).toHaveLength(1);
  rmSync(directory, { recursive: true });
  return broken.signal === "SIGKILL";
}

/** Runs all, a few at once; answers how many kills came in time. */
async function inTurns(jobs: readonly (() => Promise<boolean>)[]): Promise<number> {
  const waiting = [...jobs];
  let inTime = 0;
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) if (await job()) inTime += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return inTime;
}

const JOURNALLED = ["pin", "fence", "plan", "needles", "denylist", "rederive", "erase", "purge"];

describe("killed with -9, a forget is carried on by the next process to the same end", () => {
  it("the unbroken run is an erasure that reports every journalled step", () => {
    expect(unbroken.recorded).toMatchObject({ state: "closed", verdict: "COMPLIANT", attestation: "erasure", lost: 0 });
    expect(kindOfReceipt(unbroken)).toBe("erasure");
    for (const step of JOURNALLED)
      for (const phase of ["started", "finished"]) expect(places).toContain(`${step}/${phase}#1`);
  });

  it(
    "FORGET-1 CLAIM-1: at the boundary of every journalled step, and behind every batch of the erase",
    async () => {
      const steps = JOURNALLED.flatMap((step) => [`${step}/started#1`, `${step}/finished#1`]);
      const batches = places.filter((place) => place.startsWith("erase/progress/"));
      expect(batches.length).toBeGreaterThanOrEqual(5);
      const all = [...steps, ...batches, "judge/started#1"];
      expect(await inTurns(all.map((at) => () => killAndCarryOn(at, { at })))).toBe(all.length);
    },
    PATIENCE_MS,
  );

  it(
    `FORGET-1 CLAIM-1: at ${RANDOM_KILLS} moments between, and behind the judgement`,
    async () => {
      const between = Array.from({ length: RANDOM_KILLS }, (_, at) => {
        const afterMs = ((at + Math.random()) / RANDOM_KILLS) * lastsMs;
        return () => killAndCarryOn(`moment-${at}`, { afterMs });
      });
      const late = Array.from({ length: LATE_KILLS }, (_, at) => {
        const place = `judge/started#1+${at * 15}`;
        return () => killAndCarryOn(place, { at: place });
      });
      expect(await inTurns([...between, ...late])).toBeGreaterThan(RANDOM_KILLS / 2);
    },
    PATIENCE_MS,
  );
});
