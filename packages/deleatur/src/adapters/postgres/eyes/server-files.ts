// Reads a server's own files for the probes: from its data folder where that is here, else through the server, page by page where it gives no more. It writes nothing.
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../../../model/errors.ts";
import { isForbidden, sqlState } from "../store-errors.ts";
import { quoteTable } from "../options.ts";
import { ask, askEach, type Reader } from "./open-reader.ts";

export interface ServerFile {
  /** Relative to the data folder. */
  readonly path: string;
  /** Files of the write-ahead log have a header on each page, in the midst of values. */
  readonly isLog: boolean;
  readonly size: number;
}

export interface ServerFiles {
  readonly files: readonly ServerFile[];
  /** Bytes from an offset; fewer at the end, none of a file that is gone. They stand until the next read. */
  read(file: ServerFile, offset: number, length: number): Promise<Buffer>;
  /** What these eyes cannot see though it is there; undefined where they see all. */
  readonly unseen: string | undefined;
}

/** The best way there is to this server's files. @throws StoreError FILES_UNREADABLE: the probe is then blind */
export async function openServerFiles(reader: Reader): Promise<ServerFiles> {
  const database = await databaseOf(reader);
  const told = await asFunctions(reader, async () => {
    const [row] = await ask(reader, "SELECT pg_catalog.current_setting('data_directory', true)");
    return row?.[0] ?? undefined;
  });
  for (const folder of [reader.target.data, told])
    if (folder !== undefined && (await isFolderOf(reader, folder))) return await localFiles(folder, database);
  return (
    (await asFunctions(reader, () => serverReads(reader, database))) ??
    (await asFunctions(reader, () => pagesOnly(reader))) ??
    unreadable(reader)
  );
}

async function databaseOf(reader: Reader): Promise<string> {
  const [row] = await ask(
    reader,
    "SELECT oid::text FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()",
  );
  return row?.[0] ?? "";
}

/** The role pg_read_server_files alone gives none of them. */
export const FILE_RIGHTS = "EXECUTE on pg_ls_dir, pg_stat_file and pg_read_binary_file";

function unreadable({ target }: Reader): never {
  throw new StoreError(
    "FILES_UNREADABLE",
    `the files of store ${target.store} cannot be read, give their folder as data under connect, or grant ${FILE_RIGHTS}`,
    { place: { store: target.store }, cure: `add data under connect, or grant ${FILE_RIGHTS}` },
  );
}

/** The read-only transaction ends with a refusal, so each try stands behind a savepoint. */
async function asFunctions<Result>(reader: Reader, work: () => Promise<Result>): Promise<Result | undefined> {
  await reader.client.query("SAVEPOINT deleatur_files");
  try {
    return await work();
  } catch (cause) {
    // No right, no such function, or a managed server that forbids it.
    if (!isForbidden(cause) && !["42883", "0A000", "58P01"].includes(sqlState(cause) ?? "")) throw cause;
    await reader.client.query("ROLLBACK TO SAVEPOINT deleatur_files");
    return undefined;
  }
}

/** Folders whose files hold numbers of transactions and nothing of any row. */
const BARE = /^(?:pg_xact|pg_multixact|pg_subtrans|pg_commit_ts|pg_serial|pg_snapshots|pg_dynshmem)(?:\/|$)/;
/** Maps of free space and of visibility. */
const MAPS = /_(?:fsm|vm)(?:\.\d+)?$/;

function isLooked(path: string, database: string): boolean {
  if (BARE.test(path) || MAPS.test(path)) return false;
  const other = /^(?:base|pg_tblspc\/\d+\/PG_[^/]+)\/(\d+)(?:\/|$)/.exec(path)?.[1];
  // Another database's rows are its own; what all have in common stands in global and in the log.
  return other === undefined || other === database;
}

function isLogFile(path: string): boolean {
  return /^pg_wal\/[0-9A-F]{24}/.test(path);
}

/** A copy and its primary have one identity: only the running server's own notes tell whose folder it is. */
async function isFolderOf(reader: Reader, folder: string): Promise<boolean> {
  const notes = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => undefined);
  if (notes === undefined) return false;
  const [, , started, port] = notes.split("\n");
  const [row] = await ask(
    reader,
    "SELECT pg_catalog.floor(EXTRACT(epoch FROM pg_catalog.pg_postmaster_start_time()))::int8::text, pg_catalog.current_setting('port')",
  );
  // The server notes the second before it has started.
  return port === row?.[1] && Math.abs(Number(started) - Number(row?.[0])) <= 5;
}

async function localFiles(folder: string, database: string): Promise<ServerFiles> {
  const files: ServerFile[] = [];
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(goneAsNone);
    for (const entry of entries) {
      const inside = path === "" ? entry.name : `${path}/${entry.name}`;
      if (!isLooked(inside, database)) continue;
      const found = await stat(join(folder, inside)).catch(goneAsUndefined);
      if (found?.isDirectory() === true) await walk(inside);
      else if (found?.isFile() === true) files.push({ path: inside, isLog: isLogFile(inside), size: found.size });
    }
  };
  await walk("");
  const room = usedAgain();
  const read: ServerFiles["read"] = async ({ path }, offset, length) => {
    const handle = await open(join(folder, path), "r").catch(goneAsUndefined);
    if (handle === undefined) return Buffer.alloc(0);
    try {
      const buffer = room(length);
      const { bytesRead } = await handle.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  };
  // A folder that may be listed may hold files that may not be read.
  const [first] = files;
  if (first !== undefined) await read(first, 0, 1);
  return { files, unseen: undefined, read };
}

