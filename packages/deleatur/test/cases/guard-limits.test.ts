// What strains the guard: two writers and one release, a flood by one person, texts of no length and of every length, a ledger that is out of reach.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import colors from "picocolors";
import { expect, it } from "vitest";
import { outcomeJson, outcomeText } from "../../src/cli/print/outcome-report.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { recordedOutcome } from "../../src/forget/recorded-outcome.ts";
import { requestId } from "../../src/model/ids.ts";
import { openKeys } from "../../src/ledger/open-keys.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import { heldDigest } from "../../src/record/hold-write.ts";
import { prepareWrite } from "../../src/record/given-write.ts";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import {
  DAY_MS,
  EPISODES,
  EPISODES_SQL,
  logOf,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
} from "./scene.ts";

const HELD = { outcome: "held" };
const REFUSED = { name: "WriteRefusedError", code: "DENYLISTED" };
const NAMED = { role: "privacy-officer", reason: "TRUE_COINCIDENCE" };

async function memoryOf(maxRuns?: number): Promise<Scene> {
  const setup = { sql: EPISODES_SQL, surfaces: { episodes: EPISODES } };
  const scene = await openScene(maxRuns === undefined ? setup : { ...setup, maxRuns });
  await recordBoth(scene);
  return scene;
}

const SHOWN = { paint: colors.createColors(false), areKeysShown: false };

/** What the signed statement says that it does not say. */
function limitsIn({ receipt = "" }: RequestOutcome): string {
  const payload = /"payload":"([^"]+)"/u.exec(readFileSync(receipt, "utf8"))?.[1] ?? "";
  return Buffer.from(payload, "base64").toString();
}

let keys = 0;
const given = (subjects: readonly string[], text: string): Parameters<typeof prepareWrite>[1] => ({
  key: `new-${keys++}`,
  subjects,
  content: { text },
});

function put(
  scene: Scene,
  subjects: readonly string[],
  text: string,
  meanwhile = (): void => undefined,
): Promise<unknown> {
  const write = given(subjects, text);
  return scene.memory.record("episodes", write, () => {
    meanwhile();
    return scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(write.key, text);
  });
}

const stored = (scene: Scene): number => scene.rows("SELECT id FROM episodes WHERE id LIKE 'new-%'").length;

async function forget(scene: Scene): Promise<void> {
  await scene.memory.forget({ subject: [S], now: true });
  scene.memory.engine.ledger.liftDenylist({ identifiers: [{ type: "account", value: "s-4471" }] });
}

async function released(): Promise<Scene> {
  const scene = await memoryOf();
  await forget(scene);
  await put(scene, [T], S_SAYS[1]);
  const [held] = scene.memory.held();
  scene.memory.decideHeld({ held: held?.id ?? "", decision: "released", ...NAMED });
  return scene;
}

it("GUARD-2: of two writers with one release, the one that comes second is held, and what it wrote is undone", async () => {
  const scene = await released();
  const { ledger } = scene.memory.engine;
  const digest = heldDigest(ledger, prepareWrite("episodes", given([T], S_SAYS[1])));
  // A connection of its own, as another process has one; it comes between the last question and the commit.
  const other = openLedger({
    file: ledger.file,
    keys: openKeys({ file: ledger.file, environment: {}, random: scene.memory.engine.random }),
    clock: () => scene.clock.now(),
    random: scene.memory.engine.random,
  });
  const transaction = ledger.transaction.bind(ledger);
  const wasUsed: boolean[] = [];
  let isWritten = false;
  ledger.transaction = (act) => {
    if (isWritten && wasUsed.length === 0) wasUsed.push(other.useAllowance(digest));
    return transaction(act);
  };
  expect(
    await put(scene, [T], S_SAYS[1], () => {
      isWritten = true;
    }),
  ).toMatchObject(HELD);
  ledger.transaction = transaction;
  other.close();
  expect(wasUsed).toEqual([true]);
  expect(stored(scene)).toBe(0);
  expect(scene.memory.held()).toHaveLength(1);
});

it("GUARD-2: one release lets one of two equal writes of a batch in, so none of the batch", async () => {
  const scene = await released();
  const batch = [given([T], S_SAYS[1]), given([T], S_SAYS[1])];
  const insert = scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)");
  const write = (): void => {
    for (const { key } of batch) insert.run(key, S_SAYS[1]);
  };
  expect(await scene.memory.recordBatch("episodes", batch, write)).toMatchObject(HELD);
  expect(stored(scene)).toBe(0);
  // The release itself was given back with the rest.
  expect(await put(scene, [T], S_SAYS[1])).not.toMatchObject(HELD);
});

