// The kit over every adapter that ships: each case met, or excused with a reason that still holds.
import { expect, test } from "vitest";
import { isConforming, runConformance, type ConformanceSubject } from "../../src/conformance/index.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

const SUBJECTS: readonly ConformanceSubject[] = [sqliteSubject];

test.each(SUBJECTS.map((subject) => ({ name: subject.name, subject })))("kind $name conforms", async ({ subject }) => {
  const report = await runConformance(subject);
  const open = report.results.filter(({ answer: { outcome } }) => outcome === "failed" || outcome === "not-run");
  expect(open.map(({ name, answer }) => ({ name, answer }))).toEqual([]);
  expect(isConforming(report)).toBe(true);
});
