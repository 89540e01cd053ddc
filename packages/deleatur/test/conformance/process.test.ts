// The kit over process memory and over copies that nobody can reach: what cannot be is said and seen, the rest is met; the READMEs say so.
import { expect, test } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";
import { backupSubject, inProcessSubject, providerCacheSubject } from "./process-subjects.ts";

test.each([
  ["in-process", inProcessSubject],
  ["provider-cache", providerCacheSubject],
  ["backup", backupSubject],
])(
  "%s conforms",
  async (kind, subject) => {
    expect(isConforming(await holdTable(subject, `adapters/${kind}/README.md`))).toBe(true);
  },
  PATIENT_MS,
);
