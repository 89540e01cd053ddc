// The kit over real Redis servers: every case met, or excused with a reason that still holds; the README says so.
import { describe, expect, test } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { isRedisMissing, REDIS_BINARIES } from "../servers/redis-server.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";
import { redisSubjectOn } from "./redis-subject.ts";

describe.skipIf(isRedisMissing)("the kit", () => {
  test.each(REDIS_BINARIES)(
    "CLAIM-6: redis conforms on %s",
    async (binary) => {
      expect(isConforming(await holdTable(redisSubjectOn(binary), "adapters/redis/README.md"))).toBe(true);
    },
    PATIENT_MS,
  );
});
