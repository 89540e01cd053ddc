// Lists the files beside a database that are named after it (`memory.db.bak`, `.memory.db.swp`, `memory-2026.db`): copies of it that no surface declares. Reads names, and the first bytes of some.
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Boundary } from "../../../model/declaration.ts";
import type { Container } from "../../../surface.ts";
import { parseFileGlob } from "../../files/file-glob.ts";
import type { SqliteFile } from "../options.ts";
import { realFile } from "../real-file.ts";

/** What SQLite itself keeps beside a database; the byte probe reads it with the database. */
const OWN_FILES = ["", "-wal", "-shm", "-journal"];
/** Temporary files, locks and markers that Deleatur lays for stores of files. */
const OURS = /^\.deleatur-/;
/** What exports and backups are called; a program or its settings beside a database are none. */
const COPY_NAME = /\.(?:bak|backup|old|orig|save|copy|tmp|dump|sql|csv|tsv|json|jsonl|ndjson|parquet)$|~$/i;
/** How copies begin: a database, what `.dump` writes, gzip, zip, zstd, xz, bzip2, 7z. */
const COPY_STARTS = [
  "SQLite format 3\0",
  "PRAGMA foreign_keys=OFF;",
  "\u001F\u008B",
  "PK\u0003\u0004",
  "\u0028\u00B5\u002F\u00FD",
  "\u00FD7zXZ\0",
  "BZh",
  "7z\u00BC\u00AF",
];

export function takeFileCensus(target: SqliteFile, boundary: Boundary): readonly Container[] {
  const isKnown = knownFiles(target, boundary);
  // A link has a folder of its own, and a name that a backup may bear too.
  const places = [...new Set([target.file, realFile(target.file)])];
  const names = places.flatMap((file) => {
    const folder = dirname(file);
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !OURS.test(entry.name) && !isKnown(join(folder, entry.name)))
      .filter((entry) => isNamedAfter(entry.name, basename(file)) || isCopy(folder, entry.name, basename(file)))
      .map((entry) => entry.name);
  });
  return [...new Set(names)].map((name) => ({ name: `${target.store}.${name}`, kind: "file", holds: ["blob"] }));
}

/** The database itself, what the boundary declares, the ledger with its keys, and the boundary file. */
function knownFiles({ file: own }: SqliteFile, { connect, source }: Boundary): (path: string) => boolean {
  const stores = [...connect.stores.values()];
  const databases = [own, connect.ledger, ...stores.flatMap((store) => (store.type === "sqlite" ? [store.file] : []))];
  const files = databases.flatMap((file) => [file, realFile(file)]);
  const known = new Set(files.flatMap((file) => OWN_FILES.map((suffix) => file + suffix)));
  for (const suffix of [".key", ".keys"]) known.add(connect.ledger + suffix);
  if (source.file !== undefined) known.add(source.file);
  const globs = stores.flatMap((store) => (store.type === "files" ? [parseFileGlob(store.glob)] : []));
  return (path) =>
    known.has(path) ||
    globs.some(({ directory, matches }) => {
      const folder = directory === "/" ? "/" : `${directory}/`;
      return path.startsWith(folder) && matches(path.slice(folder.length));
    });
}

/** Bears the whole name of the database: one without an ending, as a word of its own. */
function isNamedAfter(name: string, database: string): boolean {
  return database.includes(".") ? name.toLowerCase().includes(database.toLowerCase()) : asWord(database).test(name);
}

function asWord(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?:^|[^\p{L}])${escaped}(?:[^\p{L}]|$)`, "iu");
}

/** Bears the name without its ending, as a word of its own, and is called or begins as copies do. */
function isCopy(folder: string, name: string, database: string): boolean {
  const dot = database.lastIndexOf(".");
  if (!asWord(dot > 0 ? database.slice(0, dot) : database).test(name)) return false;
  return COPY_NAME.test(name) || beginsAsCopy(join(folder, name));
}

/** One that cannot be read may be anything. */
function beginsAsCopy(path: string): boolean {
  const start = Buffer.alloc(32);
  try {
    const fd = openSync(path, "r");
    try {
      readSync(fd, start, 0, start.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    // A link that leads nowhere holds nothing, one to a folder is no copy.
    return !(cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "EISDIR"));
  }
  const text = start.toString("latin1");
  return COPY_STARTS.some((known) => text.startsWith(known));
}