/** A file that went while it was being looked for is not there; any other trouble makes the probe blind. */
function goneAsUndefined(cause: unknown): undefined {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
  throw new StoreError("FILES_UNREADABLE", "a server's data folder cannot be read, mend its rights", { cause });
}

function goneAsNone(cause: unknown): [] {
  goneAsUndefined(cause);
  return [];
}

/** One buffer for all reads of a look: a server's files are many times what may be held. */
function usedAgain(): (length: number) => Buffer {
  let buffer = Buffer.alloc(0);
  return (length) => {
    if (buffer.length < length) buffer = Buffer.alloc(length);
    return buffer;
  };
}

/** What the server answers as one value: a long one would be thrown away by the megabyte. Nothing but zeros, as most of a log that was written over, is told by its length. */
const PIECE = 49_152;

/** Through the server's own functions, for which the role needs the right to each. */
async function serverReads(reader: Reader, database: string): Promise<ServerFiles> {
  const files: ServerFile[] = [];
  const walk = async (path: string): Promise<void> => {
    const rows = await ask(
      reader,
      `SELECT name, s.size::text, s.isdir FROM pg_catalog.pg_ls_dir($1, true, false) AS name
       CROSS JOIN LATERAL pg_catalog.pg_stat_file($1 || '/' || name, true) AS s WHERE s.size IS NOT NULL`,
      [path === "" ? "." : path],
    );
    for (const [name, size, isFolder] of rows) {
      const inside = path === "" ? (name ?? "") : `${path}/${name ?? ""}`;
      if (!isLooked(inside, database)) continue;
      if (isFolder === "t") await walk(inside);
      else files.push({ path: inside, isLog: isLogFile(inside), size: Number(size) });
    }
  };
  await walk("");
  const room = usedAgain();
  const read: ServerFiles["read"] = async ({ path }, offset, length) => {
    const buffer = room(length);
    let end = 0;
    await askEach(
      reader,
      `SELECT pg_catalog.length(piece), CASE WHEN piece <> pg_catalog.decode(pg_catalog.repeat('00', ${PIECE}), 'hex') THEN piece END
       FROM (SELECT part, pg_catalog.pg_read_binary_file($1, $2::int8 + part * ${PIECE}, least(${PIECE}, $3::int8 - part * ${PIECE}), true) AS piece
         FROM pg_catalog.generate_series(0, ($3::int8 - 1) / ${PIECE}) AS part OFFSET 0) AS pieces ORDER BY part`,
      [path, offset, length],
      ([size, hex]) => {
        const next = end + Number(size ?? 0);
        if (hex === null || hex === undefined) buffer.fill(0, end, next);
        else buffer.write(hex.slice(2), end, "hex");
        end = next;
      },
    );
    return buffer.subarray(0, end);
  };
  // Who may list files may not read them for that.
  const [first] = files;
  if (first !== undefined) await read(first, 0, 1);
  return { files, unseen: undefined, read };
}

/** Pages of tables and indexes alone: the log is not seen, so that nothing found means nothing. */
async function pagesOnly(reader: Reader): Promise<ServerFiles> {
  const [extension] = await ask(
    reader,
    "SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pageinspect'",
  );
  if (extension === undefined) return unreadable(reader);
  const [size] = await ask(reader, "SELECT pg_catalog.current_setting('block_size')");
  const page = Number(size?.[0] ?? 8192);
  const rows = await ask(
    reader,
    `SELECT n.nspname, c.relname, pg_catalog.pg_relation_size(c.oid)::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'i', 't', 'm') AND (n.nspname NOT IN ('pg_catalog', 'information_schema') OR c.relname LIKE 'pg\\_statistic%')`,
  );
  const names = new Map(
    rows.map(([schema, table, bytes]) => [quoteTable({ schema: schema ?? "", table: table ?? "" }), Number(bytes)]),
  );
  const read = async (name: string, block: number): Promise<Buffer> => {
    const [row] = await ask(
      reader,
      `SELECT ${quoteTable({ schema: extension[0] ?? "", table: "get_raw_page" })}($1, $2)`,
      [name, block],
    );
    return Buffer.from((row?.[0] ?? "\\x").slice(2), "hex");
  };
  const [first] = [...names].filter(([, bytes]) => bytes > 0);
  if (first !== undefined) await read(first[0], 0);
  return {
    files: [...names].map(([path, bytes]) => ({ path, isLog: false, size: bytes })),
    unseen: "its write-ahead log",
    async read({ path, size: bytes }, offset, length) {
      const pages: Buffer[] = [];
      for (let at = offset; at < Math.min(bytes, offset + length); at += page) pages.push(await read(path, at / page));
      return Buffer.concat(pages);
    },
  };
}
