// Kills a replay with -9 at every place that it reports: the next replay ends the same, and the anchor never takes a crash for a ledger that was set back (GUARD-4, GUARD-5).
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import { afterAll, beforeAll, expect, it } from "vitest";

/** A busy machine is slow: what is proven does not hang on the time. */
const PATIENCE_MS = 600_000;
const root = mkdtempSync(join(tmpdir(), "deleatur-replay-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Run {
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

function runScript(name: string, args: readonly string[]): Promise<Run> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_, signal) => resolve({ lines: said.split("\n"), signal }));
  });
}

function said({ lines }: Run, word: string): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
}

function storesOf(directory: string): unknown {
  const db = new Database(join(directory, "memory.db"), { readonly: true });
  loadVec(db);
  const all = (sql: string): unknown => db.prepare(sql).raw(true).all();
  try {
    return {
      episodes: all("SELECT * FROM episodes ORDER BY id"),
      search: all("SELECT rowid, text FROM search ORDER BY rowid"),
      vectors: all("SELECT id, vec_to_json(embedding) FROM vectors ORDER BY id"),
      summaries: all("SELECT * FROM summaries ORDER BY id"),
      transcripts: readdirSync(join(directory, "transcripts"))
        .filter((name) => !name.includes(".lock"))
        .map((name) => readFileSync(join(directory, "transcripts", name), "utf8")),
    };
  } finally {
    db.close();
  }
}

/** The memory in one folder, its anchor in another beside it. */
function copyOf(from: string, name: string): { readonly directory: string; readonly anchor: string } {
  const folder = join(root, name.replaceAll(/[^\w-]/gu, "_"));
  cpSync(from, folder, { recursive: true });
  const directory = join(folder, "memory");
  chmodSync(join(directory, "deleatur.db.keys"), 0o700);
  return { directory, anchor: join(folder, "safe", "deleatur.anchor") };
}

const restored = join(root, "restored");
let forgotten: unknown;
let verdict: readonly string[] = [];
let replayed: unknown;
let whole: unknown;
let places: readonly string[] = [];

beforeAll(async () => {
  const built = join(root, "built");
  mkdirSync(join(built, "memory"), { recursive: true });
  await runScript("build-in-child.mjs", [join(built, "memory")]);
  const live = copyOf(built, "live");
  const forgot = await runScript("replay-in-child.mjs", ["forget", live.directory, live.anchor]);
  verdict = said(forgot, "end");
  forgotten = storesOf(live.directory);
  // Ledger and stores as they were before the forget; what lies outside of the backup set is the anchor.
  cpSync(built, restored, { recursive: true });
  cpSync(join(live.directory, "..", "safe"), join(restored, "safe"), { recursive: true });
  const unbroken = copyOf(restored, "unbroken");
  const run = await runScript("replay-in-child.mjs", ["replay", unbroken.directory, unbroken.anchor, "list"]);
  whole = JSON.parse(said(run, "end")[0] ?? "null");
  places = said(run, "place");
  replayed = storesOf(unbroken.directory);
}, PATIENCE_MS);

/** Before anything is opened, before and behind the delete, in the purge, before the attestation, in the last look. */
const KILLS = [
  /^look\/started\/episodes#1/u,
  /^denylist\/finished/u,
  /^erase\/finished/u,
  /^purge\/started/u,
  /^judge\/started/u,
  /^look\/started\/search#2/u,
];

it("GUARD-4: the unbroken replay ends whole, over every surface", () => {
  expect(verdict).toEqual(['{"verdict":"COMPLIANT"}']);
  expect(replayed).toEqual(forgotten);
  expect(whole).toEqual({
    before: "rolled-back",
    state: "whole",
    exitCode: 0,
    open: 0,
    isSound: true,
    left: [0, 0, 0, 0, 0],
  });
});

it(
  "GUARD-4 GUARD-5: killed at any step, the next replay ends the same",
  async () => {
    const some = KILLS.map((step) => places.find((place) => step.test(place)) ?? "");
    expect(some).not.toContain("");
    for (const at of some) {
      const { directory, anchor } = copyOf(restored, at);
      const broken = await runScript("replay-in-child.mjs", ["replay", directory, anchor, at]);
      expect(broken.signal).toBe("SIGKILL");
      const again = await runScript("replay-in-child.mjs", ["replay", directory, anchor]);
      expect({ at, ...(JSON.parse(said(again, "end")[0] ?? "null") as object) }).toEqual({ at, ...(whole as object) });
      expect(storesOf(directory)).toEqual(forgotten);
    }
  },
  PATIENCE_MS,
);
