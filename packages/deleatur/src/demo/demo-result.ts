// What a run of the demo found out, as one object: the figures of `--json`, and the checks that decide its exit code.
import type { RequestOutcome } from "../forget/outcome.ts";

/** One thing that had to come out in a certain way. */
export interface DemoCheck {
  readonly name: string;
  readonly isMet: boolean;
  /** What came instead. */
  readonly instead?: string;
}

export interface DemoFigures {
  readonly people: number;
  readonly episodes: number;
  readonly summaries: number;
  readonly answers: number;
  readonly seconds: number;
}

/** One person forgotten: what came of it, and what became of everybody else. */
export interface DemoForgotten {
  readonly person: string;
  readonly verdict: string;
  readonly attestation: string;
  readonly erased: number;
  readonly rewritten: number;
  readonly surfaces: readonly {
    readonly surface: string;
    readonly label: string;
    readonly erased: number;
    readonly rewritten: number;
  }[];
  readonly reasons: readonly string[];
  readonly others: { readonly rows: number; readonly isUnchanged: boolean };
  readonly bystanders: RequestOutcome["bystanders"];
  /** Likenesses that were decided before it ended. */
  readonly reviewed: number;
  readonly verified: string;
  readonly seconds: number;
  /** null where there is none, or it was not to be kept. */
  readonly receipt: string | null;
  readonly letters: readonly string[];
}

/** What the audit of the naive tool found. */
export interface AuditFigures {
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly survivors: readonly { readonly label: string; readonly count: number }[];
  /** Files and index containers in which only traces are left. */
  readonly traces: readonly string[];
}

export interface DemoResult {
  readonly schema: "deleatur/demo/v1";
  readonly demo: "household" | "meetings";
  /** Where receipts and letters are, if they were to be kept. */
  readonly out?: string;
  readonly built: DemoFigures;
  readonly naive?: { readonly sql: string; readonly said: string };
  readonly audit?: AuditFigures;
  readonly forgotten: readonly DemoForgotten[];
  readonly offered: readonly { readonly what: string; readonly answer: string }[];
  readonly checks: readonly DemoCheck[];
  readonly exitCode: 0 | 1;
}

/** Collects checks while the demo runs. */
export class DemoChecks {
  readonly #checks: DemoCheck[] = [];

  /** Notes a check; `found` is told only where it is not what was wanted. */
  expect(name: string, wanted: string, found: string): void {
    this.#checks.push(wanted === found ? { name, isMet: true } : { name, isMet: false, instead: found });
  }

  get all(): readonly DemoCheck[] {
    return this.#checks;
  }

  get exitCode(): 0 | 1 {
    return this.#checks.length > 0 && this.#checks.every(({ isMet }) => isMet) ? 0 : 1;
  }
}
