// One writer of ours at a time for each file: a lock file with the holder's process id; a lock whose holder is dead is taken over.
import { randomBytes } from "node:crypto";
import { link, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../model/errors.ts";
import { fileCode } from "../file-errors.ts";
import { LOCK_FILE } from "../options.ts";

const WAIT_MS = 20;
const MAX_WAITS = 1500;

/** Claims of this very process that stand now: a claim with our id that is none of them is that of a dead process whose id we were given. */
const standing = new Set<string>();

function isDead(claim: string): boolean {
  const pid = Number.parseInt(claim, 10);
  return pid === process.pid ? !standing.has(claim) : !isAlive(pid);
}

/** Whether a process of this id runs on this machine. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return fileCode(cause) === "EPERM"; // it runs, under another user
  }
}

export interface FileLock {
  /** Whether the lock is still ours: asked right before a file is replaced. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Waits for the lock of a file, half a minute at most. @throws StoreError STORE_LOCKED */
export async function lockFile(file: string, store: string, signal: AbortSignal): Promise<FileLock> {
  const path = join(dirname(file), `.deleatur-${basename(file)}.lock`);
  const claim = `${process.pid} ${randomBytes(8).toString("hex")}\n`;
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    signal.throwIfAborted();
    standing.add(claim);
    if (await tryCreate(path, claim)) {
      return {
        isHeld: async () => (await readClaim(path)) === claim,
        async release() {
          if ((await readClaim(path)) === claim) await unlinkIfThere(path);
          standing.delete(claim);
        },
      };
    }
    standing.delete(claim);
    const holder = await readClaim(path);
    if (holder !== undefined && holder !== "" && isDead(holder)) await takeAway(path, holder);
    else await sleep(WAIT_MS, undefined, { signal });
  }
  throw new StoreError("STORE_LOCKED", `store ${store}: another process of ours holds a file, end it and run again`, {
    place: { store, file: basename(file) },
  });
}

/** Written under another name and linked into place, so that a lock never exists without its holder's id. */
async function tryCreate(path: string, claim: string): Promise<boolean> {
  const draft = asideOf(path);
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(claim);
  } finally {
    await handle.close();
  }
  try {
    await link(draft, path);
    return true;
  } catch (cause) {
    if (fileCode(cause) === "EEXIST") return false;
    throw cause;
  } finally {
    await unlinkIfThere(draft);
    asides.delete(draft);
  }
}

/** Files beside locks that this very process works with now. */
const asides = new Set<string>();

/** Named after its maker, so that what a killed process left can be told from what a living one is at. */
function asideOf(path: string): string {
  const aside = `${path}.${process.pid}-${randomBytes(6).toString("hex")}`;
  asides.add(aside);
  return aside;
}

/** Removes what killed processes left in a folder: locks of files that nobody has to change any more, their drafts, and dead locks that were moved aside. */
export async function clearDeadLocks(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const lock = LOCK_FILE.exec(name);
    if (lock === null) continue;
    const file = join(folder, name);
    const pid = lock.groups?.["pid"];
    if (pid === undefined) {
      const holder = await readClaim(file);
      if (holder !== undefined && holder !== "" && isDead(holder)) await takeAway(file, holder);
      continue;
    }
    const isAtWork = Number(pid) === process.pid ? asides.has(file) : isAlive(Number(pid));
    if (!isAtWork) await unlinkIfThere(file);
  }
}

async function readClaim(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (fileCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

/** Moves a dead holder's lock aside. What was moved may be the fresh lock of one who was quicker: then it is put back. */
async function takeAway(path: string, dead: string): Promise<void> {
  const aside = asideOf(path);
  try {
    await rename(path, aside);
  } catch (cause) {
    if (fileCode(cause) === "ENOENT") return;
    throw cause;
  }
  if ((await readClaim(aside)) !== dead) {
    await link(aside, path).catch((cause: unknown) => {
      if (fileCode(cause) !== "EEXIST") throw cause;
    });
  }
  await unlinkIfThere(aside);
  asides.delete(aside);
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (cause) {
    if (fileCode(cause) !== "ENOENT") throw cause;
  }
}
