// The PostgreSQL kind: tables, with or without pgvector. What survives in such a store, and why, is in the README beside this file.
import type { Guarantees, SurfaceKind } from "../../surface.ts";
import { parsePostgresOptions, type PostgresOptions } from "./options.ts";
import { containerProbes, surfaceProbes } from "./probes.ts";
import { openPostgresSurface } from "./surface.ts";

export type { PostgresOptions, PostgresTarget } from "./options.ts";

const guarantees: Guarantees = {
  scan: "complete",
  snapshot: "yes",
  deletion: "file-level",
  fence: "strong",
  probes: ["key", "exact", "excerpt", "neighbour", "bytes", "re-ingest"],
  outOfReach: [
    "bytes below the file system until its blocks are trimmed or the volume's key is destroyed",
    "copies that the server, the operating system or an application keeps in memory",
    "archives of the write-ahead log, base backups, dumps, and server logs outside of the data folder",
  ],
};

export const postgresTable: SurfaceKind<PostgresOptions> = {
  kind: "postgres",
  guarantees,
  parse: parsePostgresOptions,
  open: (options) => openPostgresSurface(options, guarantees),
  probes: surfaceProbes,
  containerProbes,
};
