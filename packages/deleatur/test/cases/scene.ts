// A small memory of real SQLite tables and JSONL files under a declared boundary, for the end-to-end cases: the application's side and Deleatur's side.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { parsePersonCode, verifyReceipt, type VerifyOptions, type VerifyReport } from "@deleatur/verify";
import { load as loadVec } from "sqlite-vec";
import { expect, onTestFinished } from "vitest";
import type { BoundaryInput } from "../../src/boundary/boundary-input.ts";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { publicFormOf } from "../../src/boundary/public-form.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { parseIdentifier } from "../../src/model/ids.ts";
import { type Deleatur, openDeleatur, type OpenOptions } from "../../src/open-deleatur.ts";

/** The person who is forgotten says these; T, who keeps everything, says the others. No five words are in common. */
export const S_SAYS: readonly [string, string, string] = [
  "The violet accordion in my cellar still smells of cardamom after the flood last spring",
  "My cardiologist Doctor Ottenwald wants the pacemaker readings before the nineteenth of March",
  "Please remember that I cannot climb the spiral staircase in the Hummelgasse any more",
];
export const T_SAYS: readonly [string, string, string] = [
  "We finally repaired the greenhouse roof with seven sheets of salvaged polycarbonate glass",
  "The beekeeping association meets on alternate Thursdays behind the abandoned railway depot",
  "Our youngest daughter practises her trombone every evening at quarter past eight sharp",
];
export const S = "account:s-4471";
export const T = "account:t-0815";

export const DAY_MS: number = 24 * 3600 * 1000;

export interface Clock {
  now(): Date;
  advance(ms: number): void;
}

export interface SceneSetup {
  /** The application's own tables and rows. */
  readonly sql?: string;
  readonly surfaces: BoundaryInput["surfaces"];
  readonly identifiers?: readonly string[];
  readonly writers?: BoundaryInput["writers"];
  readonly exempt?: BoundaryInput["exempt"];
  readonly census?: BoundaryInput["census"];
  readonly watch?: BoundaryInput["watch"];
  readonly guard?: BoundaryInput["guard"];
  /** Off unless said: the better-sqlite3 default, the harder case. */
  readonly secureDelete?: boolean;
  readonly report?: NonNullable<OpenOptions["report"]>;
  readonly maxRuns?: NonNullable<OpenOptions["maxRuns"]>;
  readonly directory?: string;
  readonly ledger?: `sqlite:${string}`;
  readonly answerMs?: number;
  /** Lays further stores, before the boundary is opened. */
  readonly before?: (directory: string) => void;
  /** What `${NAME}` under `connect` stands for. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Further stores under `connect`. */
  readonly connect?: Readonly<
    Record<string, { readonly file: string } | { readonly path: string } | { readonly url: string }>
  >;
}

export interface Scene {
  readonly directory: string;
  /** The application's database. */
  readonly file: string;
  readonly transcripts: string;
  readonly app: Database.Database;
  readonly memory: Deleatur;
  readonly clock: Clock;
  /** Rows of a query over a connection of its own. */
  rows(sql: string): readonly Readonly<Record<string, unknown>>[];
  /** Deleatur opened again over the same ledger, perhaps under another boundary. */
  reopen(change?: Partial<SceneSetup>): Promise<Deleatur>;
  verify(outcome: RequestOutcome, change?: Partial<VerifyOptions>): VerifyReport;
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-case-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openScene(setup: SceneSetup): Promise<Scene> {
  const directory = setup.directory ?? tempFolder();
  const transcripts = join(directory, "transcripts");
  mkdirSync(transcripts, { recursive: true });
  const file = join(directory, "memory.db");
  const app = new Database(file);
  loadVec(app);
  app.pragma("journal_mode = WAL");
  app.pragma(`secure_delete = ${setup.secureDelete === true ? "ON" : "OFF"}`);
  if (setup.sql !== undefined) app.exec(setup.sql);
  setup.before?.(directory);
  onTestFinished(() => {
    app.close();
  });
  let shift = 0;
  const clock: Clock = {
    now: () => new Date(Date.now() + shift),
    advance: (ms) => {
      shift += ms;
    },
  };
  const opened: Deleatur[] = [];
  onTestFinished(async () => {
    for (const one of opened) await one.close();
  });
  const open = async (change: Partial<SceneSetup>): Promise<Deleatur> => {
    const all = { ...setup, ...change };
    const memory = await openDeleatur(boundaryOf(all, directory), {
      clock: () => clock.now(),
      environment: all.environment ?? {},
      ...(all.report === undefined ? {} : { report: all.report }),
      ...(all.answerMs === undefined ? {} : { answerMs: all.answerMs }),
      ...(all.maxRuns === undefined ? {} : { maxRuns: all.maxRuns }),
    });
    opened.push(memory);
    return memory;
  };
  let memory = await open({});
  return {
    directory,
    file,
    transcripts,
    app,
    clock,
    get memory() {
      return memory;
    },
    rows(sql) {
      const eyes = new Database(file, { readonly: true });
      try {
        loadVec(eyes);
        return eyes.prepare<[], Readonly<Record<string, unknown>>>(sql).all();
      } finally {
        eyes.close();
      }
    },
    async reopen(change = {}) {
      await memory.close();
      opened.splice(opened.indexOf(memory), 1);
      memory = await open(change);
      return memory;
    },
    verify: (outcome, change = {}) => verifyOutcome(memory, outcome, clock, change),
  };
}

function boundaryOf(setup: SceneSetup, directory: string): ReturnType<typeof defineBoundary> {
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/agent",
      identifiers: setup.identifiers ?? ["account"],
      writers: setup.writers ?? "sdk",
      surfaces: setup.surfaces,
      ...(setup.exempt === undefined ? {} : { exempt: setup.exempt }),
      ...(setup.census === undefined ? {} : { census: setup.census }),
      ...(setup.watch === undefined ? {} : { watch: setup.watch }),
      ...(setup.guard === undefined ? {} : { guard: setup.guard }),
      connect: {
        ledger: setup.ledger ?? "sqlite:./deleatur.db",
        memory: { file: "./memory.db" },
        ...setup.connect,
        ...(usesStore(setup, "transcripts") ? { transcripts: { path: "./transcripts/*.jsonl" } } : {}),
      },
    },
    { directory, env: setup.environment ?? {} },
  );
}

