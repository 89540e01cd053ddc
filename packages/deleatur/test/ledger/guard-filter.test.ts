// The guard's filter: what is filed is never ruled out, whoever filed it and whatever was rolled back, stored or lifted meanwhile.
import { execFileSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { BlockFilter } from "../../src/ledger/block-filter.ts";
import type { GramOfRuns, Ledger } from "../../src/ledger/ledger.ts";
import { close, newRequestId, temporaryLedger } from "./temporary-ledger.ts";

const newGram = (): number => randomInt(2 ** 21) * 2 ** 32 + randomInt(2 ** 32);
const newGrams = (count: number): number[] => Array.from({ length: count }, newGram);

function file(ledger: Ledger, grams: readonly number[], request = newRequestId()): void {
  const found = grams.map((gram): GramOfRuns => ({ gram, runs: [1] }));
  ledger.putFingerprints([{ request, owners: [], grams: found }]);
}

function missing(ledger: Ledger, grams: readonly number[]): number {
  const filter = ledger.openFilter();
  return grams.filter((gram) => !filter.has(gram)).length;
}

function stateOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare("SELECT stored <> 0 AS stored, (SELECT count(*) FROM guard_additions) AS additions FROM guard_state")
      .get();
  } finally {
    database.close();
  }
}

test("GUARD-1: what was added is never ruled out", () => {
  assert(
    property(array(integer({ min: 0, max: 2 ** 53 - 1 }), { maxLength: 300 }), (values) => {
      const filter = BlockFilter.sized(values.length);
      for (const value of values) filter.add(value);
      expect(values.filter((value) => !filter.has(value))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test("a full filter errs for one value in a hundred at most", () => {
  const filter = BlockFilter.sized(20_000);
  for (const value of newGrams(filter.capacity)) filter.add(value);
  const wrong = newGrams(20_000).filter((value) => filter.has(value)).length;
  expect(wrong / 20_000).toBeLessThan(0.01);
});

const script = fileURLToPath(new URL("./file-entries.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/ledger/open-ledger.js", import.meta.url));

test.skipIf(!existsSync(built) && process.env["CI"] === undefined)(
  "GUARD-1: what another process filed is in the very next answer (needs the build)",
  () => {
    const { ledger, file: path } = temporaryLedger();
    file(ledger, newGrams(100));
    for (let round = 0; round < 3; round += 1) {
      const [gram, digest] = [newGram(), randomBytes(32)];
      // Asked before, so that a cache that is not caught up would show.
      expect(missing(ledger, [gram])).toBe(1);
      expect(ledger.findDenylist("exact", digest)).toEqual([]);
      execFileSync(process.execPath, [script, path, String(gram), digest.toString("hex")]);
      expect(missing(ledger, [gram])).toBe(0);
      expect(ledger.findDenylist("exact", digest)).toHaveLength(1);
    }
  },
);

test("GUARD-1: an addition that was rolled back hides none that takes its place", () => {
  const { ledger } = temporaryLedger();
  const [lost, kept] = [newGram(), newGram()];
  expect(() =>
    ledger.transaction(() => {
      file(ledger, [lost]);
      // Asked inside: the filter knows a generation that never comes to be.
      expect(missing(ledger, [lost])).toBe(0);
      throw new Error("stop");
    }),
  ).toThrow("stop");
  file(ledger, [kept]);
  expect(missing(ledger, [kept])).toBe(0);
});

test("GUARD-1: additions are stored in one filter; those who loaded before and after it miss nothing", () => {
  const early = temporaryLedger();
  const late = temporaryLedger({ file: early.file, keys: early.keys });
  const first = newGrams(60_000);
  file(early.ledger, first);
  expect(missing(late.ledger, first)).toBe(0);
  const second = newGrams(60_000);
  file(early.ledger, second);
  early.ledger.settleFilter();
  expect(stateOf(early.file)).toEqual({ stored: 1, additions: 0 });
  const third = newGrams(10);
  file(early.ledger, third);
  expect(missing(late.ledger, [...first, ...second, ...third])).toBe(0);
  close(late.ledger);
  const again = early.reopen();
  expect(missing(again, [...first, ...second, ...third])).toBe(0);
  // An eighth of it and more: folded in, by whoever has it in memory.
  const fourth = newGrams(130_000);
  file(again, fourth);
  again.settleFilter();
  expect(stateOf(early.file)).toEqual({ stored: 1, additions: 0 });
  expect(missing(early.reopen(), [...first, ...second, ...third, ...fourth])).toBe(0);
});

test("GUARD-1: the list can be erased: nothing that was lifted stays in the filter once the ledger was closed", () => {
  for (const count of [1_000, 110_000]) {
    const scene = temporaryLedger();
    const [gone, kept] = [newRequestId(), newRequestId()];
    const [lifted, standing] = [newGrams(count), newGrams(100)];
    file(scene.ledger, lifted, gone);
    file(scene.ledger, standing, kept);
    scene.ledger.settleFilter();
    scene.ledger.dropFingerprints(gone);
    const again = scene.reopen();
    expect(missing(again, standing)).toBe(0);
    expect(missing(again, lifted) / count).toBeGreaterThan(0.99);
    close(again);
  }
});
