// Opens the one surface that a store's bench asks, as the engine opens it. It knows the servers' addresses and nothing of what is measured.
import { bindSurfaces } from "../../packages/deleatur/dist/adapters/registry.js";
import type { BoundaryInput } from "../../packages/deleatur/dist/boundary/boundary-input.js";
import { defineBoundary } from "../../packages/deleatur/dist/boundary/parse-boundary.js";
import type { Surface } from "../../packages/deleatur/dist/surface.js";

/** A table of PostgreSQL, with columns `id`, `account` and `body`. */
export interface TableAt {
  readonly postgres: string;
  readonly table: string;
}

/** Hashes of Redis under a prefix, with fields `prompt`, `response` and `sources`. */
export interface HashesAt {
  readonly redis: string;
  readonly prefix: string;
}

const subject = { column: "account", type: "account" };

const tableOf = ({ postgres, table }: TableAt): Pick<BoundaryInput, "surfaces" | "connect"> => ({
  surfaces: {
    rows: { kind: "postgres", role: "primary", store: "server", table, key: "id", subject, content: ["body"] },
  },
  connect: { ledger: "sqlite:./none.db", server: { url: postgres } },
});

const hashesOf = ({ redis, prefix }: HashesAt): Pick<BoundaryInput, "surfaces" | "connect"> => ({
  surfaces: { rows: { kind: "redis", role: "cache", store: "server", prefix, content: ["prompt", "response"] } },
  connect: { ledger: "sqlite:./none.db", server: { url: redis } },
});

export async function openSurface(at: TableAt | HashesAt): Promise<Surface> {
  const parts = "table" in at ? tableOf(at) : hashesOf(at);
  const boundary = defineBoundary(
    { deleatur: 1, boundary: "bench/stores", identifiers: ["account"], writers: "sdk", ...parts },
    { directory: ".", env: {} },
  );
  const [bound] = bindSurfaces(boundary, () => {
    throw new Error("no process takes part");
  });
  if (bound === undefined) throw new Error("no surface was declared");
  return await bound.open();
}
