// The kind `redis`: keys of one database, entries of streams, fields of hashes. What survives in such a store, and why, is in the README beside this file.
import type { SurfaceDeclaration } from "../../model/declaration.ts";
import type { Guarantees, SurfaceKind } from "../../surface.ts";
import { openRedisSurface } from "./hands/redis-surface.ts";
import { parseRedisOptions, type RedisOptions } from "./options.ts";
import { redisContainerProbes, redisProbes } from "./probes.ts";

const IN_MEMORY = [
  "freed pages in the server's own memory, until they are used again or the server ends; its replication backlog and the buffers of its clients",
  "what applications and client-side caches hold of an answer",
];

const fileLevel: Guarantees = {
  scan: "complete",
  snapshot: "none",
  deletion: "file-level",
  fence: "leased",
  probes: ["key", "exact", "excerpt", "neighbour", "bytes", "re-ingest"],
  outOfReach: [
    ...IN_MEMORY,
    "copies of its files that somebody took away, and bytes below the file system until its blocks are trimmed",
  ],
};

/** A server without files: there are no bytes to look at, and no file to purge. */
const memoryOnly: Guarantees = {
  ...fileLevel,
  deletion: "memory",
  probes: ["key", "exact", "excerpt", "neighbour", "re-ingest"],
  outOfReach: IN_MEMORY,
};

/** The kind as a declaration has it: what it promises depends on whether the server writes files. */
export function redisKind({ persistence }: Pick<SurfaceDeclaration, "persistence">): SurfaceKind<RedisOptions> {
  const guarantees = persistence === "none" ? memoryOnly : fileLevel;
  return {
    kind: "redis",
    guarantees,
    parse: parseRedisOptions,
    open: (options) => openRedisSurface(options, guarantees),
    probes: redisProbes,
    containerProbes: redisContainerProbes,
  };
}
