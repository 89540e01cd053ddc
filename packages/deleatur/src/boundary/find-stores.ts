// Finds the stores among the paths that `init` is given: SQLite files by their first bytes, JSONL and text files by their names.
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { compareUtf8 } from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";

export interface Found {
  readonly type: "sqlite" | "jsonl" | "text";
  /** The file, or the glob of files. */
  readonly path: string;
  readonly files: readonly string[];
}

const SQLITE_MAGIC = "SQLite format 3\0";
const TEXT_EXTENSIONS = [".txt", ".md"];

/** The stores of one path: of a folder its own files, or, where none of these is a store, those below it. @throws UsageError where it is none */
export function findStores(path: string): readonly Found[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new UsageError("NO_SUCH_PATH", `${path} does not exist, name SQLite files or folders`, {
      place: { file: path },
    });
  if (stat.isDirectory()) return findInFolder(path);
  if (isSqlite(path)) return [{ type: "sqlite", path: resolve(path), files: [path] }];
  const type = extname(path) === ".jsonl" ? "jsonl" : TEXT_EXTENSIONS.includes(extname(path)) ? "text" : undefined;
  if (type !== undefined) return [{ type, path: resolve(path), files: [path] }];
  throw new UsageError("UNKNOWN_STORE_FILE", `${path} is neither a SQLite file nor .jsonl, .txt or .md, name another`, {
    place: { file: path },
  });
}

function findInFolder(folder: string): readonly Found[] {
  const own = storesAmong(filesIn(folder, false), resolve(folder));
  return own.length > 0 ? own : storesAmong(filesIn(folder, true), join(resolve(folder), "**"));
}

/** Hidden folders and installed packages are not entered: no memory of an agent is meant by them. */
function filesIn(folder: string, isDeep: boolean): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name);
    if (item.isFile()) return [path];
    const isEntered = isDeep && item.isDirectory() && !item.name.startsWith(".") && item.name !== "node_modules";
    return isEntered ? filesIn(path, isDeep) : [];
  });
}

/** @param place the folder of the globs, with `**` where its folders are meant too */
function storesAmong(unsorted: readonly string[], place: string): readonly Found[] {
  const files = unsorted.toSorted(compareUtf8);
  // The ledger of an earlier run is no store of the application.
  const databases = files.filter((file) => basename(file) !== "deleatur.db" && isSqlite(file));
  const byExtension = [".jsonl", ...TEXT_EXTENSIONS].map((extension) => ({
    extension,
    files: files.filter((file) => extname(file) === extension),
  }));
  return [
    ...databases.map((file): Found => ({ type: "sqlite", path: resolve(file), files: [file] })),
    ...byExtension
      .filter((group) => group.files.length > 0)
      .map((group): Found => ({
        type: group.extension === ".jsonl" ? "jsonl" : "text",
        path: join(place, `*${group.extension}`),
        files: group.files,
      })),
  ];
}

function isSqlite(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(SQLITE_MAGIC.length);
    return readSync(handle, head, 0, head.length, 0) === head.length && head.toString("latin1") === SQLITE_MAGIC;
  } finally {
    closeSync(handle);
  }
}
