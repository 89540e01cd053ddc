// The SQLite kinds: ordinary tables, FTS5 indexes and sqlite-vec tables. What survives in such a store, and why, is in the README beside this file.
import type { Guarantees, SurfaceKind } from "../../surface.ts";
import { parseSqliteOptions, type SqliteKind, type SqliteOptions } from "./options.ts";
import { containerProbes, surfaceProbes } from "./probes.ts";
import { openSqliteSurface } from "./surface.ts";

export { adoptSqliteStore } from "./hands/store-marker.ts";
export type { SqliteFile, SqliteOptions } from "./options.ts";

const BELOW_THE_FILES = [
  "bytes below the file system until its blocks are trimmed or the volume's key is destroyed",
  "copies that the operating system or an application keeps in memory",
];

const table: Guarantees = {
  scan: "complete",
  snapshot: "yes",
  deletion: "file-level",
  fence: "strong",
  probes: ["key", "exact", "excerpt", "bytes", "re-ingest"],
  outOfReach: BELOW_THE_FILES,
};

export const sqliteTable: SurfaceKind<SqliteOptions> = defineKind("sqlite", table);

export const sqliteFts: SurfaceKind<SqliteOptions> = defineKind("sqlite-fts", {
  ...table,
  fence: "leased",
  probes: ["key", "exact", "excerpt", "bytes", "re-ingest"],
});

export const sqliteVec: SurfaceKind<SqliteOptions> = defineKind("sqlite-vec", {
  ...table,
  fence: "leased",
  probes: ["key", "exact", "excerpt", "neighbour", "bytes", "re-ingest"],
});

function defineKind(kind: SqliteKind, guarantees: Guarantees): SurfaceKind<SqliteOptions> {
  return {
    kind,
    guarantees,
    parse: (entry) => parseSqliteOptions(kind, entry),
    open: (options) => openSqliteSurface(options, guarantees),
    probes: (options) => surfaceProbes(options),
    containerProbes: (options, container) => containerProbes(options, container),
  };
}