it("GUARD-2: a flood by one person is cut off and said; its texts stay out as a whole, and nobody else is hindered", async () => {
  const scene = await memoryOf(200);
  const flood = Array.from({ length: 30 }, (_, number) =>
    Array.from({ length: 40 }, (__, at) => `flood${number}x${at}`).join(" "),
  );
  for (const [at, text] of flood.entries())
    await scene.memory.record("episodes", { key: `f${at}`, subjects: [S], content: { text } }, () =>
      scene.app.prepare("INSERT INTO episodes VALUES (?, 's-4471', ?)").run(`f${at}`, text),
    );
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  scene.memory.engine.ledger.liftDenylist({ identifiers: [{ type: "account", value: "s-4471" }] });
  const { textsCutOff } = outcome;
  expect(textsCutOff).toBeGreaterThan(20);
  expect(outcomeJson(outcome, SHOWN)).toMatchObject({ textsCutOff });
  expect(outcomeText(outcome, SHOWN)).toContain(
    `guard     ${outcome.denylist} do-not-store entries\n          too many words for one request: ${textsCutOff} texts kept out as a whole only\n`,
  );
  expect(limitsIn(outcome)).toContain("up to 100 texts would be refused as a whole only, not inside a larger one");
  // As the record keeps it, and where nothing was cut off.
  expect(recordedOutcome(scene.memory.engine, requestId(outcome.request))).toMatchObject({ textsCutOff });
  const other = await scene.memory.forget({ subject: ["account:nobody-yet"], now: true });
  expect([other.textsCutOff, outcomeText(other, SHOWN)]).toEqual([0, expect.not.stringContaining("too many words")]);
  const [limited] = logOf(scene.memory).filter(({ type }) => type === "entries-limited");
  expect(limited).toMatchObject({ count: expect.any(Number) });
  for (const text of flood) expect(await put(scene, [T], text)).toMatchObject(HELD);
  const inside = [];
  for (const text of flood) inside.push(await put(scene, [T], `And they said ${text} yesterday`));
  const kept = inside.filter((answer) => JSON.stringify(answer).includes("held")).length;
  expect(kept).toBeGreaterThan(3);
  expect(kept).toBeLessThan(10);
  const before = stored(scene);
  await put(scene, [T], "Nobody ever wrote this sentence about the garden and its seven gates");
  expect(stored(scene)).toBe(before + 1);
});

it("GUARD-2: a text of three words is its owner's only; an empty one, and one of marks, are nobody's or a whole", async () => {
  const scene = await memoryOf();
  const short = "Marta likes plums";
  for (const [at, text] of [short, "", "🙂 🙃"].entries())
    await scene.memory.record("episodes", { key: `w${at}`, subjects: [S], content: { text } }, () =>
      scene.app.prepare("INSERT INTO episodes VALUES (?, 's-4471', ?)").run(`w${at}`, text),
    );
  await forget(scene);
  await expect(put(scene, [S], short.toUpperCase())).rejects.toMatchObject(REFUSED);
  await expect(put(scene, [S], "🙂🙃")).rejects.toMatchObject(REFUSED);
  expect(await put(scene, [], short)).toMatchObject(HELD);
  await put(scene, [T], short);
  await put(scene, [S], "");
  await put(scene, [], "");
  expect(stored(scene)).toBe(3);
});

it("GUARD-1: a ledger that is locked, deleted or replaced: the write is refused, and nothing is in the store", async () => {
  const scene = await memoryOf();
  const { file } = scene.memory.engine.ledger;
  const lock = new Database(file);
  lock.exec("BEGIN IMMEDIATE");
  await expect(put(scene, [T], T_SAYS[0])).rejects.toMatchObject({ code: "LEDGER_LOCKED" });
  lock.close();
  renameSync(file, `${file}.away`);
  await expect(put(scene, [T], T_SAYS[0])).rejects.toMatchObject({ code: "LEDGER_LOST" });
  const other = new Database(file);
  other.exec("CREATE TABLE t (x)");
  other.close();
  await expect(put(scene, [T], T_SAYS[0])).rejects.toMatchObject({ code: "LEDGER_LOST" });
  rmSync(file);
  renameSync(`${file}.away`, file);
  expect(stored(scene)).toBe(0);
  await put(scene, [T], T_SAYS[0]);
  expect(stored(scene)).toBe(1);
});

