// Every bad receipt fails by exactly the checks named for its flaw, and is kept as a file for other implementations (VERIFY-2, VERIFY-3, VERIFY-4).
import { describe, expect, it } from "vitest";
import { CHECK_CODES, publicKeyPem, verifyReceipt, type VerifyOptions } from "../src/index.ts";
import { BAD_RECEIPTS } from "./fixture/bad-receipts.ts";
import { erasurePlan, tombstonePlan, withheldPlan } from "./fixture/plan.ts";
import { seal } from "./fixture/sealed.ts";
import { NOW, OPERATOR, publicForm } from "./fixture/declared.ts";

const OPTIONS: VerifyOptions = {
  publicKeys: [OPERATOR.publicKey],
  threshold: 1,
  scope: { boundary: JSON.stringify(publicForm()) },
  acceptSelfAttested: true,
  auditorKeys: [],
  now: NOW,
};

describe("a receipt with one flaw is invalid (VERIFY-2, VERIFY-3, VERIFY-4)", () => {
  it.each(BAD_RECEIPTS)("$name", async ({ name, text, fails, options }) => {
    const source = text();
    const report = verifyReceipt(source, { ...OPTIONS, ...options });
    const failing = new Set(report.checks.filter(({ status }) => status === "fail").map(({ code }) => code));
    expect([...failing]).toEqual(fails);
    expect(report.outcome).toEqual({ kind: "invalid", exitCode: 24 });
    expect(report.restsOnMathematics).toEqual([]);
    expect([...new Set(report.checks.map(({ code }) => code))]).toEqual(CHECK_CODES);
    await expect(source).toMatchFileSnapshot(`./vectors/invalid/${name}.receipt`);
  });

  it.each([
    ["erasure", 0, erasurePlan],
    ["tombstone", 20, tombstonePlan],
    ["withheld", 21, withheldPlan],
  ] as const)("while the %s that they come from is not, and is kept beside them", async (name, exitCode, plan) => {
    const source = JSON.stringify(seal(plan()));
    expect(verifyReceipt(source, OPTIONS).outcome.exitCode).toBe(exitCode);
    await expect(source).toMatchFileSnapshot(`./vectors/valid/${name}.receipt`);
    await expect(JSON.stringify(publicForm())).toMatchFileSnapshot("./vectors/boundary.public-form");
    await expect(publicKeyPem(OPERATOR.publicKey)).toMatchFileSnapshot("./vectors/operator.pem");
  });

  it("has one name for one flaw, and the list of what must fail is kept beside the files", async () => {
    expect(new Set(BAD_RECEIPTS.map(({ name }) => name)).size).toBe(BAD_RECEIPTS.length);
    const lines = BAD_RECEIPTS.map(({ name, fails }) => `${name}.receipt ${fails.join(" ")}\n`);
    await expect(lines.join("")).toMatchFileSnapshot("./vectors/invalid/expected.txt");
  });
});
