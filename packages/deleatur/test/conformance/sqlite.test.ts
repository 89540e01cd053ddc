// The kit over the three SQLite kinds, and an index in each of its content modes: every case met, or excused with a reason that still holds; the README says so.
import { expect, test } from "vitest";
import { type ConformanceSubject, isConforming } from "../../src/conformance/index.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";
import { sqliteFtsOverSubjects } from "./sqlite-fts-over-subjects.ts";
import { sqliteFtsSubject, sqliteVecSubject } from "./sqlite-index-subjects.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

test.each<readonly [string, ConformanceSubject]>([
  ["CLAIM-6: sqlite", sqliteSubject],
  ["sqlite-fts", sqliteFtsSubject],
  ["sqlite-vec", sqliteVecSubject],
  ...sqliteFtsOverSubjects.map((subject) => [subject.name, subject] as const),
])(
  "%s conforms",
  async (_, subject) => {
    expect(isConforming(await holdTable(subject, "adapters/sqlite/README.md"))).toBe(true);
  },
  PATIENT_MS,
);
