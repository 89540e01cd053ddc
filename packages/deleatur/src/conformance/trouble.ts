// Trouble for a bench to make: a folder that may only be read, a process whose files may not grow, a file that somebody holds open. Real refusals of the system, undone when they end.
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { geteuid, pid as ownPid, seteuid } from "node:process";
import { type Hindrance, type Impossible, impossible } from "./subject.ts";

/** Anybody but root. */
const NOBODY = 65_534;

/** Of a folder below the bench's own: it and all in it lose the right to be written. Root would not notice, so that this process is nobody meanwhile. */
export function makeReadOnly(folder: string): Hindrance {
  const isRoot = geteuid?.() === 0;
  // Nobody must find the way in; the kit's own folder is for its owner alone.
  if (isRoot) for (const above of [dirname(folder), folder]) chmodSync(above, 0o755);
  setModes(folder, 0o555, 0o444);
  if (isRoot) seteuid?.(NOBODY);
  return {
    outcome: "hindered",
    async end() {
      if (isRoot) seteuid?.(0);
      setModes(folder, 0o755, 0o644);
    },
  };
}

function setModes(folder: string, folders: number, files: number): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? folders : files);
  chmodSync(folder, folders);
}

/** No file of these processes (this one, where none is given) takes a byte more: a full disk, as far as a process can tell. Needs `prlimit` of util-linux. */
export function fillDisk(pids: readonly number[] = [ownPid]): Hindrance | Impossible {
  const limit = (size: string): void => {
    for (const pid of pids) limitFiles(pid, size);
  };
  const why = "prlimit of util-linux is missing here, or may not limit the process";
  if (!existsSync("/proc/self")) return impossible(why);
  try {
    limit("0");
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    return impossible(why);
  }
  return {
    outcome: "hindered",
    end: async () => limit("unlimited"),
  };
}

function limitFiles(pid: number, size: string): void {
  try {
    const args = [...asOwner(pid), "prlimit", "--pid", String(pid), `--fsize=${size}:`];
    execFileSync("env", args, { stdio: "ignore" });
  } catch (cause) {
    // Servers have processes that come and go.
    if (existsSync(`/proc/${pid}`)) throw cause;
  }
}

/** A process is limited by its own user; root may not everywhere. */
function asOwner(pid: number): readonly string[] {
  const { uid, gid } = statSync(`/proc/${pid}`);
  return uid === geteuid?.() ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
}

/** Reads each file and keeps it open. */
export function holdOpen(files: readonly string[]): Hindrance {
  const handles = files.map((file) => openSync(file, "r"));
  for (const handle of handles) readFileSync(handle);
  return {
    outcome: "hindered",
    async end() {
      for (const handle of handles) closeSync(handle);
    },
  };
}
