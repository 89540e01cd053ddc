// Writes over what the write-ahead log holds of erased rows: its files are used up, given back and used up again, on the server and on its standbys. Without the rights it says so.
import { setTimeout as pause } from "node:timers/promises";
import { rowsOf, type Db } from "./connect.ts";

/** Files that are written at most, 16 MB each as a rule: 4 GB. */
const MOST_FILES = 256;
const PASSES = 2;
const REPLAY_MS = 20_000;
const REPLAY_PAUSE_MS = 20;

/** What of the old log is still there, and why; undefined where none is. */
export type LogHeld = { readonly why: string } | undefined;

/**
 * Used files are given back under later names with their old bytes in them, so the files that exist are filled to the last (a switch fills the rest of each with zeros),
 * given back, and filled once more: then none that existed before is left as it was.
 */
export async function cycleLog(primary: Db, standbys: readonly Db[], signal: AbortSignal): Promise<LogHeld> {
  const [row] = await rowsOf(
    primary,
    "SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), pg_catalog.pg_current_wal_insert_lsn()::text",
  );
  const oldest = placeOf(row?.[0] ?? "");
  const nodes = [primary, ...standbys];
  const places = async (): Promise<readonly string[]> => (await Promise.all(nodes.map(filesOf))).flat();
  const isLeft = async (): Promise<boolean> => (await places()).some((place) => place <= oldest);
  for (let pass = 1; pass <= PASSES; pass += 1) {
    if (!(await checkpoint(primary, standbys, signal))) return lagging(primary);
    const last = (await places()).toSorted().at(-1) ?? "";
    await fill(primary, MOST_FILES, (place) => place >= last, signal);
  }
  await awaitArchiver(primary, signal);
  if (!(await checkpoint(primary, standbys, signal))) return lagging(primary);
  const kept = await keptFiles(primary);
  if (kept > 0 && kept <= MOST_FILES && (await isLeft()) && !(await isHeldBySlot(primary, row?.[1] ?? "0/0"))) {
    // A declared amount of log is kept whatever it holds: as much is written anew.
    await fill(primary, kept + 1, () => false, signal);
    await awaitArchiver(primary, signal);
    if (!(await checkpoint(primary, standbys, signal))) return lagging(primary);
  }
  return (await isLeft()) ? { why: await whatHolds(primary, row?.[1] ?? "0/0") } : undefined;
}

/** Fills files to the last of each, so many at most, until one is enough. */
async function fill(
  primary: Db,
  most: number,
  isEnough: (place: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let written = 0; written < most; written += 1) {
    signal.throwIfAborted();
    // Without a record in it a file is not switched.
    const [now] = await rowsOf(
      primary,
      "SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_switch_wal()) FROM (SELECT pg_catalog.pg_logical_emit_message(false, 'deleatur', '')) AS m",
    );
    if (isEnough(placeOf(now?.[0] ?? ""))) return;
  }
}

/** A file's place in the log, whatever its timeline. */
function placeOf(name: string): string {
  return name.slice(8, 24);
}

async function filesOf(db: Db): Promise<readonly string[]> {
  const rows = await rowsOf(db, "SELECT name FROM pg_catalog.pg_ls_waldir()");
  return rows.flatMap(([name]) =>
    name !== null && name !== undefined && /^[0-9A-F]{24}/.test(name) ? [placeOf(name)] : [],
  );
}

/**
 * A checkpoint gives back files that no slot keeps, also those that a standby has not read, which would then never catch up: each has read them first. Answers
 * false where one does not get there.
 */
async function checkpoint(primary: Db, standbys: readonly Db[], signal: AbortSignal): Promise<boolean> {
  for (const standby of standbys) if (!(await awaitReplay(primary, standby, signal))) return false;
  if (!(await awaitReceivers(primary, signal))) return false;
  await primary.client.query("CHECKPOINT");
  for (const standby of standbys) {
    if (!(await awaitReplay(primary, standby, signal))) return false;
    await standby.client.query("CHECKPOINT");
  }
  return true;
}

function lagging({ target }: Db): LogHeld {
  return { why: `a standby of store ${target.store} lags behind, let it catch up` };
}

