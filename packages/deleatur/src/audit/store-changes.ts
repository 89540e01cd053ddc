// Notices that the files of the stores have changed, by size and time only, so that a watch may look after writes. It opens none of them.
import { statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { entriesBelow } from "../adapters/files/entries-below.ts";
import type { Boundary, StoreConnection } from "../model/declaration.ts";

/** Whether anything changed since it was asked last; a file that comes or goes is a change. */
export function storeChanges(boundary: Boundary): () => boolean {
  let last = signatureOf(boundary);
  // What is written to a server cannot be seen from outside: there each second counts as a change.
  const isHidden = [...boundary.connect.stores.values()].some((store) => "url" in store);
  return () => {
    const now = signatureOf(boundary);
    const isChanged = isHidden || now !== last;
    last = now;
    return isChanged;
  };
}

function signatureOf(boundary: Boundary): string {
  return [...boundary.connect.stores.values()]
    .flatMap(filesOf)
    .toSorted()
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? "" : `${file} ${stat.size} ${stat.mtimeMs} ${stat.ino}`;
    })
    .join("\n");
}

function filesOf(store: StoreConnection): readonly string[] {
  // Under a write-ahead log the database itself changes only at a checkpoint.
  if (store.type === "sqlite") return [store.file, `${store.file}-wal`, `${store.file}-journal`];
  if (store.type !== "files") return [];
  const parts = store.glob.split(sep);
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const folder = wild === -1 ? dirname(store.glob) : parts.slice(0, wild).join(sep);
  try {
    return entriesBelow(folder)
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return []; // a folder that is not there has no files; that it comes is a change
  }
}
