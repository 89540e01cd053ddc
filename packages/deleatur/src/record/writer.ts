// Names this process as a writer, and tells whether another one is known dead: an intent ends by resolution, never by time.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A process that writes or works: `started` tells a reused pid apart from the one that was meant. */
export interface Writer {
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

export function thisWriter(now: Date): Writer {
  return { host: hostname(), pid: process.pid, started: processStart(process.pid) ?? now.toISOString() };
}

/** True only where the process is known to have ended: on this host, and its pid is free or was given to another. */
export function isKnownDead(writer: Writer): boolean {
  if (writer.host !== hostname()) return false;
  try {
    process.kill(writer.pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  const start = processStart(writer.pid);
  return start !== undefined && /^\d+$/.test(writer.started) && start !== writer.started;
}

/** Start time of a process in clock ticks since boot (Linux: field 22 of /proc/PID/stat); elsewhere undefined. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined; // no /proc on this system: a reused pid then counts as alive, the careful answer
  }
}
