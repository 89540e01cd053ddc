// The kind `append-log`: what it promises, what it takes from a declaration, and which hands and eyes it has. Opens nothing by itself.
import { basename } from "node:path";
import { BoundaryError, type Guarantees, type SurfaceEntry, type SurfaceId, type SurfaceKind } from "deleatur/surface";
import { containerProbes, logProbes } from "./eyes.ts";
import { openLog } from "./hands.ts";

/** What hands and eyes share: names and a path, nothing that reads or writes. */
export interface LogOptions {
  readonly surface: SurfaceId;
  readonly store: string;
  readonly file: string;
  /** The identifier type of the people that a note names. */
  readonly personType: string | undefined;
  readonly origin: SurfaceId | undefined;
}

const guarantees: Guarantees = {
  scan: "complete",
  snapshot: "yes",
  deletion: "file-level",
  fence: "leased",
  probes: ["key", "exact", "excerpt", "bytes", "re-ingest"],
  outOfReach: [
    "blocks below the file system, until they are trimmed",
    "what a process that read the log still holds in its memory",
  ],
};

function parse({ declaration, connections }: SurfaceEntry): LogOptions {
  const [connection, ...replicas] = connections;
  const place = { surface: declaration.id };
  if (connection?.type !== "files" || /[*?]/.test(connection.glob) || replicas.length > 0)
    throw new BoundaryError(
      "STORE_UNFIT",
      `surface ${declaration.id} takes one log, give its store as { path: ./memory.log }`,
      { place },
    );
  const [subject] = declaration.subject;
  return {
    surface: declaration.id,
    store: connection.name,
    file: connection.glob,
    personType: subject?.type,
    origin: declaration.derivedFrom[0]?.surface,
  };
}

export const kind: SurfaceKind<LogOptions> = {
  kind: "append-log",
  guarantees,
  parse,
  open: async (options) => openLog(options, guarantees),
  probes: logProbes,
  containerProbes: (options, { name }) =>
    name.startsWith(`${options.store}.${basename(options.file)}`) ? containerProbes(options, name) : [],
};
