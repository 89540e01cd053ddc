// What a thread hashes of a scan, from the build, beside what the caller hashes; and threads that do not answer all or any of it. Needs `npm run build`.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import type { createEpochCommitments } from "../../src/attest/epoch-commitments.ts";
import { hashMessages } from "../../src/attest/hash-messages.ts";
import { hashTree } from "../../src/attest/hash-tree.ts";
import { LaidMessages, type LaidPart } from "../../src/attest/laid-messages.ts";
import { sortKeys } from "../../src/attest/sort-keys.ts";
import { canHaveThread, type HashedTrees, startTreeThread, type TreeThread } from "../../src/attest/tree-thread.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";

const BUILT = new URL("../../dist/attest/", import.meta.url);
const PROGRAM = new URL("hash-on-thread.js", BUILT);
const directory = mkdtempSync(join(tmpdir(), "deleatur-thread-"));
afterAll(() => rmSync(directory, { recursive: true }));

const KEYS = { names: randomBytes(32), surface: randomBytes(32) };

/** Some artifacts in two parts, with repetitions. */
function partsOf(surface: string, count: number): readonly LaidPart[] {
  const messages = new LaidMessages();
  return [0, count / 2].flatMap((from) => {
    for (let at = from; at < count; at += 1) {
      const sources = [{ surface: surfaceId("notes"), key: artifactKey(`${at}`) }];
      messages.put(
        { surface: surfaceId(surface), key: artifactKey(`${at}`), content: [], sources, subjects: [] },
        [],
        false,
      );
    }
    return messages.take() ?? [];
  });
}

const SURFACES = new Map([
  ["many", partsOf("many", 500)],
  ["none", []],
  ["few", partsOf("few", 2)],
]);

/** Has a thread hash all of them, and compares each answer with the caller's own. */
async function answersOf(thread: TreeThread): Promise<readonly (string | number)[]> {
  const answers: Promise<readonly [string, HashedTrees | undefined]>[] = [];
  for (const [surface, parts] of SURFACES) {
    for (const part of parts) thread.add(surface, KEYS, part);
    answers.push(thread.finish(surface, KEYS).then((trees) => [surface, trees] as const));
  }
  thread.end();
  return (await Promise.all(answers)).flatMap(([surface, trees]) => {
    if (trees === undefined) return [];
    const lists = hashMessages(SURFACES.get(surface) ?? [], KEYS, undefined);
    const isSame = (["membership", "lineage"] as const).every((tree) => {
      const keys = sortKeys(lists[tree]);
      const { branches, root } = hashTree(keys);
      const told = trees[tree];
      // Branches begin at the second key.
      return (
        Buffer.compare(told.keys, keys) === 0 &&
        Buffer.compare(told.root, root) === 0 &&
        Buffer.compare(told.branches.subarray(32), branches.subarray(32)) === 0
      );
    });
    return [surface, isSame ? "same" : "other"];
  });
}

test("ATTEST-1: a thread hashes messages and trees as the caller does", async () => {
  expect(await answersOf(startTreeThread(PROGRAM))).toEqual(["many", "same", "none", "same", "few", "same"]);
});

test.each([
  ["is not there", undefined, []],
  ["cannot be read", "this is no program", []],
  ["throws at once", "throw new Error('dead')", []],
  ["ends at once", "process.exit(3)", []],
  [
    "dies after its first answer",
    `import { parentPort } from "node:worker_threads";
     parentPort.postMessage = ((post) => (...told) => { post(...told); setTimeout(() => process.exit(1), 0); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50), process.exit(1); })(parentPort.postMessage.bind(parentPort));
     await import(${JSON.stringify(PROGRAM.href)});`,
    ["many", "same"],
  ],
])("a thread whose program %s leaves the rest to the caller", async (what, program, answered) => {
  const file = join(directory, `${what.replaceAll(" ", "-")}.mjs`);
  if (program !== undefined) writeFileSync(file, program);
  expect(await answersOf(startTreeThread(pathToFileURL(file)))).toEqual(answered);
});

/** The build's own, so that a thread is had. */
async function epochOf(
  count: number,
  later: number,
  given: "covered" | "uncovered" = "covered",
): Promise<{ readonly ahead: string; readonly now: string }> {
  // The build is the sources', and so are its types.
  const built = (await import(new URL("epoch-commitments.js", BUILT).href)) as {
    createEpochCommitments: typeof createEpochCommitments;
  };
  const id = surfaceId("episodes");
  const roots = await Promise.all(
    [true, false].map(async (isAhead) => {
      const commitments = built.createEpochCommitments({
        boundaryId: "agent",
        epoch: 3,
        key: new Uint8Array(32).fill(7),
        surfaces: [{ id, role: "primary", keys: "unique" }],
        isAhead,
      });
      const add = (from: number, to: number): void => {
        for (let at = from; at < to; at += 1) {
          const sources = [{ surface: id, key: artifactKey(`${at + 1}`) }];
          commitments.addArtifact(id, { key: artifactKey(`${at}`), content: [], sources, subjects: [] });
        }
      };
      add(0, count);
      commitments.endSurface(id);
      await commitments.hashedAhead();
      add(count, count + later);
      // Asked again, it waits for nothing that nobody hashes.
      commitments.endSurface(id);
      commitments.endAll();
      await commitments.hashedAhead();
      if (given === "covered") commitments.setCovered(id);
      else commitments.setUncovered(id, "UNREACHABLE");
      return Buffer.from(commitments.finish().B).toString("hex");
    }),
  );
  return { ahead: roots[0] ?? "none", now: roots[1] ?? "none" };
}

test.each([
  ["of all that there is", 0],
  ["of which something was missing", 1],
])("ATTEST-1: an epoch has the same roots from trees hashed ahead %s", async (_, later) => {
  const { ahead, now } = await epochOf(20_000, later);
  expect(ahead).toBe(now);
});

test("what was hashed ahead of a surface that is given up is dropped", async () => {
  const { ahead, now } = await epochOf(20_000, 1, "uncovered");
  expect(ahead).toBe(now);
});

test("a thread is had only where its program is built", async () => {
  const built = (await import(new URL("tree-thread.js", BUILT).href)) as { canHaveThread: typeof canHaveThread };
  expect([canHaveThread(), built.canHaveThread()]).toEqual([false, true]);
});
