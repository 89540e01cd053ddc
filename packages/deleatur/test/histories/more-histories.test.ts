// The second hundred random histories against the oracle, in a process of their own.
import { expect, it } from "vitest";
import { brokenIn, PATIENCE_MS, RUNS, SEED } from "./check-histories.ts";

it(
  `VERDICT-1 FORGET-1 GUARD-2 PRIVACY-1: nothing is COMPLIANT while the oracle finds anything (${RUNS} more histories)`,
  async () => {
    expect(await brokenIn(SEED + 1000)).toBeUndefined();
  },
  PATIENCE_MS,
);
