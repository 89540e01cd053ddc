// Where a database really lies: SQLite follows a symbolic link, and keeps the log and the journal beside what it leads to. Reads only.
import { existsSync, realpathSync } from "node:fs";

/** The file itself where a path leads to none: whoever opens it says so. */
export function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** The database, its write-ahead log and its rollback journal, whether or not they are there. */
export function filesOf(file: string): readonly [database: string, wal: string, journal: string] {
  const real = realFile(file);
  return [real, `${real}-wal`, `${real}-journal`];
}
