// Has one server write its files anew without what was erased: the append-only file and the snapshot, each awaited, and what they replace gone. It erases nothing.
import { setTimeout as wait } from "node:timers/promises";
import { diskRoom, type DiskRoom, whereItIsFull } from "../../../disk-room.ts";
import type { Purged } from "../../../model/artifact.ts";
import { type Db, Refused } from "./connect.ts";
import { type LeftFiles, lookForLeftFiles, removeTemporary } from "./left-files.ts";
import { factsOf, folderHere, type Persistence, persistenceOf } from "./persistence.ts";
import { mayRun } from "./try-rights.ts";

const STEP_MS = 50;
/** How long the server may take to delete files behind the scenes, once it is through with everything else. */
const DELETE_MS = 10_000;
/** A save of a very large server takes minutes; one that stands still is no reason to wait for ever. */
const SAVE_MS = 30 * 60_000;

const WRITES_FILES = "it is declared with persistence: none, and writes files or does not say that it writes none";
const ABANDONED = "append-only files are left from when it wrote some: remove them, or switch appendonly on again";

type PurgeEnd = Exclude<Purged, { readonly outcome: "purged" }>;

/** One of the two ways in which a server writes its files anew. */
interface Rewrite {
  readonly command: readonly string[];
  /** Counts the attempts, so that one that was ours is told from one before it. */
  readonly counter: string;
  readonly status: string;
  readonly what: string;
}

const APPEND_ONLY: Rewrite = {
  command: ["BGREWRITEAOF"],
  counter: "aof_rewrites",
  status: "aof_last_bgrewrite_status",
  what: "append-only file",
};
const SNAPSHOT: Rewrite = {
  command: ["BGSAVE", "SCHEDULE"],
  counter: "rdb_saves",
  status: "rdb_last_bgsave_status",
  what: "snapshot",
};

/** @throws StoreError where the connection fails meanwhile */
export async function purgeServer(db: Db, isSaidToWriteNothing: boolean, signal: AbortSignal): Promise<Purged> {
  const before = await persistenceOf(db);
  if (isSaidToWriteNothing && (before.hasAof || before.savesSnapshots !== false)) return failed(WRITES_FILES);
  // What was unlinked is freed behind the scenes; a child that began before the erase may hold it.
  if (!(await untilCalm(db, signal))) return failed("a save that was under way did not end");
  const done: string[] = [];
  if (before.hasAof) {
    const why = await rewrite(db, APPEND_ONLY, signal);
    if (why !== undefined) return why;
    done.push("append-only file rewritten");
  }
  if (needsSnapshot(before, lookForLeftFiles(before))) {
    const why = await rewrite(db, SNAPSHOT, signal);
    if (why !== undefined) return why;
    done.push("snapshot saved");
  }
  const left = await clearLeft(await persistenceOf(db), signal);
  if (left !== undefined) return left;
  // Commands with their arguments stand in the slow log, in Valkey in those of large ones too; pages that hold nothing go back to the system. Either may be forbidden: see outOfReach.
  await db.ask("SLOWLOG", "RESET");
  for (const log of ["large-request", "large-reply"]) await db.ask("COMMANDLOG", "RESET", log);
  await db.ask("MEMORY", "PURGE");
  return { outcome: "purged", method: done.length === 0 ? "the server writes no files" : done.join(", ") };
}

/** What a purge would answer now, and how many files it would write anew. Changes nothing. @throws StoreError */
export async function foreseePurge(
  db: Db,
  isSaidToWriteNothing: boolean,
): Promise<{ readonly rewrites: number; readonly hindrance?: PurgeEnd; readonly disk?: DiskRoom }> {
  const persistence = await persistenceOf(db);
  const folder = folderHere(db, persistence);
  const room = folder === undefined ? undefined : diskRoom(folder);
  const disk = room === undefined ? {} : { disk: room };
  const { hasAof, savesSnapshots } = persistence;
  if (isSaidToWriteNothing && (hasAof || savesSnapshots !== false))
    return { rewrites: 0, hindrance: failed(WRITES_FILES) };
  const left = lookForLeftFiles(persistence);
  const due = [...(hasAof ? [APPEND_ONLY] : []), ...(needsSnapshot(persistence, left) ? [SNAPSHOT] : [])];
  for (const one of due)
    if ((await mayRun(db, ...one.command)) === false)
      return { ...disk, rewrites: due.length, hindrance: lacksRight(one) };
  if (left !== undefined && left.abandoned > 0) return { ...disk, rewrites: due.length, hindrance: failed(ABANDONED) };
  return { ...disk, rewrites: due.length };
}

