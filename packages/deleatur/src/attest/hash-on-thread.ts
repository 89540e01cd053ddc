// What a thread runs: sorts and hashes the lists of tree keys that it was started with, and hands each back. It must not touch anything else.
import { parentPort, workerData } from "node:worker_threads";
import { hashSortedKeys } from "./hash-sorted-keys.ts";
import { sortKeys } from "./sort-keys.ts";
import type { HashedList } from "./tree-thread.ts";

// Given by `hashOnThread`.
const lists = workerData as readonly SharedArrayBuffer[];
for (const [place, list] of lists.entries()) {
  const keys = sortKeys(new Uint8Array(list));
  const { branches, root } = hashSortedKeys(keys).hashes;
  const told: HashedList = { place, keys, branches, root };
  parentPort?.postMessage(told, [keys.buffer, branches.buffer]);
}