/** Waits until a standby shows what its primary had written when this was asked. Answers false where it does not get there. */
export async function awaitReplay(primary: Db, standby: Db, signal: AbortSignal): Promise<boolean> {
  const [row] = await rowsOf(primary, "SELECT pg_catalog.pg_current_wal_lsn()::text");
  for (let waited = 0; waited < REPLAY_MS; waited += REPLAY_PAUSE_MS) {
    signal.throwIfAborted();
    const [reached] = await rowsOf(standby, "SELECT pg_catalog.pg_last_wal_replay_lsn() >= $1::pg_catalog.pg_lsn", [
      row?.[0] ?? "0/0",
    ]);
    if (reached?.[0] === "t") return true;
    await pause(REPLAY_PAUSE_MS, undefined, { signal });
  }
  return false;
}

/** Waits until everybody who streams the log has it, declared or not. Answers false where one does not get there; what this role may not see of them counts as there. */
async function awaitReceivers(primary: Db, signal: AbortSignal): Promise<boolean> {
  const [row] = await rowsOf(primary, "SELECT pg_catalog.pg_current_wal_flush_lsn()::text");
  for (let waited = 0; waited < REPLAY_MS; waited += REPLAY_PAUSE_MS) {
    signal.throwIfAborted();
    const [behind] = await rowsOf(
      primary,
      "SELECT 1 FROM pg_catalog.pg_stat_replication WHERE flush_lsn < $1::pg_catalog.pg_lsn LIMIT 1",
      [row?.[0] ?? "0/0"],
    );
    if (behind === undefined) return true;
    await pause(REPLAY_PAUSE_MS, undefined, { signal });
  }
  return false;
}

/** How many files a server keeps because it was told to, for standbys that may come. */
async function keptFiles(db: Db): Promise<number> {
  const [row] = await rowsOf(
    db,
    `SELECT pg_catalog.ceil(pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_keep_size'))::numeric
       / pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size')))::text`,
  );
  return Number(row?.[0] ?? 0);
}

async function isHeldBySlot(db: Db, lsn: string): Promise<boolean> {
  const rows = await rowsOf(
    db,
    "SELECT 1 FROM pg_catalog.pg_replication_slots WHERE restart_lsn <= $1::pg_catalog.pg_lsn LIMIT 1",
    [lsn],
  );
  return rows.length > 0;
}

const ARCHIVE_MS = 10_000;

/** A file is given back when it was archived; one that is not taken in this time is told as what it is. */
async function awaitArchiver(db: Db, signal: AbortSignal): Promise<void> {
  if (!(await isArchived(db))) return;
  for (let waited = 0; waited < ARCHIVE_MS; waited += REPLAY_PAUSE_MS) {
    const [row] = await rowsOf(
      db,
      "SELECT 1 FROM pg_catalog.pg_ls_archive_statusdir() WHERE name LIKE '%.ready' LIMIT 1",
    );
    if (row === undefined) return;
    await pause(REPLAY_PAUSE_MS, undefined, { signal });
  }
}

/** What will hold the log however often it is written over; what only lags now may have caught up by then. */
export async function willHold(db: Db): Promise<LogHeld> {
  const { store } = db.target;
  const [row] = await rowsOf(
    db,
    "SELECT 1 FROM pg_catalog.pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL LIMIT 1",
  );
  if (row !== undefined)
    return { why: `a replication slot of store ${store} that nobody reads holds its write-ahead log, drop it` };
  if ((await keptFiles(db)) > MOST_FILES)
    return { why: `wal_keep_size of store ${store} keeps more of its write-ahead log than is written over, lower it` };
  return undefined;
}

async function whatHolds(db: Db, lsn: string): Promise<string> {
  const { store } = db.target;
  if (await isHeldBySlot(db, lsn))
    return `a replication slot of store ${store} holds its write-ahead log, let its reader catch up or drop it`;
  if ((await keptFiles(db)) > MOST_FILES)
    return `wal_keep_size of store ${store} keeps more of its write-ahead log than is written over, lower it`;
  if (await isArchived(db))
    return `the archiver of store ${store} has not taken its write-ahead log yet, look at archive_command`;
  return `store ${store} or a standby keeps files of its write-ahead log, run again later`;
}

/** Whether the log is copied elsewhere, out of reach. */
export async function isArchived(db: Db): Promise<boolean> {
  const [row] = await rowsOf(db, "SELECT pg_catalog.current_setting('archive_mode') <> 'off'");
  return row?.[0] === "t";
}
