// What counts as an answer of the kit: "not run" is never met, a stale or empty reason fails, and a guarantee cannot be excused.
import { describe, expect, test } from "vitest";
import { isConforming, runConformance, type CaseAnswer, type ConformanceReport } from "../../src/conformance/index.ts";
import { readAnswer } from "../../src/conformance/report.ts";
import { CASES } from "../../src/conformance/cases/all-cases.ts";
import { casesMarkdown } from "../../src/conformance/print-report.ts";
import { settleCase } from "../../src/conformance/run-conformance.ts";
import { holdText } from "./hold-table.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

const FAILED = { how: "failed", why: "it does not" } as const;
const IMPOSSIBLE = { how: "impossible", why: "no place for it" } as const;

describe("the answer to one case", () => {
  test.each<[string, Parameters<typeof settleCase>, CaseAnswer["outcome"]]>([
    ["passed, no reason", [{ how: "passed" }, undefined, "scan: complete"], "met"],
    ["passed, but said to be impossible: the reason is stale", [{ how: "passed" }, "cannot", undefined], "failed"],
    ["failed, no reason", [FAILED, undefined, undefined], "failed"],
    ["failed, with a reason", [FAILED, "no such thing here", undefined], "cannot"],
    ["failed, with an empty reason", [FAILED, "  ", undefined], "failed"],
    ["failed, with a reason, but guaranteed", [FAILED, "no such thing here", "deletion: file-level"], "failed"],
    ["impossible, no reason: nothing was shown", [IMPOSSIBLE, undefined, undefined], "not-run"],
    ["impossible, with a reason", [IMPOSSIBLE, "no such thing here", undefined], "cannot"],
    ["impossible, with a reason, but guaranteed", [IMPOSSIBLE, "no such thing here", "scan: complete"], "failed"],
  ])("%s", (_, given, outcome) => {
    expect(settleCase(...given).outcome).toBe(outcome);
  });

  test.each([undefined, null, "met", {}, { outcome: "skipped" }, { outcome: "full" }])(
    "that is missing or unknown fails",
    (value) => {
      expect(readAnswer(value).outcome).toBe("failed");
    },
  );
});

function reportOf(...outcomes: readonly CaseAnswer["outcome"][]): ConformanceReport {
  return {
    subject: "store",
    kind: "store",
    guarantees: sqliteSubject.kind.guarantees,
    results: outcomes.map((outcome) => ({ name: "case", says: "so", answer: { outcome, reason: "", why: "" } })),
  };
}

describe("a store conforms", () => {
  test.each([
    [["met", "met"], true],
    [["met", "cannot"], true],
    [["met", "not-run"], false],
    [["met", "failed"], false],
    [["cannot", "cannot"], false],
    [[], false],
  ] as const)("where its cases are %s: %s", (outcomes, conforms) => {
    expect(isConforming(reportOf(...outcomes))).toBe(conforms);
  });
});

test("a reason for a case that there is not fails, and so does a case asked for that there is not", async () => {
  const subject = { ...sqliteSubject, cannot: { ...sqliteSubject.cannot, "erase-thrice": "no third time" } };
  const { results } = await runConformance(subject, { only: ["erase-twice", "erase-never"] });
  const failed = results.filter(({ answer }) => answer.outcome === "failed").map(({ name }) => name);
  expect(failed).toEqual(["erase-thrice", "erase-never"]);
  expect(results.find(({ name }) => name === "erase-twice")?.answer.outcome).toBe("met");
  expect(results.find(({ name }) => name === "paging")?.answer.outcome).toBe("not-run");
});

test("what an interruption tears off, and all that comes after, is not run", async () => {
  const controller = new AbortController();
  const report = await runConformance(sqliteSubject, {
    signal: controller.signal,
    report: ({ name }) => {
      if (name === "others-untouched") controller.abort();
    },
  });
  const place = report.results.findIndex(({ name }) => name === "others-untouched");
  expect(report.results.slice(0, place).every(({ answer }) => answer.outcome === "met")).toBe(true);
  expect(report.results.slice(place).every(({ answer }) => answer.outcome === "not-run")).toBe(true);
  expect(isConforming(report)).toBe(false);
});

test("no two cases have one name, and the kit's README lists them all with what they hold true", async () => {
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  await holdText("conformance/README.md", "cases", casesMarkdown(CASES));
});
