// Kills a run of two requests with -9 between the end of one and the end of the other: the next process carries both on, and both end as if nothing had been.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyReceipt } from "@deleatur/verify";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";

const PATIENCE_MS = 600_000;
const root = mkdtempSync(join(tmpdir(), "deleatur-together-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  readonly requests: readonly {
    readonly state: string;
    readonly verdict?: string;
    readonly attestation?: string;
    readonly receipt?: string;
    readonly lost?: number;
  }[];
  readonly pinned: { readonly publicKey: string; readonly form: string };
  readonly isSound: boolean;
}

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

beforeAll(() => {
  mkdirSync(join(root, "built"));
  execFileSync(process.execPath, [script("build-in-child.mjs"), join(root, "built")], { stdio: "inherit" });
}, PATIENCE_MS);

function left(directory: string): readonly number[] {
  const db = new Database(join(directory, "memory.db"), { readonly: true });
  try {
    const count = (table: string): number =>
      db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? -1;
    return ["episodes", "summaries"].map(count);
  } finally {
    db.close();
  }
}

// Between the two persons' ends of a step, inside what serves both, and behind the first one's judgement.
const PLACES = [
  "plan/finished#1",
  "survey/finished/episodes#1",
  "denylist/finished#1",
  "rederive/finished#1",
  "erase/progress/summaries#1",
  "erase/finished#1",
  "purge/finished#1",
  "epoch/finished/episodes#1",
  "judge/started#2",
  "judge/started#2+40",
];

it.each(PLACES)(
  "FORGET-1 CLAIM-1: killed at %s, both are carried on to an erasure each",
  (place) => {
    const directory = join(root, place.replaceAll(/\W/gu, "_"));
    cpSync(join(root, "built"), directory, { recursive: true });
    chmodSync(join(directory, "deleatur.db.keys"), 0o700);
    const broken = spawnSync(process.execPath, [script("together-in-child.mjs"), directory, place]);
    expect(broken.signal === "SIGKILL" || place.includes("+")).toBe(true);
    const carried = execFileSync(process.execPath, [script("together-in-child.mjs"), directory], { encoding: "utf8" });
    // Printed by the script.
    const { requests, pinned, isSound } = JSON.parse(carried) as Ended;
    expect(isSound).toBe(true);
    expect(requests.map(({ state, verdict, attestation, lost }) => [state, verdict, attestation, lost])).toEqual(
      [1, 2].map(() => ["closed", "COMPLIANT", "erasure", 0]),
    );
    expect(left(directory)).toEqual([0, 0]);
    for (const { receipt = "" } of requests) {
      const report = verifyReceipt(readFileSync(receipt, "utf8"), {
        publicKeys: [pinned.publicKey],
        threshold: 1,
        scope: { boundary: pinned.form },
        acceptSelfAttested: true,
        auditorKeys: [],
        now: new Date(),
      });
      expect(report.outcome.kind).toBe("erasure");
    }
  },
  PATIENCE_MS,
);
