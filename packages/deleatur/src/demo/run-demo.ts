// Runs the demo: chooses the household or given meetings, prepares the folder, and answers with all figures. It leaves nothing behind unless asked to.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../model/errors.ts";
import type { ReportProgress } from "../progress.ts";
import { createPage } from "./demo-page.ts";
import type { DemoResult } from "./demo-result.ts";
import { runHouseholdDemo } from "./household-demo.ts";
import { runMeetingsDemo } from "./meetings-demo.ts";

export interface DemoOptions {
  /** Takes receipt, letters, public form and public key; the memory itself is built in its folder `work`. */
  readonly out?: string;
  /** Files of QMSum, or folders of them; the household scenario where absent. */
  readonly data?: readonly string[];
  /** Print the result as one JSON object instead of the story. */
  readonly json: boolean;
  /** Where the memory is built and kept instead; it must be empty or absent. */
  readonly directory?: string;
  /** Colours; where absent, on a terminal only. */
  readonly isColoured?: boolean;
  readonly print: (line: string) => void;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  /** Progress of long work, for stderr; nowhere where absent. */
  readonly report?: ReportProgress;
}

/** @throws UsageError where a folder is in use or the data is none of QMSum's */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  const isTemporary = options.out === undefined && options.directory === undefined;
  const home = resolve(options.out ?? options.directory ?? mkdtempSync(join(tmpdir(), "deleatur-demo-")));
  const work = options.directory === undefined ? join(home, "work") : resolve(options.directory);
  refuseUsed(work);
  mkdirSync(work, { recursive: true });
  const isColoured = options.isColoured ?? (process.stdout.isTTY && process.env["NO_COLOR"] === undefined);
  const context = {
    work,
    out: options.out === undefined ? join(work, "papers") : home,
    isKept: !isTemporary,
    page: createPage(options.json ? (): void => undefined : options.print, isColoured && !options.json),
    clock: options.clock,
    random: options.random,
    report: options.report ?? ((): void => undefined),
  };
  try {
    const files = options.data ?? [];
    const result =
      files.length === 0
        ? await runHouseholdDemo(context, signal)
        : await runMeetingsDemo({ ...context, files }, signal);
    const told = isTemporary ? withoutPaths(result) : result;
    if (options.json) options.print(JSON.stringify(told));
    return told;
  } finally {
    if (isTemporary) rmSync(home, { recursive: true, force: true });
  }
}

/** Papers that go with the folder are not pointed at. */
function withoutPaths(result: DemoResult): DemoResult {
  return { ...result, forgotten: result.forgotten.map((one) => ({ ...one, receipt: null, letters: [] })) };
}

function refuseUsed(work: string): void {
  if (!existsSync(work) || readdirSync(work).length === 0) return;
  throw new UsageError("DEMO_FOLDER_USED", "the demo's work folder is not empty", {
    place: { file: work },
    cure: "remove it or give another folder",
  });
}
