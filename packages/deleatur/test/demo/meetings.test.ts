// The demo over real meetings (QMSum): people of a team are forgotten in turn, and nobody else loses a word.
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runDemo } from "../../src/demo/run-demo.ts";

const MEETING = fileURLToPath(new URL("../../../../../shared/data/qmsum/ES2002a.json", import.meta.url));
const isThere = existsSync(MEETING);
if (!isThere) console.warn(`skipped: no shared data at ${MEETING}`);
const out = mkdtempSync(join(tmpdir(), "deleatur-meetings-test-"));

afterAll(() => rmSync(out, { recursive: true, force: true }));

describe("the demo over meetings", () => {
  it("has the shared data where a skip would be a failure", () => {
    expect(isThere || process.env["CI"] === undefined).toBe(true);
  });

  it.skipIf(!isThere)(
    "LINEAGE-5: forgets each of four people in turn, rewrites shared answers, loses no bystander and in the end keeps nobody",
    async () => {
      const result = await runDemo(
        {
          out,
          data: [MEETING],
          json: false,
          isColoured: false,
          print: () => undefined,
          clock: () => new Date(),
          random: (bytes) => new Uint8Array(randomBytes(bytes)),
        },
        new AbortController().signal,
      );
      expect(result.forgotten.map(({ others, bystanders }) => [others.isUnchanged, bystanders.lost])).toEqual(
        Array.from({ length: 4 }, () => [true, 0]),
      );
      expect(result.forgotten[0]?.rewritten).toBeGreaterThan(3);
      expect(result.checks).toContainEqual({ name: "when all are forgotten nothing is left", isMet: true });
      expect(result.checks.filter(({ isMet }) => !isMet)).toEqual([]);
      expect(result.forgotten.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 4 }, () => "COMPLIANT"));
    },
    600_000,
  );
});
