// Progress of long work as plain events; who shows them (a bar on stderr, a log line, nothing) is not decided here. Never a subject's content.

export interface ProgressEvent {
  readonly request?: string;
  /** The step of the flow, e.g. `plan`, `erase`, `purge`. */
  readonly step: string;
  readonly phase: "started" | "progress" | "finished";
  readonly surface?: string;
  readonly done?: number;
  readonly total?: number;
}

export type ReportProgress = (event: ProgressEvent) => void;
