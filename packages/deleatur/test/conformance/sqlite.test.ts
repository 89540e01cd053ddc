// The kit over the three SQLite kinds: every case met, or excused with a reason that still holds; the README says so.
import { expect, test } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";
import { sqliteFtsSubject, sqliteVecSubject } from "./sqlite-index-subjects.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

test.each([
  ["CLAIM-6: sqlite", sqliteSubject],
  ["sqlite-fts", sqliteFtsSubject],
  ["sqlite-vec", sqliteVecSubject],
])(
  "%s conforms",
  async (_, subject) => {
    expect(isConforming(await holdTable(subject, "adapters/sqlite/README.md"))).toBe(true);
  },
  PATIENT_MS,
);
