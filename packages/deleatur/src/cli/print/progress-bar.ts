// Draws progress on stderr: one bar that is overwritten on a terminal, nothing elsewhere. Never a subject's content.
import type { ProgressEvent, ReportProgress } from "../../progress.ts";
import type { Terminal } from "../terminal.ts";

const WIDTH = 24;

export interface ProgressBar {
  readonly report: ReportProgress;
  /** Takes the bar away. */
  end(): void;
}

export function progressBar({ isTerminal, err }: Pick<Terminal, "isTerminal" | "err">): ProgressBar {
  if (!isTerminal) return { report: () => undefined, end: () => undefined };
  let isDrawn = false;
  return {
    report(event) {
      err(`\r\u001b[2K${drawBar(event)}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) err("\r\u001b[2K");
      isDrawn = false;
    },
  };
}

function drawBar({ step, surface, done, total }: ProgressEvent): string {
  const where = surface === undefined || surface === "" ? "" : ` ${surface}`;
  if (done === undefined) return `  ${step}${where}`;
  if (total === undefined || total === 0) return `  ${step}${where} ${done}`;
  const filled = Math.round((WIDTH * Math.min(done, total)) / total);
  return `  ${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${step}${where} ${done}/${total}`;
}
