// The kit over real Redis servers: every case met, or excused with a reason that still holds; the README says so.
import { describe, expect, test } from "vitest";
import { isConforming } from "../../src/conformance/index.ts";
import { isRedisMissing } from "../servers/redis-server.ts";
import { holdTable, PATIENT_MS } from "./hold-table.ts";
import { redisSubject } from "./redis-subject.ts";

describe.skipIf(isRedisMissing)("the kit", () => {
  test(
    "CLAIM-6: redis conforms",
    async () => {
      expect(isConforming(await holdTable(redisSubject, "adapters/redis/README.md"))).toBe(true);
    },
    PATIENT_MS,
  );
});
