// What a thread runs: hashes the parts of a surface as they come, and its trees when it has all of them. It must not touch anything else.
import { parentPort } from "node:worker_threads";
import { openKernel } from "./hash-kernel.ts";
import { hashMessages, type TokenLists } from "./hash-messages.ts";
import { hashKeys } from "./hash-sorted-keys.ts";
import { sortKeys } from "./sort-keys.ts";
import type { HashedTree, ToldByThread, ToldToThread } from "./tree-thread.ts";

const kernel = openKernel();
const lists = new Map<string, TokenLists[]>();

function treeOf(of: readonly Uint8Array[]): HashedTree {
  const keys = sortKeys(Buffer.concat(of));
  return { keys, ...hashKeys(keys, () => kernel) };
}

parentPort?.on("message", (told: ToldToThread) => {
  if (told === undefined) {
    parentPort?.close();
    return;
  }
  const { surface, keys, part } = told;
  const known = lists.get(surface) ?? [];
  lists.set(surface, known);
  if (part !== undefined) {
    known.push(hashMessages([part], keys, kernel));
    return;
  }
  lists.delete(surface);
  const membership = treeOf(known.map((list) => list.membership));
  const lineage = treeOf(known.map((list) => list.lineage));
  const answer: ToldByThread = { surface, membership, lineage };
  const buffers = [membership, lineage].flatMap((tree) => [tree.keys.buffer, tree.branches.buffer]);
  parentPort?.postMessage(answer, buffers);
});
