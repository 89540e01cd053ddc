// Which process this is, and whether another one is known to be dead. It must say dead only where it knows.
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Writer } from "./ledger.ts";

function readOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    // No such file on this platform: the identity is coarser there.
    return "";
  }
}

/** Clock ticks since boot at which a process began (Linux), which tells a reused process id from its former holder. */
function startTicks(pid: number): string {
  const stat = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The command's name stands in brackets and may hold spaces; field 22 is the 20th behind it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function bootId(): string {
  return readOrNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")).trim();
}

function startedOf(pid: number): string {
  return `${bootId()}/${startTicks(pid)}`;
}

/** What the platform tells of where a process runs; empty where it tells nothing. */
export interface Surroundings {
  readonly name: string;
  /** Of `/etc/machine-id`. */
  readonly machine: string;
  /** Of the kernel's run since it was started. */
  readonly boot: string;
  /** The process-id namespace: in another one the same number is another process. */
  readonly namespace: string;
}

/** The namespace that a kernel starts with (PROC_PID_INIT_INO in the kernel's proc_ns.h): whoever is in it is in no container. */
const FIRST_NAMESPACE = "pid:[4026531836]";

/**
 * The host of a process: two that could not see each other's processes have two. The machine's id outlives a restart, after which all of before are
 * known dead; but a container has it from its image, as others elsewhere have, and is told by its kernel's boot alone. The id is digested, as machine-id(5) asks.
 */
export function hostOf({ name, machine, boot, namespace }: Surroundings): string {
  const isOwn = namespace === FIRST_NAMESPACE && machine !== "";
  const kernel = isOwn ? createHash("sha256").update(`deleatur/${machine}`).digest("hex").slice(0, 32) : boot;
  return `${name}/${kernel}/${namespace}`;
}

let current: Writer | undefined;

export function currentWriter(): Writer {
  current ??= {
    host: hostOf({
      name: hostname(),
      machine: readOrNothing(() => readFileSync("/etc/machine-id", "latin1")).trim(),
      boot: bootId(),
      namespace: readOrNothing(() => readlinkSync("/proc/self/ns/pid")),
    }),
    pid: process.pid,
    started: startedOf(process.pid),
  };
  return current;
}

export function isSameWriter(a: Writer, b: Writer): boolean {
  return a.host === b.host && a.pid === b.pid && a.started === b.started;
}

/** Whether a process of this host is gone for certain; of another host nothing is known. */
export function isKnownDead(writer: Writer, here: Writer = currentWriter()): boolean {
  if (writer.host !== here.host) return false;
  try {
    process.kill(writer.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  const ticks = startTicks(writer.pid);
  // Where the platform tells no start, a living process of this number counts as the writer.
  return ticks !== "" && writer.started.includes("/") && startedOf(writer.pid) !== writer.started;
}
