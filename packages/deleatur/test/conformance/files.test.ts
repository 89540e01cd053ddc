// The kit over the two kinds of files: every case met, or excused with a reason that still holds; the README says so.
import { expect, test } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { jsonlSubject, textSubject } from "./files-subjects.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";

test.each([
  ["CLAIM-6: jsonl", jsonlSubject],
  ["text", textSubject],
])(
  "%s conforms",
  async (_, subject) => {
    expect(isConforming(await holdTable(subject, "adapters/files/README.md"))).toBe(true);
  },
  PATIENT_MS,
);
