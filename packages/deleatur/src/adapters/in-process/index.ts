// The kind `in-process`: caches and scratchpads in the memory of the application's own processes. Binds options, hands and eyes, and states what memory promises.
import type { Guarantees, SurfaceKind } from "../../surface.ts";
import { processProbes } from "./eyes/process-probes.ts";
import { type InProcessOptions, parseInProcess } from "./options.ts";
import { openInProcess } from "./surface.ts";

const guarantees: Guarantees = {
  scan: "complete",
  snapshot: "none",
  deletion: "memory",
  fence: "leased",
  probes: ["key", "exact", "excerpt", "re-ingest"],
  outOfReach: [
    "the memory of the processes itself, which was not scanned: bytes that were let go of stay until they are used again, also in swap, core dumps and suspended machines",
    "what a process holds elsewhere than in what it lists, and processes that never took part",
  ],
};

export const inProcess: SurfaceKind<InProcessOptions> = {
  kind: "in-process",
  guarantees,
  parse: parseInProcess,
  open: async (options) => openInProcess(options, guarantees),
  probes: processProbes,
  containerProbes: () => [],
};
