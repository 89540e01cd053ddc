// Trees that a thread hashes, from the build, beside those that the caller hashes; and threads that do not answer all or any of it. Needs `npm run build`.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import type { createEpochCommitments } from "../../src/attest/epoch-commitments.ts";
import { hashSortedKeys } from "../../src/attest/hash-sorted-keys.ts";
import { sortKeys } from "../../src/attest/sort-keys.ts";
import { hashOnThread, isThreadWorthIt } from "../../src/attest/tree-thread.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";

const BUILT = new URL("../../dist/attest/", import.meta.url);
const PROGRAM = new URL("hash-on-thread.js", BUILT);
const directory = mkdtempSync(join(tmpdir(), "deleatur-thread-"));
afterAll(() => rmSync(directory, { recursive: true }));

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const list = new SharedArrayBuffer(bytes.length);
  new Uint8Array(list).set(bytes);
  return list;
}

/** With repetitions, and in no order. */
const some = randomBytes(32 * 500);
const LISTS = [Buffer.concat([some, some.subarray(0, 320)]), Buffer.alloc(0), randomBytes(32)].map(shared);

const whole = (hashed: Awaited<ReturnType<typeof hashOnThread>>): unknown =>
  [...hashed].map(([place, { keys, root, branches }]) => {
    const own = sortKeys(new Uint8Array(LISTS[place] ?? new ArrayBuffer()));
    const expected = hashSortedKeys(own);
    // Branches begin at the second key.
    const same = [
      [keys, own],
      [root, expected.root],
      [branches.subarray(32), expected.hashes.branches.subarray(32)],
    ] as const;
    return [place, ...same.map(([left, right]) => Buffer.compare(left, right))];
  });

test("ATTEST-1: a thread sorts and hashes as the caller does", async () => {
  expect(whole(await hashOnThread(LISTS, PROGRAM))).toEqual([
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [2, 0, 0, 0],
  ]);
});

test.each([
  ["is not there", undefined, []],
  ["cannot be read", "this is no program", []],
  ["throws at once", "throw new Error('dead')", []],
  ["ends at once", "process.exit(3)", []],
  [
    "dies after its first answer",
    `import { parentPort, workerData } from "node:worker_threads";
     parentPort.postMessage = ((post) => (...told) => { post(...told); setTimeout(() => process.exit(1), 0); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50), process.exit(1); })(parentPort.postMessage.bind(parentPort));
     await import(${JSON.stringify(PROGRAM.href)});`,
    [[0, 0, 0, 0]],
  ],
])("a thread whose program %s leaves the rest to the caller", async (what, program, answered) => {
  const file = join(directory, `${what.replaceAll(" ", "-")}.mjs`);
  if (program !== undefined) writeFileSync(file, program);
  expect(whole(await hashOnThread(LISTS, pathToFileURL(file)))).toEqual(answered);
});

/** The build's own, so that a thread is had. */
async function epochOf(count: number, later: number): Promise<{ readonly ahead: string; readonly now: string }> {
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
      });
      const add = (from: number, to: number): void => {
        for (let at = from; at < to; at += 1) {
          const sources = [{ surface: id, key: artifactKey(`${at + 1}`) }];
          commitments.addArtifact(id, { key: artifactKey(`${at}`), content: [], sources, subjects: [] });
        }
      };
      add(0, count);
      if (isAhead) commitments.hashAhead(id);
      await commitments.hashedAhead();
      add(count, count + later);
      commitments.setCovered(id);
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

test("a thread is for many keys, and only where its program is built", async () => {
  const built = (await import(new URL("tree-thread.js", BUILT).href)) as { isThreadWorthIt: typeof isThreadWorthIt };
  expect([isThreadWorthIt(1 << 30), built.isThreadWorthIt(32)]).toEqual([false, false]);
});
