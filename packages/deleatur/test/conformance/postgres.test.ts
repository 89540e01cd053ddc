// The kit over PostgreSQL with pgvector: every case met, or excused with a reason that still holds; the README says so.
import { describe, expect, it } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { findVectorPostgres } from "../servers/find-postgres.ts";
import { holdTable } from "./hold-table.ts";
import { postgresSubject } from "./postgres-subject.ts";

const installation = findVectorPostgres();
/** Each case starts a server of its own, or several: 522 s were seen on a machine with eight times the work of its cores. */
const SERVERS_MS = 1_800_000;

describe.skipIf(installation === undefined)("CLAIM-6: postgres", () => {
  it(
    "conforms",
    async () => {
      if (installation === undefined) return;
      const subject = postgresSubject(installation);
      expect(isConforming(await holdTable(subject, "adapters/postgres/README.md"))).toBe(true);
    },
    SERVERS_MS,
  );
});
