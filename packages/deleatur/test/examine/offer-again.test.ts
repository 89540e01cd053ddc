// Which trials touch a store: those wait until all eyes have looked, since what is offered may leave bytes behind.
import { expect, it } from "vitest";
import { offersToStores } from "../../src/examine/offer-again.ts";

it.each([
  ["a store that its triggers guard", "trigger", "primary", "complete", true],
  ["our guard alone", "sdk", "primary", "complete", false],
  ["nobody, where others write", "foreign", "primary", "complete", false],
  ["nobody, where nothing is written through us", "trigger", "backup", "complete", false],
  ["nobody, where nothing can be scanned", "trigger", "cache", "none", false],
] as const)("C04: text is offered to %s", (_, writers, role, scan, expected) => {
  const others = { declaration: { writers: "sdk", role: "index" }, guarantees: { scan: "complete" } } as const;
  expect(offersToStores([others, { declaration: { writers, role }, guarantees: { scan } }])).toBe(expected);
});
