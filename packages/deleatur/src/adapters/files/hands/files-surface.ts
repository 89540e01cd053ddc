// One open surface of files: the hands of kinds `jsonl` and `text`. A folder keeps no one out, so its fence is leased and its insert path open.
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Offered, Purged } from "../../../model/artifact.ts";
import type { Container, Guarantees, Surface } from "../../../surface.ts";
import { fileError } from "../file-errors.ts";
import type { FilesOptions, FilesStore } from "../options.ts";
import { eraseLines, rewriteRecords } from "./change-jsonl.ts";
import { jsonlArtifacts } from "./jsonl-artifacts.ts";
import { foreseeFolders } from "./foresee-folders.ts";
import { markFolder, readMarkers, unmarkFolder } from "./ledger-marker.ts";
import { clearTemps, listFiles, matchedFiles } from "./list-files.ts";
import { plantCanary } from "./plant-canary.ts";
import { syncFolder } from "./replace-file.ts";
import { checkFolder, eraseFiles, rewriteFiles, textArtifacts } from "./text-files.ts";

const SNIFF_BYTES = 65_536;

/** What a file that nobody declared holds, by its first bytes; nothing where it is empty. */
async function sniff(path: string): Promise<readonly ("text" | "blob")[]> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(SNIFF_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, SNIFF_BYTES, 0);
    if (bytesRead === 0) return [];
    const bytes = buffer.subarray(0, bytesRead);
    // A character that the end of the buffer cuts is no sign of a binary file.
    const text = new TextDecoder("utf-8").decode(bytes, { stream: true });
    return bytes.includes(0) || text.includes("\ufffd") ? ["blob"] : ["text"];
  } finally {
    await handle.close();
  }
}

/** The files that the glob means are one container, `store.*`; every other file is one of its own, `store.path`. */
async function containersOf(store: FilesStore, signal: AbortSignal): Promise<readonly Container[]> {
  const containers: Container[] = [{ name: `${store.name}.*`, kind: "file", holds: ["text"] }];
  for (const { path, absolute, kind } of await listFiles(store, signal)) {
    if (kind === "matched") continue;
    try {
      const holds = kind === "linked" ? (["blob", "text"] as const) : await sniff(absolute);
      containers.push({ name: containerName(store.name, path), kind: "file", holds });
    } catch (cause) {
      throw fileError(cause, store, path);
    }
  }
  return containers;
}

/** A file that is really called `*` must not pass for the declared ones. */
function containerName(store: string, path: string): string {
  return `${store}.${path === "*" ? "[*]" : path}`;
}

async function purgeStore(store: FilesStore, signal: AbortSignal): Promise<Purged> {
  const remaining = await clearTemps(store, signal);
  if (remaining > 0) return { outcome: "pending", why: "another process of ours is rewriting a file" };
  const folders = new Set([store.directory]);
  for (const { absolute } of await matchedFiles(store, signal)) folders.add(dirname(absolute));
  for (const folder of folders) {
    await syncFolder(folder).catch((cause: unknown) => {
      throw fileError(cause, store);
    });
  }
  return { outcome: "purged", method: "whole files rewritten and renamed, no temporary file left" };
}

/** Opens the folders and clears what a crashed rewrite left. @throws StoreError */
export async function openFilesSurface(options: FilesOptions, guarantees: Guarantees): Promise<Surface> {
  const opening = new AbortController().signal;
  for (const store of options.stores) {
    await checkFolder(store);
    await matchedFiles(store, opening);
    await clearTemps(store, opening);
  }
  const isJsonl = options.kind === "jsonl";
  const artifacts = isJsonl ? jsonlArtifacts : textArtifacts;
  return {
    guarantees,
    async census(signal) {
      const containers: Container[] = [];
      for (const store of options.stores) containers.push(...(await containersOf(store, signal)));
      return containers;
    },
    scan: (signal) => artifacts(options, undefined, signal),
    read: (keys, signal) => artifacts(options, new Set(keys), signal),
    rewrite: (replacements, signal) => (isJsonl ? rewriteRecords : rewriteFiles)(options, replacements, signal),
    erase: (keys, signal) => (isJsonl ? eraseLines : eraseFiles)(options, keys, signal),
    purgeLock: async () => "none",
    foresee: (signal) => foreseeFolders(options, signal),
    async purge(signal) {
      let purged: Purged = { outcome: "purged", method: "nothing to purge" };
      for (const store of options.stores) {
        const done = await purgeStore(store, signal);
        if (purged.outcome === "purged") purged = done;
      }
      return purged;
    },
    // Whoever may write to the folder may append: no door of the store's own stands there. The SDK's guard is the engine's.
    offer: async (): Promise<Offered> => ({ outcome: "accepted" }),
    fence: async () => "leased",
    plant: (canary, signal) => plantCanary(options, canary, signal),
    // A leased fence lives in the ledger alone: nothing stands in the folder that could be taken away.
    fences: async () => [],
    unfence: async () => "ended",
    async mark(ledger) {
      const marks = await Promise.all(options.stores.map((store) => markFolder(store, ledger)));
      return marks.includes("unmarked") ? "unmarked" : "marked";
    },
    markers: async () => (await Promise.all(options.stores.map(readMarkers))).flat(),
    async unmark(ledgers) {
      for (const store of options.stores) await unmarkFolder(store, ledgers);
    },
    // No file stays open between two acts.
    close: async () => {},
  };
}
