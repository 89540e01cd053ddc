// The kinds `jsonl` (an artifact is a line) and `text` (an artifact is a file): binds options, hands and eyes, and states what files promise.
import type { Guarantees, SurfaceKind } from "../../surface.ts";
import { fileContainerProbes, fileProbes } from "./eyes/file-probes.ts";
import { openFilesSurface } from "./hands/files-surface.ts";
import { type FilesOptions, parseFilesOptions } from "./options.ts";

const guarantees: Guarantees = {
  scan: "complete",
  snapshot: "none",
  deletion: "file-level",
  fence: "leased",
  probes: ["key", "exact", "excerpt", "bytes", "re-ingest"],
  outOfReach: [
    "blocks below the file system, until they are trimmed or an encrypted volume's key is destroyed",
    "copies that an editor, a backup or another process made outside the declared folder",
    "what a process that keeps an old file open still holds",
  ],
};

function filesKind(kind: "jsonl" | "text"): SurfaceKind<FilesOptions> {
  return {
    kind,
    guarantees,
    parse: (entry) => parseFilesOptions(kind, entry),
    open: (options) => openFilesSurface(options, guarantees),
    probes: fileProbes,
    containerProbes: fileContainerProbes,
  };
}

export const jsonlFiles: SurfaceKind<FilesOptions> = filesKind("jsonl");
export const textFiles: SurfaceKind<FilesOptions> = filesKind("text");
