// The byte probe on a thread of its own, from the build, beside the same probe in its turn; and threads that do not look, or not to the end. Needs `npm run build`.
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bytesProbe } from "../../../src/adapters/sqlite/eyes/bytes-probe.ts";
import { type BytesOrder, startBytesThread } from "../../../src/adapters/sqlite/eyes/bytes-thread.ts";
import type { SqliteFile } from "../../../src/adapters/sqlite/options.ts";
import type { Needle } from "../../../src/model/needle.ts";
import { lookOnThread, type ThreadLook } from "../../../src/probe/bytes-thread.ts";
import { type ProbeRun, runProbes } from "../../../src/probe/run-probes.ts";
import { declare, needleOf, newStore, openSurface, scan, signal, tempFolder, text } from "./sqlite-fixture.ts";

const BUILT = new URL("../../../dist/adapters/sqlite/eyes/look-on-thread.js", import.meta.url);
const declared = declare("sqlite", { content: [text("text")] });
const GONE = 30;
const NEIGHBOURS = { neighbours: new Map([["episodes", "episodes"]]) };

interface Scene {
  readonly target: SqliteFile;
  readonly needles: readonly Needle[];
}

const words = (id: number): string => Array.from({ length: 40 }, (_, at) => `heron${id}x${at * at}`).join(" ");

/** A store whose rows were deleted and left in its bytes, but for the last, which is the control. */
async function leftBehind(): Promise<Scene> {
  const { file, app } = newStore("CREATE TABLE episodes (id INTEGER PRIMARY KEY, text TEXT)");
  const insert = app.prepare("INSERT INTO episodes VALUES (?, ?)");
  for (let id = 1; id <= GONE + 1; id += 1) insert.run(id, words(id));
  const all = await scan(await openSurface(declared, file));
  app.exec(`DELETE FROM episodes WHERE id <= ${GONE}`);
  const needles = all.map((artifact, at) => needleOf(artifact, at, at === GONE ? "control" : "erased"));
  return { target: { store: "memory", file }, needles };
}

async function run(
  { target, needles }: Scene,
  start: (order: BytesOrder) => ThreadLook | undefined,
): Promise<ProbeRun | undefined> {
  const [only] = await runProbes([bytesProbe(NEIGHBOURS, target, start)], needles, {}, signal);
  return only;
}

const onThread =
  (program: URL = BUILT) =>
  (order: BytesOrder): ThreadLook =>
    lookOnThread(order.target.store, order, program);

function programOf(text: string): URL {
  const file = join(tempFolder(), "program.mjs");
  writeFileSync(file, `import { parentPort, workerData } from "node:worker_threads";\n${text}`);
  return pathToFileURL(file);
}

test("C02: a thread finds in a store's bytes what the probe finds in its turn", async () => {
  const scene = await leftBehind();
  const inTurn = await run(scene, () => undefined);
  expect(inTurn).toMatchObject({ status: "ran", controlsFound: 1 });
  expect(new Set(inTurn?.findings.map(({ needle }) => needle)).size).toBe(GONE);
  expect(await run(scene, onThread())).toEqual(inTurn);
});

test("more findings than are told at once are all told", async () => {
  const scene = await leftBehind();
  const many = Array.from({ length: 60 }, () => scene.needles)
    .flat()
    .map((needle, index) => ({ ...needle, index }));
  const all = { ...scene, needles: many };
  const inTurn = await run(all, () => undefined);
  expect((inTurn?.findings.length ?? 0) + (inTurn?.overflow ?? 0)).toBeGreaterThan(1_500);
  expect(await run(all, onThread())).toEqual(inTurn);
});

const BEGUN = `parentPort.postMessage({ told: "begun" });`;
const ONE = `parentPort.postMessage({ told: "found", findings: [{ probe: "bytes", depth: "bytes", needle: workerData.needles.length - 1, place: { container: "memory" }, match: { how: "bytes", bytes: 99 } }] });`;
const SHUT = `parentPort.postMessage({ told: "failed", code: "STORE_LOCKED", message: "locked" });`;

test.each([
  ["is not there", () => new URL("not-there.js", BUILT)],
  ["dies before it has begun", () => programOf("throw new Error('dead');")],
  ["cannot open the store", () => programOf(SHUT)],
])("C02: where a thread %s the probe looks in its turn", async (_, program) => {
  const scene = await leftBehind();
  const inTurn = await run(scene, () => undefined);
  expect(await run(scene, onThread(program()))).toEqual(inTurn);
});

test("C02: where all threads that may be are taken the probe looks in its turn, and has one when they have ended", async () => {
  const scene = await leftBehind();
  const inTurn = await run(scene, () => undefined);
  const order = { ...scene, tables: new Map<string, string>() };
  const quick = onThread(programOf(`${BEGUN} ${ONE} parentPort.postMessage({ told: "done" });`));
  const taken = Array.from({ length: Math.max(1, availableParallelism() - 1) }, () =>
    lookOnThread("memory", order, programOf("setInterval(() => {}, 1000);")),
  );
  expect(await run(scene, quick)).toEqual(inTurn);
  for (const look of taken) look.end();
  expect(await run(scene, quick)).toMatchObject({ controlsFound: 1, findings: [] });
});

test.each([
  ["dies when it has begun", `${BEGUN} process.exit(0);`, "LOOK_ENDED", 0],
  ["throws when it has found the control", `${BEGUN} ${ONE} await new Promise((go) => parentPort.once("message", go)); throw new Error("dead");`, "LOOK_ENDED", 1], // prettier-ignore
  ["says that it cannot look", `${BEGUN} ${ONE} ${SHUT}`, "STORE_LOCKED", 1], // prettier-ignore
])("VERDICT-4: a thread that %s leaves the probe blind", async (_, program, code, controlsFound) => {
  const told = await run(await leftBehind(), onThread(programOf(program)));
  expect(told).toMatchObject({ status: "blind", controlsFound });
  expect(told?.why).toContain(code);
});

test("a thread that was begun for other needles tells nothing of these", async () => {
  const scene = await leftBehind();
  const probe = bytesProbe(
    NEIGHBOURS,
    scene.target,
    onThread(programOf(`${BEGUN} ${ONE} parentPort.postMessage({ told: "done" });`)),
  );
  probe.begin?.([]);
  const found = new Set<number>();
  for await (const { needle } of probe.look(scene.needles, signal)) found.add(needle);
  await probe.close();
  expect(found.size).toBe(GONE + 1);
});

test("a look that is aborted ends its thread", async () => {
  const scene = await leftBehind();
  const abort = new AbortController();
  let thread: ThreadLook | undefined;
  let isEnded = false;
  const probe = bytesProbe(NEIGHBOURS, scene.target, (order) => {
    const look = lookOnThread(order.target.store, order, programOf(`${BEGUN} setInterval(() => {}, 1000);`));
    thread = { ...look, end: () => ((isEnded = true), look.end()) };
    return thread;
  });
  const running = runProbes([probe], scene.needles, { started: () => setImmediate(() => abort.abort()) }, abort.signal);
  await expect(running).rejects.toThrow("aborted");
  expect(isEnded).toBe(true);
});

test("no thread is begun for a small store, nor from sources", async () => {
  const { target, needles } = await leftBehind();
  const { startBytesThread: built } = (await import(new URL("bytes-thread.js", BUILT).href)) as {
    startBytesThread: typeof startBytesThread;
  };
  const order = { target, tables: new Map<string, string>(), needles };
  expect([built(order), startBytesThread(order)]).toEqual([undefined, undefined]);
});