it("GUARD-2: `find` shows a held write about the person; forgetting them, or what it was made from, discards it", async () => {
  const scene = await memoryOf();
  await forget(scene);
  await put(scene, [T], S_SAYS[1]);
  await put(scene, ["account:nobody-yet"], S_SAYS[2]);
  const found = await scene.memory.find({ subject: ["account:nobody-yet"] });
  expect(found.held.map(({ artifact }) => artifact.subjects)).toEqual([[{ type: "account", value: "nobody-yet" }]]);
  // Nothing of them is in any store, and still no sealed copy is left.
  await scene.memory.forget({ subject: ["account:nobody-yet"], now: true });
  expect(scene.memory.held()).toHaveLength(1);
});

it("GUARD-2: a clock that jumps opens no door: a release that has run out stays so when the clock goes back, entries outlast any date", async () => {
  const scene = await released();
  scene.clock.advance(31 * DAY_MS);
  expect(await put(scene, [T], S_SAYS[1])).toMatchObject(HELD);
  scene.clock.advance(-31 * DAY_MS);
  expect(await put(scene, [T], S_SAYS[1])).toMatchObject(HELD);
  scene.clock.advance(100 * 365 * DAY_MS);
  await scene.reopen();
  await expect(put(scene, [S], S_SAYS[0])).rejects.toMatchObject(REFUSED);
  expect(await put(scene, [T], S_SAYS[0])).toMatchObject(HELD);
  scene.clock.advance(-200 * 365 * DAY_MS);
  await scene.reopen();
  await expect(put(scene, [S], S_SAYS[0])).rejects.toMatchObject(REFUSED);
  expect(await put(scene, [T], S_SAYS[0])).toMatchObject(HELD);
  expect(stored(scene)).toBe(0);
});

/** Every 12 bytes of a text, and every 64 of a vector. */
function windowsOf(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: bytes.length - size + 1 }, (_, at) => bytes.subarray(at, at + size));
}

it("PRIVACY-1: no 12 bytes of erased text and no window of a vector stand in ledger, log, keys or receipts, held writes and the filter included", async () => {
  const scene = await memoryOf();
  const vector = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at + 0.37));
  await scene.memory.forget({ subject: [S], now: true });
  const write = { key: "v1", subjects: [T], content: { text: S_SAYS[0], vector } };
  expect(await scene.memory.record("episodes", write, () => undefined)).toMatchObject(HELD);
  expect(await put(scene, [], `Somebody said: ${S_SAYS[1]}`)).toMatchObject(HELD);
  await expect(put(scene, [S], S_SAYS[2])).rejects.toMatchObject(REFUSED);
  const secrets = [
    ...S_SAYS.flatMap((text) => windowsOf(Buffer.from(text), 12)),
    ...windowsOf(Buffer.from(vector.buffer), 64),
  ];
  const own = new Set([scene.file, `${scene.file}-wal`, `${scene.file}-shm`]);
  const leaks = (): readonly string[] =>
    readdirSync(scene.directory, { recursive: true, encoding: "utf8" })
      .map((name) => join(scene.directory, name))
      .filter((path) => !own.has(path) && !path.startsWith(scene.transcripts) && statSync(path).isFile())
      .filter((path) => {
        const bytes = readFileSync(path);
        return secrets.some((secret) => bytes.includes(secret));
      });
  // Its control: the scan finds what is there.
  const { file } = scene.memory.engine.ledger;
  expect(existsSync(`${file}-wal`)).toBe(true);
  expect(readFileSync(scene.file).length).toBeGreaterThan(0);
  expect(leaks()).toEqual([]);
  scene.memory.engine.ledger.settleFilter();
  scene.memory.engine.ledger.rebuildFilter();
  const [first, second] = scene.memory.held();
  scene.memory.decideHeld({ held: first?.id ?? "", decision: "released", ...NAMED });
  scene.memory.decideHeld({ held: second?.id ?? "", decision: "discarded", ...NAMED });
  liftEntries(scene.memory.engine, { texts: [S_SAYS[1]], ...NAMED });
  expect(leaks()).toEqual([]);
  await scene.reopen();
  expect(leaks()).toEqual([]);
});
