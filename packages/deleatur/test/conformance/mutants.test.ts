// The kit under test: for every case there is a store that is broken in one way, and that case fails there, by a reason of its own.
import { describe, expect, test } from "vitest";
import { CASES } from "../../src/conformance/cases/all-cases.ts";
import { runConformance } from "../../src/conformance/index.ts";
import { PATIENT_MS } from "./hold-table.ts";
import { MUTANTS } from "./mutants.ts";

test("every case has a broken store that it must find", () => {
  const covered = new Set(MUTANTS.map((one) => one.case));
  expect(CASES.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
  expect([...covered].filter((name) => !CASES.some((one) => one.name === name))).toEqual([]);
});

describe("CLAIM-5: the kit fails a store", () => {
  test.each(MUTANTS.map((one) => [one.case, one.flaw, one.subject] as const))(
    "by the case %s, where %s",
    async (name, _, subject) => {
      const { results } = await runConformance(subject, { only: [name] });
      const found = results.find((result) => result.name === name);
      // By what the case holds, not by an accident on the way.
      expect(found?.answer).toMatchObject({ outcome: "failed", why: expect.not.stringMatching(/^it threw/) });
    },
    PATIENT_MS,
  );
});
