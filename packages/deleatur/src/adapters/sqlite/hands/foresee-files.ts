// Says what a purge of a surface's files would lock and take, and whether they may be written at all: by sizes and rights. It writes nothing.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { diskRoom } from "../../../disk-room.ts";
import type { Foresight, PurgeLock } from "../../../surface.ts";
import { StoreError } from "../../../model/errors.ts";
import { quoteName, type SqliteFile, type SqliteOptions } from "../options.ts";
import { filesOf, realFile } from "../real-file.ts";
import { withConnection } from "./connect.ts";
import { needsVacuum } from "./purge-store.ts";

const ADOPTED =
  "a new store that every connection opens with secure_delete on, marked while it is empty (adoptSqliteStore), is purged by a checkpoint";

/** Bytes in a second, as measured for the README; a disk that is slower or shared makes it longer. */
const VACUUM_RATE = 50_000_000;

/** @throws StoreError */
export function foreseeFiles({ files, declaration, surface }: SqliteOptions): Foresight {
  const locks: PurgeLock[] = [];
  const refused: Foresight["refused"][number][] = [];
  let hindrance: Foresight["hindrance"];
  for (const target of files) {
    const isVacuumed = withConnection(target, (db) => needsVacuum(db, declaration.purge));
    if (isVacuumed)
      locks.push({
        container: `${target.store}.*`,
        mode: "EXCLUSIVE",
        keepsOut: "readers and writers",
        bytes: sizeOf(target),
      });
    const missing = isVacuumed ? whyNotRebuilt(target) : undefined;
    if (missing !== undefined) hindrance ??= { outcome: "failed", why: missing };
    if (mayWrite(target)) continue;
    const why = `the file of store ${target.store}, or its folder, may not be written`;
    hindrance ??= { outcome: "failed", why };
    refused.push(...(["erase", "plant", "offer"] as const).map((act) => ({ act, why })));
  }
  const bytes = locks.map((lock) => lock.bytes);
  const disk = files[0] === undefined ? undefined : diskRoom(files[0].file);
  return {
    ...(hindrance === undefined ? {} : { hindrance }),
    bytesStay: hindrance !== undefined,
    locks,
    // The new file is made in memory, for it must not pass through a folder of temporary files, and copied into the old one through the log.
    spareBytes: Math.max(0, ...bytes),
    ...(disk === undefined ? {} : { disk }),
    seconds: Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / VACUUM_RATE),
    basis:
      locks.length === 0
        ? `no file of ${surface} is rebuilt`
        : "the size of the file, as much of this process's memory, and 50 MB a second, as measured on two busy cores",
    ...(locks.length > 0 && declaration.purge.method === "auto" ? { cheaper: ADOPTED } : {}),
    refused,
  };
}

/** A rebuild goes through every table and index: what they use must be here. Nothing of it is run. */
function whyNotRebuilt(target: SqliteFile): string | undefined {
  try {
    withConnection(target, (db) => {
      const tables = db
        .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        .pluck(true)
        .all();
      for (const table of tables) db.prepare(`SELECT * FROM ${quoteName(table)}`);
      db.prepare("REINDEX");
    });
    return undefined;
  } catch (cause) {
    if (cause instanceof StoreError && cause.code === "STORE_PART_MISSING") return cause.message;
    throw cause;
  }
}

function sizeOf({ file }: SqliteFile): number {
  const [database, wal] = filesOf(file);
  return [database, wal].reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0);
}

function mayWrite({ file }: SqliteFile): boolean {
  try {
    const real = realFile(file);
    for (const path of [real, dirname(real)]) accessSync(path, constants.W_OK);
    return true;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "EACCES" || cause.code === "EROFS")) return false;
    throw cause;
  }
}
