// Runs every case against one subject and answers for each: met, cannot, not run or failed. It asks no test runner and lets no answer be missing.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaseEnd } from "./case-end.ts";
import { CASES } from "./cases/all-cases.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { type CaseAnswer, type CaseResult, type ConformanceReport, readAnswer } from "./report.ts";
import { createStage, type StageParts } from "./stage.ts";
import type { ConformanceSubject } from "./subject.ts";

export interface CaseProgress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

export interface ConformanceOptions {
  /** Aborted: what has not run yet is not run. */
  readonly signal?: AbortSignal;
  /** Told before each case. */
  readonly report?: (progress: CaseProgress) => void;
  /** From which an expiry is counted; the system's where absent. */
  readonly clock?: () => Date;
  /** Source of random bytes; the system's where absent. */
  readonly random?: (bytes: number) => Uint8Array;
  /** These cases alone, by name; the others are not run. */
  readonly only?: readonly string[];
}

/** What every case is run with. */
type CaseParts = Pick<StageParts, "subject" | "random" | "clock">;

/** How a case's own run ended, before what the author says of it. */
type Ended =
  | { readonly how: "passed" }
  | { readonly how: "failed"; readonly why: string }
  | { readonly how: "impossible"; readonly why: string };

export async function runConformance(
  subject: ConformanceSubject,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { signal = new AbortController().signal, report = (): void => undefined, only } = options;
  const random = options.random ?? ((bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes)));
  const clock = options.clock ?? ((): Date => new Date());
  const results: CaseResult[] = [];
  for (const [done, one] of CASES.entries()) {
    const { name, says } = one;
    const isLeftOut = only !== undefined && !only.includes(name);
    if (!isLeftOut) report({ name, done, total: CASES.length });
    const answer = isLeftOut ? notRun("it was left out") : await answerCase(one, { subject, random, clock }, signal);
    results.push({ name, says, answer: readAnswer(answer) });
  }
  const known = new Set(CASES.map(({ name }) => name));
  for (const name of [...Object.keys(subject.cannot), ...(only ?? [])].filter((each) => !known.has(each)))
    results.push({ name, says: "there is such a case", answer: { outcome: "failed", why: "there is no such case" } });
  return { subject: subject.name, kind: subject.kind.kind, guarantees: subject.kind.guarantees, results };
}

async function answerCase(one: ConformanceCase, parts: CaseParts, signal: AbortSignal): Promise<CaseAnswer> {
  if (signal.aborted) return notRun("the run was interrupted");
  const ended = await runCase(one, parts, signal);
  // What was torn off midway has shown nothing.
  if (signal.aborted) return notRun("the run was interrupted");
  const { subject } = parts;
  const reason = Object.hasOwn(subject.cannot, one.name) ? subject.cannot[one.name] : undefined;
  const guarantee = ended.how === "passed" ? undefined : one.demandedBy(subject.kind.guarantees, ended.how);
  return settleCase(ended, reason, guarantee);
}

function notRun(reason: string): CaseAnswer {
  return { outcome: "not-run", reason };
}

/** What the run showed and what the author says of it, as one answer. */
export function settleCase(ended: Ended, reason: string | undefined, guarantee: string | undefined): CaseAnswer {
  if (reason === undefined) {
    switch (ended.how) {
      case "passed":
        return { outcome: "met" };
      case "failed":
        return { outcome: "failed", why: ended.why };
      case "impossible":
        return notRun(ended.why);
    }
  }
  if (ended.how === "passed")
    return { outcome: "failed", why: "said to be impossible, and it passes: take the reason out" };
  if (guarantee !== undefined) {
    const why = `said to be impossible, but the kind guarantees ${guarantee}: ${ended.why}`;
    return { outcome: "failed", why };
  }
  if (reason.trim() === "") return { outcome: "failed", why: "said to be impossible, but not why" };
  return { outcome: "cannot", reason };
}

async function runCase(one: ConformanceCase, parts: CaseParts, signal: AbortSignal): Promise<Ended> {
  const root = mkdtempSync(join(tmpdir(), "deleatur-conformance-"));
  const toClose: (() => Promise<void>)[] = [];
  let benches = 0;
  const stage = createStage(
    {
      ...parts,
      folder: () => mkdtempSync(join(root, `bench-${(benches += 1)}-`)),
      closing: (close) => void toClose.push(close),
    },
    signal,
  );
  let ended: Ended = { how: "passed" };
  try {
    await one.run(stage, signal);
  } catch (error) {
    ended = endOf(error);
  }
  for (const close of toClose.toReversed()) {
    try {
      await close();
    } catch (error) {
      if (ended.how === "passed") ended = { how: "failed", why: `it could not be closed: ${wordsOf(error)}` };
    }
  }
  rmSync(root, { recursive: true, force: true });
  return ended;
}

function endOf(error: unknown): Ended {
  if (error instanceof CaseEnd) return { how: error.outcome, why: error.message };
  return { how: "failed", why: `it threw ${wordsOf(error)}` };
}

/** The data are the kit's own and about nobody, so that a foreign error may be quoted. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
}
