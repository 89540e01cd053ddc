// The first hundred random histories against the oracle, and the mutants' fit; a broken history is named so that it can be run again.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { brokenIn, PATIENCE_MS, RUNS, SEED } from "./check-histories.ts";
import { MUTANTS } from "./mutants.ts";

const TITLE =
  "VERDICT-1 FORGET-1 GUARD-2 PRIVACY-1 VERIFY-2 CLAIM-5: nothing is COMPLIANT while the oracle finds anything, and no request is lost";

it(
  `${TITLE} (${RUNS} histories)`,
  async () => {
    expect(await brokenIn(SEED)).toBeUndefined();
  },
  PATIENCE_MS,
);

const source = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../src/${file}`, import.meta.url)), "utf8");

it("has mutants that still fit the engine's sources", () => {
  const stale = MUTANTS.filter(({ edits }) => edits.some(({ file, find }) => source(file).split(find).length !== 2));
  expect(stale.map(({ name }) => name)).toEqual([]);
});