function usesStore({ surfaces }: SceneSetup, store: string): boolean {
  return Object.values(surfaces).some((surface) => "store" in surface && surface.store === store);
}

export function verifyOutcome(
  memory: Deleatur,
  outcome: RequestOutcome,
  clock: Clock,
  change: Partial<VerifyOptions>,
): VerifyReport {
  expect(outcome.receipt, "a receipt was written").toBeDefined();
  return verifyReceipt(readFileSync(outcome.receipt ?? "", "utf8"), {
    publicKeys: [memory.engine.ledger.keys.publicKeyPem()],
    threshold: 1,
    scope: { boundary: publicFormOf(memory.engine.boundary).text },
    ...(outcome.personCode === undefined ? {} : { personCode: parsePersonCode(outcome.personCode) }),
    ...(outcome.personCode === undefined ? {} : { identifiers: [asIdentifier(S)] }),
    acceptSelfAttested: true,
    auditorKeys: [],
    now: clock.now(),
    ...change,
  });
}

function asIdentifier(text: string): { readonly type: string; readonly identifier: string } {
  const { type, value } = parseIdentifier(text);
  return { type, identifier: value };
}

/** The codes of an outcome's reasons, each once, in order of appearance. */
export function codes(outcome: RequestOutcome): readonly string[] {
  return [...new Set(outcome.reasons.map(({ code }) => code))];
}

/** Checks of a report that failed, with their messages: what a reader of a broken test wants to see. */
export function failedChecks(report: VerifyReport): readonly string[] {
  return report.checks.filter(({ status }) => status === "fail").map(({ code, message }) => `${code}: ${message}`);
}

/** Expects a COMPLIANT erasure whose receipt another person's verifier accepts. */
export function expectErasure(
  scene: Pick<Scene, "verify">,
  outcome: RequestOutcome,
  change: Partial<VerifyOptions> = {},
): void {
  expect({ verdict: outcome.verdict, reasons: codes(outcome), kind: outcome.attestation.kind }).toEqual({
    verdict: "COMPLIANT",
    reasons: [],
    kind: "erasure",
  });
  expect(outcome.exitCode).toBe(0);
  expect(outcome.state).toBe("closed");
  const report = scene.verify(outcome, change);
  expect(failedChecks(report)).toEqual([]);
  expect(report.outcome.kind).toBe("erasure");
}

/** The typed log entries of a ledger. */
export function logOf(memory: Deleatur): readonly Readonly<Record<string, unknown>>[] {
  return memory.engine.ledger.logEntries().map(({ entry }) => JSON.parse(entry) as Readonly<Record<string, unknown>>);
}

export function violations(memory: Deleatur): readonly unknown[] {
  return logOf(memory).flatMap(({ type, code }) => (type === "violation" ? [code] : []));
}

export const EPISODES_SQL = "CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT, text TEXT NOT NULL);";
export const EPISODES = {
  kind: "sqlite",
  role: "primary",
  store: "memory",
  table: "episodes",
  key: "id",
  subject: { column: "account", type: "account" },
  content: ["text"],
} as const;

export const SUMMARIES_SQL =
  "CREATE TABLE summaries (id TEXT PRIMARY KEY, source_ids TEXT NOT NULL, text TEXT NOT NULL);";
export const SUMMARIES = {
  kind: "sqlite",
  role: "derived",
  store: "memory",
  table: "summaries",
  key: "id",
  content: ["text"],
  derivedFrom: { surface: "episodes", column: "source_ids", as: "json" },
} as const;

/** Records one episode through the SDK. */
export async function recordEpisode(scene: Scene, key: string, person: string, text: string): Promise<void> {
  const { value } = parseIdentifier(person);
  await scene.memory.record("episodes", { key, subjects: [person], content: { text } }, () => {
    scene.app.prepare("INSERT INTO episodes (id, account, text) VALUES (?, ?, ?)").run(key, value, text);
  });
}

/** Derives one summary through the SDK. */
export async function deriveSummary(
  scene: Scene,
  key: string,
  sources: readonly string[],
  text: string,
): Promise<void> {
  const write = { key, sources: sources.map((id) => `episodes/${id}`), content: { text } };
  await scene.memory.derive("summaries", write, () => {
    scene.app.prepare("INSERT INTO summaries VALUES (?, ?, ?)").run(key, JSON.stringify(sources), text);
  });
}

/** Three episodes of S (s1 to s3) and three of T (t1 to t3), recorded. */
export async function recordBoth(scene: Scene): Promise<void> {
  for (const [index, text] of S_SAYS.entries()) await recordEpisode(scene, `s${index + 1}`, S, text);
  for (const [index, text] of T_SAYS.entries()) await recordEpisode(scene, `t${index + 1}`, T, text);
}