/** Has the snapshot written anew; answers why that could not be done. */
export async function saveSnapshot(db: Db, signal: AbortSignal): Promise<Purged | undefined> {
  return await rewrite(db, SNAPSHOT, signal);
}

/** Where it saves none, and none is seen, a snapshot of ours would only put everybody's data on a disk that is meant to be without it. */
function needsSnapshot({ savesSnapshots, mayHaveSnapshot }: Persistence, left: LeftFiles | undefined): boolean {
  if (savesSnapshots !== false) return true;
  return left === undefined ? mayHaveSnapshot : left.hasSnapshot;
}

/** In words; with how much is free, where its folder is one of this machine's. */
async function diskOf(db: Db): Promise<string> {
  const folder = folderHere(db, await persistenceOf(db));
  return folder === undefined ? "its disk" : `the disk of ${folder}${whereItIsFull(folder)}`;
}

async function rewrite(
  db: Db,
  { command, counter, status, what }: Rewrite,
  signal: AbortSignal,
): Promise<Purged | undefined> {
  const before = Number((await factsOf(db)).get(counter) ?? "0");
  const [answer] = await db.sendAll([command]);
  if (answer instanceof Refused) {
    // Who may not, and a managed server that took the command away, will not by asking again.
    if ((await mayRun(db, ...command)) === false) return lacksRight({ command, what });
    return failed(`the server refused to write its ${what} anew, see its log and ${await diskOf(db)}`);
  }
  for (let waited = 0; waited < SAVE_MS; waited += STEP_MS) {
    const facts = await factsOf(db);
    if (!isBusy(facts)) {
      if (facts.get(status) !== "ok")
        return failed(`the server could not write its ${what} anew, see its log and ${await diskOf(db)}`);
      if (Number(facts.get(counter) ?? "0") > before) return undefined;
      // It neither writes nor waits to, and did not: its answer was no more than words.
      if (waited > DELETE_MS) return failed(`the server said that it writes its ${what} anew, and did not`);
    }
    await wait(STEP_MS, undefined, { signal });
  }
  return { outcome: "pending", why: `the server is still writing its ${what}` };
}

function isBusy(facts: ReadonlyMap<string, string>): boolean {
  return [
    "rdb_bgsave_in_progress",
    "aof_rewrite_in_progress",
    "aof_rewrite_scheduled",
    "lazyfree_pending_objects",
  ].some((name) => Number(facts.get(name) ?? "0") > 0);
}

async function untilCalm(db: Db, signal: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < SAVE_MS; waited += STEP_MS) {
    if (!isBusy(await factsOf(db))) return true;
    await wait(STEP_MS, undefined, { signal });
  }
  return false;
}

/** Waits for what the server deletes itself, and takes out what a killed save left; undefined where nothing is left. */
async function clearLeft(persistence: Persistence, signal: AbortSignal): Promise<Purged | undefined> {
  for (let waited = 0; ; waited += STEP_MS) {
    const left = lookForLeftFiles(persistence);
    // On another machine nobody of ours sees it: the bytes probe is blind there too.
    if (left === undefined) return undefined;
    if (left.abandoned > 0) return failed(ABANDONED);
    if (left.replaced === 0) {
      const stuck = removeTemporary(left);
      return stuck === 0 ? undefined : failed("a temporary file of a killed save is left and may not be removed by us");
    }
    if (waited > DELETE_MS)
      return { outcome: "pending", why: "the server has not deleted its old append-only files yet" };
    await wait(STEP_MS, undefined, { signal });
  }
}

function lacksRight({ command, what }: Pick<Rewrite, "command" | "what">): PurgeEnd {
  return {
    outcome: "unsupported",
    why: `this user, or this server, may not have the ${what} written anew (${command[0] ?? ""})`,
  };
}

function failed(why: string): PurgeEnd {
  return { outcome: "failed", why };
}
