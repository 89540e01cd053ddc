// Lists the files beside a database that are named after it (`memory.db.bak`, `memory.db-old`): copies of it that no surface declares. Reads only.
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Boundary } from "../../../model/declaration.ts";
import type { Container } from "../../../surface.ts";
import type { SqliteFile } from "../options.ts";

/** What SQLite itself keeps beside a database; the byte probe reads it with the database. */
const OWN_FILES = ["", "-wal", "-shm", "-journal"];

export function takeFileCensus(target: SqliteFile, { connect }: Boundary): readonly Container[] {
  const name = basename(target.file);
  const folder = dirname(target.file);
  const databases = [...connect.stores.values()].flatMap((store) => (store.type === "sqlite" ? [store.file] : []));
  const known = new Set([...databases, connect.ledger].flatMap((file) => OWN_FILES.map((suffix) => file + suffix)));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name.startsWith(name) && !known.has(join(folder, entry.name)))
    .filter((entry) => /^[-.~_ ]/.test(entry.name.slice(name.length)))
    .map((entry) => ({ name: `${target.store}.${entry.name}`, kind: "file", holds: ["blob"] }));
}
