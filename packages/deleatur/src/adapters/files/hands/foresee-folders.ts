// Says whether a surface's folders may be written at all, and how much room a rewrite takes: by rights and sizes. It writes nothing.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { diskRoom } from "../../../disk-room.ts";
import type { Foresight } from "../../../surface.ts";
import { fileCode } from "../file-errors.ts";
import type { FilesOptions } from "../options.ts";
import { matchedFiles } from "./list-files.ts";

/** @throws StoreError */
export async function foreseeFolders({ stores, kind }: FilesOptions, signal: AbortSignal): Promise<Foresight> {
  const refused: Foresight["refused"][number][] = [];
  let largest = 0;
  for (const store of stores) {
    const files = await matchedFiles(store, signal);
    const folders = new Set([store.directory, ...files.map(({ absolute }) => dirname(absolute))]);
    for (const { absolute } of files) largest = Math.max(largest, sizeOf(absolute));
    if ([...folders].every(mayWrite)) continue;
    const why = `a folder of store ${store.name} may not be written`;
    refused.push(...(["erase", "plant"] as const).map((act) => ({ act, why })));
  }
  const disk = diskRoom(stores[0].directory);
  return {
    // What an unfinished rewrite left is taken out; the rest was written anew when it was erased.
    bytesStay: false,
    locks: [],
    // A line goes by writing its whole file anew beside the old one; a file goes as it is.
    spareBytes: kind === "jsonl" ? largest : 0,
    ...(disk === undefined ? {} : { disk }),
    seconds: 0,
    basis: kind === "jsonl" ? "the largest file, which is written anew when a line of it goes" : "whole files go",
    refused,
  };
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (cause) {
    const code = fileCode(cause);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
    throw cause;
  }
}
